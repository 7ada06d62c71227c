"""What the commands of `gama eval` print: tables of figures, how they are to be read, and notes."""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from gama.evals import query
from gama.evals.figures import Estimate, Figure, Row
from gama.evals.identify import Part
from gama.evals.metrics.published import Weighted
from gama.evals.metrics.spans import Share
from gama.evals.piibench.statistics import Statistics
from gama.evals.runs import Run
from gama.guard.terminal import clean, say

NONE = "–"
WIDTH = 120
"""Columns of a table that goes into a pipe or a file."""


def console() -> Console:
    """Return where tables are printed: as wide as the terminal, or wide enough for a file."""
    return Console(highlight=False, markup=False, width=None if sys.stdout.isatty() else WIDTH)


def show(
    head: str,
    texts: Sequence[tuple[str, str]],
    runs: Sequence[Run],
    tables: Sequence[Group],
    resamples: int,
    legend: str = "",
) -> None:
    """Print what was measured on what, how the figures are to be read, the tables, and the notes of the runs."""
    out = console()
    out.print(clean(f"{head}, {size(texts)['characters']:,} characters"))
    for run in runs:
        out.print(clean(f"  {run.name}: {run.about}"), style="dim")
    if legend:
        out.print(legend, style="dim")
    if resamples:
        out.print(
            f"In brackets: 95 % bootstrap intervals over texts ({resamples} draws, the same for all methods). "
            "A star: the interval of a difference does not hold zero.",
            style="dim",
        )
    for table in tables:
        out.print()
        out.print(table)
    tell_notes(runs)


def tell_notes(runs: Sequence[Run]) -> None:
    """Say on standard error what went otherwise than usual."""
    for run in runs:
        for note in run.notes:
            say(f"note: {run.name}: {note}")


def size(texts: Sequence[tuple[str, str]]) -> dict[str, int]:
    """Return how much text there is."""
    return {"texts": len(texts), "characters": sum(len(text) for _, text in texts)}


def figures_table(title: str, figures: Sequence[Figure], rows: Sequence[Row]) -> Group:
    """Return methods with their figures, intervals below them, and the differences to the first method."""
    table = _table("method", [figure.label for figure in figures])
    for row in rows:
        cells = [_cell(row.values.get(figure.name), sampled=figure.sampled) for figure in figures]
        table.add_row(Text(clean(row.method), "bold"), *cells)
        if row.differences:
            less = [_difference(row.differences.get(figure.name), sampled=figure.sampled) for figure in figures]
            table.add_row(Text(clean(f"  less {rows[0].method}"), "dim"), *less)
    return _titled(title, table)


def parts_tables(what: str, parts: Mapping[str, Mapping[str, Part]]) -> list[Group]:
    """Return a break-down: a table for each figure, of sources for direct recall too, kinds down and methods across."""
    kinds: dict[str, int] = {}
    for by_kind in parts.values():
        for name, part in by_kind.items():
            kinds[name] = max(kinds.get(name, 0), part.gold)
    tables = []
    for field, label in (
        ("recall", "recall"), ("direct", "direct recall"), ("f1", "F1"), ("leak", "residual leak"),
    ):  # fmt: skip
        if all(getattr(part, field) is None for by_kind in parts.values() for part in by_kind.values()):
            continue
        table = _table(what, ["annotated", *parts])
        for name, gold in sorted(kinds.items(), key=lambda one: (-one[1], one[0])):
            # What nobody annotated has nothing to be found or to leak; only false finds of it can be counted.
            found = [by_kind.get(name) if gold or field == "f1" else None for by_kind in parts.values()]
            cells = [NONE if one is None else _number(getattr(one, field)) for one in found]
            table.add_row(clean(name), str(gold), *cells)
        tables.append(_titled(f"{label} per {what}", table))
    return tables


def groups_tables(title: str, what: str, figures: Sequence[Figure], groups: Mapping[str, query.Group]) -> list[Group]:
    """Return a break-down of texts: a table for each figure, groups down and methods across, with their intervals."""
    methods = [row.method for row in next(iter(groups.values())).rows]
    tables = []
    for figure in figures:
        table = _table(what, ["texts", *methods])
        for name, group in groups.items():
            cells = [_cell(row.values.get(figure.name), sampled=figure.sampled) for row in group.rows]
            table.add_row(clean(name), str(group.texts), *cells)
        tables.append(_titled(f"{title}: {figure.label} per {what}", table))
    return tables


def suite_table(figures: Sequence[Figure], classes: Mapping[str, query.Group]) -> Group:
    """Return the classes of the suite, of each a line for every method."""
    table = _table("class", ["texts", "method", *(figure.label for figure in figures)])
    table.columns[2].justify = "left"
    for name, group in classes.items():
        head = [Text(clean(name), "bold"), Text(str(group.texts))]
        for row in group.rows:
            cells = [NONE if (one := row.values.get(f.name)) is None else _number(one.value) for f in figures]
            table.add_row(*head, clean(row.method), *cells)
            head = [Text(), Text()]
    return _titled("The suite", table)


def published_table(published: Mapping[str, Weighted]) -> Group:
    """Return the figures of the published metric."""
    table = _table("method", ["precision", "recall", "F1"])
    for name, figures in published.items():
        table.add_row(Text(clean(name), "bold"), *(_number(value, 4) for value in figures))
    return _titled("The published metric, not fit for ranking", table)


def leaks_table(leaks: Mapping[str, Mapping[str, Share]]) -> Group:
    """Return how many values of each class can still be read."""
    classes = list(next(iter(leaks.values())))
    table = _table("method", classes)
    for name, shares in leaks.items():
        cells = [f"{share.part} of {share.whole}" for share in shares.values()]
        table.add_row(Text(clean(name), "bold"), *cells)
    return _titled("Values that can still be read", table)


def sizes_table(made: Mapping[str, Statistics], published: Mapping[str, Statistics]) -> Table:
    """Return how large the sets of PII-Bench are, as made and as published."""
    table = _table("set", ("samples", "subjects", "characters", "PII", "characters of query", "PII of query"))
    for name, numbers in _beside(made, published):
        table.add_row(name, f"{numbers[0]:,}", *(f"{value:,.2f}" for value in numbers[1:6]))
    return table


def types_table(made: Mapping[str, Statistics], published: Mapping[str, Statistics]) -> Table:
    """Return how many entities of each type they hold."""
    kinds = list(published["all"].types)
    table = _table("entities by type", kinds)
    for name, numbers in _beside(made, published):
        table.add_row(name, *(f"{numbers.types[kind]:,} {numbers.share(kind):.1f}%" for kind in kinds))
    return table


def _beside(made: Mapping[str, Statistics], published: Mapping[str, Statistics]) -> Iterator[tuple[str, Statistics]]:
    for name, one in made.items():
        yield f"{name}, made", one
        yield f"{name}, published", published[name]


def _table(first: str, others: Sequence[str]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column(first, no_wrap=True)
    for label in others:
        table.add_column(clean(label), justify="right", overflow="fold")  # narrow terminals get it all the same
    return table


def _titled(title: str, table: Table) -> Group:
    # Not the table's own title, which would wrap at the width of a narrow table.
    return Group(Text(clean(title), "bold"), table)


def _number(value: float, places: int = 3) -> str:
    return f"{value:.{places}f}"


def _short(value: float, sign: str = "-") -> str:
    """Return a number without the zero before its point, so that an interval never wraps."""
    return re.sub(r"^([+-]?)0\.", r"\1.", f"{value:{sign}.3f}")


def _cell(estimate: Estimate | None, *, sampled: bool) -> Text:
    if estimate is None:
        return Text(NONE)
    text = Text(_number(estimate.value, 3 if sampled else 1))
    if estimate.interval:
        low, high = estimate.interval
        text.append(f"\n[{_short(low)},{_short(high)}]", "dim")
    return text


def _difference(estimate: Estimate | None, *, sampled: bool) -> Text:
    if estimate is None:
        return Text(NONE, "dim")
    # Adding zero takes the sign off a difference that rounds to it.
    text = Text(f"{round(estimate.value, 3) + 0.0:+.3f}" if sampled else f"{estimate.value:+.1f}", "dim")
    if estimate.interval:
        low, high = estimate.interval
        # A star where the interval does not hold zero.
        text.append("*" if low > 0 or high < 0 else "")
        text.append(f"\n[{_short(low, '+')},{_short(high, '+')}]", "dim")
    return text
