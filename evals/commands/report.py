"""`gama eval report`: tables and plots of logs, beside the figures that the papers publish."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gama.evals.commands.shared import Resamples

if TYPE_CHECKING:
    from gama.evals.reports.measures import Measured
    from gama.evals.reports.tables import Sheet

Unfinished = Annotated[
    bool, typer.Option("--unfinished", help="Count the newest run even if it was not finished, with what it holds.")
]


def report(
    logs: Annotated[
        Path | None, typer.Argument(help="Folder of logs, as `gama eval run` writes them.", show_default=False)
    ] = None,
    published: Annotated[bool, typer.Option("--published", help="The papers' tables alone, without any log.")] = False,
    table: Annotated[
        list[str] | None,
        typer.Option(
            help="Only this table of the papers (gama-v2-1), or those of a paper (gama-v2), or all; may be repeated.",
            show_default="those that hold figures of the logs",
        ),
    ] = None,
    results: Annotated[
        list[Path] | None,
        typer.Option(
            help="Figures that gama eval identify, query, kpp, lpp, utility or risk have written by --json.",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write report.md, report.html, report.csv and the plots to this folder.",
            show_default="printed as Markdown",
        ),
    ] = None,
    unfinished: Unfinished = False,
    resamples: Resamples = 2000,
    seed: Annotated[int, typer.Option(help="Seed of the draws.")] = 0,
) -> None:
    """Show what was measured, in the papers' tables beside their figures: what can be compared, what not, and why.

    A report holds figures alone, no text of an item.
    """
    from gama.evals.commands.shared import check_packages, check_targets
    from gama.evals.reports.measures import Measured, read_result
    from gama.evals.reports.published import choose, tables
    from gama.evals.reports.read import read
    from gama.evals.reports.tables import overview, sheet
    from gama.guard.terminal import say
    from gama.state.errors import OptionError

    if published and (logs or results):
        raise OptionError("option --published: it shows the papers' tables alone; leave the logs and --results out")
    if not (published or logs or results):
        raise OptionError("name the folder of the logs, or files by --results, or --published")
    if out is not None and not out.is_dir():
        check_targets(out=out)
        if out.exists():
            raise OptionError(f"option --out: {str(out)!r} is a file; name a folder")
    reading = ("inspect_ai", "pandas", "matplotlib") if logs else ()
    check_packages("gama eval report", "scipy", "statsmodels", *reading)
    chosen = choose(tables(), table or ["all"])
    runs = read(logs, unfinished=unfinished) if logs else None
    measured = None if published else Measured(runs, tuple(map(read_result, results or ())), resamples, seed)
    sheets = [sheet(one, measured) for one in chosen]
    if measured is not None and not table:
        sheets = [one for one in sheets if one.filled]
    first = overview(measured) if measured is not None else []
    if out is None:
        _print(first, sheets, measured)
    else:
        _write(out, first, sheets, measured)
    for note in runs.notes if runs is not None else ():
        say(f"note: {note}")
    if measured is not None and not table and not sheets:
        say("note: these figures belong into none of the papers' tables; --table shows one all the same")


def _print(first: "list[Sheet]", sheets: "list[Sheet]", measured: "Measured | None") -> None:
    from gama.evals.reports.writing import markdown
    from gama.evals.tables import console
    from gama.guard.terminal import clean

    text = clean(markdown(first, sheets, measured.runs if measured else None))
    if sys.stdout.isatty():
        from rich.markdown import Markdown

        console().print(Markdown(text))
    else:
        print(text, end="")


def _write(out: Path, first: "list[Sheet]", sheets: "list[Sheet]", measured: "Measured | None") -> None:
    from gama.evals.reports.page import page
    from gama.evals.reports.plots import alone, plots
    from gama.evals.reports.writing import csv_text, markdown
    from gama.guard.terminal import clean, say

    runs = measured.runs if measured else None
    drawn = plots(measured) if measured is not None and runs is not None else []
    out.mkdir(exist_ok=True)
    if drawn:
        (out / "plots").mkdir(exist_ok=True)
    for one in drawn:
        (out / "plots" / f"{one.key}.svg").write_text(alone(one.svg), encoding="utf-8")
    pictures = [(one.title, one.alt, f"plots/{one.key}.svg") for one in drawn]
    written = {
        "report.md": markdown(first, sheets, runs, pictures),
        "report.html": page(first, sheets, runs, drawn),
        "report.csv": csv_text([*first, *sheets]),
    }
    for name, text in written.items():
        (out / name).write_text(clean(text), encoding="utf-8")
    say(f"Written to {out}: {', '.join(written)}" + (f" and {len(drawn)} plots" if drawn else ""))
