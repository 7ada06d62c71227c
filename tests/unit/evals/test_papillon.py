"""PAPILLON's measures: both orders, numbered pieces, the proxy; judges are scripted."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gama.evals.metrics.papillon import (
    distinct_units,
    judge_quality,
    judge_units,
    objective,
    quality,
    quality_judge,
    units_judge,
    units_left,
)
from gama.evals.metrics.spans import Share
from tests.support.chat import ScriptedChat


@pytest.mark.parametrize(
    ("first", "second", "good"),
    [
        (True, True, True), (False, False, True), (True, False, True), (False, True, False),
        (None, True, None), (True, None, None),
    ],
)  # fmt: skip
def test_where_the_place_decides_both_are_good(first, second, good):
    assert quality(first, second) is good
    words = {True: "Verdict: yes", False: "Verdict: no", None: "?"}
    model = ScriptedChat(steps=[words[first], words[second]])
    assert asyncio.run(judge_quality(quality_judge(model, "made"), "q", "mine", "theirs")) is good
    asked = model.seen.replace("\\n", "\n").split("Request:")[1:]
    assert [one.index("mine") < one.index("theirs") for one in asked] == [True, False]


@given(st.lists(st.text("aB ", max_size=3)), st.text("ab ", max_size=12))
def test_the_proxy_is_a_search_for_strings(units, prompt):
    wanted = {unit.strip().lower() for unit in units} - {""}
    assert units_left(units, prompt) == Share(sum(unit in prompt for unit in wanted), len(wanted))


def test_pieces_count_once():
    assert distinct_units(["Bo", " bo ", "", "Ann"]) == ["bo", "Ann"]


@pytest.mark.parametrize(
    ("reply", "share", "unreadable"),
    [
        ("Two of them.\n[1, 3]", Share(2, 3), 0), ("[]", Share(0, 3), 0), ("[1, 1]", Share(1, 3), 0),
        ("[4]", None, 1), ("[0]", None, 1), ('["Bo"]', None, 1), ("all of them", None, 1), ("[true]", None, 1),
    ],
)  # fmt: skip
def test_the_judge_names_pieces_by_their_numbers(reply, share, unreadable):
    judge = units_judge(ScriptedChat(steps=[reply]), "made")
    assert asyncio.run(judge_units(judge, ["Bo", "Ann", "BO", "Oslo"], "a prompt")) == share
    assert judge.unreadable == unreadable


def test_nothing_is_asked_where_nothing_can_leak():
    judge = units_judge(ScriptedChat(steps=["[1]"]), "made")
    assert asyncio.run(judge_units(judge, [], "x")) == Share(0, 0)
    assert asyncio.run(judge_units(judge, ["Bo"], " ")) == Share(0, 1) and judge.spent.calls == 0


def test_what_prompts_are_tuned_by():
    assert objective(True, Share(1, 4), True) == 0.875 and objective(False, Share(1, 1), False) == -0.5
