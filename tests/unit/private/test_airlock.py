"""The airlock stops what is private in the task, and nothing that only the form of the task contains."""

import pytest

from gama.nodes.airlock import cross
from gama.state.errors import LeakError
from gama.state.guard import Guard
from gama.state.task import DomainChoice, DomainRule, PublicLimits

RULE = DomainRule(domain="Law", term="High", score=0.5, prompt="You know Law.")


def crossing(value: str, text: str = "May <name-1> go?", **more):
    fields = {
        "rules": [RULE], "kind": "open", "choices": (), "route": "both", "drke": True, "domains": DomainChoice(),
        "disprove": "v1", "prompts": (), "model": "openai:loop-1",
    } | more  # fmt: skip
    limits = PublicLimits(max_tokens=50_000, max_cost=0.125)
    return cross(text=text, limits=limits, guard=Guard([value]), left_in=lambda text: 0, **fields)


@pytest.mark.parametrize("value", ["40000", "50000", "0.125", "OpenAI", "loop-1", "timeout_s", "max_answer_chars"])
def test_bounds_model_and_form_are_no_leak(value):
    assert crossing(value).text == "May <name-1> go?"


@pytest.mark.parametrize("value", ["40000", "OpenAI", "Emma Williams"])
def test_but_they_are_one_in_the_task(value):
    with pytest.raises(LeakError):
        crossing(value, text=f"May {value} go?")
    with pytest.raises(LeakError):
        crossing(value, kind="choice", choices=(f"{value}", "nobody"))


def test_a_value_in_a_rule_is_one():
    with pytest.raises(LeakError):
        crossing("Emma Williams", rules=[RULE.model_copy(update={"prompt": "You know Emma Williams."})])
