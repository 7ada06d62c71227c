"""Ranks over data sets and paired tests: the fixtures of the published tables, and scipy and statsmodels as oracles."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gama.evals.metrics.bootstrap import Interval
from gama.evals.metrics.statistics import (
    friedman,
    friedman_statistic,
    holm,
    iman_davenport,
    mcnemar_p,
    paired,
    rank_error,
    rank_methods,
    two_sided,
    wilcoxon_p,
    wilson,
    z_against_best,
)
from gama.state.errors import InputError

V1 = {"Std": 4.8, "CoT": 4.8, "Self-Refine": 5.4, "SPP": 3.0, "AutoAgents": 2.0, "GAMA": 1.0}
"""Mean ranks of the first paper; its number of data sets is five."""

V2 = {
    "Standard": (73.1, 54.7, 26.4, 39.1, 44.4), "SPP": (78.5, 67.9, 26.1, 45.7, 66.1),
    "AutoAgents": (81.9, 70.7, 26.2, 50.8, 71.4), "EPEAgents": (None, None, 24.3, 52.7, 76.1),
    "MarisAgents": (None, None, 24.8, 53.5, 79.5), "AgentSafe": (None, None, 22.5, 54.1, 81.1),
    "GAMA": (83.3, 74.8, 21.7, 54.8, 82.0),
}  # fmt: skip
"""TCW, LGP, LR (less is better), PQA-K, PQA-L of the second paper."""


def test_the_first_papers_ranks():
    from scipy.stats import chi2

    statistic = friedman_statistic(list(V1.values()), 5)
    assert round(statistic, 6) == 22.485714 and round(float(chi2.sf(statistic, 5)), 8) == 0.00042319
    assert round(rank_error(6, 5), 8) == 1.18321596
    assert round(iman_davenport(statistic, 6, 5)[0], 2) == 35.77 and iman_davenport(statistic, 6, 5)[1] == (5, 20)
    zs = z_against_best(V1, 5)
    steps = holm(two_sided(zs))
    assert {name: (round(zs[name], 6), round(one.threshold, 6), one.rejected) for name, one in steps.items()} == {
        "Self-Refine": (3.718679, 0.01, True), "Std": (3.211586, 0.0125, True), "CoT": (3.211586, 0.016667, True),
        "SPP": (1.690309, 0.025, False), "AutoAgents": (0.845154, 0.05, False),
    }  # fmt: skip
    assert [round(one.p, 6) for one in steps.values()] == [0.0002, 0.00132, 0.00132, 0.090969, 0.398025]
    adjusted = [one.adjusted for one in steps.values()]
    # The first is printed as five times a p that was rounded before: one in the last place more.
    assert round(adjusted[0], 7) == 0.0010013 and round(5 * round(steps["Self-Refine"].p, 8), 7) == 0.0010014
    assert [round(one, 7) for one in adjusted[1:3]] == [0.0052802, 0.0052802]
    assert [round(one, 6) for one in adjusted[3:]] == [0.181938, 0.398025]


def test_four_methods_of_the_second_paper_on_all_data_sets():
    names = ["Standard", "SPP", "AutoAgents", "GAMA"]
    found = friedman({name: V2[name] for name in names}, lower_is_better=[False, False, True, False, False])
    assert {name: round(rank, 3) for name, rank in found.ranks.items()} == {
        "Standard": 4.0, "SPP": 2.8, "AutoAgents": 2.2, "GAMA": 1.0,
    }  # fmt: skip
    assert (round(found.statistic, 4), round(found.p, 6), found.df) == (14.04, 0.002851, 3)
    assert [round(z, 4) for z in found.z.values()] == [3.6742, 2.2045, 1.4697]


def test_seven_methods_of_the_second_paper_on_three_data_sets():
    found = friedman({name: row[2:] for name, row in V2.items()}, lower_is_better=[True, False, False])
    assert [round(rank, 3) for rank in found.ranks.values()] == [7, 5.667, 5.333, 3.667, 3.333, 2, 1]
    assert (round(found.statistic, 4), round(found.p, 6), found.df) == (17.4286, 0.007831, 6)
    # The printed z's come from ranks that were rounded to three places.
    rounded = {name: round(rank, 3) for name, rank in found.ranks.items()}
    zs = {name: round(z, 4) for name, z in z_against_best(rounded, found.datasets).items()}
    assert zs == {
        "Standard": 3.4017, "SPP": 2.6459, "AutoAgents": 2.4566, "EPEAgents": 1.512, "MarisAgents": 1.3227,
        "AgentSafe": 0.5669,
    }  # fmt: skip
    assert found.z == pytest.approx(zs, abs=2.5e-4)
    assert found.best == "GAMA"


def brute_ranks(column, lower):
    """Return ranks as their definition says: one more than the better ones, and half of the others that are equal."""
    better = [[other < own if lower else other > own for other in column] for own in column]
    return [
        1 + sum(row) + (sum(other == own for other in column) - 1) / 2 for own, row in zip(column, better, strict=True)
    ]


tables = st.integers(3, 6).flatmap(
    lambda k: st.integers(2, 7).flatmap(
        lambda n: st.lists(st.lists(st.integers(0, 9), min_size=n, max_size=n), min_size=k, max_size=k)
    )
)


@settings(max_examples=60, deadline=None)
@given(tables, st.data())
def test_ranks_and_the_statistic_agree_with_scipy_and_a_plain_count(rows, data):
    from scipy.stats import friedmanchisquare

    n = len(rows[0])
    lower = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    ranks = rank_methods(rows, lower)
    for at in range(n):
        assert ranks[:, at].tolist() == brute_ranks([row[at] for row in rows], lower[at])
    found = friedman({str(at): row for at, row in enumerate(rows)}, lower_is_better=lower)
    turned = [[-v if low else v for v, low in zip(row, lower, strict=True)] for row in rows]
    if all(len(set(column)) == 1 for column in zip(*rows, strict=True)):
        assert found.statistic_ties == 0 == found.statistic and found.p == 1
        return
    theirs = friedmanchisquare(*turned)
    assert (found.statistic_ties, found.p_ties) == pytest.approx((theirs.statistic, theirs.pvalue))
    if all(len(set(column)) == len(column) for column in zip(*rows, strict=True)):
        assert found.statistic == pytest.approx(theirs.statistic)
    assert found.statistic <= found.statistic_ties + 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_holm_agrees_with_statsmodels(seed):
    from statsmodels.stats.multitest import multipletests

    ps = (np.random.default_rng(seed).random(seed + 1) ** 3).tolist()
    rejected, adjusted, _, _ = multipletests(ps, alpha=0.05, method="holm")
    steps = holm({str(at): p for at, p in enumerate(ps)})
    assert [one.p for one in steps.values()] == sorted(ps)
    assert [steps[str(at)].adjusted for at in range(len(ps))] == pytest.approx(adjusted.tolist())
    assert [steps[str(at)].rejected for at in range(len(ps))] == rejected.tolist()


@settings(max_examples=50)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.sampled_from([0.01, 0.05, 0.3]))
def test_holm_rejects_what_every_larger_set_of_steps_allows(ps, alpha):
    steps = list(holm({str(at): p for at, p in enumerate(ps)}, alpha).values())
    for at, one in enumerate(steps):
        assert one.threshold == alpha / (len(ps) - at)
        assert one.rejected == all(before.p <= before.threshold for before in steps[: at + 1])
        assert one.adjusted == max(min(1.0, (len(ps) - step) * p) for step, p in enumerate(sorted(ps)[: at + 1]))


def test_a_step_of_holm_that_fails_ends_it():
    # The last is below its own threshold (0.05), but the one before it failed.
    steps = holm({"a": 0.001, "b": 0.04, "c": 0.045})
    assert steps["c"].p < steps["c"].threshold and [one.rejected for one in steps.values()] == [True, False, False]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=8))
def test_the_permutation_tries_all_signs_of_few_items(pairs):
    first, second = zip(*pairs, strict=True)
    found = paired(first, second, resamples=300)
    less = [a - b for a, b in pairs]
    seen = [
        abs(sum(s * d for s, d in zip(signs, less, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(less))
    ]
    assert found.permutation_p == pytest.approx(sum(one >= abs(sum(less)) for one in seen) / len(seen))
    assert found.difference == pytest.approx(sum(less) / len(less)) and found.items == len(pairs)
    assert (found.wins, found.losses) == (sum(d > 0 for d in less), sum(d < 0 for d in less))


def brute_mcnemar(wins, losses):
    n, k = wins + losses, min(wins, losses)
    return min(1.0, 2 * sum(math.comb(n, at) for at in range(k + 1)) / 2**n)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30))
def test_mcnemars_test_is_the_sign_test_of_what_only_one_gets_right(pairs):
    first, second = ([float(one) for one in side] for side in zip(*pairs, strict=True))
    found = paired(first, second, resamples=10)
    assert found.mcnemar_p == pytest.approx(brute_mcnemar(found.wins, found.losses))


def test_scores_that_are_no_hits_have_no_mcnemar():
    assert paired([0.5, 1], [0, 0]).mcnemar_p is None
    assert mcnemar_p(0, 0) == 1


def brute_wilcoxon(less):
    """Return the exact two-sided p over all signs, of differences without ties."""
    order = sorted(less, key=abs)
    ranks = {value: at for at, value in enumerate(order, 1)}
    signs = itertools.product((0, 1), repeat=len(less))
    sums = [sum(rank for rank, sign in zip(ranks.values(), some, strict=True) if sign) for some in signs]
    plus = sum(rank for value, rank in ranks.items() if value > 0)
    low = min(plus, sum(ranks.values()) - plus)
    return min(1.0, 2 * sum(one <= low for one in sums) / len(sums))


@pytest.mark.parametrize("less", [[1, 2, 3, 4, 5, -6], [1, -2, 3, -4], [7, 9, 11, 2, 3], [0, 0, 1, 2, -3]])
def test_wilcoxon_agrees_with_all_signs(less):
    assert wilcoxon_p(less) == pytest.approx(brute_wilcoxon([one for one in less if one]))


def test_equal_methods_differ_in_nothing():
    found = paired([1, 0, 1], [1, 0, 1])
    assert found == (3, 0.0, Interval(0.0, 0.0), 1.0, 1.0, 1.0, 0, 0)


def test_the_interval_of_a_difference_is_the_bootstraps():
    from scipy.stats import bootstrap

    generator = np.random.default_rng(3)
    first, second = generator.random(80), generator.random(80) * 0.8
    ours = paired(first.tolist(), second.tolist(), resamples=10_000).interval
    theirs = bootstrap((first - second,), np.mean, method="percentile", n_resamples=10_000, rng=generator)
    assert ours == pytest.approx(tuple(theirs.confidence_interval), abs=0.006)
    assert paired([1, 2], [0, 0], resamples=0).interval is None


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilsons_interval_agrees_with_its_formula(counts):
    part, whole = counts
    z, p = 1.959963984540054, part / whole
    middle, half = p + z * z / (2 * whole), z * math.sqrt(p * (1 - p) / whole + z * z / (4 * whole**2))
    low, high = ((middle + sign * half) / (1 + z * z / whole) for sign in (-1, 1))
    assert wilson(part, whole) == pytest.approx((low, high), abs=1e-9)


def test_nothing_has_no_interval():
    assert wilson(0, 0) is None


@pytest.mark.parametrize(
    ("scores", "problem"),
    [
        ({"a": [1, 2]}, "two methods"), ({"a": [1], "b": [2]}, "two data sets"), ({}, "two methods"),
        ({"a": [1, 2], "b": [1]}, "each method on each"), ({"a": [1, 2], "b": [math.nan, 1]}, "without a number"),
    ],
)  # fmt: skip
def test_tables_that_cannot_be_ranked_are_refused(scores, problem):
    with pytest.raises(InputError, match=problem):
        friedman(scores)


def test_pairs_need_the_same_items():
    with pytest.raises(InputError, match="same items"):
        paired([1, 2], [1])
    with pytest.raises(InputError, match="same items"):
        paired([], [])


def test_data_sets_that_agree_have_an_infinite_f():
    found = friedman({"a": [3, 3], "b": [2, 2], "c": [1, 1]})
    assert found.f == math.inf and found.f_p == 0.0 and found.statistic == 4.0
