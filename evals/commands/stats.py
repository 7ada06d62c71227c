"""`gama eval stats`: whether methods differ over data sets, by their ranks, and two of them by paired tests."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gama.evals.commands.shared import JsonFile, check_packages, check_targets

if TYPE_CHECKING:
    from gama.evals.metrics.statistics import Friedman, HolmRow, Paired


def stats(
    table: Annotated[
        Path,
        typer.Argument(
            help="CSV: a head line with data sets, then a line for each method, its name first.", exists=True
        ),
    ],
    lower: Annotated[
        list[str] | None, typer.Option(help="A data set where less is better, as of a leak; may be repeated.")
    ] = None,
    methods: Annotated[str | None, typer.Option(help="Comma-separated: these methods alone.")] = None,
    compare: Annotated[
        list[str] | None, typer.Option(metavar="A,B", help="Compare two methods, pair by pair; may be repeated.")
    ] = None,
    alpha: Annotated[float, typer.Option(min=0.0001, max=0.5, help="Level at which Holm's steps reject.")] = 0.05,
    seed: Annotated[int, typer.Option(help="Seed of the draws.")] = 0,
    json_file: JsonFile = None,
) -> None:
    """Test a table of scores: Friedman, Iman and Davenport, and Holm against the best; paired tests of two methods.

    A data set without a score of some method is left out.
    """
    import json

    from gama.evals.metrics.statistics import friedman, holm, paired
    from gama.evals.score_table import columns_of, read_table
    from gama.evals.tables import console
    from gama.guard.terminal import clean, say
    from gama.state.errors import OptionError, check

    check_targets(json_file=json_file)
    check_packages("gama eval stats", "scipy", "statsmodels")
    whole = read_table(table)
    wanted = [name.strip() for name in methods.split(",")] if methods else list(whole.rows)
    pairs = [tuple(name.strip() for name in one.split(",")) for one in compare or ()]
    if any(len(one) != 2 for one in pairs):
        raise OptionError("option --compare: name two methods with a comma between, such as --compare GAMA,Std")
    check("--lower", lower or (), whole.datasets)
    check("--methods", wanted, tuple(whole.rows))
    check("--compare", [name for pair in pairs for name in pair], tuple(whole.rows))
    kept = columns_of(whole, wanted)
    for name in whole.datasets:
        if name not in kept:
            say(clean(f"note: {name} is left out: not every method has a score there"))
    where = [whole.datasets.index(name) for name in kept]
    scores = {name: [float(whole.rows[name][at] or 0) for at in where] for name in wanted}
    ranked = friedman(scores, lower_is_better=[name in (lower or ()) for name in kept])
    steps = holm(ranked.p_values, alpha)
    out = console()
    out.print(clean(f"{len(wanted)} methods on {len(kept)} data sets: {', '.join(kept)}"))
    _show_ranks(ranked, steps)
    compared: dict[str, Any] = {}
    for first, second in pairs:
        both = columns_of(whole, [first, second])
        places = [whole.datasets.index(name) for name in both]
        # Turned about where less is better, so that above nought always means that the first is better.
        signs = [-1 if name in (lower or ()) else 1 for name in both]
        values = [
            [sign * float(whole.rows[name][at] or 0) for at, sign in zip(places, signs, strict=True)]
            for name in (first, second)
        ]
        found = paired(values[0], values[1], seed=seed)
        out.print(clean(f"\n{first} less {second}: {_told(found)}"))
        compared[f"{first},{second}"] = found._asdict()
    if json_file is not None:
        content = {
            "command": "stats",
            "settings": {"methods": wanted, "datasets": kept, "lower": lower or [], "alpha": alpha, "seed": seed},
            "friedman": {name: _finite(value) for name, value in ranked._asdict().items()},
            "against_best": {name: {"z": ranked.z[name]} | one._asdict() for name, one in steps.items()},
            "compared": compared,
        }
        json_file.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        say(f"Written to {json_file}")


def _show_ranks(ranked: "Friedman", steps: "Mapping[str, HolmRow]") -> None:
    from rich.table import Table

    from gama.evals.tables import console
    from gama.guard.terminal import clean

    out = console()
    f_df = ", ".join(map(str, ranked.f_df))
    out.print(f"Friedman: chi square {ranked.statistic:.6f}, {ranked.df} degrees of freedom, p {ranked.p:.6g}")
    if not math.isclose(ranked.statistic, ranked.statistic_ties):
        out.print(f"  corrected for ties: {ranked.statistic_ties:.6f}, p {ranked.p_ties:.6g}")
    out.print(f"Iman and Davenport: F {ranked.f:.4f} ({f_df}), p {ranked.f_p:.6g}")
    table = Table(box=None, pad_edge=False, header_style="bold")
    for label in ("method", "mean rank", "z", "p", "threshold", "adjusted p", ""):
        table.add_column(label, justify="left" if label in ("method", "") else "right")
    table.add_row(clean(ranked.best), f"{ranked.ranks[ranked.best]:.3f}", *["–"] * 4, "the best")
    z = ranked.z
    for name, one in steps.items():
        numbers = (f"{ranked.ranks[name]:.3f}", f"{z[name]:.6f}", f"{one.p:.6g}", f"{one.threshold:.6f}")
        verdict = "differs" if one.rejected else "not shown to differ"
        table.add_row(clean(name), *numbers, f"{one.adjusted:.6g}", verdict)
    out.print(table)


def _told(found: "Paired") -> str:
    spread = f" [{found.interval.low:+.4f}, {found.interval.high:+.4f}]" if found.interval else ""
    tests = f"permutation p {found.permutation_p:.4g}, Wilcoxon p {found.wilcoxon_p:.4g}"
    exact = f", McNemar p {found.mcnemar_p:.4g}" if found.mcnemar_p is not None else ""
    return f"{found.difference:+.4f}{spread} on {found.items}, {found.wins} up, {found.losses} down; {tests}{exact}"


def _finite(value: Any) -> Any:
    """Return a figure as JSON may hold it: an infinite one is none of its numbers."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
