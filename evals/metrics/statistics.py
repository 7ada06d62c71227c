"""Friedman's test of methods over data sets, and Holm's procedure (spec 02 §2.6)."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Friedman(NamedTuple):
    """The outcome of Friedman's test."""

    ranks: Mapping[str, float]
    """Mean rank of each method; 1 is best."""
    statistic: float
    """χ² with `df` degrees of freedom."""
    df: int
    p: float
    z: Mapping[str, float]
    """How far each other method lies from the best one."""
    p_values: Mapping[str, float]
    """Two-sided p of each z."""


class HolmRow(NamedTuple):
    """A step of Holm's procedure."""

    p: float
    threshold: float
    """What p may be at most: α over the number of hypotheses that are left."""
    adjusted: float
    rejected: bool


def friedman(scores: Mapping[str, Sequence[float]], *, lower_is_better: Sequence[bool] = ()) -> Friedman:
    """Return Friedman's test of methods that were all measured on the same data sets.

    Args:
        scores: Of each method, its figure on each data set, in the same order.
        lower_is_better: For each data set, whether a low figure is a good one; by default none is.

    Raises:
        ValueError: There are fewer than two methods, no data sets, or methods with other numbers of figures.
    """
    from scipy.stats import chi2, norm, rankdata

    methods = list(scores)
    columns = list(zip(*scores.values(), strict=True))
    if len(methods) < 2 or not columns or (lower_is_better and len(lower_is_better) != len(columns)):
        raise ValueError("Friedman's test needs two methods, a data set, and a direction for each data set or none")
    down = lower_is_better or [False] * len(columns)
    ranked = [rankdata([one if low else -one for one in column]) for column, low in zip(columns, down, strict=True)]
    count, many = len(methods), len(columns)
    ranks = {method: float(sum(row[at] for row in ranked)) / many for at, method in enumerate(methods)}
    spread = sum(rank**2 for rank in ranks.values()) - count * (count + 1) ** 2 / 4
    statistic = 12 * many / (count * (count + 1)) * spread
    best = min(methods, key=lambda method: ranks[method])
    error = math.sqrt(count * (count + 1) / (6 * many))
    z = {method: (ranks[method] - ranks[best]) / error for method in methods if method != best}
    p_values = {method: float(2 * norm.sf(abs(one))) for method, one in z.items()}
    return Friedman(ranks, statistic, count - 1, float(chi2.sf(statistic, count - 1)), z, p_values)


def holm(p: Mapping[str, float], alpha: float = 0.05) -> dict[str, HolmRow]:
    """Return the steps of Holm's procedure, the smallest p first; the first that is not rejected ends it."""
    ordered = sorted(p, key=lambda name: p[name])
    rows: dict[str, HolmRow] = {}
    going, adjusted = True, 0.0
    for at, name in enumerate(ordered):
        left = len(ordered) - at
        threshold = alpha / left
        going = going and p[name] <= threshold
        adjusted = max(adjusted, min(1.0, left * p[name]))
        rows[name] = HolmRow(p[name], threshold, adjusted, going)
    return rows
