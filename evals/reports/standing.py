"""The order of methods over data sets by Friedman's test and Holm's procedure: of own figures, and of printed ones."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gama.evals.metrics.statistics import Friedman, HolmRow, friedman, holm
from gama.evals.reports.measures import Measured, Sums, measure, sums
from gama.evals.reports.published import Table

ALPHA = 0.05
LEAKS = ("lr_final.leaking", "lr.leaking", "leaking")
MEASURED_BY = {"plens": LEAKS, "privacylens": LEAKS}
"""Measures of data sets that are not about right answers; the first that is known counts."""
FEWEST = 2
"""Data sets without which there is no order to test."""


class Standing(NamedTuple):
    """Methods in their order."""

    datasets: tuple[str, ...]
    test: Friedman
    steps: Mapping[str, HolmRow]
    """Of all methods but the best one."""
    left_out: tuple[str, ...] = ()
    """Methods that lack data sets which others have."""


def rank(scores: Mapping[str, Sequence[float]], datasets: Sequence[str], lower: Sequence[bool]) -> Standing:
    """Return the standing of methods that have a figure on every data set."""
    test = friedman(scores, lower_is_better=lower)
    best = min(test.ranks, key=lambda name: test.ranks[name])
    return Standing(tuple(datasets), test, holm({name: p for name, p in test.p_values.items() if name != best}, ALPHA))


def measured_standing(measured: Measured) -> Standing | None:
    """Return the standing of the solvers that were run on the most data sets, over the items that all of them have.

    None where fewer than two solvers share two data sets.
    """
    if measured.runs is None:
        return None
    have = {
        solver: {one.dataset for one in measured.runs.logs if one.solver == solver} for solver in measured.runs.solvers
    }
    most = max(map(len, have.values()), default=0)
    block = [solver for solver, own in have.items() if len(own) == most]
    shared = set.intersection(*(have[solver] for solver in block)) if block else set()
    scores: dict[str, list[float]] = {solver: [] for solver in block}
    datasets: list[str] = []
    lower: list[bool] = []
    for dataset in sorted(shared):
        for name in MEASURED_BY.get(dataset, ("score",)):
            values = _values(measured, dataset, block, name)
            if values is not None:
                datasets.append(dataset)
                lower.append(measure(name).better == "lower")
                for solver, value in zip(block, values, strict=True):
                    scores[solver].append(value)
                break
    if len(block) < 2 or len(datasets) < FEWEST:
        return None
    left_out = tuple(name for key, name in measured.runs.solvers.items() if key not in block)
    return rank(scores, datasets, lower)._replace(left_out=left_out)


def _values(measured: Measured, dataset: str, solvers: Sequence[str], name: str) -> list[float] | None:
    """Return the solvers' figures over the items that all have; None where one has none, or they share none."""
    found: list[Sums] = []
    for solver in solvers:
        frame = measured.items(dataset, solver)
        one = sums(frame, measure(name)) if frame is not None else None
        if one is None:
            return None
        found.append(one)
    both = set.intersection(*(set(one.items) for one in found))
    kept = [[at for at, item in enumerate(one.items) if item in both] for one in found]
    if not both:
        return None
    return [float(one.parts[places].sum() / one.wholes[places].sum()) for one, places in zip(found, kept, strict=True)]


def printed_standings(table: Table) -> list[Standing]:
    """Return the standings that follow from a table's printed figures.

    One over all data sets with the methods that have them all, and, where methods lack some, one of all methods over
    the data sets that all have.
    """
    columns = [at for at, column in enumerate(table.columns) if column.measure not in (("relative",), ())]
    wide = [row for row in table.rows if all(row.values[at] is not None for at in columns)]
    narrow = [at for at in columns if all(row.values[at] is not None for row in table.rows)]
    blocks = [(wide, columns)] + ([(list(table.rows), narrow)] if len(wide) < len(table.rows) else [])
    return [
        rank(
            {row.label: [float(row.values[at] or 0) for at in places] for row in rows},
            [table.columns[at].group or table.columns[at].label for at in places],
            [table.columns[at].better == "lower" for at in places],
        )
        for rows, places in blocks
        if len(rows) > 1 and len(places) >= FEWEST
    ]


def printed_steps(table: Table) -> dict[str, HolmRow]:
    """Return Holm's steps that follow from the z which a table prints in its first column."""
    from scipy.stats import norm

    return holm({row.label: float(2 * norm.sf(abs(float(row.values[0] or 0)))) for row in table.rows}, ALPHA)


def told(standing: Standing, names: Mapping[str, str] | None = None) -> str:
    """Return a standing as a sentence."""
    shown = names or {}
    test = standing.test
    order = ", ".join(f"{shown.get(name, name)} {rank:.3g}" for name, rank in sorted(test.ranks.items(), key=_second))
    apart = [shown.get(name, name) for name, step in standing.steps.items() if step.rejected]
    best = shown.get(found := min(test.ranks, key=lambda name: test.ranks[name]), found)
    verdict = f"apart from {best} by Holm: {', '.join(apart)}" if apart else f"none is apart from {best} by Holm"
    return (
        f"mean ranks {order}; Friedman's χ² {test.statistic:.4g}, {test.df} degrees of freedom, p {test.p:.3g} (Iman's "
        f"and Davenport's F {test.f:.4g}, p {test.f_p:.3g}), over {', '.join(standing.datasets)}; {verdict}"
    )


def _second(pair: tuple[str, float]) -> float:
    return pair[1]
