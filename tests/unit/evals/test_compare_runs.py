"""Comparing two solvers item by item: tests, intervals, corrections, and words."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from gama.evals.reports.compare import Side, compare, pairs, sentence, verdict
from gama.evals.reports.measures import MEASURES, measure
from gama.evals.reports.read import Log, Runs
from gama.state.errors import InputError

SCORE = MEASURES["score"]


def runs(**solvers):
    """Return runs: of each solver, by data set, the right answers by item, of one question each or of so many."""
    rows, logs = [], []
    for solver, datasets in solvers.items():
        for dataset, items in datasets.items():
            logs.append(Log(dataset, solver, solver.upper(), {}, None, "success", None, 0, "", {}))
            for item, right in items.items():
                done, questions = right if isinstance(right, tuple) else (right, 1)
                rows.append({"dataset": dataset, "solver": solver, "item": item, "kind": "", "right": done,
                             "questions": questions, "used.tokens": 100.0 + done})  # fmt: skip
    return Runs(pd.DataFrame(rows), tuple(logs))


def sides(made, first="a", second="b"):
    return [(Side(made, first, first.upper()), Side(made, second, second.upper()))]


def items(*rights):
    return {f"i{at}": right for at, right in enumerate(rights)}


def only(first, second, kind=SCORE, **settings):
    """Compare right answers of two solvers on one data set."""
    (one,) = compare(sides(runs(a={"lpp": items(*first)}, b={"lpp": items(*second)})), kind, **settings)
    return one


def test_items_that_are_right_or_wrong_are_tested_by_mcnemar():
    both = [1] * 4 + [0] * 3
    first, second = [*both, *[1] * 9, 0], [*both, *[0] * 9, 1]
    # Only the ten items on which they differ count: a sign test of nine to one.
    one = only(first, second)
    assert (one.test, one.p) == ("exact McNemar", pytest.approx(binomtest(9, 10).pvalue))
    assert only(second, first).p == one.p and only(first, first).p == 1


def test_items_with_several_questions_are_tested_by_changing_sides():
    of_five = [(5, 5), (4, 5), (5, 5), (3, 5)], [(3, 5), (4, 5), (2, 5), (2, 5)]
    # Three pairs differ, always the same way: of eight equally likely changes two are as far apart.
    one = only(*of_five)
    assert (one.test, one.p, one.value) == ("paired permutation", pytest.approx(2 / 8), pytest.approx(30))
    assert only(of_five[0], of_five[0]).p == 1 and only([(5, 5)], [(1, 5)]).p == 1


def test_an_item_with_more_questions_weighs_more():
    one = only([(9, 10), (0, 2)], [(1, 10), (2, 2)])
    assert one.value == pytest.approx(100 * (9 / 12 - 3 / 12)) and one.low < one.value < one.high


def test_many_items_are_tested_by_random_changes_the_same_each_time():
    drawn = np.random.default_rng(1)
    first, second = drawn.integers(2, 6, 60), drawn.integers(1, 6, 60)
    rights = [[(int(right), 5) for right in some] for some in (first, second)]
    one = only(*rights, seed=3)
    assert only(*rights, seed=3) == one
    signs = np.random.default_rng(9).choice([-1, 1], size=(20_000, 60))
    by_hand = (np.abs(signs @ (first - second)) >= abs((first - second).sum())).mean()
    assert 0 < by_hand < 0.5 and one.p == pytest.approx(by_hand, abs=0.015)


def test_p_is_seldom_small_where_nothing_differs():
    drawn = np.random.default_rng(4)
    small = [only(drawn.integers(0, 2, 30), drawn.integers(0, 2, 30), resamples=1).p <= 0.05 for _ in range(200)]
    assert np.mean(small) <= 0.05


def test_only_items_of_both_count_whatever_their_order():
    made = runs(a={"lpp": {"x": 1, "y": 0, "only": 1}}, b={"lpp": {"y": 0, "x": 0, "other": 1, "more": 1}})
    (one,) = compare(sides(made), SCORE)
    assert (one.items, one.left_out, one.first_value, one.second_value, one.value) == (2, 3, 50, 0, 50)


def test_the_interval_is_of_the_difference_and_narrower_than_two_apart():
    right = [1, 0] * 20
    better = [1, 0] * 18 + [1, 1] * 2
    (one,) = compare(sides(runs(a={"lpp": items(*better)}, b={"lpp": items(*right)})), SCORE)
    assert one.value == pytest.approx(5) and one.low == 0 and one.high < 15
    (alike,) = compare(sides(runs(a={"lpp": items(*right)}, b={"lpp": items(*right)})), SCORE)
    assert (alike.value, alike.low, alike.high, alike.p) == (0, None, None, 1)


def test_holm_corrects_over_all_data_sets():
    clear, slight = items(*[1] * 10), items(*[0] * 10)
    made = runs(
        a={"one": clear, "two": items(*[1] * 6), "three": items(1, 0)},
        b={"one": slight, "two": items(*[0] * 6), "three": items(1, 0)},
    )
    found = {one.dataset: one for one in compare(sides(made), SCORE)}
    assert found["one"].p == pytest.approx(2 / 2**10) and found["one"].adjusted == pytest.approx(3 * 2 / 2**10)
    assert found["two"].p == pytest.approx(2 / 2**6) and found["two"].adjusted == pytest.approx(2 * 2 / 2**6)
    assert found["three"].adjusted == 1
    # By itself the second would be told apart; among three comparisons it is not.
    assert found["two"].p < 0.05 < found["two"].adjusted
    assert found["one"].apart and not found["two"].apart


def test_a_difference_is_told_in_words_with_the_right_winner():
    made = runs(a={"lpp": items(*[1] * 12)}, b={"lpp": items(*[0] * 12)})
    (one,) = compare(sides(made), SCORE)
    told = sentence(one, SCORE)
    assert told.startswith("lpp, right answers of 12 items: A 100 %, B 0 %, a difference of +100 points")
    assert "exact McNemar, corrected by Holm" in told and told.endswith("A is better here.")
    assert verdict([one], SCORE) == "Of 1 comparison(s): A better in 1, worse in 0; 0 open."
    (back,) = compare(sides(made, "b", "a"), SCORE)
    assert sentence(back, SCORE).endswith("A is better here.") and "−100 points" in sentence(back, SCORE)
    assert verdict([back], SCORE) == "Of 1 comparison(s): A better in 0, worse in 1; 0 open."
    cheap = MEASURES["tokens"]
    (less,) = compare(sides(made, "b", "a"), cheap)
    assert sentence(less, cheap).endswith("B is better here.") and "A 101, a difference of −1 " in sentence(less, cheap)
    assert "better in 1" in verdict([less], cheap)
    other = measure("used.tokens")._replace(better="none")
    assert sentence(less, other).endswith("A has more here.") and "higher in 0, lower in 1" in verdict([less], other)


def test_what_chance_may_be_is_not_called_alike():
    made = runs(a={"lpp": items(1, 0, 1)}, b={"lpp": items(0, 0, 1)})
    (one,) = compare(sides(made), SCORE)
    assert "do not tell the two apart; that is no proof that they are alike" in sentence(one, SCORE)
    assert verdict([one], SCORE).endswith("1 open.")


def test_two_folders_are_compared_by_their_solvers():
    first, second = runs(a={"lpp": items(1)}), runs(b={"lpp": items(0)})
    ((left, right),) = pairs(first, second)
    assert (left.solver, right.solver, left.name, right.name) == ("a", "b", "A", "B")
    ((left, right),) = pairs(first, first)
    assert (left.name, right.name) == ("A (A)", "A (B)")
    several = runs(a={"lpp": items(1)}, c={"lpp": items(1)}, d={"lpp": items(1)})
    assert [(one.solver, other.solver) for one, other in pairs(several, runs(c={"lpp": items(0)}, a={"lpp": items(0)}))] == [
        ("a", "a"), ("c", "c"),
    ]  # fmt: skip
    with pytest.raises(InputError, match="no solver in common: a, c, d, and b"):
        pairs(several, second)


def test_what_cannot_be_compared_is_refused():
    apart = runs(a={"lpp": {"x": 1}}, b={"lpp": {"y": 1}, "kpp": {"x": 1}})
    with pytest.raises(InputError, match="no data set has right answers of the same items of both: A and B"):
        compare(sides(apart), SCORE)
    with pytest.raises(InputError, match="no data set has US dollars per item"):
        compare(sides(runs(a={"lpp": {"x": 1}}, b={"lpp": {"x": 1}})), MEASURES["money"])
    other = runs(a={"lpp": {"x": (1, 5)}}, b={"lpp": {"x": (1, 4)}})
    with pytest.raises(InputError, match="lpp: an item has other numbers of questions"):
        compare(sides(other), SCORE)


def test_means_over_epochs_are_tested_by_changing_sides():
    made = runs(a={"lpp": items(0.5, 1, 1)}, b={"lpp": items(0, 0.5, 1)})
    (one,) = compare(sides(made), SCORE)
    assert one.test == "paired permutation" and one.value == pytest.approx(100 / 3)
    assert one.p == pytest.approx(0.5)
