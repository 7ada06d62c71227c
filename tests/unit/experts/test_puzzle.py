"""The puzzle solver: one solution, several, contradictions, and puzzles that are stated wrongly."""

import json
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gama.state.errors import ToolError
from gama.tools.experts.puzzle import ENOUGH, MOST_CLUES, PuzzleSolver


def solve(**puzzle):
    return json.loads(PuzzleSolver().call(puzzle))


def clue(kind, *terms, **more):
    return {"type": kind, **dict(zip("ab", terms, strict=False)), **more}


HOUSES = ["1", "2", "3", "4", "5"]
ZEBRA = {
    "entities": HOUSES,
    "attributes": {
        "nation": ["English", "Spanish", "Ukrainian", "Norwegian", "Japanese"],
        "colour": ["red", "green", "ivory", "yellow", "blue"],
        "pet": ["dog", "snail", "fox", "horse", "zebra"],
        "drink": ["coffee", "tea", "milk", "juice", "water"],
        "game": ["chess", "go", "dice", "cards", "darts"],
    },
    "clues": [
        clue("equal", "English", "red"), clue("equal", "Spanish", "dog"), clue("equal", "coffee", "green"),
        clue("equal", "Ukrainian", "tea"), clue("offset", "ivory", "green", by=1), clue("equal", "chess", "snail"),
        clue("equal", "go", "yellow"), clue("equal", "milk", "3"), clue("equal", "Norwegian", "1"),
        clue("next_to", "dice", "fox"), clue("next_to", "go", "horse"), clue("equal", "cards", "juice"),
        clue("equal", "Japanese", "darts"), clue("next_to", "Norwegian", "blue"),
    ],
}  # fmt: skip


def test_the_zebra_puzzle():
    found = solve(**ZEBRA)
    assert found["result"] == "one solution"
    owner = {values["pet"]: values["nation"] for values in found["solution"].values()}
    drinker = {values["drink"]: values["nation"] for values in found["solution"].values()}
    assert (owner["zebra"], drinker["water"]) == ("Japanese", "Norwegian")


def test_a_clue_too_many_is_a_contradiction_that_names_the_clues():
    found = solve(**{**ZEBRA, "clues": [*ZEBRA["clues"], clue("equal", "zebra", "Spanish")]})
    assert found["result"] == "contradiction"
    # The Spaniard has the dog: clue 2 and the new one alone cannot hold together.
    assert found["clues_that_cannot_hold_together"] == [2, 15]


def test_several_solutions_tell_what_they_agree_on():
    found = solve(**{**ZEBRA, "clues": [c for c in ZEBRA["clues"] if c["type"] != "next_to"]})
    assert found["result"] == "several solutions"
    small = solve(
        entities=["1", "2", "3"],
        attributes={"drink": ["tea", "milk", "water"]},
        clues=[clue("equal", "tea", "2")],
    )
    assert (small["result"], small["count"], small["in_all_of_them"]["2"]) == ("several solutions", 2, {"drink": "tea"})
    assert small["in_all_of_them"]["1"] == {} and len(small["examples"]) == 2


def test_the_search_stops_where_there_are_too_many():
    found = solve(entities=HOUSES, attributes={"drink": ["a", "b", "c", "d", "e"]}, clues=[])
    assert found["count"] == f"{ENOUGH} or more" and "in_all_of_them" not in found


PLACES = {"A": 0, "B": 1, "C": 2, "D": 3}
MEANING = {
    "equal": lambda a, b, by: a == b,
    "not_equal": lambda a, b, by: a != b,
    "next_to": lambda a, b, by: abs(a - b) == 1,
    "left_of": lambda a, b, by: a < b,
    "offset": lambda a, b, by: b - a == by,
    "distance": lambda a, b, by: abs(b - a) == abs(by),
}
VALUES = ["w", "x", "y", "z"]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(sorted(MEANING)),
            st.sampled_from([*VALUES, *PLACES]),
            st.sampled_from([*VALUES, *PLACES]),
            st.sampled_from([-2, -1, 1, 2, 3]),
        ),
        max_size=4,
    )
)
def test_it_finds_what_trying_everything_finds(clues):
    def place(term, order):
        return PLACES[term] if term in PLACES else order.index(term)

    fitting = [
        order
        for order in permutations(VALUES)
        if all(MEANING[kind](place(a, order), place(b, order), by) for kind, a, b, by in clues)
    ]
    found = solve(
        entities=list(PLACES), attributes={"sign": VALUES}, clues=[clue(k, a, b, by=by) for k, a, b, by in clues]
    )
    count = {"contradiction": 0, "one solution": 1}.get(found["result"]) or found.get("count", 0)
    assert count == len(fitting)
    if len(fitting) == 1:
        assert [found["solution"][entity]["sign"] for entity in PLACES] == list(fitting[0])


def test_either_or_is_exclusive_and_not_turns_a_clue_around():
    first, second = clue("equal", "tea", "1"), clue("equal", "milk", "2")
    puzzle = {"entities": ["1", "2"], "attributes": {"drink": ["tea", "milk"]}}
    # Both hold together or neither does: exactly one never.
    assert solve(**puzzle, clues=[clue("either_or", of=[first, second])])["result"] == "contradiction"
    turned = solve(**puzzle, clues=[clue("not", of=[first])])
    assert turned["solution"] == {"1": {"drink": "milk"}, "2": {"drink": "tea"}}


def test_values_may_repeat_where_the_puzzle_says_so():
    found = solve(
        entities=["Ann", "Bob", "Cat"],
        attributes={"team": ["red", "blue"], "seat": ["1", "2", "3"]},
        all_different=["seat"],
        clues=[
            clue("equal", "Ann", "team: red"), clue("equal", "team: red", "Bob"), clue("not_equal", "Cat", "red"),
            clue("equal", "seat: 1", "team: blue"), clue("equal", "seat: 3", "Ann"),
        ],
    )  # fmt: skip
    assert found["solution"] == {
        "Ann": {"team": "red", "seat": "3"},
        "Bob": {"team": "red", "seat": "2"},
        "Cat": {"team": "blue", "seat": "1"},
    }


def test_there_may_be_more_values_than_entities():
    found = solve(
        entities=["Ann", "Bob"],
        attributes={"fruit": ["fig", "plum", "pear"]},
        clues=[clue("not_equal", "Ann", "fig"), clue("not_equal", "Bob", "fig"), clue("left_of", "plum", "pear")],
    )
    assert found["solution"] == {"Ann": {"fruit": "plum"}, "Bob": {"fruit": "pear"}}


def test_clues_about_entities_alone_are_judged_too():
    puzzle = {"entities": ["1", "2"], "attributes": {"d": ["t", "m"]}}
    assert solve(**puzzle, clues=[clue("left_of", "2", "1")])["result"] == "contradiction"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"entities": []}, "entities: a list of texts"),
        ({"entities": ["1", "1"]}, "stands there twice"),
        ({"entities": [str(n) for n in range(40)]}, "at most 20 entities"),
        ({"attributes": {}}, "'attributes' is an object"),
        ({"attributes": {"d": "tea"}}, "attribute 'd': a list of texts"),
        ({"attributes": {"d": ["t"]}}, "fewer values than there are entities"),
        ({"all_different": ["x"]}, "'x', which is no attribute; there are d"),
        ({"clues": {}}, "'clues' is a list"),
        ({"clues": [{}] * (MOST_CLUES + 1)}, "at most"),
        ({"clues": [{"type": "above", "a": "t", "b": "m"}]}, "clue 1: 'type' is one of equal"),
        ({"clues": ["t is 1"]}, "clue 1: 'type' is one of equal"),
        ({"clues": [clue("equal", "t")]}, "clue 1, 'b': an entity or"),
        ({"clues": [clue("equal", "t", "x")]}, "'x' is no entity and no value"),
        ({"clues": [clue("equal", "d: x", "1")]}, "'d' has no value 'x'; it has t, m"),
        ({"clues": [clue("offset", "t", "m", by=0)]}, "whole number other than 0"),
        ({"clues": [clue("distance", "t", "m")]}, "needs 'by'"),
        ({"clues": [clue("either_or", of=[clue("equal", "t", "1")])]}, "list of two clues or more"),
        ({"clues": [clue("not")]}, "list of one clue"),
        ({"clues": [clue("either_or", of=[clue("equal", "t", "1"), clue("equal", "t", "9")])]}, "clue 1.2, 'b': '9'"),
        ({"all_different": [], "clues": [clue("next_to", "t", "m")]}, "'d' may repeat"),
        ({"attributes": {"d": ["t", "m"], "e": ["t", "n"]}, "clues": [clue("equal", "t", "1")]}, "several attributes"),
    ],
)
def test_what_is_stated_wrongly_is_told_in_one_line(change, says):
    puzzle = {"entities": ["1", "2"], "attributes": {"d": ["t", "m"]}, "clues": []} | change
    with pytest.raises(ToolError, match=says) as caught:
        PuzzleSolver().call(puzzle)
    assert "\n" not in str(caught.value)


def test_a_search_without_end_is_ended():
    names = [f"v{n}" for n in range(14)]
    puzzle = {
        "entities": [str(n) for n in range(14)],
        "attributes": {"a": names},
        # Nobody sits in the first place: fourteen values for thirteen places, and nearly all orders have to be tried.
        "clues": [clue("not_equal", name, "0") for name in names],
    }
    with pytest.raises(ToolError, match="took too long"):
        PuzzleSolver(seconds=0.05).call(puzzle)
