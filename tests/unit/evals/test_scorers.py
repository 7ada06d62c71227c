"""Scorers of answers: the fixtures of the specification, both definitions, and every sort of output.

The logs of SPP, which have no licence, are scored again where a copy is given: `GAMA_SPP_LOGS=FOLDER pytest -m live
tests/unit/evals/test_scorers.py`, the folder being `logs` of its repository.
"""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gama.evals import answers as asking
from gama.evals.datasets import boolq, hotpotqa, kpp, lgp, lpp, privacylens, tcw
from gama.evals.datasets.letters import Letter
from gama.evals.scorers import answers as answers_scorer
from gama.evals.scorers import hotpotqa as hotpotqa_scorer
from gama.evals.scorers import kpp as kpp_scorer
from gama.evals.scorers import lgp as lgp_scorer
from gama.evals.scorers import privacylens as privacylens_scorer
from gama.evals.scorers import tcw as tcw_scorer
from gama.evals.scorers import truth
from gama.evals.scorers.aliases import has_substring, has_words
from gama.evals.scorers.base import Marks, unwrap


@pytest.mark.parametrize(
    ("answer", "alias", "words", "substring"),
    [
        ("The 12th man", "12", True, True),
        ("in 1200 AD", "12", False, True),
        ("New cars in York", "New York", True, False),
        ("The artist", "art", True, True),
        ("U.S. Senate", "U.S.", False, True),
        ("party of the year", "art", False, True),
        ("anything", "", False, True),
        ("the 3 kings of old", "3 king", False, True),
        ("", "art", False, False),
        ("THE DANUBE", "danube", True, True),
        ("a (very) odd [thing", "[thing", False, True),
    ],
)
def test_both_definitions_of_an_alias(answer, alias, words, substring):
    assert has_words(answer, [alias]) is words
    assert has_substring(answer, [alias]) is substring


def house(number):
    return lgp.Record("x", "puzzle", ("1", "2", "3"), number)


@pytest.mark.parametrize(
    ("answer", "gold", "right", "lenient"),
    [
        ("2", "2", True, True),
        ("The second house", "2", True, True),
        ("House 2 (not house 3)", "2", False, True),
        ("10", "1", False, False),
        ("In the first place, 2", "2", False, True),
        ("I was first at 3.\nAnswer: 2", "2", True, True),
        ("the 2nd", "2", True, True),
        ("answer: **2**.", "2", True, True),
        ("Answer:", "2", False, False),
        ("It is 12 or 21", "2", False, False),
        ("I cannot help with that.", "2", False, False),
        ("", "2", False, False),
    ],
)
def test_logic_grid_puzzle(answer, gold, right, lenient):
    assert lgp_scorer.score(house(gold), answer) == Marks(int(right), 1)
    assert lgp_scorer.lenient(house(gold), answer) == Marks(int(lenient), 1)


@pytest.mark.parametrize(
    ("answer", "gold", "right", "lenient"),
    [
        ("True", True, True, True),
        ("false.", False, True, True),
        ("True, and not False", True, False, True),
        ("Untrue", True, False, False),
        ("Yes", True, False, False),
        ("", False, False, False),
    ],
)
def test_true_or_false(answer, gold, right, lenient):
    records = [lpp.Record(Letter("1", "x", {}), "q", gold), boolq.Record("1", "q", "", "p", gold)]
    for record in records:
        assert truth.score(record, answer) == Marks(int(right), 1)
        assert truth.lenient(record, answer) == Marks(int(lenient), 1)


STORY = tcw.Record("1", "tides", ("a?", "b?"), (("the Danube", "Danube"), ("New York",)))


@pytest.mark.parametrize(
    ("answer", "spp", "gama"),
    [
        ("Plan: mention New York.\nStory: On the Danube.", 1, 1),
        ("On the danube to new york", 2, 2),
        ("A new bridge over the Danube, says York", 1, 2),
        ("Story:", 0, 0),
        ("", 0, 0),
        ("I'm sorry, but I can't.", 0, 0),
    ],
)
def test_stories_and_letters(answer, spp, gama):
    assert tcw_scorer.score(STORY, answer) == Marks(spp, 2)
    assert tcw_scorer.gama(STORY, answer) == Marks(gama, 2)
    if "Story" not in answer:
        letter = kpp.Record(Letter("1", "x", {}), STORY.questions, STORY.answers)
        assert kpp_scorer.exact(letter, answer) == Marks(spp, 2)
        assert kpp_scorer.score(letter, answer) == Marks(gama, 2)


@pytest.mark.parametrize(
    ("answer", "exact", "lenient"),
    [
        ("Because.\nAnswer: The Ford-Age", True, True),
        ("It was the FordAge, I think", False, True),
        ("Answer: fordages", False, False),
        ("", False, False),
    ],
)
def test_hotpotqa(answer, exact, lenient):
    record = hotpotqa.Record("1", "q", "Ford-Age", "bridge", "")
    assert hotpotqa_scorer.score(record, answer) == Marks(int(exact), 1)
    assert hotpotqa_scorer.lenient(record, answer) == Marks(int(lenient), 1)


def test_the_right_tool_is_called():
    record = privacylens.load()[0]
    right = f'Thought: x\nAction: {record.action}\nAction Input: {{"a": 1}}'
    assert privacylens_scorer.score(record, right) == (1, 1)
    assert privacylens_scorer.score(record, right.replace(record.action, "Other")) == (0, 1)
    assert privacylens_scorer.lenient(record, right.replace(record.action, "Other")) == (1, 1)
    assert privacylens_scorer.score(record, right.replace('"a"', "a")) == (0, 1)
    assert privacylens_scorer.lenient(record, "") == (0, 1)


def test_our_own_texts():
    record = asking.load()[0]
    assert answers_scorer.score(record, record.gold) == (1, 1)
    assert answers_scorer.score(record, "") == answers_scorer.score(record, "I cannot say.") == (0, 1)


@pytest.mark.parametrize(
    ("text", "cue", "inner"),
    [
        ("all of it ", "", "all of it"),
        ("no cue here", "Answer:", "no cue here"),
        ("Answer: a\nAnswer: b", "Answer:", "b"),
        ("so: ANSWER: b", "Answer:", "b"),
        ("reasons\nAnswer:  ", "Answer:", "reasons\nAnswer:"),
        ("İİ Answer: b", "Answer:", "b"),
    ],
)
def test_answers_are_taken_out_of_what_stands_around_them(text, cue, inner):
    assert unwrap(text, cue) == inner


@given(st.text(), st.sampled_from(["", "Answer:", "Story:"]))
def test_no_output_is_too_odd_to_be_marked(text, cue):
    assert unwrap(text, cue) in text
    for marks in (
        lgp_scorer.score(house("2"), text), tcw_scorer.score(STORY, text), tcw_scorer.gama(STORY, text),
        privacylens_scorer.score(privacylens.load()[0], text),
    ):  # fmt: skip
        assert 0 <= marks.right <= marks.questions


LOGS = os.environ.get("GAMA_SPP_LOGS")
METHODS = {"standard": "standard", "cot": "cot", "self_refine": "self_refine", "spp": "spp_engine"}
TCW = {
    (5, "w"): {"standard": 74.9, "cot": 68.7, "self_refine": 74.9, "spp": 80.0},
    (5, "wo"): {"standard": 72.9, "cot": 65.2, "self_refine": 71.8, "spp": 79.8},
    (10, "w"): {"standard": 76.7, "cot": 71.0, "self_refine": 77.6, "spp": 84.4},
    (10, "wo"): {"standard": 76.6, "cot": 64.6, "self_refine": 73.9, "spp": 84.2},
}
LGP = {
    "w": {"standard": 57.0, "cot": 69.5, "self_refine": 64.5, "spp": 66.3},
    "wo": {"standard": 58.6, "cot": 62.1, "self_refine": 55.5, "spp": 70.0},
}


def logged(task, file, name, system):
    """Yield each item's data, its raw and its unwrapped output, and what was logged of it."""
    folder = Path(LOGS or "") / task / f"gpt4_{system}_sys_mes"
    part = METHODS[name]
    (path,) = [one for one in folder.glob(f"{file}__method-{part}*") if part == "spp_engine" or "spp" not in one.name]
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        # Where the refined answer was not returned, the first one stands.
        said = next(
            (one for one in (row.get("answer_1"), row.get("answer_0"), row) if one and "test_output_infos" in one), {}
        )
        if said.get("unwrapped_output"):
            yield row["task_data"], said["unwrapped_output"][0], said["test_output_infos"][0]


@pytest.mark.live
@pytest.mark.skipif(LOGS is None, reason="GAMA_SPP_LOGS names no folder")
class TestLogsOfSPP:
    """Spec 07 no. 11."""

    @pytest.mark.parametrize(("count", "system"), TCW)
    @pytest.mark.parametrize("name", METHODS)
    def test_stories_are_scored_as_logged(self, count, system, name):
        right = looser = questions = 0
        for data, output, info in logged(
            "trivia_creative_writing", f"trivia_creative_writing_100_n_{count}.jsonl", name, system
        ):
            record = tcw.Record("", data["topic"], tuple(data["questions"]), tuple(map(tuple, data["answers"])))
            marks = tcw_scorer.by_substring(record.answers, output)
            assert marks == (info["correct_count"], info["question_count"])
            right, questions = right + marks.right, questions + marks.questions
            looser += tcw_scorer.by_words(record.answers, output).right
        assert 100 * right / questions == pytest.approx(TCW[count, system][name], abs=0.05)
        assert 100 * (looser - right) / questions == pytest.approx(2.5, abs=1.2)
        known = {(5, "w", "standard"): 78.2, (5, "w", "spp"): 82.7}
        if (expected := known.get((count, system, name))) is not None:
            assert 100 * looser / questions == pytest.approx(expected, abs=0.06)

    @pytest.mark.parametrize("system", LGP)
    def test_puzzles_are_scored_nearly_as_logged(self, system):
        differ = 0
        for name in METHODS:
            right = items = 0
            for data, output, info in logged("logic_grid_puzzle", "logic_grid_puzzle_200.jsonl", name, system):
                marks = lgp_scorer.score(house(data["targets"][0]), output)
                differ += marks.right != info["correct"] and name != "self_refine"
                right, items = right + marks.right, items + 1
            assert 100 * right / items == pytest.approx(LGP[system][name], abs=0.55), name
        assert differ <= 2
