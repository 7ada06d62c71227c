"""`gama eval answers`: whether answers survive when private values are hidden."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from gama.evals.commands.shared import JsonFile, check_targets
from gama.state.errors import check
from gama.state.options import Options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.table import Table

    from gama.evals.answers import Cell, Level


def answers(
    options: Options,
    data: Annotated[
        Path | None, typer.Option(help="Records as .jsonl.", show_default="the shipped set", exists=True)
    ] = None,
    levels: Annotated[
        str, typer.Option(help="Comma-separated: plain (the raw text, in one call), strict, balanced, open.")
    ] = "plain,strict,balanced,open",
    kind: Annotated[list[str] | None, typer.Option(help="Only records of this kind; may be repeated.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="A sample of so many records, even over the kinds.")] = None,
    apart: Annotated[
        bool, typer.Option("--apart", help="Give the question apart where it does not stand in the text.")
    ] = False,
    at_once: Annotated[int, typer.Option(min=1, max=256, help="Records under way at a time.")] = 4,
    out: Annotated[
        Path | None,
        typer.Option(help="Keep every answer in this file; a run with the same file goes on where it stopped."),
    ] = None,
    json_file: JsonFile = None,
) -> None:
    """Ask a public model about texts with definite answers, plainly and at each level of privacy.

    The texts of the shipped set are made up. With texts of your own, `plain` sends them as they are.
    """
    import json

    from gama.evals import answers as asking
    from gama.evals.tables import console
    from gama.guard.terminal import clean, counting, say
    from gama.state.errors import OptionError

    check_targets(out=out, json_file=json_file)
    named = list(dict.fromkeys(name.strip() for name in levels.split(",")))
    check("--levels", named, asking.LEVELS)
    chosen = cast("list[Level]", named)
    records = asking.load(data)
    kinds = sorted({one.kind for one in records})
    check("--kind", kind or (), kinds)
    if options.public_model is None and "plain" in chosen:
        raise OptionError("option --public: the built-in reader answers no plain texts; name a model, or other levels")
    if data is not None and "plain" in chosen:
        say("note: the level plain sends the texts of this file as they are")
    records = asking.sample([one for one in records if not kind or one.kind in kind], limit, options.seed)
    answerers = {
        level: asking.plainly(options) if level == "plain" else asking.through_gama(options, level, apart=apart)
        for level in chosen
    }
    settings: dict[str, Any] = {"apart": apart, "data": [one.id for one in records]} | {
        name: value for name, value in options.model_dump(mode="json", exclude_defaults=True).items()
    }
    kept = asking.Kept(out, settings)
    with counting(len(records) * len(answerers)) as step:
        done = asking.run(records, answerers, kept, step, at_once)
    found = asking.table(done)
    print(f"{len(records)} texts with questions; right answers by the strings of the set, 95 % intervals by Wilson")
    console().print(_shown(found))
    for one in done:
        if one.error:
            say(clean(f"note: {one.id}, {one.level}: {one.error}"))
        if one.left:
            say(clean(f"note: {one.id}, {one.level}: {len(one.left)} secret(s) of the record left"))
    if json_file is not None:
        cells = {level: {name: cell._asdict() for name, cell in some.items()} for level, some in found.items()}
        content = {"command": "answers", "settings": settings, "figures": cells}
        json_file.write_text(json.dumps(content, ensure_ascii=False) + "\n", encoding="utf-8")
        say(f"Written to {json_file}")


def _shown(found: "Mapping[Level, Mapping[str, Cell]]") -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from gama.evals.answers import kinds_of, of_plain

    shown = Table(box=SIMPLE_HEAD)
    shown.add_column("kind")
    for level in found:
        shown.add_column(level, justify="right")
        if level != "plain":
            shown.add_column("left", justify="right")
    for kind in kinds_of(found):
        row = [kind]
        for level, cells in found.items():
            cell = cells[kind]
            share = of_plain(found, level, kind) if level != "plain" else None
            of = f", {share:.0%} of plain" if share is not None else ""
            row.append(f"{cell.right}/{cell.records} [{cell.low:.2f} {cell.high:.2f}]{of}")
            if level != "plain":
                row.append(str(cell.leaking))
        shown.add_row(*row)
    return shown
