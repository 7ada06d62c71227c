"""The airlock stops what is private in the task, and nothing that only the form of the task contains."""

from typing import Any

import pytest

from gama.guard.search import Guard
from gama.nodes.airlock import build_mending_task, build_public_task
from gama.state.errors import LeakError
from gama.state.task import DomainChoice, DomainRule, FormulaFault, PublicLimits

RULE = DomainRule(domain="Law", term="High", score=0.5, prompt="You know Law.")


def crossing(value: str, text: str = "May <name-1> go?", **more):
    form = {"route": "both", "drke": True, "domains": DomainChoice(), "prompts": ()}
    task = {"rules": [RULE], "kind": "open", "choices": (), "disprove": "v1", "model": "openai:loop-1"}
    fields: dict[str, Any] = form | task | more
    limits = PublicLimits(max_tokens=50_000, max_cost=0.125)
    return build_public_task(text=text, limits=limits, guard=Guard([value]), left_in=lambda text: 0, **fields)


@pytest.mark.parametrize("value", ["40000", "50000", "0.125", "OpenAI", "loop-1", "timeout_s", "max_answer_chars"])
def test_bounds_model_and_form_are_no_leak(value):
    assert crossing(value).text == "May <name-1> go?"


@pytest.mark.parametrize("value", ["40000", "OpenAI", "Emma Williams"])
def test_but_they_are_one_in_the_task(value):
    with pytest.raises(LeakError):
        crossing(value, text=f"May {value} go?")
    with pytest.raises(LeakError):
        crossing(value, kind="choice", choices=(f"{value}", "nobody"))


def test_the_choice_of_domains_crosses_whole():
    chosen = DomainChoice(
        k=2, alpha=0.5, high_order=7, topk_mode="threshold", threshold=0.25, collapse="mean", domain_set="ten"
    )
    assert crossing("Emma Williams", domains=chosen).domains == chosen


def test_a_value_in_a_rule_is_one():
    with pytest.raises(LeakError):
        crossing("Emma Williams", rules=[RULE.model_copy(update={"prompt": "You know Emma Williams."})])


def going_back(value: str, draft: str, message: str, left_in=lambda text: 0):
    task, guard = crossing("nothing of it"), Guard([value])
    faults, limits = [FormulaFault(formula="{{ f(<date-1>) }}", message=message)], PublicLimits(max_calls=3)
    return build_mending_task(task, draft=draft, faults=faults, limits=limits, guard=guard, left_in=left_in)


def test_a_draft_goes_back_with_what_is_wrong_and_the_rest_of_the_limits():
    task = going_back("Emma Williams", "It is {{ f(<date-1>) }}.", "<date-1> is a range")
    assert task.draft == "It is {{ f(<date-1>) }}." and task.faults[0].message == "<date-1> is a range"
    assert task.limits.max_calls == 3 and task.text == "May <name-1> go?"


@pytest.mark.parametrize("value", ["Emma Williams", "12 May 2026", "RW1tYQ Williams"])
def test_a_value_in_what_was_written_at_home_is_a_leak(value):
    with pytest.raises(LeakError):
        going_back(value, "It is {{ f(<date-1>) }}.", f"<date-1> is {value}")
    assert going_back(value, f"It is {value}: {{{{ f(<date-1>) }}}}.", "a range"), "a draft's own words are none"


def test_what_the_detector_finds_in_a_message_is_one():
    with pytest.raises(LeakError, match="still finds 1"):
        going_back("nothing", "x", "for Emma", left_in=lambda text: "Emma" in text)


class TestTheGuardOfATask:
    """What is fixed text of ours may meet a private value by chance; what users bring is not fixed."""

    @pytest.fixture
    def guard(self):
        from gama.nodes.private.airlock import guard_of
        from gama.privacy.box import PrivacyBox
        from gama.state.options import Options

        def make(value: str, *rules: DomainRule, **options):
            box = PrivacyBox()
            box.add(value, "name")
            state: Any = {"rules": list(rules), "anonymized": "May <name-1> stay?"}
            return guard_of(box, state, Options(**options), state["anonymized"])

        return make

    def test_a_built_in_rule_is_fixed(self, guard):
        guard("Quornbeck", RULE.model_copy(update={"prompt": "Words of Quornbeck."})).check("Words of Quornbeck.")

    def test_nor_is_one_from_own_templates(self, guard, tmp_path):
        with pytest.raises(LeakError):
            rule = RULE.model_copy(update={"prompt": "Words of Quornbeck."})
            guard("Quornbeck", rule, prompts=str(tmp_path)).check("Words of Quornbeck.")

    @pytest.mark.parametrize("change", [{"prompt": "Words of Quornbeck."}, {"domain": "Quornbeck"}])
    def test_a_packs_rule_is_not(self, guard, change):
        own = RULE.model_copy(update={"domain": "Beekeeping"} | change)
        with pytest.raises(LeakError):
            guard("Quornbeck", own).check(f"{own.domain}: {own.prompt}")

    def test_descriptions_of_built_in_domains_are_fixed_in_any_case(self, guard):
        from gama.tools.domains.packs import DOMAINS

        guard(DOMAINS[0].name, RULE).check(DOMAINS[0].description + DOMAINS[0].name)


def test_only_sorts_of_values_cross():
    task = crossing("a range", text="From <date-1>?", kinds={"<date-1>": "range"}, formulas=True)
    assert [(one.placeholder, one.kind) for one in task.kinds] == [("<date-1>", "range")]
    for kinds in ({"<date-1>": "12 to 16 May"}, {"12 May 2026": "range"}, {"<date-1>": ""}):
        with pytest.raises(LeakError):
            crossing("nothing of it", text="From <date-1>?", kinds=kinds)
