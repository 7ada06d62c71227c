"""Risk of re-identification by the formulas, and by an attack: fixtures, and plain counts of the test's own."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gama.evals.metrics.linkage import COUNTS_WEIGHT, KIND_TYPES, attack, hidden_counts, match_scores
from gama.evals.metrics.risk import Class, Risk, least_class, of_classes, risks
from gama.state.errors import InputError

F = [Class(3, 3, 30), Class(2, 2, 4), Class(1, 1, 5)]


def test_the_specifications_classes():
    found = of_classes(F)
    assert found.prosecutor == (1.0, 1.0, 0.5)
    assert found.journalist == pytest.approx((1 / 3, 0.25, 0.4 / 3)) and round(found.journalist.success, 5) == 0.13333
    assert found.marketer == Risk(None, None, pytest.approx(0.4 / 3))
    assert 3 / 39 < found.journalist.success
    assert (found.records, found.classes) == (6, 3)


def test_without_a_population_journalist_and_prosecutor_are_one():
    found = of_classes([one._replace(population=one.records) for one in F])
    assert found.journalist == found.prosecutor and found.marketer.success == 0.5


def test_a_prosecutor_is_never_below_a_journalist():
    # Why the published table (0.30 % and 0.83 % at risk) cannot come from these formulas.
    found = of_classes(F)
    assert found.prosecutor.at_risk >= found.journalist.at_risk and found.prosecutor.highest >= found.journalist.highest


@pytest.mark.parametrize(
    ("threshold", "size"),
    [(0.2, 5), (0.25, 4), (0.333, 3), (0.33, 4), (0.05, 20), (1, 1), (0.6, 2), (0, math.inf), (0.001, 1000)],
)
def test_a_threshold_as_a_size_of_classes(threshold, size):
    assert least_class(threshold) == size


@pytest.mark.parametrize("threshold", [-0.1, 1.1, math.nan])
def test_a_threshold_is_a_share(threshold):
    with pytest.raises(InputError, match="share"):
        least_class(threshold)


cells = st.sampled_from(["a", "b", None])
records = st.lists(st.tuples(cells, cells), max_size=8)


def alike(one, other, wildcard):
    return all(a == b or (wildcard and None in (a, b)) for a, b in zip(one, other, strict=True))


@settings(max_examples=200, deadline=None)
@given(records, records, st.booleans(), st.sampled_from([0.1, 0.25, 0.5, 1.0]))
def test_the_formulas_record_by_record(sample, rest, wildcard, threshold):
    population = sample + rest
    found = risks(sample, population, threshold=threshold, wildcard=wildcard)
    shown, everybody = ([one for one in some if one != (None, None)] for some in (sample, population))
    assert found.suppressed == len(sample) - len(shown) and found.records == len(shown)
    if not shown:
        assert found.prosecutor == found.journalist == (0, 0, 0)
        return
    for risk, among in ((found.prosecutor, shown), (found.journalist, everybody)):
        own = [Fraction(1, sum(alike(one, other, wildcard) for other in among)) for one in shown]
        assert risk.highest == pytest.approx(float(max(own)))
        assert risk.at_risk == pytest.approx(sum(one > Fraction(threshold) for one in own) / len(own))
        mean = float(sum(own) / len(own))
        sizes = [sum(alike(one, other, wildcard) for other in among) for one in set(shown)]
        most = mean if risk is found.prosecutor else max(mean, len(sizes) / sum(sizes))
        assert risk.success == pytest.approx(most)
    assert found.marketer.success == pytest.approx(mean)


def test_suppressed_records_are_left_out_and_wildcards_hide_others():
    sample = [("x", "1"), ("x", None), (None, None)]
    assert risks(sample).prosecutor == (1.0, 1.0, 1.0) and risks(sample).suppressed == 1
    assert risks(sample, wildcard=True).prosecutor.highest == 0.5


def test_a_population_contains_its_sample():
    with pytest.raises(InputError, match="must contain the sample"):
        risks([("x",), ("x",)], [("x",)])
    with pytest.raises(InputError, match="different numbers of cells"):
        risks([("x",), ("x", "y")])


ROWS = [
    {"PER": frozenset({"ann lee"}), "LOC": frozenset({"oslo"})},
    {"PER": frozenset({"bo"}), "LOC": frozenset({"oslo"})},
    {"PER": frozenset({"cy", "di"})},
]
PLAIN = ["Ann  Lee of Oslo", "Bo of Oslo", "Cy and Di"]


def test_what_is_not_hidden_is_linked_surely():
    found = attack(PLAIN, ROWS)
    assert found.prosecutor == found.journalist == found.marketer == (3, 1.0, 1.0, 1 / 3)


def test_what_is_hidden_whole_is_linked_by_chance_alone_unless_counts_tell():
    hidden = ["<name-1> of <location-1>", "<name-1> of <location-1>", "<name-1> and <name-2>"]
    blind = attack(hidden, ROWS, counts=False)
    assert blind.marketer.surely == 0 and blind.marketer.expected == pytest.approx(1 / 3) == blind.marketer.by_chance
    counting = attack(hidden, ROWS)
    assert counting.marketer == (3, pytest.approx(1 / 3), pytest.approx(2 / 3), 1 / 3)


def test_a_larger_population_protects():
    rows = [*ROWS, {"PER": frozenset({"eve"}), "LOC": frozenset({"oslo"})}]
    texts = ["<name-1> of Oslo", "<name-1> of Oslo", "Cy and Di", "Eve of Oslo"]
    found = attack(texts, rows, [0, 2])
    assert found.prosecutor == (2, 1.0, 1.0, 0.5)
    assert found.journalist == (2, 0.5, pytest.approx((1 / 3 + 1) / 2), 0.25)
    assert found.marketer == (4, 0.5, pytest.approx((1 / 3 + 1 / 3 + 1 + 1) / 4), 0.25)
    assert attack([], []).marketer.records == 0


def test_placeholders_are_counted_by_what_they_stand_for():
    text = "<name-1> and <name-1>, <first_name-2>, <phone-3>, <unknown-1>, <name>"
    assert hidden_counts(text) == {"PER": 2, "CODE": 1}
    assert KIND_TYPES["location"] == "LOC" and KIND_TYPES["organization"] == "ORG"


values = st.frozensets(st.sampled_from(["ann", "bo", "oslo", "kiel"]), max_size=3)
rows = st.lists(st.fixed_dictionaries({"PER": values, "LOC": values}), min_size=1, max_size=4)


@settings(max_examples=80, deadline=None)
@given(rows, st.data())
def test_matches_are_what_can_be_read_less_what_is_off(table, data):
    texts = [
        " ".join(data.draw(st.lists(st.sampled_from(["Ann", "boat", "OSLO", "<name-1>", "<location-2>"]), max_size=5)))
        for _ in table
    ]
    scores = match_scores(texts, table)
    for at, text in enumerate(texts):
        words = text.lower().split()
        for column, row in enumerate(table):
            read = {value for kind in row.values() for value in kind if value in words}
            points = sum(
                math.log((len(table) + 1) / sum(any(one in kind for kind in other.values()) for other in table))
                for one in read
            )
            off = abs(len(row["PER"] - read) - ("<name-1>" in words)) + abs(
                len(row["LOC"] - read) - ("<location-2>" in words)
            )
            assert scores[at, column] == pytest.approx(points - COUNTS_WEIGHT * off)
