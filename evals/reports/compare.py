"""Two solvers on the same items: differences with intervals, paired tests, and what they mean in words.

Where every item is right or wrong, the test is McNemar's, exact; else the values of a pair change sides at random. The
interval is of a bootstrap over items, both solvers on the same draws. Holm's procedure corrects over all comparisons.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from gama.evals.metrics.statistics import RESAMPLES, holm, paired
from gama.evals.reports.measures import Measure, Sums, shared, sums
from gama.evals.reports.read import Runs
from gama.state.errors import InputError

ALPHA = 0.05
Test = Literal["exact McNemar", "paired permutation"]


class Side(NamedTuple):
    """One of the two that are compared."""

    runs: Runs
    solver: str
    name: str
    """As it is shown."""


class Difference(NamedTuple):
    """What two solvers differ by on a data set."""

    dataset: str
    first: str
    second: str
    items: int
    left_out: int
    """Items that only one of the two has."""
    first_value: float
    second_value: float
    value: float
    """First less second."""
    low: float | None
    high: float | None
    test: Test
    p: float
    adjusted: float
    """p after Holm's correction over all comparisons that are made together."""

    @property
    def apart(self) -> bool:
        """Return whether chance explains the difference badly."""
        return self.adjusted <= ALPHA


def pairs(first: Runs, second: Runs) -> list[tuple[Side, Side]]:
    """Return what is to be compared in two folders: their only solvers, else the solvers that both have.

    Raises:
        InputError: they have several solvers each, and none in common.
    """
    keys = [list(runs.solvers) for runs in (first, second)]
    if len(keys[0]) == len(keys[1]) == 1:
        both = [(keys[0][0], keys[1][0])]
    else:
        both = [(key, key) for key in keys[0] if key in keys[1]]
    if not both:
        raise InputError(
            f"the two folders have no solver in common: {', '.join(keys[0])}, and {', '.join(keys[1])}; "
            "compare two solvers of one folder with --logs"
        )
    names = [runs.solvers for runs in (first, second)]
    return [
        (
            Side(first, one, f"{names[0][one]} (A)" if names[0][one] == names[1][other] else names[0][one]),
            Side(second, other, f"{names[1][other]} (B)" if names[0][one] == names[1][other] else names[1][other]),
        )
        for one, other in both
    ]


def compare(
    sides: Sequence[tuple[Side, Side]], one: Measure, *, resamples: int = RESAMPLES, seed: int = 0
) -> list[Difference]:
    """Compare solvers on every data set that both were run on.

    Raises:
        InputError: no two share an item that was measured, or an item has other questions in the two runs.
    """
    found: list[Difference] = []
    for first, second in sides:
        for dataset in first.runs.datasets:
            paired = _paired(first, second, dataset, one)
            if paired is not None:
                own, other, left_out = paired
                made = _difference((first, second), dataset, own, other, one, resamples, seed)
                found.append(made._replace(left_out=left_out))
    if not found:
        names = "; ".join(f"{first.name} and {second.name}" for first, second in sides)
        raise InputError(f"no data set has {one.label} of the same items of both: {names}")
    steps = holm({str(at): difference.p for at, difference in enumerate(found)}, ALPHA)
    return [difference._replace(adjusted=steps[str(at)].adjusted) for at, difference in enumerate(found)]


def _paired(first: Side, second: Side, dataset: str, one: Measure) -> tuple[Sums, Sums, int] | None:
    both: list[Sums] = []
    for side in (first, second):
        frame = side.runs.frame
        known = sums(frame[(frame["dataset"] == dataset) & (frame["solver"] == side.solver)], one)
        if known is None:
            return None
        both.append(known)
    pair = shared(*both)
    if pair is None:
        return None
    own, other = pair
    if one.whole == "questions" and not np.array_equal(own.wholes, other.wholes):
        raise InputError(
            f"{dataset}: an item has other numbers of questions in the two runs; compare runs on the same data"
        )
    return own, other, len({*both[0].items} ^ {*both[1].items})


def _difference(
    sides: tuple[Side, Side], dataset: str, own: Sums, other: Sums, one: Measure, resamples: int, seed: int
) -> Difference:
    values = [float(side.parts.sum() / side.wholes.sum()) * one.scale for side in (own, other)]
    # An item with more questions weighs more, as in the figure itself; with one question each, scores stay 0 and 1.
    weight = len(own.items) / own.wholes.sum()
    found = paired((own.parts * weight).tolist(), (other.parts * weight).tolist(), resamples=resamples, seed=seed)
    spread = found.interval
    if spread is None or spread.low == spread.high:
        low, high = None, None  # where all items differ alike, no draw does
    else:
        low, high = spread.low * one.scale, spread.high * one.scale
    test: Test = "paired permutation" if found.mcnemar_p is None else "exact McNemar"
    p = found.permutation_p if found.mcnemar_p is None else found.mcnemar_p
    return Difference(
        dataset, sides[0].name, sides[1].name, len(own.items), 0, values[0], values[1], values[0] - values[1],
        low, high, test, p, p,
    )  # fmt: skip


def sentence(one: Difference, kind: Measure) -> str:
    """Return what a difference means, in words."""
    sign = f" {kind.unit}" if kind.unit else ""
    ends = f"95 % interval {_signed(one.low)} to {_signed(one.high)}, " if one.low is not None else ""
    apart = f"{_signed(one.value)}{' points' if kind.unit == '%' else sign}"
    fact = (
        f"{one.dataset}, {kind.label} of {one.items} items: {one.first} {figure(one.first_value)}{sign}, {one.second} "
        f"{figure(one.second_value)}{sign}, a difference of {apart} "
        f"({ends}p {one.adjusted:.2g} by {one.test}, corrected by Holm)."
    )
    if not one.apart:
        return f"{fact} These items do not tell the two apart; that is no proof that they are alike."
    more = one.first if one.value > 0 else one.second
    less = one.second if one.value > 0 else one.first
    said = {"higher": f"{more} is better", "lower": f"{less} is better", "none": f"{more} has more"}[kind.better]
    return f"{fact} Chance explains that badly: {said} here."


def figure(value: float) -> str:
    """Return a figure in as many digits as say something."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _signed(value: float | None) -> str:
    return "–" if value is None else ("+" if value > 0 else "") + figure(value).replace("-", "−")


def verdict(found: Sequence[Difference], kind: Measure) -> str:
    """Return the outcome over all comparisons as a sentence."""
    better = sum(one.apart and (one.value < 0) == (kind.better == "lower") for one in found)
    worse = sum(one.apart for one in found) - better
    rest = len(found) - better - worse
    words = ("higher", "lower") if kind.better == "none" else ("better", "worse")
    return f"Of {len(found)} comparison(s): A {words[0]} in {better}, {words[1]} in {worse}; {rest} open."


def as_json(found: Sequence[Difference], kind: Measure) -> list[Mapping[str, Any]]:
    """Return differences as plain objects."""
    return [
        {name: round(value, 6) if isinstance(value, float) else value for name, value in one._asdict().items()}
        | {"apart": one.apart, "meaning": sentence(one, kind)}
        for one in found
    ]
