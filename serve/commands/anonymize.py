"""`gama anonymize`: show what would leave."""

import json
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, cast

import typer

from gama.serve import choices
from gama.state.options import Options

if TYPE_CHECKING:
    from gama.privacy.anonymizer import Anonymizer
    from gama.privacy.box import PrivacyBox
    from gama.privacy.documents import DocumentView, Unread
    from gama.privacy.pipeline import View
    from gama.state.entities import Entity


@choices.with_options("anonymize")
def anonymize(
    options: Options,
    task: choices.Task = None,
    box: Annotated[
        Path | None,
        typer.Option(
            help="Keep the box in this file, for `gama restore`; one that is there is continued.",
            rich_help_panel="Storage",
        ),
    ] = None,
    clear_box: Annotated[
        bool,
        typer.Option("--clear-box", help="Write the box in clear instead of encrypted.", rich_help_panel="Storage"),
    ] = False,
    jsonl: Annotated[
        bool,
        typer.Option("--jsonl", help='Read lines {"text", "query"?, …}, write the same with "anonymized" for "text".'),
    ] = False,
    with_values: Annotated[
        bool,
        typer.Option(
            "--with-values", help="With --jsonl: list the private values too, as `entities`. Not to be shared."
        ),
    ] = False,
    form: choices.Format = None,
    output: choices.Output = None,
    unread: Annotated[
        str, typer.Option(help="Pictures and other pieces that cannot be looked into: refuse, keep or remove.")
    ] = "refuse",
    as_json: choices.Json = False,
    query: choices.Query = None,
    encoding: choices.Encoding = None,
    home: choices.Home = None,
) -> None:
    """Replace what is private by placeholders and print the text that would leave.

    A document (docx, xlsx, csv, tsv, json, jsonl, eml, html) keeps its format; of a PDF the text is taken.
    """
    from gama.guard.terminal import say
    from gama.privacy.anonymizer import Anonymizer
    from gama.privacy.box import PrivacyBox
    from gama.privacy.question import refusing
    from gama.serve.document_io import UNREAD, read_paper, write_paper
    from gama.serve.inputs import read_task

    kept = PrivacyBox.load(box, home=home) if box is not None and box.exists() else None
    if jsonl:
        if with_values:
            _check_closed()
        lines = _lines(task, encoding)
        anonymizer = Anonymizer(refusing(options))
        try:
            for view in _each(lines, anonymizer, kept, query, together=box is not None, values=with_values):
                kept = view.box
        finally:
            # Lines already written must stay restorable, whatever happened after them.
            if box is not None and kept is not None:
                kept.save(box, encrypt=not clear_box, home=home)
        return
    paper = read_paper(task, form)
    if paper is not None:
        choices.check("--unread", unread, UNREAD)
        made = Anonymizer(options).anonymize_document(
            paper.data, paper.kind, query, box=kept, unread=cast("Unread", unread), encoding=encoding
        )
        if box is not None:
            made.box.save(box, encrypt=not clear_box, home=home)
        _write_document(made, output, paper.source, as_json=as_json, kept=box is not None)
        return
    given = read_task(task, encoding=encoding, max_chars=options.max_chars)
    view = Anonymizer(options).anonymize(given.text, query, box=kept)
    if box is not None:
        view.box.save(box, encrypt=not clear_box, home=home)
    if output is not None:
        write_paper(view.text.encode(), "txt", output, None, "anonymized")
    elif as_json:
        print(json.dumps(_outcome(view) | {"warnings": view.warnings}, ensure_ascii=False))
    else:
        _print(view.text, verbatim=not given.from_argument)
        for note in view.warnings:
            say(f"note: {note}")


def _write_document(
    made: "DocumentView", output: Path | None, source: Path | None, *, as_json: bool, kept: bool
) -> None:
    from gama.guard.terminal import say
    from gama.serve.document_io import write_paper
    from gama.tools.documents.kinds import BINARY

    told: dict[str, Any] = {"entities": _mentions(made.entities, made.box), "warnings": made.warnings}
    if as_json and made.kind not in BINARY and output is None:
        print(json.dumps({"anonymized": made.data.decode("utf-8", "replace")} | told, ensure_ascii=False))
        return
    path = write_paper(made.data, made.kind, output, source, "anonymized")
    if as_json and path is not None:
        print(json.dumps({"output": str(path)} | told, ensure_ascii=False))
        return
    if path is not None:
        say(f"written: {path}")
    for note in made.warnings:
        say(f"note: {note}")
    if not kept:
        say("note: no box was kept, so this cannot be restored; keep one with --box FILE")


def _print(text: str, *, verbatim: bool) -> None:
    if not sys.stdout.isatty():
        from gama.serve.terminal import write_text

        write_text(text, verbatim=verbatim)
        return
    from rich.console import Console

    from gama.serve.render import placeholders

    Console(highlight=False).print(placeholders(text), soft_wrap=True, end="" if text.endswith("\n") else "\n")


def _outcome(view: "View") -> dict[str, Any]:
    return {"anonymized": view.text, "entities": _mentions(view.entities, view.box)}


def _mentions(entities: "list[Entity]", box: "PrivacyBox") -> list[dict[str, Any]]:
    return [
        entity.model_dump() | {"placeholder": box.placeholder(entity.text) if entity.hidden else None}
        for entity in entities
    ]


def _check_closed() -> None:
    """Refuse to write private values into a file that others may read.

    Raises:
        OptionError: standard output is such a file.
    """
    from gama.state.errors import OptionError

    try:
        mode = os.fstat(sys.stdout.fileno()).st_mode
    except (OSError, ValueError):
        # Not a file of the system's at all.
        return
    if os.name == "posix" and stat.S_ISREG(mode) and mode & 0o077:
        raise OptionError(
            "option --with-values: others may read the file that standard output goes to. Make it yours alone first: "
            "umask 077, or chmod 600 FILE"
        )


def _lines(source: str | None, encoding: str | None) -> Iterator[str]:
    """Yield the lines of a file or of standard input, each as soon as it is there.

    Raises:
        InputError: the file cannot be read, or is not in the encoding.
    """
    from gama.state.errors import InputError

    chosen = encoding or "utf-8"
    try:
        fits = b"{\n".decode(chosen) == "{\n"
    except (LookupError, UnicodeError):
        fits = False
    if not fits:
        raise InputError(f"There is no encoding {chosen!r} for lines. Use utf-8, or a name such as latin-1 or cp1252.")
    if source is not None and source != "-":
        try:
            stream: BinaryIO = Path(source).open("rb")
        except OSError as error:
            raise InputError(f"The lines cannot be read: {error.strerror or type(error).__name__}.") from None
    elif sys.stdin is None or (source is None and sys.stdin.isatty()):
        raise InputError("There are no lines. Give a file of JSON lines, or pipe them in.")
    else:
        stream = sys.stdin.buffer
    with stream:
        for number, line in enumerate(stream, 1):
            try:
                text = line.removeprefix(b"\xef\xbb\xbf").decode(chosen)
            except UnicodeError:
                raise InputError(
                    f"Line {number} is not in the encoding {chosen}: name it by --encoding. Earlier lines are done."
                ) from None
            yield text


def _each(
    lines: Iterator[str],
    anonymizer: "Anonymizer",
    box: "PrivacyBox | None",
    query: str | None,
    *,
    together: bool,
    values: bool,
) -> "Iterator[View]":
    """Anonymize line by line and write the outcome of each at once.

    Args:
        lines: JSON objects.
        anonymizer: does the work.
        box: what to continue, or None.
        query: what is asked about lines that have no query of their own, or None.
        together: whether all lines share one box; else each has one of its own, lost afterwards.
        values: whether the private values are written beside their placeholders.

    Raises:
        GamaError: a line cannot be used; names it. Earlier lines are done.
    """
    from gama.guard.terminal import say
    from gama.state.errors import GamaError, InputError

    told: set[str] = set()
    others: set[str] = set()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        record = _record(line)
        if record is None:
            raise InputError(f'Line {number} is no JSON object with a "text". Earlier lines are done.')
        try:
            view = anonymizer.anonymize(record["text"], record.get("query") or query, box=box)
            asked = anonymizer.extend(record["query"], view.box).text if record.get("query") else None
        except GamaError as error:
            raise type(error)(f"Line {number}: {error} Earlier lines are done.") from None
        box = view.box if together else None
        others |= record.keys() - {"id", "text", "query", "entities", "anonymized"}
        print(json.dumps(_hidden(record, view, asked, values=values), ensure_ascii=False), flush=True)
        for note in set(view.warnings) - told:
            say(f"note: {note}")
        told.update(view.warnings)
        yield view
    if others:
        names = ", ".join(sorted(map(repr, others))[:8])
        say(f"note: other fields of the records were written as they are, unread: {names}")


def _hidden(record: dict[str, Any], view: "View", query: str | None, *, values: bool) -> dict[str, Any]:
    """Return a record with what its text became in the text's place."""
    told = _outcome(view)
    out: dict[str, Any] = {"id": None} if "id" not in record else {}
    for name, value in record.items():
        if name == "text":
            out["anonymized"] = told["anonymized"]
        elif name == "query":
            out["query"] = query if value else value
        elif name not in told:
            out[name] = value
    return out | {"entities": told["entities"]} if values else out


def _record(line: str) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    fits = isinstance(record, dict) and isinstance(record.get("text"), str)
    return record if fits and isinstance(record.get("query"), str | None) else None
