"""`gama restore`: put the private values back."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gama.serve import choices
from gama.state.options import Options
from gama.state.restoring import Unknown

if TYPE_CHECKING:
    from gama.privacy.box import PrivacyBox

DONE = {"keep": "left as it is", "drop": "taken out", "repair": "marked as unknown"}
MOST_CHARS = 50_000_000
"""A text to restore is not sent anywhere: its limit is what memory bears."""


@choices.with_options("restore")
def restore(
    options: Options,
    task: choices.Task = None,
    box: Annotated[Path | None, typer.Option(help="The file that `gama anonymize --box` kept.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Restore exact placeholders only.")] = False,
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help="Restore the lines that `gama anonymize --jsonl --box` wrote.")
    ] = False,
    form: choices.Format = None,
    output: choices.Output = None,
    as_json: choices.Json = False,
    encoding: choices.Encoding = None,
    home: choices.Home = None,
) -> None:
    """Put the private values back into a text or document with placeholders."""
    from gama.guard.terminal import say
    from gama.privacy.box import PrivacyBox
    from gama.serve.document_io import check_output, read_paper, write_paper
    from gama.serve.inputs import read_lines, read_task
    from gama.serve.terminal import write_text
    from gama.state.errors import OptionError
    from gama.tools.placeholders.remapping import remap_text

    if box is None:
        raise OptionError("option --box: name the file that `gama anonymize --box FILE` kept")
    check_output(output)
    kept = PrivacyBox.load(box, home=home)
    if strict:
        options = options.model_copy(update={"restore": "strict"})
    if jsonl:
        for number, line in enumerate(read_lines(task, encoding)[0], 1):
            if line.strip():
                print(_record(line, number, kept, options), flush=True)
        return
    if (paper := read_paper(task, form)) is not None:
        from gama.privacy.documents import restore_document
        from gama.tools.documents.base import Room

        how, room = options.restoring, Room.of(options)
        done = restore_document(paper.data, paper.kind, kept, how.mode, encoding=encoding, room=room, hosts=how.hosts)
        path = write_paper(done.data, paper.kind, output, paper.source, "restored")
        if path is not None:
            say(f"written: {path}")
        _tell(done.unresolved, withheld=done.withheld)
        return
    given = read_task(task, encoding=encoding, max_chars=MOST_CHARS)
    restored = remap_text(given.text, kept, options.restoring)
    if as_json:
        found = {
            "text": restored.text,
            "unresolved": restored.unresolved,
            "unused": restored.unused,
            "mended": restored.mended,
            "withheld": restored.withheld,
        }
        print(json.dumps(found, ensure_ascii=False))
        return
    if output is not None:
        write_paper(restored.text.encode(), "txt", output, None, "restored")
    else:
        write_text(restored.text, verbatim=not given.from_argument)
    _tell(restored.unresolved, restored.unknown, restored.withheld)


def _record(line: bytes, number: int, box: "PrivacyBox", options: Options) -> str:
    """Return a line as it was before it was anonymized: `text` in the place of `anonymized`.

    Raises:
        InputError: it is no such line.
    """
    from gama.state.errors import InputError
    from gama.tools.placeholders.remapping import Remapper

    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict) or not isinstance(record.get("anonymized"), str):
        raise InputError(f'Line {number} is no JSON object with "anonymized". Earlier lines are done.')
    out: dict[str, Any] = {}
    for name, value in record.items():
        if name == "anonymized" or (name == "query" and isinstance(value, str)):
            remapper = Remapper(box, options.restoring)
            out["text" if name == "anonymized" else name] = remapper.run(value, 0, len(value), final=True)
            _tell(tuple(remapper.unresolved), options.restoring.unknown, tuple(remapper.withheld))
        elif name != "entities":
            out[name] = value
    return json.dumps(out, ensure_ascii=False)


def _tell(unresolved: tuple[str, ...], unknown: Unknown = "keep", withheld: tuple[str, ...] = ()) -> None:
    from gama.guard.terminal import say

    for token in unresolved:
        say(f"note: {token} is no placeholder of this box; it was {DONE[unknown]}")
    if withheld:
        say(
            f"note: {len(withheld)} value(s) were not put into addresses that lead to hosts which the text does not "
            f"name: {', '.join(sorted(set(withheld)))}; --restore-host names more"
        )
