"""Comparing methods: over data sets by ranks (Friedman, Holm), over the items of one by paired tests (spec 02 §2.6).

Ranks say whether methods differ over several data sets, however differently these are scaled; paired tests say whether
two methods differ on the same items. Each test knows the chance in the choice of data sets, or of items, and nothing
else.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gama.evals.metrics.bootstrap import LEVEL, Interval, Rates, draws, interval
from gama.state.errors import InputError

RESAMPLES = 10_000
"""Draws of the bootstrap, and of the permutations where there are too many to try all."""


class Friedman(NamedTuple):
    """The outcome of Friedman's test over methods and data sets."""

    ranks: Mapping[str, float]
    """Mean rank of each method; 1 is best."""
    datasets: int
    statistic: float
    """Chi square with `df` degrees of freedom."""
    df: int
    p: float
    statistic_ties: float
    """The same corrected for ties, as scipy reckons it; equal where no data set has a tie."""
    p_ties: float
    f: float
    """Iman's and Davenport's F; infinite where all data sets rank the methods alike."""
    f_df: tuple[int, int]
    f_p: float

    @property
    def best(self) -> str:
        """The method of the lowest mean rank; of several, the first."""
        return _best(self.ranks)

    @property
    def z(self) -> dict[str, float]:
        """How far each other method lies from the best one."""
        return z_against_best(self.ranks, self.datasets)

    @property
    def p_values(self) -> dict[str, float]:
        """Two-sided p of each z."""
        return two_sided(self.z)


class HolmRow(NamedTuple):
    """A step of Holm's procedure."""

    p: float
    threshold: float
    """What p may be at most: alpha over the number of hypotheses that are left."""
    adjusted: float
    rejected: bool
    """Whether no step before it failed, and neither did this one."""


class Paired(NamedTuple):
    """Two methods on the same items: the first less the second."""

    items: int
    difference: float
    """Mean difference."""
    interval: Interval | None
    """95 % interval of the difference, by the bootstrap over items."""
    permutation_p: float
    """Two-sided: how often a difference as large comes about when signs are drawn."""
    wilcoxon_p: float
    """Wilcoxon's signed ranks; 1 where nothing differs."""
    mcnemar_p: float | None
    """McNemar's exact test, where all scores are 0 or 1."""
    wins: int
    losses: int


def rank_methods(table: ArrayLike, lower_is_better: Sequence[bool] = ()) -> NDArray[np.float64]:
    """Return the rank of each method on each data set, 1 being best; ties share the mean of their ranks.

    Args:
        table: a row for each method, a column for each data set.
        lower_is_better: for each data set whether less is better, as of a leak; empty: of none.
    """
    from scipy.stats import rankdata

    values = _complete(table)
    signs = np.where(lower_is_better, 1.0, -1.0) if len(lower_is_better) else -1.0
    ranks: NDArray[np.float64] = rankdata(values * signs, method="average", axis=0)
    return ranks


def friedman(scores: Mapping[str, Sequence[float]], *, lower_is_better: Sequence[bool] = ()) -> Friedman:
    """Test whether methods rank alike over data sets.

    Args:
        scores: of each method, its figure on each data set, in the same order.
        lower_is_better: see `rank_methods`.

    Raises:
        InputError: fewer than two methods or data sets, or methods with other numbers of figures.
    """
    from scipy.stats import chi2

    if len(scores) < 2 or len({len(one) for one in scores.values()}) > 1 or len(next(iter(scores.values()))) < 2:
        raise InputError("ranks need two methods and two data sets, and a score of each method on each data set")
    ranks = rank_methods(list(scores.values()), lower_is_better)
    k, n = ranks.shape
    means = dict(zip(scores, map(float, ranks.mean(axis=1)), strict=True))
    plain = friedman_statistic(list(means.values()), n)
    counts = (np.unique(column, return_counts=True)[1] for column in ranks.T)
    tied = sum(float((count**3 - count).sum()) for count in counts)
    correction = 1 - tied / (n * k * (k * k - 1))
    # With a tie of all methods on all data sets there is nothing to tell them by.
    corrected = plain / correction if correction > 0 else 0.0
    p, p_ties = (float(chi2.sf(one, k - 1)) for one in (plain, corrected))
    return Friedman(means, n, plain, k - 1, p, corrected, p_ties, *iman_davenport(plain, k, n))


def friedman_statistic(ranks: Sequence[float], datasets: int) -> float:
    """Return Friedman's chi square of mean ranks."""
    k = len(ranks)
    # Rounding could bring a statistic of nought below it.
    return max(0.0, 12 * datasets / (k * (k + 1)) * (sum(rank**2 for rank in ranks) - k * (k + 1) ** 2 / 4))


def iman_davenport(chi_square: float, methods: int, datasets: int) -> tuple[float, tuple[int, int], float]:
    """Return Iman's and Davenport's F of a chi square, its degrees of freedom and its p."""
    from scipy.stats import f as distribution

    df = methods - 1, (methods - 1) * (datasets - 1)
    most = datasets * (methods - 1)
    if math.isclose(chi_square, most):
        return math.inf, df, 0.0
    value = (datasets - 1) * chi_square / (most - chi_square)
    return value, df, float(distribution.sf(value, *df))


def rank_error(methods: int, datasets: int) -> float:
    """Return the standard error of a difference of two mean ranks."""
    return math.sqrt(methods * (methods + 1) / (6 * datasets))


def z_against_best(ranks: Mapping[str, float], datasets: int) -> dict[str, float]:
    """Return how far the mean rank of each other method lies from the best one, in standard errors."""
    best, error = _best(ranks), rank_error(len(ranks), datasets)
    return {name: (rank - ranks[best]) / error for name, rank in ranks.items() if name != best}


def two_sided(z: Mapping[str, float]) -> dict[str, float]:
    """Return the two-sided p of each z."""
    from scipy.stats import norm

    return {name: 2 * float(norm.sf(abs(one))) for name, one in z.items()}


def holm(p: Mapping[str, float], alpha: float = 0.05) -> dict[str, HolmRow]:
    """Return the steps of Holm's procedure, the smallest p first.

    The first step that fails ends it: what comes after is not rejected, however small its p.
    """
    rows: dict[str, HolmRow] = {}
    adjusted, going = 0.0, True
    for at, name in enumerate(sorted(p, key=lambda name: p[name])):
        left = len(p) - at
        adjusted = max(adjusted, min(1.0, left * p[name]))
        going = going and p[name] <= alpha / left
        rows[name] = HolmRow(p[name], alpha / left, adjusted, going)
    return rows


def _best(ranks: Mapping[str, float]) -> str:
    return min(ranks, key=lambda name: ranks[name])


def paired(
    first: Sequence[float], second: Sequence[float], *, resamples: int = RESAMPLES, seed: int = 0, level: float = LEVEL
) -> Paired:
    """Compare the scores of two methods on the same items.

    Args:
        first: a score for each item.
        second: the other method's, in the same order.
        resamples: draws; the permutation test tries all signs where there are no more of them.
        seed: of the draws.
        level: share of the draws that the interval holds.

    Raises:
        InputError: there are no items, their numbers differ, or a score is not a number.
    """
    from scipy.stats import permutation_test

    if not len(first) or len(first) != len(second):
        raise InputError(f"{len(first)} and {len(second)} scores: two methods are compared on the same items")
    both = _complete([first, second])
    less: NDArray[np.float64] = both[0] - both[1]
    wins, losses = int((less > 0).sum()), int((less < 0).sum())
    drawn = bootstrap_means(less.tolist(), resamples=resamples, seed=seed)
    by_signs = 1.0  # of one item, and where nothing differs
    if len(less) > 1 and (wins or losses):
        by_signs = permutation_test(
            (less,),
            lambda x, axis: x.mean(axis=axis),
            permutation_type="samples",
            n_resamples=max(resamples, 1),
            vectorized=True,
            batch=max(1, 4_000_000 // len(less)),
            rng=np.random.default_rng(seed),
        ).pvalue
    binary = bool(np.isin(both, (0.0, 1.0)).all())
    return Paired(
        len(less), float(less.mean()), interval(drawn, level), float(by_signs), wilcoxon_p(less.tolist()),
        mcnemar_p(wins, losses) if binary else None, wins, losses,
    )  # fmt: skip


def bootstrap_means(values: Sequence[float], *, resamples: int, seed: int) -> NDArray[np.float64]:
    """Return the means of many draws of as many values as there are."""
    parts = np.asarray(values, dtype=np.float64)[:, None]
    rates = Rates(parts, np.ones_like(parts), np.full(1, np.nan))
    return draws(rates, resamples=resamples, seed=seed).ravel()


def wilcoxon_p(differences: Sequence[float]) -> float:
    """Return the two-sided p of Wilcoxon's signed ranks; differences of nought are left out, 1 where all are."""
    from scipy.stats import wilcoxon

    if not any(differences):
        return 1.0
    return float(wilcoxon(differences, zero_method="wilcox").pvalue)


def mcnemar_p(wins: int, losses: int) -> float:
    """Return the two-sided p of McNemar's exact test: items that only one of two methods gets right."""
    from statsmodels.stats.contingency_tables import mcnemar

    return float(mcnemar([[0, wins], [losses, 0]], exact=True).pvalue) if wins or losses else 1.0


def wilson(part: int, whole: int, *, level: float = LEVEL) -> Interval | None:
    """Return Wilson's interval of a share; None of nothing."""
    from scipy.stats import binomtest

    if not whole:
        return None
    low, high = binomtest(part, whole).proportion_ci(level, method="wilson")
    return Interval(float(low), float(high))


def _complete(table: ArrayLike) -> NDArray[np.float64]:
    values = np.asarray(table, dtype=np.float64)
    if values.ndim != 2 or not np.isfinite(values).all():
        raise InputError("the table has cells without a number: leave out their data sets, or their methods")
    return values
