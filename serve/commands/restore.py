"""`gama restore`: put the private values back."""

import json
import sys
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
    formulas: Annotated[
        bool | None,
        typer.Option(
            "--formulas/--no-formulas",
            help="Evaluate formulas first.",
            show_default="where the model was told of them",
        ),
    ] = None,
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help="Restore the lines that `gama anonymize --jsonl --box` wrote.")
    ] = False,
    form: choices.Format = None,
    output: choices.Output = None,
    as_json: choices.Json = False,
    encoding: choices.Encoding = None,
    home: choices.Home = None,
    out: choices.Out = None,
    table: choices.Table = None,
    out_table: choices.OutTable = None,
) -> None:
    """Put the private values back into a text or document with placeholders."""
    from gama.guard.terminal import say
    from gama.privacy.box import PrivacyBox
    from gama.serve.document_io import check_output, read_paper, write_paper
    from gama.serve.terminal import read_lines, read_task, write_text
    from gama.state.errors import OptionError

    if strict:
        options = options.model_copy(update={"restore": "strict"})
    if out is not None:
        if jsonl or as_json or output is not None or form is not None:
            raise OptionError("option --out: it goes without --jsonl, --json, -o and --format")
        from gama.serve.bulk.command import restore_from

        restore_from(
            task, out, options, table=table, out_table=out_table, box=box, encoding=encoding, home=home,
            formulas=formulas,
        )  # fmt: skip
        return
    if table is not None or out_table is not None:
        raise OptionError("option --out: name the place for the dataset; --table is for it")
    if box is None:
        raise OptionError("option --box: name the file that `gama anonymize --box FILE` kept")
    check_output(output, task, box, lines=jsonl)
    kept = PrivacyBox.load(box, home=home)
    known = len(kept)
    if jsonl:
        for number, line in enumerate(read_lines(task, encoding)[0], 1):
            if line.strip():
                print(_record(line, number, kept, options, formulas), flush=True)
        _keep(kept, known, box, home)
        return
    if (paper := read_paper(task, form)) is not None:
        from gama.privacy.documents import restore_document
        from gama.tools.documents.base import Room

        how, room = options.restoring, Room.of(options)
        done = restore_document(
            paper.data, paper.kind, kept, how.mode, encoding=encoding, room=room, hosts=how.hosts, formulas=formulas
        )
        _keep(kept, known, box, home)
        path = write_paper(done.data, paper.kind, output, paper.source, "restored")
        if path is not None:
            say(f"written: {path}")
        _tell(done.unresolved, withheld=done.withheld, unreckoned=done.unreckoned)
        return
    given = read_task(task, encoding=encoding, max_chars=MOST_CHARS)
    restored = kept.restore(given.text, options.restoring, formulas=formulas)
    _keep(kept, known, box, home)
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
        write_paper(f"{given.mark}{restored.text}".encode(), "txt", output, None, "restored")
    else:
        mark = "" if sys.stdout.isatty() else given.mark
        write_text(mark + restored.text, verbatim=not given.from_argument)
    _tell(restored.unresolved, restored.unknown, restored.withheld, restored.unreckoned)


def _keep(box: "PrivacyBox", known: int, path: Path, home: Path | None) -> None:
    """Write a box that has grown by what formulas gave back into its file, sealed if it was."""
    if len(box) > known:
        clear = "box" in json.loads(path.read_text(encoding="utf-8"))
        box.save(path, encrypt=not clear, home=home)


def _record(line: bytes, number: int, box: "PrivacyBox", options: Options, formulas: bool | None) -> str:
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
            to = "text" if name == "anonymized" else name
            if "{{" in value and (reckoner := box.reckoner(formulas)) is not None:
                restored = reckoner.restore(value, options.restoring)
                out[to] = restored.text
                _tell(restored.unresolved, options.restoring.unknown, restored.withheld, restored.unreckoned)
                continue
            remapper = Remapper(box, options.restoring)
            out[to] = remapper.run(value, 0, len(value), final=True)
            _tell(tuple(remapper.unresolved), options.restoring.unknown, tuple(remapper.withheld))
        elif name != "entities":
            out[name] = value
    return json.dumps(out, ensure_ascii=False)


def _tell(
    unresolved: tuple[str, ...],
    unknown: Unknown = "keep",
    withheld: tuple[str, ...] = (),
    unreckoned: tuple[str, ...] = (),
) -> None:
    from gama.guard.terminal import say

    for token in unresolved:
        if token in unreckoned:
            say(f"note: a formula could not be reckoned: {token}")
        else:
            say(f"note: {token} is no placeholder of this box; it was {DONE[unknown]}")
    if withheld:
        say(
            f"note: {len(withheld)} value(s) were not put into addresses that lead to hosts which the text does not "
            f"name: {', '.join(sorted(set(withheld)))}; --restore-host names more"
        )
