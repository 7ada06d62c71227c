"""PII-Bench's scores against the worked examples, the pitfalls, and what must hold for any sets."""

import sys
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gama.evals.metrics.spans import Stretch
from gama.evals.metrics.subjects import (
    assign,
    fuzzy_scores,
    normal,
    persons,
    rouge_l,
    score_subjects,
    set_scores,
)
from gama.state.errors import OptionError


def group(*items: tuple[str, str]) -> frozenset[tuple[str, str]]:
    return frozenset(items)


GOLD = [
    group(("Alex", "PER"), ("Google", "ORG"), ("2019", "DATETIME")),
    group(("Bob", "PER"), ("25 years", "DEM"), ("Apple", "ORG")),
]
FOUND = [
    group(("Bob", "PER"), ("25 years", "DATETIME"), ("Apple", "ORG")),
    group(("Alex", "PER"), ("Google", "ORG")),
    group(("Carol", "PER")),
]


def close(score, *wanted):
    assert tuple(score) == pytest.approx(wanted, abs=5e-5)


def test_fixture_a_detection_per_person():
    scores = score_subjects(FOUND, GOLD)
    close(scores.strict, 0.5556, 0.6667, 0.4889)
    close(scores.ent_matched, 0.6667, 0.8333, 0.6)
    close(scores.ent_global, 0.8333, 0.8333, 0.8333)


def test_the_f1_is_the_mean_over_pairs_not_the_harmonic_mean():
    precision, recall, f1 = score_subjects(FOUND, GOLD).strict
    assert 2 * precision * recall / (precision + recall) == pytest.approx(0.6061, abs=5e-5)
    assert f1 != pytest.approx(0.6061, abs=0.01)


def test_fixture_b_query_related_detection():
    found, gold = {"Google", "25 years old"}, {"Google", "25 years", "Apple"}
    close(set_scores(found, gold), 0.5, 1 / 3, 0.4)
    close(fuzzy_scores(found, gold), 0.9, 0.6, 0.72)


def test_fuzzy_matching_looks_inside_pairs_and_types_unless_told_otherwise():
    found, gold = [group(("25 years old", "DEM"), ("Al", "PER"))], [group(("25 years", "DATETIME"), ("Al", "PER"))]
    close(score_subjects(found, gold).fuzzy, 0.5, 0.5, 0.5)
    close(score_subjects(found, gold, fuzzy_scope="global").fuzzy, 0.9, 0.9, 0.9)
    same = [group(("25 years", "DEM"), ("Al", "PER"))]
    close(score_subjects(found, same).fuzzy, 0.9, 0.9, 0.9)


@pytest.mark.parametrize(
    ("found", "gold", "value"),
    [([], [], 1.0), ([], GOLD, 0.0), (FOUND, [], 0.0), ([frozenset()], [frozenset()], 1.0), ([frozenset()], GOLD, 0.0)],
)
def test_both_empty_is_perfect_one_empty_is_nothing(found, gold, value):
    for score in score_subjects(found, gold):
        assert tuple(score) == (value, value, value)


def test_names_of_persons_play_no_part():
    text = "Ann and Bob"
    ann, bob = Stretch(0, 3, "PER", "first_name", subject="A"), Stretch(8, 11, "PER", "first_name", subject="B")
    turned = persons(text, [ann._replace(subject="Q"), bob._replace(subject="A")])
    assert score_subjects(turned, persons(text, [ann, bob])).strict.f1 == 1.0
    joined = persons(text, [ann, bob._replace(subject="A")])
    assert score_subjects(joined, persons(text, [ann, bob])).strict.f1 == pytest.approx((2 / 3) / 2)
    assert score_subjects(joined, persons(text, [ann, bob])).ent_global.f1 == 1.0


def test_mentions_of_one_string_collapse_and_public_ones_do_not_count():
    text = "Ann, ＡＮＮ, Ann  and Paris"
    mentions = [Stretch(0, 3, "PER", "first_name", subject="A"), Stretch(10, 15, "PER", "first_name", subject="A")]
    public = Stretch(len(text) - 5, len(text), "LOC", "city", private=False)
    assert persons(text, [*mentions, public]) == [group(("Ann", "PER"))]


def test_strings_are_compared_in_compatibility_form_trimmed_and_with_their_case():
    assert normal(" ＡＢ\u00a0") == "AB"
    assert normal("Ab") != normal("AB") and normal("Ab", case_sensitive=False) == normal("AB", case_sensitive=False)


def test_what_belongs_to_nobody_is_one_group():
    text = "555-0100 and 555-0199"
    loose = [Stretch(0, 8, "CODE", "phone"), Stretch(13, 21, "CODE", "phone")]
    assert len(persons(text, loose)) == 1


@pytest.mark.parametrize(
    ("one", "other", "value"),
    [("", "", 1.0), ("a", "", 0.0), ("A b", "a B", 1.0), ("a b c", "c b a", 1 / 3), ("a x b y", "a b", 2 / 3)],
)
def test_rouge_l(one, other, value):
    assert rouge_l(one, other) == pytest.approx(value)


_item = st.tuples(st.sampled_from(["a", "b", "c", "a b", "c d"]), st.sampled_from(["PER", "ORG"]))
_people = st.lists(st.frozensets(_item, min_size=1, max_size=4), max_size=4)


@given(_people, _people)
def test_scores_lie_between_nothing_and_perfect(found, gold):
    for score in score_subjects(found, gold):
        assert all(-1e-12 <= part <= 1 + 1e-12 for part in score)


def _one_type(people, kinds):
    """Give every string one type: with two of one string, the strict sets would be larger than the others."""
    return [frozenset((text, kinds[text]) for text, _ in person) for person in people]


_kinds = st.fixed_dictionaries({text: st.sampled_from(["PER", "ORG"]) for text in ("a", "b", "c", "a b", "c d")})


@given(_people, _people, _kinds, _kinds)
def test_looser_scores_are_not_lower(found, gold, mine, theirs):
    scores = score_subjects(_one_type(found, mine), _one_type(gold, theirs))
    assert scores.ent_matched.f1 >= scores.strict.f1 - 1e-12
    assert scores.fuzzy.f1 >= scores.strict.f1 - 1e-12


@given(_people)
def test_what_is_annotated_scores_perfect(gold):
    for score in score_subjects(list(reversed(gold)), gold):
        assert tuple(score) == pytest.approx((1.0, 1.0, 1.0))


@given(_people, _people)
def test_the_order_of_persons_does_not_matter(found, gold):
    one = score_subjects(found, gold)
    for turned in list(permutations(found))[:6]:
        other = score_subjects(turned, gold)
        assert other.strict.f1 == pytest.approx(one.strict.f1)
        assert other.ent_matched.f1 == pytest.approx(one.ent_matched.f1)


@given(
    st.integers(1, 4).flatmap(
        lambda rows: st.integers(1, 4).flatmap(
            lambda columns: st.lists(
                st.lists(st.floats(0, 1), min_size=columns, max_size=columns), min_size=rows, max_size=rows
            )
        )
    )
)
def test_the_pairs_have_the_greatest_sum_of_all(table):
    strict = np.array(table)
    pairs = assign(strict, np.zeros_like(strict))
    wide = strict if strict.shape[0] <= strict.shape[1] else strict.T
    best = max(
        sum(wide[row, column] for row, column in enumerate(columns))
        for columns in permutations(range(wide.shape[1]), wide.shape[0])
    )
    assert len(pairs) == min(strict.shape)
    assert sum(strict[row, column] for row, column in pairs) == pytest.approx(best)


def test_without_scipy_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(OptionError, match=r"pip install 'gama-privacy\[evals\]'"):
        score_subjects(FOUND, GOLD)
