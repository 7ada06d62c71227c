"""`gama restore`: put the private values back."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from gama.serve import choices


def restore(
    task: choices.Task = None,
    box: Annotated[
        Path | None, typer.Option(help="The file that `gama anonymize --box` kept.", show_default=False)
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Restore exact placeholders only.")] = False,
    as_json: choices.Json = False,
    encoding: choices.Encoding = None,
    max_chars: choices.MaxChars = None,
    home: choices.Home = None,
) -> None:
    """Put the private values back into a text with placeholders."""
    from gama.serve.inputs import read_task
    from gama.state.box import PrivacyBox
    from gama.state.errors import OptionError
    from gama.tools.placeholders.remapping import remap_text

    if box is None:
        raise OptionError("option --box: name the file that `gama anonymize --box FILE` kept")
    text = read_task(task, encoding=encoding, max_chars=max_chars or 50_000_000)
    restored = remap_text(text, PrivacyBox.load(box, home=home), "strict" if strict else "tolerant")
    if as_json:
        found = {"text": restored.text, "unresolved": restored.unresolved, "unused": restored.unused}
        print(json.dumps(found, ensure_ascii=False))
        return
    print(restored.text, end="" if restored.text.endswith("\n") else "\n")
    for token in restored.unresolved:
        print(f"note: {token} is no placeholder of this box; it was left as it is", file=sys.stderr)
