"""What is measured, as figures with 95 % intervals: of logs, and of the results of other commands.

Shares of items that are right or wrong have Wilson's interval. All else has a bootstrap interval over items, since the
questions of one item stand or fall together; where all items are right, or all wrong, Wilson's over the items stands
in, since no draw of them differs.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gama.evals.metrics.bootstrap import Rates, draws, interval
from gama.evals.metrics.statistics import wilson
from gama.evals.reports.read import Runs
from gama.state.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

RESAMPLES = 2000


class Measure(NamedTuple):
    """Something that is measured of an item."""

    name: str
    label: str
    part: str
    """Column of the frame."""
    whole: str = ""
    """Column that it is a part of; empty: the mean over items."""
    unit: str = ""
    better: Literal["higher", "lower", "none"] = "lower"
    scale: float = 1.0
    bounded: bool = False
    """Whether an item has a share between none and all."""


MEASURES = {
    one.name: one
    for one in (
        Measure("score", "right answers", "right", "questions", "%", "higher", 100, True),
        Measure("leaking", "items that leak", "leakage.leaking", "", "%", "lower", 100, True),
        Measure("leak", "private values that leak", "leakage.leaked", "leakage.items", "%", "lower", 100, True),
        Measure("failed", "items without an answer", "failed", "", "%", "lower", 100, True),
        Measure("calls", "calls per item", "used.calls"),
        Measure("tokens", "tokens per item", "used.tokens"),
        Measure("seconds", "time per item", "used.seconds", unit="s"),
        Measure("money", "US dollars per item", "used.money", unit="$"),
    )
}
"""The measures with a name; every other column of the frame is one too: its mean over items."""


def measure(name: str) -> Measure:
    """Return a measure by its name: one of `MEASURES`, other marks (`marks_lenient`), or the mean of a column."""
    if name in MEASURES:
        return MEASURES[name]
    if name.startswith("marks_"):
        label = f"right answers, {name.removeprefix('marks_')}"
        return Measure(name, label, f"{name}.right", f"{name}.questions", "%", "higher", 100, True)
    if name.endswith(".leaking"):
        return Measure(name, f"items that leak, {name.removesuffix('.leaking')}", name, "", "%", "lower", 100, True)
    return Measure(name, name, name, better="lower" if name.startswith("used.") else "none")


class Estimate(NamedTuple):
    """A figure with its interval, as far as it has one."""

    value: float
    low: float | None
    high: float | None
    items: int
    by: Literal["Wilson", "bootstrap", ""]
    """How the interval was had."""
    dataset: str

    def scaled(self, scale: float) -> "Estimate":
        """Return the figure in another unit."""
        low, high = (None if end is None else end * scale for end in (self.low, self.high))
        return self._replace(value=self.value * scale, low=low, high=high)


class Sums(NamedTuple):
    """A measure of items: the sum of the parts over the sum of the wholes."""

    items: list[str]
    parts: NDArray[np.float64]
    wholes: NDArray[np.float64]


def sums(frame: "pd.DataFrame", one: Measure) -> Sums | None:
    """Return a measure's parts and wholes by item, for items that have them; None where none has."""
    if one.part not in frame or (one.whole and one.whole not in frame):
        return None
    known = frame.dropna(subset=[one.part, *([one.whole] if one.whole else [])])
    if known.empty:
        return None
    parts = known[one.part].to_numpy(np.float64)
    wholes = known[one.whole].to_numpy(np.float64) if one.whole else np.ones(len(parts))
    return Sums([str(item) for item in known["item"]], parts, wholes) if wholes.sum() else None


def estimate(found: Sums, one: Measure, dataset: str, *, resamples: int = RESAMPLES, seed: int = 0) -> Estimate:
    """Return the figure of a measure."""
    parts, wholes = found.parts, found.wholes
    count = len(parts)
    value = float(parts.sum() / wholes.sum())
    low: float | None = None
    high: float | None = None
    by: Literal["Wilson", "bootstrap", ""] = ""
    whole_items = bool(np.isin(parts, (0, 1)).all() and (wholes == 1).all())
    if one.bounded and (whole_items or value in (0.0, 1.0)):
        ends, by = wilson(round(value * count), count), "Wilson"
        low, high = ends or (None, None)
    elif count > 1 and resamples:
        drawn = draws(Rates(parts[:, None], wholes[:, None], np.array([np.nan])), resamples=resamples, seed=seed)
        ends = interval(drawn[:, 0])
        # Where all items are alike, no draw differs, and an interval of no width would claim to know.
        if ends is not None and ends.low < ends.high:
            low, high = ends
            by = "bootstrap"
    return Estimate(value, low, high, count, by, dataset).scaled(one.scale)


class Result(NamedTuple):
    """A file of figures that another command has written."""

    dataset: str
    texts: int
    figures: dict[tuple[str, str], tuple[float, float | None, float | None]]
    """Value and ends of the interval, by method and measure (`identify.strict_f1`, `query.given.f1`)."""


COMMANDS = ("identify", "query", "kpp", "lpp", "utility", "risk")


def read_result(path: Path) -> Result:
    """Read what one of `COMMANDS` of `gama eval` has written by `--json`.

    Raises:
        InputError: it is no such file.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        command = content["command"]
        if command not in COMMANDS:
            raise KeyError(command)
        about = content.get("data", {"name": "records", "texts": 0}) if command == "risk" else content["data"]
        figures = {
            (method, f"{command}.{name}"): one
            for head, methods in _methods(command, content)
            for method, some in methods.items()
            for name, one in _figures(some, head)
        }
        return Result(Path(str(about["name"])).stem, int(about.get("sample", about["texts"])), figures)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        known = ", ".join(f"gama eval {name}" for name in COMMANDS)
        raise InputError(f"{path}: not a file that --json of one of these has written: {known}") from None


def _methods(command: str, content: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield groups of figures by method, each after what the names of its figures begin with."""
    if command == "query":
        yield from ((f"{task}.", methods) for task, methods in content["figures"].items())
    else:
        yield "", content["figures"]
    yield "published_metric.", content.get("published_metric", {})


def _figures(found: dict[str, Any], head: str) -> Iterator[tuple[str, tuple[float, float | None, float | None]]]:
    """Yield figures by name, however deep they lie: a number, or a value with the ends of its interval."""
    for name, one in found.items():
        if isinstance(one, dict) and "value" in one:
            yield head + name, (float(one["value"]), one.get("low"), one.get("high"))
        elif isinstance(one, dict):
            yield from _figures(one, f"{head}{name}.")
        elif isinstance(one, int | float):
            yield head + name, (float(one), None, None)


def plain(name: str) -> str:
    """Return a name as names are compared: letters and digits alone, without case."""
    return re.sub(r"[^a-z0-9]", "", name.casefold())


@dataclass(frozen=True)
class Measured:
    """All that was measured: logs and results, asked by data set, solver and measure."""

    runs: Runs | None = None
    results: tuple[Result, ...] = ()
    resamples: int = RESAMPLES
    seed: int = 0
    _known: dict[tuple[str, str, str, str], Estimate | None] = field(default_factory=dict, compare=False, repr=False)
    """What was asked before: tables ask the same again."""

    @property
    def solvers(self) -> dict[str, str]:
        """Keys of all solvers and methods, with their shown names."""
        named = dict(self.runs.solvers) if self.runs else {}
        return named | {method: method for one in self.results for method, _ in one.figures if method not in named}

    @property
    def datasets(self) -> list[str]:
        """Names of all data sets."""
        return sorted({*(self.runs.datasets if self.runs else ()), *(one.dataset for one in self.results)})

    def solver(self, names: Iterable[str]) -> str | None:
        """Return the key of the first solver that is called so, by its key or its shown name."""
        called = {plain(text): key for key, name in self.solvers.items() for text in (name, key)}
        return next((called[plain(name)] for name in names if plain(name) in called), None)

    def kinds(self, dataset: str) -> list[str]:
        """Return the types of a data set's tasks; none where they have no type."""
        if self.runs is None:
            return []
        frame = self.runs.frame
        return sorted({str(kind) for kind in frame.loc[frame["dataset"] == dataset, "kind"]} - {""})

    def items(self, dataset: str, solver: str, kind: str = "") -> "pd.DataFrame | None":
        """Return the rows of a run, or those of one type."""
        if self.runs is None:
            return None
        frame = self.runs.frame
        some: pd.DataFrame = frame[(frame["dataset"] == dataset) & (frame["solver"] == solver)]
        if kind:
            some = some[some["kind"] == kind]
        return None if some.empty else some

    def get(self, datasets: Sequence[str], solver: str, measures: Sequence[str], kind: str = "") -> Estimate | None:
        """Return the figure of the first data set and measure that is known.

        Args:
            datasets: names of a data set, of which one's own may have any; none: whichever comes first.
            solver: key of the solver.
            measures: names of a measure; `run.SCORE.METRIC` is a figure of the run as a whole.
            kind: only tasks of this type.
        """
        wanted = {plain(name) for name in datasets}
        for dataset in self.datasets:
            if not wanted or plain(dataset) in wanted:
                for name in measures:
                    found = self._one(dataset, solver, name, kind)
                    if found is not None:
                        return found
        return None

    def _one(self, dataset: str, solver: str, name: str, kind: str) -> Estimate | None:
        key = (dataset, solver, name, kind)
        if key not in self._known:
            self._known[key] = self._estimated(*key)
        return self._known[key]

    def _estimated(self, dataset: str, solver: str, name: str, kind: str) -> Estimate | None:
        log = self.runs.log(dataset, solver) if self.runs else None
        frame = self.items(dataset, solver, kind)
        if log is not None and name in log.figures and frame is not None:
            return Estimate(log.figures[name], None, None, len(frame), "", dataset)
        one = measure(name)
        known = sums(frame, one) if frame is not None else None
        if known is not None:
            return estimate(known, one, dataset, resamples=self.resamples, seed=self.seed)
        for result in self.results:
            figure = result.figures.get((solver, name)) if result.dataset == dataset else None
            if figure is not None:
                value, low, high = figure
                return Estimate(value, low, high, result.texts, "bootstrap" if low is not None else "", dataset)
        return None

    def relative(self, datasets: Sequence[str], solver: str, base: str) -> Estimate | None:
        """Return how much a solver's score lies above another's, in percent of it, over the items of both."""
        for dataset in self.datasets:
            if plain(dataset) not in {plain(name) for name in datasets}:
                continue
            pair = self.pair(dataset, solver, base, MEASURES["score"])
            if pair is None or not pair[1].parts.sum():
                continue
            own, other = pair
            value = self._ratio(own, other)
            parts = np.stack([own.parts, other.parts], axis=1)
            wholes = np.stack([own.wholes, other.wholes], axis=1)
            drawn = draws(Rates(parts, wholes, np.full(2, np.nan)), resamples=self.resamples, seed=self.seed)
            with np.errstate(divide="ignore", invalid="ignore"):
                ratios = 100 * (drawn[:, 0] / drawn[:, 1] - 1)
            ends = interval(ratios[np.isfinite(ratios)]) if len(own.items) > 1 and solver != base else None
            low, high = ends or (None, None)
            return Estimate(value, low, high, len(own.items), "bootstrap" if ends else "", dataset)
        return None

    @staticmethod
    def _ratio(own: Sums, other: Sums) -> float:
        return float(100 * ((own.parts.sum() / own.wholes.sum()) / (other.parts.sum() / other.wholes.sum()) - 1))

    def pair(self, dataset: str, first: str, second: str, one: Measure) -> tuple[Sums, Sums] | None:
        """Return a measure of two solvers over the items that both have, in the same order; None without such."""
        frames = [self.items(dataset, solver) for solver in (first, second)]
        found = [sums(frame, one) if frame is not None else None for frame in frames]
        if found[0] is None or found[1] is None:
            return None
        return shared(found[0], found[1])


def shared(first: Sums, second: Sums) -> tuple[Sums, Sums] | None:
    """Return two measures over the items of both, in the same order; None where they share none."""
    places = [{item: at for at, item in enumerate(one.items)} for one in (first, second)]
    both = [item for item in first.items if item in places[1]]
    if not both:
        return None
    left, right = (
        Sums(both, one.parts[order], one.wholes[order])
        for one, place in zip((first, second), places, strict=True)
        for order in [[place[item] for item in both]]
    )
    return (left, right) if left.wholes.sum() and right.wholes.sum() else None
