"""`gama anonymize`: show what would leave."""

import json
import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from gama.serve import choices
from gama.state.options import Options

if TYPE_CHECKING:
    from gama.privacy.anonymizer import Anonymizer
    from gama.privacy.box import PrivacyBox
    from gama.privacy.documents import DocumentView, Unread
    from gama.privacy.pipeline import View
    from gama.serve.bulk.command import Engine
    from gama.serve.bulk.steps import Scope
    from gama.state.entities import Entity

JsonWithValues = Annotated[
    bool, typer.Option("--json", help="Write one JSON object; it lists what was found, with the private values.")
]


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
    as_json: JsonWithValues = False,
    formulas: Annotated[
        bool,
        typer.Option(
            "--formulas",
            help="Tell the model how to reckon with what is hidden, in lines before the text; needs --box.",
        ),
    ] = False,
    attack: Annotated[
        bool,
        typer.Option(
            "--attack",
            help="Show what the text that would leave still gives away about its writer: guesses, how certain, and the "
            "sentences responsible; by the private LLM, or embedded. One text.",
        ),
    ] = False,
    review: Annotated[
        bool,
        typer.Option(
            "--review",
            help="With --refine: show each change, and ask on standard input whether it is taken. One text.",
        ),
    ] = False,
    query: choices.Query = None,
    encoding: choices.Encoding = None,
    home: choices.Home = None,
    out: choices.Out = None,
    engine: Annotated[
        str,
        typer.Option(help="What does the work: local processes, or ray.", rich_help_panel=choices.DATASETS),
    ] = "local",
    ray_address: Annotated[
        str | None,
        typer.Option(
            "--ray-address",
            help="With --engine ray: the cluster that does the work.",
            metavar="HOST:PORT",
            show_default="a Ray of this run's own, on this machine",
            rich_help_panel=choices.DATASETS,
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(help="Processes at work.", show_default="one for each core", rich_help_panel=choices.DATASETS),
    ] = None,
    scope: Annotated[
        str,
        typer.Option(
            help="What shares a box, and so placeholders: record or dataset.", rich_help_panel=choices.DATASETS
        ),
    ] = "record",
    columns: Annotated[
        str | None,
        typer.Option(
            help="Columns or fields that are read.",
            metavar="NAME,NAME",
            show_default="all of text",
            rich_help_panel=choices.DATASETS,
        ),
    ] = None,
    table: choices.Table = None,
    out_table: choices.OutTable = None,
) -> None:
    """Replace what is private by placeholders and print the text that would leave.

    A document (docx, xlsx, csv, tsv, json, jsonl, eml, html) keeps its format; of a PDF the text is taken. With --out a
    whole dataset is anonymized: a folder, lines, a table, a database.
    """
    from gama.guard.terminal import counting, say
    from gama.privacy.anonymizer import Anonymizer
    from gama.privacy.box import PrivacyBox
    from gama.privacy.decide import gathering, refusing
    from gama.serve.document_io import UNREAD, check_output, read_paper, write_paper
    from gama.serve.terminal import holding_interrupts, read_lines, read_task
    from gama.state.errors import OptionError

    choices.check("--unread", unread, UNREAD)
    if (attack or review) and (jsonl or out is not None):
        raise OptionError(
            f"option {'--attack' if attack else '--review'}: it is for one text, not for lines or datasets"
        )
    if review and options.refine == "off":
        raise OptionError("option --review: only a refinement is reviewed; name it: --refine placeholders+refine")
    if review and task in (None, "-"):
        raise OptionError("option --review: it asks on standard input; give the text as an argument or a file")
    if out is not None:
        choices.check("--engine", engine, ("local", "ray"))
        choices.check("--scope", scope, ("record", "dataset"))
        if jsonl or with_values or formulas or as_json or output is not None or form is not None:
            raise OptionError(
                "option --out: it goes without --jsonl, --with-values, --formulas, --json, -o and --format"
            )
        from gama.serve.bulk.command import anonymize_dataset

        chosen = refusing(options if query else gathering(options))
        code = anonymize_dataset(
            task, out, chosen, scope=cast("Scope", scope), workers=workers, columns=columns, table=table,
            out_table=out_table, box=box, clear_box=clear_box, unread=cast("Unread", unread), query=query,
            encoding=encoding, home=home, engine=cast("Engine", engine), ray_address=ray_address,
        )  # fmt: skip
        raise typer.Exit(code)
    if any(one is not None for one in (columns, table, out_table, workers, ray_address)):
        raise OptionError("option --out: name the place for the dataset; --columns, --table and --workers are for it")
    if with_values and not jsonl:
        raise OptionError("option --with-values: it is for lines, --jsonl; for one text or document there is --json")
    if formulas and (jsonl or box is None):
        raise OptionError("option --formulas: it is for one text or document, with --box FILE to restore the reply by")
    check_output(output, task, box, lines=jsonl)
    kept = PrivacyBox.load(box, home=home) if box is not None and box.exists() else None
    if jsonl:
        if with_values:
            _check_closed()
        lines, size = read_lines(task, encoding)
        anonymizer = Anonymizer(refusing(options))
        if box is None:
            _write_records(lines, size, anonymizer, None, query, values=with_values)
            return
        kept = kept if kept is not None else anonymizer.pipeline.new_box()
        # A file that cannot be written is told before the first line, not after the last.
        kept.save(box, encrypt=not clear_box, home=home)
        try:
            _write_records(lines, size, anonymizer, kept, query, values=with_values)
        finally:
            # Lines already written must stay restorable, whatever happened after them.
            with holding_interrupts():
                kept.save(box, encrypt=not clear_box, home=home)
        return
    paper = read_paper(task, form)
    if paper is not None:
        if attack:
            raise OptionError("option --attack: it is for a text; take it out of the document first")
        if review:
            raise OptionError("option --review: it is for a text, as --refine is; take it out of the document first")
        anonymizer = Anonymizer(options).reckoning(formulas)
        with counting(1.0) as step:
            made = anonymizer.anonymize_document(
                paper.data, paper.kind, query, box=kept, unread=cast("Unread", unread), encoding=encoding,
                by_row=True, progress=lambda share: step("reading", share),
            )  # fmt: skip
        told = anonymizer.instructions(made) if formulas else ""
        if box is not None:
            made.box.save(box, encrypt=not clear_box, home=home)
        _write_document(made, output, paper.source, as_json=as_json, kept=box is not None, told=told)
        return
    given = read_task(task, encoding=encoding, max_chars=options.max_chars)
    anonymizer = Anonymizer(options).reckoning(formulas)
    view = anonymizer.anonymize(given.text, query, box=kept)
    told = anonymizer.instructions(view) if formulas else ""
    if review:
        view = _reviewed(anonymizer, given.text, view, query)
    revealed = None
    if attack:
        from gama.privacy.refining.engine import attack as attacked

        revealed = attacked(anonymizer.pipeline, view.text)
    if box is not None:
        view.box.save(box, encrypt=not clear_box, home=home)
    if output is not None:
        write_paper(f"{given.mark}{_led_by(told, view.text)}".encode(), "txt", output, None, "anonymized")
    elif as_json:
        more: dict[str, Any] = {"question_spans": view.question_spans} | ({"instructions": told} if formulas else {})
        more |= {"attack": [one._asdict() for one in revealed]} if revealed is not None else {}
        print(json.dumps(_outcome(view) | {"warnings": view.warnings} | more, ensure_ascii=False))
    else:
        _print(_led_by(told, view.text), mark=given.mark, verbatim=not given.from_argument)
        for note in view.warnings:
            say(f"note: {note}")
    if revealed is not None and not as_json:
        from gama.serve.refinement import tell_attack

        tell_attack(revealed)


def _reviewed(anonymizer: "Anonymizer", text: str, view: "View", query: str | None) -> "View":
    """Return the view with those changes of its refinement that are taken; there may be none to ask about."""
    from gama.privacy.refining.changes import changes
    from gama.privacy.refining.engine import choose_changes
    from gama.serve.refinement import ask_changes

    made = changes(view.refinement) if view.refinement is not None else []
    return choose_changes(anonymizer.pipeline, text, view, query or 0, ask_changes(made))


def _write_document(
    made: "DocumentView", output: Path | None, source: Path | None, *, as_json: bool, kept: bool, told: str = ""
) -> None:
    from gama.guard.terminal import say
    from gama.serve.document_io import write_paper
    from gama.tools.documents.kinds import BINARY

    more: dict[str, Any] = {"entities": _mentions(made.entities, made.box), "warnings": made.warnings}
    if told:
        more["instructions"] = told
    if as_json and made.kind not in BINARY and output is None:
        print(json.dumps({"anonymized": made.data.decode("utf-8", "replace")} | more, ensure_ascii=False))
        return
    path = write_paper(made.data, made.kind, output, source, "anonymized")
    if as_json and path is not None:
        print(json.dumps({"output": str(path)} | more, ensure_ascii=False))
        return
    if path is not None:
        say(f"written: {path}")
    if told:
        say(f"note: tell the model before the document:\n{told}")
    for note in made.warnings:
        say(f"note: {note}")
    if not kept:
        say("note: no box was kept, so this cannot be restored; keep one with --box FILE")


def _led_by(told: str, text: str) -> str:
    return f"{told}\n\n{text}" if told else text


def _print(text: str, *, mark: str, verbatim: bool) -> None:
    if not sys.stdout.isatty():
        from gama.serve.terminal import write_text

        write_text(mark + text, verbatim=verbatim)
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


def _write_records(
    lines: Iterable[bytes], size: int | None, anonymizer: "Anonymizer", box: "PrivacyBox | None", query: str | None,
    *, values: bool,
) -> None:  # fmt: skip
    """Anonymize line by line and write the outcome of each at once, whole.

    Args:
        lines: JSON objects, in UTF-8.
        size: their bytes together, where that is known.
        anonymizer: does the work.
        box: what all lines share and let grow; None gives each one of its own, lost afterwards.
        query: what is asked about lines that have no query of their own, or None.
        values: whether the private values are written beside their placeholders.

    Raises:
        Exit: Ctrl-C; says which line comes next.
        GamaError: a line cannot be used; names it. Earlier lines are done.
    """
    from gama.guard.terminal import counting, say
    from gama.privacy.pipeline import View
    from gama.serve.terminal import INTERRUPTED, holding_interrupts
    from gama.state.errors import GamaError, InputError

    told: set[str] = set()
    others: set[str] = set()
    number = done = 0
    try:
        with counting(float(size) if size else None, beside=True) as step:
            for number, line in enumerate(lines, 1):
                step(f"{done:,} records", len(line))
                if not line.strip():
                    continue
                record = _record(line)
                if record is None:
                    raise InputError(f'Line {number} is no JSON object with a "text". Earlier lines are done.')
                own = box if box is not None else anonymizer.pipeline.new_box()
                try:
                    asking = record.get("query") or query or None
                    # Datasets have empty fields: there is nothing to hide in one.
                    blank = not record["text"].strip()
                    text = record["text"]
                    view = View(text, own, []) if blank else anonymizer.extend(text, own, query=asking)
                    asked = anonymizer.extend(record["query"], own).text if record.get("query") else None
                except GamaError as error:
                    raise type(error)(f"Line {number}: {error} Earlier lines are done.") from None
                out = json.dumps(_hidden(record, view, asked, values=values), ensure_ascii=False)
                with holding_interrupts():
                    print(out, flush=True)
                    done = number
                others |= record.keys() - {"id", "text", "query", "entities", "anonymized"}
                for note in set(view.warnings) - told:
                    say(f"note: {note}")
                told.update(view.warnings)
    except KeyboardInterrupt:
        say(f"interrupted: lines 1 to {done:,} are done, go on with line {done + 1:,}" if done else "interrupted")
        raise typer.Exit(INTERRUPTED) from None
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


def _record(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    fits = isinstance(record, dict) and isinstance(record.get("text"), str)
    return record if fits and isinstance(record.get("query"), str | None) else None
