"""The public graph with scripted agents: fan-out, fusion, every path of disproof v1, limits, failures."""

import json

import pytest
from langgraph.graph import END, START

from gama.graph.public_graph import build_public_graph
from gama.guard.egress import EGRESS, NoPrivateSpace
from gama.state.errors import ExpertsFailed, InputError, LeakError, LimitReached, ModelDenied, ModelTimeout
from gama.state.task import DomainRule, PublicLimits, PublicTask
from tests.support.scripted import ScriptedClient

NONE = '{"contradiction": false, "reason": ""}'

EDGES = frozenset(
    {
        (START, "receive"),
        ("receive", "expert"),
        ("expert", "fuse"),
        ("fuse", "disprove"),
        ("fuse", "revise"),
        ("fuse", END),
        ("fuse", "expert"),
        ("disprove", "expert"),
        ("disprove", "revise"),
        ("disprove", END),
        ("revise", "disprove"),
        ("revise", END),
        ("receive", "vote"),
        ("vote", "choose_route"),
        ("choose_route", "split"),
        ("choose_route", "solve"),
        ("receive", "split"),
        ("split", "answer_part"),
        ("answer_part", "assemble"),
        ("assemble", "assure"),
        ("assure", END),
        ("receive", "solve"),
        ("receive", "mend"),
        ("mend", END),
        ("solve", "discuss"),
        ("solve", "verify"),
        ("solve", END),
        ("discuss", "solve"),
        ("discuss", "verify"),
        ("verify", "condense"),
        ("verify", END),
        ("condense", "solve"),
        ("condense", END),
    }
)
"""The agreed edges of the drawn graph."""


def found(reason: str) -> str:
    return json.dumps({"contradiction": True, "reason": reason})


def task(k=3, **more):
    names = ["Law", "Finance", "Medicine", "History", "Arts", "Sports", "Politics", "Science", "Education", "Sociology"]
    terms = ["High", "Medium", "Low", "Low", "Low", "Low", "Low", "Low", "Low", "Low"]
    rules = tuple(
        DomainRule(domain=d, term=t, score=0.5, prompt=f"You know {d}.") for d, t in zip(names, terms, strict=True)
    )
    limits = PublicLimits(**{"max_rounds": 3, "max_calls": 32} | more.pop("limits", {}))
    return PublicTask(**({"text": "May <name-1> keep <amount-1>?", "rules": rules[:k], "limits": limits} | more))


@pytest.fixture(autouse=True)
def egress():
    token = EGRESS.set(NoPrivateSpace())
    yield
    EGRESS.reset(token)


def script(k: int = 3, **steps) -> ScriptedClient:
    return ScriptedClient({"expert": [f"answer {n}" for n in range(k)], "fuse": ["fused"], **steps})


def run(client: ScriptedClient, given=None) -> dict:
    return build_public_graph(client).invoke({"task": given or task()})


def test_no_contradiction_ends_at_once():
    client = script(disprove=[NONE])
    out = run(client)
    assert (out["answer"], out["verdict"], out["rounds"]) == ("fused", "converged", 1)
    assert [c.role for c in client.calls][-2:] == ["fuse", "disprove"]
    assert out["usage"]["calls"] == 3 + 1 + 1
    client.done()


def test_first_uncontradicted_answer_is_returned_and_contradictions_are_appended():
    client = script(disprove=[found("too early"), found("too late"), NONE], revise=["second", "third"])
    out = run(client)
    assert (out["answer"], out["verdict"], out["rounds"]) == ("third", "converged", 3)
    assert [(c.round, c.reason) for c in out["contradictions"]] == [(1, "too early"), (2, "too late")]
    revisions = [c for c in client.calls if c.role == "revise"]
    assert revisions[0].contradictions == ("too early",) and revisions[1].contradictions == ("too early", "too late")
    assert all(c.task == task().text for c in client.calls), "the task's own text is never changed"
    assert "too late" in revisions[1].user and "second" in revisions[1].user
    assert out["usage"]["calls"] == 3 + 1 + 2 * 2 + 1
    client.done()


def test_always_contradicted_runs_to_the_cap():
    client = script(disprove=[found("no")] * 3, revise=["a", "b", "c"])
    out = run(client)
    assert (out["answer"], out["verdict"], out["rounds"]) == ("c", "unconverged", 3)
    assert out["usage"]["calls"] == 3 + 1 + 2 * 3
    client.done()


@pytest.mark.parametrize("cap", [1, 2, 5])
def test_the_cap_is_kept(cap):
    client = script(disprove=[found("no")] * cap, revise=["x"] * cap)
    out = run(client, task(limits={"max_rounds": cap}))
    assert (out["rounds"], client.count("disprove"), client.count("revise")) == (cap, cap, cap)


@pytest.mark.parametrize("given", [task(disprove="off"), task(limits={"max_rounds": 0})])
def test_disproof_off(given):
    client = script()
    out = run(client, given)
    assert (out["answer"], out["verdict"], out["rounds"]) == ("fused", "off", 0)
    client.done()


def test_unreadable_verdict_ends_and_is_flagged():
    out = run(script(disprove=["well, who knows"]))
    assert (out["answer"], out["verdict"]) == ("fused", "no verdict")
    assert "could not be read" in out["warnings"][0]


def test_failing_assistant_loses_no_answer():
    out = run(script(disprove=[ModelTimeout("too slow")]))
    assert (out["answer"], out["verdict"]) == ("fused", "no verdict")
    assert "too slow" in out["warnings"][0]


def test_failing_revision_keeps_the_last_answer():
    out = run(script(disprove=[found("no")], revise=[ModelTimeout("too slow")]))
    assert (out["answer"], out["verdict"]) == ("fused", "unconverged")


def test_failing_fusion_takes_the_strongest_expert():
    client = ScriptedClient(
        {
            "expert:Law": ["law"],
            "expert:Finance": ["money"],
            "expert:Medicine": ["health"],
            "fuse": [ModelTimeout("slow")],
            "disprove": [NONE],
        }
    )
    out = run(client)
    assert out["answer"] == "law" and "could not be fused" in out["warnings"][0]


@pytest.mark.parametrize("k", [1, 2, 5, 10])
def test_fan_out_follows_k_and_keeps_the_order_of_the_rules(k):
    client = ScriptedClient({"expert": [lambda c: f"I know {c.domain}"] * k, "fuse": ["f"], "disprove": [NONE]})
    out = run(client, task(k))
    assert client.count("expert") == k
    assert [a.domain for a in out["answers"]] == [r.domain for r in task(k).rules]
    assert [a.text for a in out["answers"]] == [f"I know {r.domain}" for r in task(k).rules]
    assert {c.system for c in client.calls if c.role == "expert"} == {f"You know {r.domain}." for r in task(k).rules}


def test_agents_of_a_task_without_placeholders_are_told_nothing_of_them():
    for text, told in (("May <name-1> keep it?", True), ("May the tenant keep it?", False)):
        client = script(disprove=[NONE])
        run(client, task(text=text))
        systems = [call.system for call in client.calls if call.role in ("fuse", "disprove")]
        assert len(systems) == 2 and all(("placeholder" in system) == told for system in systems)


def test_one_failing_expert_is_survived():
    client = ScriptedClient(
        {
            "expert:Law": ["l"],
            "expert:Finance": [ModelTimeout("slow")],
            "expert:Medicine": ["m"],
            "fuse": ["f"],
            "disprove": [NONE],
        }
    )
    out = run(client)
    assert [(f.domain, f.error, f.reason) for f in out["failures"]] == [("Finance", "ModelTimeout", "slow")]
    assert [a.domain for a in out["answers"]] == ["Law", "Medicine"]
    assert "ANSWER 2 (domain Medicine" in next(c for c in client.calls if c.role == "fuse").user


def test_a_library_error_is_not_quoted():
    client = script(1, disprove=[NONE])
    client._steps["expert"] = [RuntimeError("echo: Planted Secret")]
    with pytest.raises(ExpertsFailed) as caught:
        run(client, task(1))
    assert "Planted" not in str(caught.value) and "RuntimeError" in str(caught.value)


def test_all_failing_is_a_clear_error():
    with pytest.raises(ExpertsFailed, match=r"^None of the 3 experts answered \(ModelTimeout\): slow"):
        run(ScriptedClient({"expert": [ModelTimeout("slow")] * 3}))


def test_reasons_that_differ_are_told_by_domain_each_once():
    client = ScriptedClient(
        {
            "expert:Law": [ModelTimeout("slow")],
            "expert:Finance": [ModelDenied("no key")],
            "expert:Medicine": [ModelTimeout("slow")],
        }
    )
    with pytest.raises(ExpertsFailed) as caught:
        run(client)
    told = str(caught.value)
    assert told.startswith("None of the 3 experts answered. ") and told.count("slow") == told.count("no key") == 1
    assert "Finance (ModelDenied): no key" in told and "(ModelTimeout): slow" in told


def test_a_leak_always_stops_the_run():
    client = ScriptedClient({"expert:Law": ["l"], "expert:Finance": [LeakError("stopped")], "expert:Medicine": ["m"]})
    with pytest.raises(LeakError, match="stopped"):
        run(client)
    assert client.count("fuse") == 0


def test_without_an_egress_nothing_is_called():
    EGRESS.set(None)
    client = script(disprove=[NONE])
    with pytest.raises(LeakError, match="no guard is set"):
        run(client)
    assert client.calls == []


@pytest.mark.parametrize(("most", "made"), [(3, 0), (4, 4), (5, 5)])
def test_call_limit(most, made):
    client = script(disprove=[found("no")] * 3, revise=["a", "b", "c"])
    with pytest.raises(LimitReached, match=f"more than {most} calls"):
        run(client, task(limits={"max_calls": most}))
    assert len(client.calls) == made


def test_a_server_may_send_json():
    out = run(script(disprove=[NONE]), json.loads(task().model_dump_json()))
    assert out["answer"] == "fused"


@pytest.mark.parametrize(
    "bad",
    [
        None,
        {},
        "text",
        {"text": "x"},
        {**json.loads(task().model_dump_json()), "secret": "Planted"},
        {**json.loads(task().model_dump_json()), "text": 5},
    ],
)
def test_bad_tasks_are_refused_without_a_quote(bad):
    client = script()
    with pytest.raises(InputError, match="not a PublicTask") as caught:
        build_public_graph(client).invoke({"task": bad})
    assert "Planted" not in str(caught.value) and client.calls == []


def test_long_replies_are_cut_and_flagged():
    from gama.models.calls import clean_reply

    assert clean_reply("<think>hm</think>ab\x00\x1b[31mc\u202ed" + "x" * 99, 7) == ("ab[31mc", True)


async def test_async_is_the_same():
    client = script(disprove=[found("no"), NONE], revise=["better"])
    out = await build_public_graph(client).ainvoke({"task": task()})
    assert (out["answer"], out["rounds"], out["usage"]["calls"]) == ("better", 2, 3 + 1 + 3)


def test_drawn_edges_are_the_agreed_ones():
    drawn = {(edge.source, edge.target) for edge in build_public_graph(script()).get_graph().edges}
    assert drawn == EDGES


def test_two_checkpointed_runs_ask_nobody_twice(tmp_path):
    from gama.vault.encrypted_saver import LocalSaver

    saver = LocalSaver(tmp_path / "public.sqlite")
    config = {"configurable": {"thread_id": "t"}}
    first = script(disprove=[LeakError("stop here")])
    with pytest.raises(LeakError):
        build_public_graph(first, saver).invoke({"task": task()}, config, durability="sync")
    second = ScriptedClient({"disprove": [NONE]})
    out = build_public_graph(second, saver).invoke(None, config, durability="sync")
    assert out["answer"] == "fused" and [c.role for c in second.calls] == ["disprove"]
    saver.close()
