"""The attacker that sees what left: what it is shown, how its guesses are read and scored."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gama.evals.metrics.reidentify import (
    Guessed,
    guess,
    guesser,
    likeness,
    pick,
    picker,
    read_guesses,
    score_guesses,
)
from gama.evals.metrics.spans import Share
from gama.privacy.anonymizer import Anonymizer
from tests.support.chat import ScriptedChat

HIDDEN = {"<name-1>": ["Emma Williams", "Ms. Williams"], "<location-2>": ["Zurich"], "<phone-3>": ["555 0100"]}


@pytest.mark.parametrize(
    ("one", "other", "figure"),
    [
        ("male", "female", 0.722), ("zurich", "zurich, switzerland", 0.863),
        ("software engineer", "software developer", 0.897), ("in relationship", "in relation", 0.947),
        ("middle", "medium", 0.556), ("Same", "same", 1.0), ("", "", 1.0), ("", "a", 0.0),
    ],
)  # fmt: skip
def test_the_likeness_of_the_specification(one, other, figure):
    assert round(likeness(one, other), 3) == figure


def brute_jaro_winkler(one, other):
    reach = max(max(len(one), len(other)) // 2 - 1, 0)
    taken, matched = set(), []
    for at, char in enumerate(one):
        for place in range(max(0, at - reach), min(len(other), at + reach + 1)):
            if place not in taken and other[place] == char:
                taken.add(place)
                matched.append(char)
                break
    if not matched:
        return 0.0
    moved = sum(a != b for a, b in zip(matched, (other[at] for at in sorted(taken)), strict=True)) // 2
    m = len(matched)
    jaro = (m / len(one) + m / len(other) + (m - moved) / m) / 3
    same = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return jaro + 0.1 * min(same, 4) * (1 - jaro) if jaro > 0.7 else jaro


@settings(max_examples=150, deadline=None)
@given(st.text("abc", min_size=1, max_size=8), st.text("abc", min_size=1, max_size=8))
def test_likeness_is_jaros_and_winklers(one, other):
    assert likeness(one, other) == pytest.approx(brute_jaro_winkler(one, other))


@pytest.mark.parametrize(
    ("reply", "guesses"),
    [
        ('I think so.\n{"<name-1>": ["Emma", "Eva"]}', {"name-1": ["Emma", "Eva"]}),
        ('```json\n{"NAME-1": "Emma"}\n```', {"name-1": ["Emma"]}),
        ('{"<name-1>": ["a"]} rather {"<name-1>": ["b"]}', {"name-1": ["b"]}),
        ('{"<name-1>": ["a", 3, "", "b", "c", "d"]}', {"name-1": ["a", "b", "c"]}), ("{}", {}),
        ("I will not guess.", None), ('{"<name-1>": ["a"', None), ("", None),
    ],
)  # fmt: skip
def test_guesses_are_read_or_they_are_none(reply, guesses):
    assert read_guesses(reply) == guesses


def test_guesses_are_compared_with_what_was_hidden():
    guesses = {"name-1": ["Eva", "EMMA  Williams"], "location-2": ["Zurich, Switzerland"], "other-9": ["x"]}
    assert score_guesses(guesses, HIDDEN) == (Share(0, 3), Share(1, 3), Share(2, 3))
    assert score_guesses({"phone-3": ["555 0100"]}, HIDDEN).first == Share(1, 3)
    assert Guessed().plus(score_guesses({}, HIDDEN)) == (Share(0, 3), Share(0, 3), Share(0, 3))


def test_the_attacker_sees_what_left_and_nothing_else():
    view = Anonymizer().anonymize("Dear Mira Olavsson, call me on +1 202 555 0147. Regards, Jon Baskir")
    hidden = {entry.placeholder: [entry.surface] for entry in view.box.entries}
    model = ScriptedChat(steps=['{"<name-1>": ["Mira Olavsson"]}'])
    found = asyncio.run(guess(guesser(model, "made"), [view.text], hidden))
    assert found is not None and found.first.part == 1 and found.first.whole == len(hidden) >= 3
    assert view.text.split("\n")[0] in model.seen
    assert not any(surface in model.seen for surfaces in hidden.values() for surface in surfaces)


def test_what_cannot_be_read_is_counted_and_no_failure():
    attacker = guesser(ScriptedChat(steps=["No."]), "made")
    assert asyncio.run(guess(attacker, ["x"], HIDDEN)) is None and attacker.unreadable == 1
    assert asyncio.run(guess(attacker, ["x"], {})) == Guessed() and attacker.spent.calls == 1


@pytest.mark.parametrize(
    ("reply", "picked", "unreadable"),
    [
        ("She works there.\nPerson: 2", True, 0), ("**Person:** 1", False, 0), ("2", True, 0), ("Person: 2.", True, 0),
        ("Person: 3", None, 1), ("Person: 0", None, 1), ("Person: nobody", None, 1), ("Person: 1-2", None, 1),
    ],
)  # fmt: skip
def test_a_person_is_picked_by_number(reply, picked, unreadable):
    model = ScriptedChat(steps=[reply])
    attacker = picker(model, "made")
    assert asyncio.run(pick(attacker, ["<name-1> flies"], ["Ann, a baker", "Bo,\na pilot"], 1)) is picked
    assert attacker.unreadable == unreadable and "2. Bo, a pilot" in model.seen
