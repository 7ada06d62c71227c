"""Bootstrap intervals of rates, paired over methods (Efron's percentile method).

Texts are drawn with replacement, all methods on the same draws, so that a difference of two methods has an interval
of its own, narrower than the two intervals would suggest.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LEVEL = 0.95
"""Share of the draws an interval holds."""

_CELLS = 4_000_000
"""Draws times texts that are held in memory at once."""


class Interval(NamedTuple):
    """The ends of an interval."""

    low: float
    high: float


class Rates(NamedTuple):
    """Rates as sums over texts: one row per text, one column per rate."""

    parts: NDArray[np.float64]
    wholes: NDArray[np.float64]
    empty: NDArray[np.float64]
    """The value of each rate where its whole is nothing; NaN where it then has none."""

    def values(self) -> NDArray[np.float64]:
        """Return the rates over all texts."""
        rows: NDArray[np.float64] = _ratio(self.parts.sum(axis=0)[None], self.wholes.sum(axis=0)[None], self.empty)
        return rows.ravel()


def draws(rates: Rates, *, resamples: int, seed: int) -> NDArray[np.float64]:
    """Return the rates of many draws of as many texts as there are: one row per draw, one column per rate.

    The same seed and number of texts give the same draws. No texts, or no resamples, give no rows.
    """
    texts, columns = rates.parts.shape
    if not texts or not resamples:
        return np.zeros((0, columns))
    generator = np.random.default_rng(seed)
    chances = np.full(texts, 1 / texts)
    step = max(1, _CELLS // texts)
    rows = []
    for first in range(0, resamples, step):
        times = generator.multinomial(texts, chances, size=min(step, resamples - first)).astype(np.float64)
        rows.append(_ratio(times @ rates.parts, times @ rates.wholes, rates.empty))
    return np.concatenate(rows)


def interval(values: NDArray[np.float64], level: float = LEVEL) -> Interval | None:
    """Return the interval that the middle share `level` of the values spans; NaN is left out. None without values."""
    values = values[~np.isnan(values)]
    if not len(values):
        return None
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))


def _ratio(parts: NDArray[np.float64], wholes: NDArray[np.float64], empty: NDArray[np.float64]) -> NDArray[np.float64]:
    known = wholes > 0
    return np.where(known, parts / np.where(known, wholes, 1.0), empty)
