"""`gama eval compare`: whether two solvers differ by more than chance."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gama.evals.commands.report import Unfinished
from gama.evals.commands.shared import JsonFile, check_packages, check_targets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from gama.evals.reports.compare import Difference, Side
    from gama.evals.reports.measures import Measure
    from gama.evals.reports.read import Runs


def compare(
    first: Annotated[str, typer.Argument(metavar="A", help="Folder of logs, or with --logs a solver.")],
    second: Annotated[str, typer.Argument(metavar="B", help="Folder of logs, or with --logs a solver.")],
    logs: Annotated[Path | None, typer.Option(help="Folder of the logs of both solvers.", show_default=False)] = None,
    measure: Annotated[
        str,
        typer.Option(
            help="What is compared: score, leaking, leak, failed, calls, tokens, seconds, money, or another figure of "
            "the items, such as leakage.leaked."
        ),
    ] = "score",
    unfinished: Unfinished = False,
    json_file: JsonFile = None,
    resamples: Annotated[
        int, typer.Option(min=1000, max=1_000_000, help="Draws for the intervals, and for the permutations.")
    ] = 10_000,
    seed: Annotated[int, typer.Option(help="Seed of both.")] = 0,
) -> None:
    """Compare two solvers on the items that both were asked: per data set, paired, and corrected for their number.

    A and B are two folders of logs, or, with --logs, two solvers of one folder.
    """
    check_targets(json_file=json_file)
    check_packages("gama eval compare", "inspect_ai", "pandas", "scipy", "statsmodels")
    from gama.evals.reports.compare import as_json, compare, pairs, sentence, verdict
    from gama.evals.reports.measures import MEASURES
    from gama.evals.reports.measures import measure as named
    from gama.evals.reports.read import KEYS, read
    from gama.evals.tables import console
    from gama.guard.terminal import clean, say
    from gama.state.errors import check

    if logs is not None:
        both = [read(logs, unfinished=unfinished)]
        sides = [(_side(both[0], first), _side(both[0], second))]
    else:
        both = [read(Path(folder), unfinished=unfinished) for folder in (first, second)]
        sides = pairs(both[0], both[1])
    columns = [name for runs in both for name in runs.frame.columns if name not in KEYS]
    marks = [name.removesuffix(".right") for name in columns if name.startswith("marks_") and name.endswith(".right")]
    check("--measure", measure, dict.fromkeys([*MEASURES, *marks, *columns]))
    kind = named(measure)
    found = compare(sides, kind, resamples=resamples, seed=seed)
    console().print(_shown(found, kind))
    for one in found:
        print(clean(sentence(one, kind)))
    print(clean(verdict(found, kind)))
    for runs in both:
        for note in runs.notes:
            say(f"note: {note}")
    for one in found:
        if one.left_out:
            say(f"note: {one.dataset}: {one.left_out} item(s) that only one of the two has are left out")
    if json_file is not None:
        settings = {"measure": measure, "resamples": resamples, "seed": seed, "level": 0.95}
        content = {"command": "compare", "settings": settings, "differences": as_json(found, kind)}
        json_file.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        say(f"Written to {json_file}")


def _side(runs: "Runs", wanted: str) -> "Side":
    from gama.evals.reports.compare import Side
    from gama.state.errors import check

    key = {name: key for key, name in runs.solvers.items()}.get(wanted, wanted)
    check("--logs", key, runs.solvers)
    return Side(runs, key, runs.solvers[key])


def _shown(found: "Sequence[Difference]", kind: "Measure") -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from gama.evals.reports.compare import figure
    from gama.guard.terminal import clean

    unit = f" ({kind.unit})" if kind.unit else ""
    shown = Table(box=SIMPLE_HEAD)
    for label in ("data set", "A", "B"):
        shown.add_column(label)
    for label in ("items", f"A{unit}", f"B{unit}", "A − B", "p", "p by Holm"):
        shown.add_column(label, justify="right")
    for one in found:
        ends = f" [{figure(one.low)}, {figure(one.high)}]" if one.low is not None and one.high is not None else ""
        shown.add_row(
            clean(one.dataset), clean(one.first), clean(one.second), str(one.items), figure(one.first_value),
            figure(one.second_value), f"{figure(one.value)}{'*' if one.apart else ''}{ends}", f"{one.p:.3g}",
            f"{one.adjusted:.3g}",
        )  # fmt: skip
    return shown
