"""Rates, bootstrap intervals and differences; the break-down of the leak."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gama.evals.figures import Estimate, Figure, as_json, tabulate
from gama.evals.metrics import bootstrap
from gama.evals.metrics.bootstrap import Interval, Rates, draws, interval
from gama.evals.metrics.spans import Share, Stretch, leak_by

SHARE = Figure("share", "share", lambda pair: pair)
PERFECT = Figure("perfect", "perfect", lambda pair: pair, 1.0)
TIME = Figure("time", "time", lambda pair: pair, sampled=False)

_pairs = st.lists(
    st.integers(0, 9).flatmap(lambda whole: st.tuples(st.integers(0, whole), st.just(whole))), max_size=12
)


def rates(pairs, empty=math.nan) -> Rates:
    table = np.array(pairs, dtype=np.float64).reshape(-1, 2)
    return Rates(table[:, :1], table[:, 1:], np.array([empty]))


def test_a_rate_is_the_sum_of_its_parts_over_the_sum_of_its_wholes():
    assert tabulate([SHARE], {"m": [(1, 2), (0, 6)]})[0].values["share"].value == pytest.approx(1 / 8)


def test_the_same_seed_gives_the_same_draws_whatever_the_memory(monkeypatch):
    pairs = rates([(at % 3, 3) for at in range(40)])
    one = draws(pairs, resamples=50, seed=7)
    assert np.array_equal(one, draws(pairs, resamples=50, seed=7))
    assert not np.array_equal(one, draws(pairs, resamples=50, seed=8))
    monkeypatch.setattr(bootstrap, "_CELLS", 100)
    assert np.array_equal(one, draws(pairs, resamples=50, seed=7))


def test_the_interval_of_a_share_is_about_what_its_error_says():
    pairs = [(1, 1)] * 300 + [(0, 1)] * 700
    low, high = tabulate([SHARE], {"m": pairs}, resamples=2000, seed=1)[0].values["share"].interval
    error = 1.96 * math.sqrt(0.3 * 0.7 / 1000)
    assert low == pytest.approx(0.3 - error, abs=0.004) and high == pytest.approx(0.3 + error, abs=0.004)


@settings(max_examples=40)
@given(_pairs.filter(lambda pairs: any(whole for _, whole in pairs)))
def test_values_and_intervals_lie_between_0_and_1(pairs):
    estimate = tabulate([SHARE], {"m": pairs}, resamples=60)[0].values["share"]
    assert 0.0 <= estimate.interval.low <= estimate.interval.high <= 1.0
    assert min((p / w for p, w in pairs if w)) - 1e-12 <= estimate.value <= max((p / w for p, w in pairs if w)) + 1e-12


@settings(max_examples=30)
@given(_pairs.filter(lambda pairs: any(whole for _, whole in pairs)))
def test_methods_are_compared_on_the_same_draws(pairs):
    first, same = tabulate([SHARE], {"a": pairs, "b": pairs}, resamples=40)
    assert first.differences == {}
    assert same.differences["share"] == Estimate(0.0, Interval(0.0, 0.0))


def test_a_difference_has_a_narrower_interval_than_two_independent_ones():
    rng = np.random.default_rng(0)
    base = rng.integers(0, 10, 200)
    rows = tabulate([SHARE], {"a": [(b, 10) for b in base], "b": [(b + 1, 12) for b in base]}, seed=3)
    spread = rows[1].differences["share"].interval
    own = rows[0].values["share"].interval
    assert spread.high - spread.low < 0.5 * (own.high - own.low)


def test_a_text_in_all_draws_leaves_no_doubt():
    assert tabulate([SHARE], {"m": [(1, 2)]})[0].values["share"] == Estimate(0.5, Interval(0.5, 0.5))


def test_nothing_to_measure_gives_no_figure_or_the_agreed_one():
    row = tabulate([SHARE, PERFECT], {"m": [(0, 0), (0, 0)]})[0]
    assert "share" not in row.values and row.values["perfect"].value == 1.0


def test_draws_without_anything_to_measure_are_left_out():
    estimate = tabulate([SHARE], {"m": [(1, 1), (0, 0)]}, resamples=200)[0].values["share"]
    assert estimate == Estimate(1.0, Interval(1.0, 1.0))


def test_a_figure_that_a_method_lacks_is_missing_in_its_row_and_its_difference():
    some = Figure("some", "some", lambda pair: pair if pair[1] else None)
    rows = tabulate([some, SHARE], {"a": [(1, 2)], "b": [(0, 0)], "c": [(2, 2)]})
    assert "some" in rows[0].values and "some" not in rows[1].values
    assert rows[2].differences["some"].value == 0.5 and "some" not in rows[1].differences


def test_no_resamples_and_times_have_no_intervals():
    assert tabulate([SHARE], {"m": [(1, 2)]}, resamples=0)[0].values["share"].interval is None
    assert tabulate([TIME], {"m": [(1, 2)]})[0].values["time"].interval is None
    assert interval(np.array([])) is None
    assert tabulate([SHARE], {}) == []


def test_estimates_as_json():
    assert as_json({"a": Estimate(1 / 3, Interval(0, 0.5)), "b": Estimate(2.0)}) == {
        "a": {"value": 0.333333, "low": 0, "high": 0.5},
        "b": {"value": 2.0},
    }


def test_the_leak_is_told_by_the_annotated_kind_whatever_the_mask_was_taken_for():
    text = "Ada of Oslo, Rome"
    gold = [
        Stretch(0, 3, "PER", "first_name"),
        Stretch(7, 11, "LOC", "city"),
        Stretch(13, 17, "LOC", "city", private=False),
    ]
    found = [Stretch(0, 3, "ORG", "company"), Stretch(7, 9, "LOC", "city")]
    assert leak_by("type", [(text, found, gold)]) == {"PER": Share(0, 3), "LOC": Share(2, 4)}
    assert leak_by("subtype", [(text, [], gold), (text, gold, gold)]) == {
        "first_name": Share(3, 6),
        "city": Share(4, 8),
    }
