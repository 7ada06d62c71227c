"""Figures of methods side by side: values, bootstrap intervals, and differences to the first method."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gama.evals.metrics.bootstrap import Interval, Rates, draws, interval

Parts = tuple[float, float]
"""What one text adds to a rate: part and whole."""


class Figure(NamedTuple):
    """A rate over texts: the sum of their parts over the sum of their wholes."""

    name: str
    """As the file of results has it."""
    label: str
    """As a table's head shows it."""
    parts: Callable[[Any], Parts | None]
    """Takes a text's scores; None where the method has no such figure."""
    empty: float = math.nan
    """Its value where there is nothing to measure; NaN: none."""
    sampled: bool = True
    """Whether it has an interval."""


class Estimate(NamedTuple):
    """A value and its interval, if it has one."""

    value: float
    interval: Interval | None = None


class Row(NamedTuple):
    """A method's figures by name; those it does not have are missing."""

    method: str
    values: dict[str, Estimate]
    differences: dict[str, Estimate]
    """Its figures minus those of the first method; empty for the first."""


def tabulate(
    figures: Sequence[Figure], scores: Mapping[str, Sequence[Any]], *, resamples: int = 1000, seed: int = 0
) -> list[Row]:
    """Compute the figures of methods that were run on the same texts.

    Args:
        figures: What is computed.
        scores: For each method, the scores of every text, in the same order.
        resamples: Draws for the intervals; 0 for none.
        seed: Seed of the draws.
    """
    names = list(scores)
    columns: list[tuple[str, Figure]] = []
    parts: list[list[Parts]] = []
    for name in names:
        for figure in figures:
            column = [figure.parts(score) for score in scores[name]]
            known = [part for part in column if part is not None]
            if known and len(known) == len(column):
                columns.append((name, figure))
                parts.append(known)
    if not columns:
        return [Row(name, {}, {}) for name in names]
    table = np.array(parts, dtype=np.float64)  # figures, texts, part and whole
    rates = Rates(table[:, :, 0].T, table[:, :, 1].T, np.array([figure.empty for _, figure in columns]))
    values, drawn = rates.values(), draws(rates, resamples=resamples, seed=seed)
    where = {(name, figure.name): at for at, (name, figure) in enumerate(columns)}
    return [_row(name, names[0], figures, where, values, drawn) for name in names]


def _row(
    name: str, first: str, figures: Sequence[Figure], where: dict[tuple[str, str], int], values: Any, drawn: Any
) -> Row:
    own: dict[str, Estimate] = {}
    differences: dict[str, Estimate] = {}
    for figure in figures:
        at, base = where.get((name, figure.name)), where.get((first, figure.name))
        if at is None or math.isnan(values[at]):
            continue
        own[figure.name] = Estimate(float(values[at]), interval(drawn[:, at]) if figure.sampled else None)
        if name != first and base is not None and not math.isnan(values[base]):
            spread = interval(drawn[:, at] - drawn[:, base]) if figure.sampled else None
            differences[figure.name] = Estimate(float(values[at] - values[base]), spread)
    return Row(name, own, differences)


def as_json(estimates: dict[str, Estimate]) -> dict[str, dict[str, float]]:
    """Return estimates as plain objects: value, and low and high where there is an interval."""
    return {
        name: {"value": round(one.value, 6)}
        | ({"low": round(one.interval.low, 6), "high": round(one.interval.high, 6)} if one.interval else {})
        for name, one in estimates.items()
    }
