"""`gama restore`: put the private values back."""

import json
from pathlib import Path
from typing import Annotated

import typer

from gama.serve import choices

MOST_CHARS = 50_000_000
"""A text to restore is not sent anywhere: its limit is what memory bears."""


def restore(
    task: choices.Task = None,
    box: Annotated[
        Path | None, typer.Option(help="The file that `gama anonymize --box` kept.", show_default=False)
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Restore exact placeholders only.")] = False,
    as_json: choices.Json = False,
    encoding: choices.Encoding = None,
    home: choices.Home = None,
) -> None:
    """Put the private values back into a text with placeholders."""
    from gama.serve.inputs import read_task
    from gama.serve.terminal import say, write_text
    from gama.state.box import PrivacyBox
    from gama.state.errors import OptionError
    from gama.tools.placeholders.remapping import remap_text

    if box is None:
        raise OptionError("option --box: name the file that `gama anonymize --box FILE` kept")
    kept = PrivacyBox.load(box, home=home)
    given = read_task(task, encoding=encoding, max_chars=MOST_CHARS)
    restored = remap_text(given.text, kept, "strict" if strict else "tolerant")
    if as_json:
        found = {"text": restored.text, "unresolved": restored.unresolved, "unused": restored.unused}
        print(json.dumps(found, ensure_ascii=False))
        return
    write_text(restored.text, verbatim=not given.from_argument)
    for token in restored.unresolved:
        say(f"note: {token} is no placeholder of this box; it was left as it is")
