"""Tables shaped like the papers', with one's own figures beside the published ones.

A sheet has no format: `writing.py` and `page.py` give it one.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from gama.evals.reports.measures import MEASURES, Estimate, Measured, measure
from gama.evals.reports.published import Column, Paper, Row, Table, Unit, Value
from gama.evals.reports.read import is_gama
from gama.evals.reports.standing import Standing, measured_standing, printed_standings, printed_steps, told

SIGNS: dict[Unit, str] = {"percent": "%", "seconds": "s", "MB": "MB", "GB": "GB", "thousands": "1,000"}


class Head(NamedTuple):
    """The head of a column."""

    label: str
    group: str = ""
    unit: Unit = "none"
    places: int = 1
    better: Literal["higher", "lower", "none"] = "none"
    comparable: bool | None = None
    """None where there is nothing to compare with."""
    why: str = ""
    items: int | None = None

    @property
    def title(self) -> str:
        """Group and label in one."""
        return f"{self.group} {self.label}".strip()


class Cell(NamedTuple):
    """A published figure, one's own, both, or neither."""

    published: Value = None
    here: Estimate | None = None


class Line(NamedTuple):
    """A row."""

    label: str
    cells: tuple[Cell, ...]
    own: bool = False
    """Whether the paper has no such row."""


class Sheet(NamedTuple):
    """A table that is ready to be written."""

    id: str
    number: str
    caption: str
    head: str
    columns: tuple[Head, ...]
    lines: tuple[Line, ...]
    paper: Paper | None = None
    notes: tuple[str, ...] = ()

    @property
    def filled(self) -> bool:
        """Whether it holds a figure of one's own."""
        return any(cell.here is not None for line in self.lines for cell in line.cells)


def sheet(table: Table, measured: Measured | None = None) -> Sheet:
    """Return a published table, with one's own figures where there are any."""
    own = table.own if measured is not None else ()
    columns = [_head(column) for column in table.columns]
    columns += [_head(column)._replace(comparable=None, why="") for column in own]
    lines = list(_lines(table, (*table.columns, *own), measured))
    shown = Sheet(
        table.id, table.number, table.caption, table.head, tuple(columns), tuple(lines), table.paper, table.notes
    )
    return shown._replace(notes=(*table.notes, *_reckoned(table), *_own_notes(table, shown, measured)))


def _head(column: Column) -> Head:
    return Head(
        column.label, column.group, column.unit, column.places, column.better, column.comparable, column.why,
        column.items,
    )  # fmt: skip


def _lines(table: Table, columns: Sequence[Column], measured: Measured | None) -> Iterator[Line]:
    filler = None if measured is None or table.rows_are == "none" else _Filler(table, columns, measured)
    taken: set[str] = set()
    for row in table.rows:
        published = [*row.values, *[None] * (len(columns) - len(row.values))]
        here = filler.of_row(row, taken) if filler else [None] * len(columns)
        yield Line(row.label, tuple(Cell(*pair) for pair in zip(published, here, strict=True)))
    if filler:
        for label, figures in filler.further(taken):
            if any(figure is not None for figure in figures):
                yield Line(label, tuple(Cell(None, figure) for figure in figures), own=True)


class _Filler:
    """Finds one's own figures for the rows of a table."""

    def __init__(self, table: Table, columns: Sequence[Column], measured: Measured) -> None:
        self.table, self.columns, self.measured = table, columns, measured
        self.base = measured.solver(table.known_as(table.base)) if table.base else None
        self.standing = measured_standing(measured) if table.rows_are in ("ranks", "holm") else None

    def of_row(self, row: Row, taken: set[str]) -> list[Estimate | None]:
        """Return the figures of a published row, and note whose they are."""
        nothing: list[Estimate | None] = [None] * len(self.columns)
        if self.table.rows_are == "datasets":
            names = self.table.datasets.get(row.label, ())
            solver = self.measured.solver(self.table.known_as(self.table.solver)) if self.table.solver else None
            if solver is None:
                return nothing
            taken |= {f"{solver} {dataset}" for dataset in self.measured.datasets if dataset in names}
            return self._figures(solver, names)
        solver = None if self.table.rows_are == "attackers" else self.measured.solver(self.table.known_as(row.label))
        if solver is None:
            return nothing
        taken.add(solver)
        return self._figures(solver)

    def further(self, taken: set[str]) -> Iterator[tuple[str, list[Estimate | None]]]:
        """Yield what the paper has no row for."""
        for solver, name in self.measured.solvers.items():
            if self.table.rows_are == "attackers":
                for dataset in self.measured.datasets:
                    for row in self.table.rows:
                        yield f"{row.label}: {name}, {dataset}", self._figures(solver, (dataset,), row.label)
            elif self.table.rows_are == "datasets":
                for dataset in self.measured.datasets:
                    if is_gama(solver) and f"{solver} {dataset}" not in taken:
                        yield f"{name}, {dataset}", self._figures(solver, (dataset,))
            elif solver not in taken:
                yield name, self._figures(solver)

    def _figures(self, solver: str, datasets: Sequence[str] = (), word: str = "") -> list[Estimate | None]:
        if self.table.rows_are in ("ranks", "holm"):
            return self._of_standing(solver)
        return [self._figure(column, solver, datasets or column.dataset, word) for column in self.columns]

    def _figure(self, column: Column, solver: str, datasets: Sequence[str], word: str) -> Estimate | None:
        if not column.measure:
            return None
        if column.measure == ("relative",):
            return self.measured.relative(datasets, solver, self.base) if self.base else None
        measures = [name.replace("{row}", word) for name in column.measure]
        found = self.measured.get(datasets, solver, measures)
        return found and found.scaled(column.scale)

    def _of_standing(self, solver: str) -> list[Estimate | None]:
        standing = self.standing
        if standing is None or solver not in standing.test.ranks:
            return [None] * len(self.columns)
        if self.table.rows_are == "ranks":
            return [_plain(standing.test.ranks[solver], standing)]
        if solver not in standing.steps:
            return [None] * len(self.columns)
        step = standing.steps[solver]
        return [
            _plain(one, standing) for one in (standing.test.z[solver], step.p, step.threshold, float(step.rejected))
        ]


def _plain(value: float, standing: Standing) -> Estimate:
    return Estimate(value, None, None, len(standing.datasets), "", "")


def _reckoned(table: Table) -> Iterator[str]:
    """Yield what follows from printed figures by the rules of the tests."""
    if table.ranked:
        for standing in printed_standings(table):
            yield f"By the printed figures: {told(standing)}."
    if table.rows_are == "holm":
        steps = printed_steps(table)
        gone = ", ".join(name for name, step in steps.items() if step.rejected)
        kept = ", ".join(f"{name} (adjusted p {one.adjusted:.3g})" for name, one in steps.items() if not one.rejected)
        yield f"By the printed z and Holm's rule, rejected: {gone or 'none'}; not rejected: {kept or 'none'}."


def _own_notes(table: Table, shown: Sheet, measured: Measured | None) -> Iterator[str]:
    if measured is None:
        return
    if table.rows_are in ("ranks", "holm"):
        standing = measured_standing(measured)
        if standing is None:
            yield "Here: an order needs two methods that were run on the same two data sets."
        else:
            yield f"Here: {told(standing, measured.solvers)}. With few data sets χ² is a rough approximation."
            if standing.left_out:
                yield f"Left out here for want of data sets that the others have: {', '.join(standing.left_out)}."
        return
    for at, head in enumerate(shown.columns):
        cells = [line.cells[at] for line in shown.lines]
        here = [cell.here for cell in cells if cell.here is not None]
        if head.items and here and head.label != "Δ":
            fewest = min(one.items for one in here)
            if fewest < head.items:
                yield f"{head.title}: here {fewest} of {head.items} items; the intervals say how far that reaches."
        names = {one.dataset for one in here}
        if len((*table.columns, *table.own)[at].dataset) > 1 and names:
            yield f"{head.title}: measured here on {', '.join(sorted(names))}."
        runs = measured.runs.logs if measured.runs else ()
        differs = dict.fromkeys(note for log in runs if log.dataset in names for note in log.differs)
        if differs:
            yield f"{head.title}: here the items are not the published ones: {'; '.join(differs)}."
        if head.comparable:
            both = [(cell.published, cell.here) for cell in cells if cell.published is not None and cell.here]
            within = sum(one.low is not None and one.low <= value <= (one.high or 0) for value, one in both)
            if both:
                yield f"{head.title}: {within} of {len(both)} published figures lie within the intervals found here."


def reasons(shown: Sheet) -> list[tuple[bool, str, str]]:
    """Return whether columns can be compared, which, and why: columns with the same reason together."""
    groups: dict[tuple[bool, str], list[str]] = {}
    for head in shown.columns:
        if head.comparable is not None:
            groups.setdefault((head.comparable, head.why), []).append(head.title)
    every = sum(head.comparable is not None for head in shown.columns)
    return [
        (comparable, "all columns" if len(titles) == every else "; ".join(titles), why)
        for (comparable, why), titles in groups.items()
    ]


OVERVIEW = ("score", "leaking", "leak", "calls", "tokens", "seconds", "money", "failed")


def overview(measured: Measured) -> list[Sheet]:
    """Return what was measured: right answers by solver and data set, and all that a run cost."""
    runs = measured.runs
    if runs is None:
        return []
    scored = [
        dataset
        for dataset in runs.datasets
        if any(measured.get([dataset], solver, ["score"]) is not None for solver in runs.solvers)
    ]
    sheets = []
    if scored:
        lines = [
            Line(name, tuple(Cell(None, measured.get([dataset], solver, ["score"])) for dataset in scored), own=True)
            for solver, name in runs.solvers.items()
        ]
        heads = tuple(Head(dataset, unit="percent", better="higher") for dataset in scored)
        sheets.append(Sheet("right", "", "Right answers", "Method", heads, _known(lines)))
    cells = {
        f"{log.dataset}: {log.name}": [measured.get([log.dataset], log.solver, [name]) for name in OVERVIEW]
        for log in sorted(runs.logs, key=lambda log: (log.dataset, list(runs.solvers).index(log.solver)))
    }
    used = [at for at in range(len(OVERVIEW)) if any(row[at] is not None for row in cells.values())]
    heads = tuple(_own_head(OVERVIEW[at]) for at in used)
    lines = [Line(label, tuple(Cell(None, row[at]) for at in used), own=True) for label, row in cells.items()]
    sheets.append(Sheet("runs", "", "All runs", "Data set and method", heads, tuple(lines)))
    return sheets


def _known(lines: Iterable[Line]) -> tuple[Line, ...]:
    return tuple(line for line in lines if any(cell.here is not None for cell in line.cells))


def _own_head(name: str) -> Head:
    one = measure(name)
    unit: Unit = "percent" if one.unit == "%" else "seconds" if one.unit == "s" else "none"
    places = {"tokens": 0, "money": 4}.get(name, 1)
    return Head(one.label, unit=unit, places=places, better=MEASURES[name].better)


def number(value: Value, head: Head) -> str:
    """Return a figure as its column shows it; nothing for None."""
    if value is None:
        return ""
    if head.unit == "verdict":
        return "yes" if value else "no"
    # Adding zero takes the sign off what rounds to nothing.
    return f"{round(value, head.places) + 0.0:,.{head.places}f}".replace("-", "−")


def interval_text(one: Estimate, head: Head) -> str:
    """Return an interval and the number of items, or the number alone; of an order the number of data sets."""
    if not one.dataset:
        return f"{one.items} data sets"
    ends = f"[{number(one.low, head)}, {number(one.high, head)}]" if one.low is not None else ""
    return ", ".join(part for part in (ends, f"n={one.items}" if one.items else "") if part)


def unit_of(head: Head) -> str:
    """Return the sign of a column's unit, and an arrow where low figures are good ones."""
    sign = SIGNS.get(head.unit, "")
    return f"{sign} ↓".strip() if head.better == "lower" and head.unit not in ("none", "verdict") else sign
