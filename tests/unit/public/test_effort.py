"""`effort="auto"`: one expert where disproof agrees with it, all where its draft is unsure or contradicted."""

import json

import pytest

from gama.graph.public_graph import build_public_graph
from gama.state.errors import ExpertsFailed, LimitReached, ModelTimeout
from tests.support.scripted import ScriptedClient

NONE = '{"contradiction": false, "reason": ""}'
FOUND = json.dumps({"contradiction": True, "reason": "clue 2 fails"})


def run(script, task) -> tuple[dict, ScriptedClient]:
    client = ScriptedClient(script)
    out = build_public_graph(client).invoke({"task": task})
    client.done()
    return out, client


@pytest.fixture
def auto(make_task):
    return lambda **fields: make_task(effort="auto", **fields)


def roles(client: ScriptedClient) -> list[str]:
    return [call.role for call in client.calls]


def test_one_expert_and_disproof_where_they_agree(auto):
    out, client = run({"expert:Law": ["A"], "disprove": [NONE]}, auto())
    assert (out["answer"], out["verdict"], out["rounds"], out["usage"]["calls"]) == ("A", "converged", 1, 2)
    assert [a.domain for a in out["answers"]] == ["Law"], "the strongest rule"


def test_full_is_the_papers_way_and_the_default(make_task):
    out, client = run({"expert": ["A"] * 3, "fuse": ["F"], "disprove": [NONE]}, make_task())
    assert make_task().effort == "full" and out["usage"]["calls"] == 5


def test_a_contradiction_brings_the_other_experts_before_a_revision(auto):
    script = {"expert": ["A", "B", "C"], "disprove": [FOUND, NONE], "fuse": ["F"]}
    out, client = run(script, auto())
    assert (out["answer"], out["verdict"], out["rounds"]) == ("F", "converged", 2)
    assert roles(client) == ["expert", "disprove", "expert", "expert", "fuse", "disprove"]
    assert [a.domain for a in out["answers"]] == ["Law", "Finance", "Medicine"] and len(out["contradictions"]) == 1
    fusion = client.calls[4]
    assert "clue 2 fails" in fusion.user and fusion.user.count("=== ANSWER ") == 3 and "clue 2 fails" in fusion.quoted


def test_then_disproof_goes_on_as_ever(auto):
    script = {"expert": ["A", "B", "C"], "disprove": [FOUND, FOUND, NONE], "fuse": ["F"], "revise": ["R"]}
    out, client = run(script, auto())
    assert (out["answer"], out["verdict"], out["rounds"]) == ("R", "converged", 3)


def test_the_round_limit_is_kept(auto):
    script = {"expert": ["A", "B", "C"], "disprove": [FOUND], "fuse": ["F"]}
    out, client = run(script, auto(max_rounds=1))
    assert (out["answer"], out["verdict"], out["rounds"]) == ("F", "unconverged", 1)


@pytest.mark.parametrize("first", [ModelTimeout("slow"), "I'm sorry, but I can't help with that.", ""])
def test_an_expert_without_an_answer_is_followed_by_the_others(auto, first):
    out, client = run({"expert:Law": [first], "expert": ["B", "C"], "fuse": ["F"], "disprove": [NONE]}, auto())
    assert (out["answer"], out["verdict"]) == ("F", "converged") and [f.domain for f in out["failures"]] == ["Law"]


def test_an_answer_outside_the_closed_set_is_unsure(auto):
    script = {"expert": ["It depends.", "Answer: True", "Answer: True"], "fuse": ["Answer: True"], "disprove": [NONE]}
    out, client = run(script, auto(kind="boolean"))
    assert out["answer"] == "Answer: True" and out["usage"]["expert.calls"] == 3
    out, client = run({"expert": ["Because.\nAnswer: True"], "disprove": [NONE]}, auto(kind="boolean"))
    assert out["usage"]["expert.calls"] == 1


def test_when_nobody_answers_that_is_an_error(auto):
    with pytest.raises(ExpertsFailed, match="None of the 3 experts answered"):
        run({"expert": [ModelTimeout("slow")] * 3}, auto())


@pytest.mark.parametrize("off", [{"disprove": "off"}, {"max_rounds": 0}])
def test_without_disproof_all_are_asked(auto, off):
    out, client = run({"expert": ["A"] * 3, "fuse": ["F"]}, auto(**off))
    assert (out["answer"], out["verdict"]) == ("F", "off")


def test_v2_tests_the_one_experts_answer(auto):
    out, client = run({"expert": ["A"], "rival": ["B"], "refute": [FOUND]}, auto(disprove="v2"))
    assert (out["answer"], out["verdict"], out["usage"]["calls"]) == ("A", "converged", 3)
    out, client = run({"expert": ["A"], "rival": ["B", "C"], "refute": [NONE, FOUND]}, auto(disprove="v2"))
    assert (out["answer"], out["usage"]["expert.calls"]) == ("B", 1)


def test_one_rule_is_asked_once(auto):
    script = {"expert": ["A"], "disprove": [FOUND, NONE], "revise": ["R"]}
    out, client = run(script, auto(k=1))
    assert (out["answer"], out["usage"]["expert.calls"]) == ("R", 1)


@pytest.mark.parametrize("effort", ["full", "auto"])
def test_one_draft_is_not_fused(make_task, effort):
    out, client = run({"expert": ["A"], "disprove": [NONE]}, make_task(k=1, effort=effort))
    assert (out["answer"], out["verdict"], out["usage"]["calls"]) == ("A", "converged", 2)


def test_the_one_answer_of_several_experts_is_not_fused(make_task):
    slow = {"expert:Law": [ModelTimeout("slow")], "expert:Finance": [ModelTimeout("slow")]}
    out, client = run({"expert": ["C"], "disprove": [NONE]} | slow, make_task())
    assert (out["answer"], len(out["failures"])) == ("C", 2) and "fuse" not in roles(client)


def test_one_draft_that_misses_the_closed_form_is_brought_into_it(make_task):
    script = {"expert": ["It depends."], "fuse": ["Answer: True"], "disprove": [NONE]}
    out, client = run(script, make_task(k=1, kind="boolean"))
    assert out["answer"] == "Answer: True" and roles(client) == ["expert", "fuse", "disprove"]
    out, client = run({"expert": ["Answer: True"], "disprove": [NONE]}, make_task(k=1, kind="boolean"))
    assert roles(client) == ["expert", "disprove"]


def test_the_limit_of_calls_is_kept(auto):
    with pytest.raises(LimitReached):
        run({"expert": ["A", "B", "C"], "disprove": [FOUND]}, auto(max_calls=4))


async def test_async_is_the_same(auto):
    client = ScriptedClient({"expert": ["A", "B", "C"], "disprove": [FOUND, NONE], "fuse": ["F"]})
    out = await build_public_graph(client).ainvoke({"task": auto()})
    assert (out["answer"], out["verdict"], out["rounds"]) == ("F", "converged", 2)
