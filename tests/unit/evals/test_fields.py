"""`gama eval fields`: which experts are chosen, embedded and by scripted private models."""

import json

import pytest

from gama.evals.fields import Choice, LabelledTask, choose, figures, load
from gama.state.errors import InputError
from gama.state.options import Options
from gama.tools.domains.packs import NAMES

TASKS = load()
OPTIONS = Options()


def reading_the_gold(task):
    """A private LLM that knows the labels, and answers in the forms that it is asked for."""
    right = sorted(task.right)

    def complete(messages):
        system, user = messages[0]["content"], messages[1]["content"]
        if "one a line" in system:
            assert all(name in user for name in NAMES), "it is told the domains there are"
            return "\n".join(f"{name}: High" for name in right) + "\nzorblatry: High" if right else "none"
        if "list of domains" in system:
            return "\n".join(f"{name}: {'High' if name in right else 'Low'}" for name in NAMES)
        return "what it takes"

    return complete


def test_the_embedded_choice_meets_what_was_measured():
    found = figures([choose(task, OPTIONS) for task in TASKS])
    assert found["all"]["top 3"] >= 0.9 and found["held out"]["top 3"] >= 0.9
    assert found["all"]["none recall"] >= 0.7 and found["all"]["none precision"] >= 0.6
    assert {*found["languages"]} == {"de", "en", "es", "fr", "it", "nl", "pl", "pt", "sv"}


def test_a_private_llm_that_knows_is_understood_everywhere():
    found = figures([choose(task, OPTIONS, reading_the_gold(task)) for task in TASKS])
    assert found["all"]["top 3"] >= 0.95 and found["all"]["asked"] >= 0.95
    assert found["all"]["none recall"] == found["all"]["none precision"] == 1.0


def test_a_private_llm_that_always_says_none_is_taken_at_its_word():
    found = figures([choose(task, OPTIONS, lambda messages: "none") for task in TASKS[:20]])
    assert found["all"]["top 3"] == 0.0


def test_figures_of_choices_made_by_hand():
    law = LabelledTask("a", "de", "t", frozenset({"Law"}), frozenset({"Arts"}))
    none = LabelledTask("b", "en", "t", frozenset(), frozenset())
    found = figures([
        Choice(law, ("Finance", "Law", "Arts"), ("Finance", "Arts")),
        Choice(law, (), ()),
        Choice(none, (), ()),
        Choice(none, ("Law",), ("Law",)),
    ])["all"]  # fmt: skip
    assert (found["top 1"], found["top 3"], found["asked"]) == (0.0, 0.5, 0.0)
    assert found["none recall"] == found["none precision"] == 0.5 and found["embarrassing"] == 0.25


def test_a_third_is_held_out():
    assert sum(task.held_out for task in TASKS) == 76


def test_a_line_without_labels_is_named(tmp_path):
    (tmp_path / "a.jsonl").write_text(json.dumps({"id": "x", "text": "y"}) + "\n")
    with pytest.raises(InputError, match=r"line 1 of a\.jsonl"):
        load(tmp_path / "a.jsonl")
