"""The public graph and its account: budgets, identical prompts, structured replies, several runs side by side."""

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from gama import Gama, Options
from gama.graph.public_graph import build_public_graph, public
from gama.guard.egress import EGRESS, NoPrivateSpace
from gama.models.public import public_client
from gama.nodes.public import asking
from gama.state.errors import LimitReached, OptionError
from gama.state.task import DomainRule, PublicLimits, PublicTask
from tests.support.scripted import ScriptedClient

pytestmark = pytest.mark.slow

NONE = '{"contradiction": false, "reason": ""}'
FOUND = '{"contradiction": true, "reason": "clue 2"}'
DOMAINS = ("Law", "Finance", "Medicine")


@pytest.fixture(autouse=True)
def egress():
    token = EGRESS.set(NoPrivateSpace())
    yield
    EGRESS.reset(token)
    assert asking._running == {}, "no session outlives its run"


def task(prompts=None, text="May <name-1> keep it?", disprove="v1", **limits) -> PublicTask:
    prompts = prompts or [f"You know {d}." for d in DOMAINS]
    rules = tuple(
        DomainRule(domain=d, term="High", score=0.5, prompt=p) for d, p in zip(DOMAINS, prompts, strict=False)
    )
    return PublicTask(text=text, rules=rules, disprove=disprove, limits=PublicLimits(**limits))


def by_sync(graph, given):
    return graph.invoke({"task": given})


def by_async(graph, given):
    return asyncio.run(graph.ainvoke({"task": given}))


WAYS = pytest.mark.parametrize("run", [by_sync, by_async])


def graph(loopback, **more):
    return build_public_graph(public_client("openai:loop-1", base_url=loopback.url, **more))


def speak(request) -> str:
    """Answer as experts, fusing agent and content assistant do."""
    return NONE if "response_format" in request else "It may be kept."


class TestTheSamePrompt:
    @WAYS
    def test_is_sent_once(self, loopback, run):
        loopback.reply = speak
        out = run(graph(loopback), task(prompts=["You know it all."] * 3))
        assert [a.text for a in out["answers"]] == ["It may be kept."] * 3
        assert [a.domain for a in out["answers"]] == list(DOMAINS)
        assert len(loopback.requests) == 3, "one for three experts, the fusion, the assistant"
        assert out["usage"]["calls"] == 3 and out["usage"]["reused"] == out["usage"]["expert.reused"] == 2
        assert out["usage"]["expert.input_tokens"] == 11

    @WAYS
    def test_is_sent_again_in_another_task(self, loopback, run):
        loopback.reply, made = speak, graph(loopback)
        for times in (1, 2):
            run(made, task())
            assert len(loopback.requests) == 5 * times

    def test_is_sent_by_each_of_two_tasks_side_by_side(self, loopback):
        loopback.reply, made = speak, graph(loopback)

        def one(_):
            EGRESS.set(NoPrivateSpace())
            return made.invoke({"task": task()})["usage"]

        with ThreadPoolExecutor(4) as pool:
            usages = list(pool.map(one, range(4)))
        assert len(loopback.requests) == 20 and all(u["calls"] == 5 and "reused" not in u for u in usages)

    def test_the_standin_answers_each_expert_by_its_domain(self):
        text = "The lease ends in May. Aspirin is taken twice. When does the lease end?"
        out = public().invoke({"task": task(prompts=["You know it all."] * 3, text=text)})
        assert "reused" not in out["usage"] and "May" in out["answer"]

    def test_a_part_of_the_prompt_that_changes_stands_last(self, loopback):
        """What providers cache is the beginning: in each round of disproof it is that of the round before.

        The first examination alone is not asked about an earlier answer, since there is none.
        """
        answers = iter(["first"] * 3 + ["fused", "second", "third", "fourth"])
        loopback.reply = lambda request: FOUND if "response_format" in request else next(answers)
        run_task = task(prompts=["You know Law."] * 3, max_rounds=3)
        graph(loopback).invoke({"task": run_task})
        for wanted in (True, False):
            rounds = [r["messages"] for r in loopback.requests if ("response_format" in r) == wanted][-3:]
            assert len({messages[0]["content"] for messages in rounds[wanted:]}) == 1
            task_block = f"=== TASK ===\n{run_task.text}\n=== END TASK ==="
            assert all(messages[1]["content"].startswith(task_block) for messages in rounds)


class TestStructuredReplies:
    @WAYS
    def test_an_unreadable_verdict_is_asked_for_once_more(self, run):
        client = ScriptedClient({"expert": ["a"] * 3, "fuse": ["f"], "disprove": ['{"reason": "x"}', NONE]})
        out = run(build_public_graph(client), task())
        first, second = (c for c in client.calls if c.role == "disprove")
        assert second.user.startswith(first.user)
        assert '=== YOUR LAST REPLY ===\n{"reason": "x"}\n=== END YOUR LAST REPLY ===' in second.user
        assert "the key 'contradiction' is missing" in second.user
        assert second.quoted == (*first.quoted, '{"reason": "x"}')
        assert (out["verdict"], out["usage"]["disprove.calls"]) == ("converged", 2)
        client.done()

    @WAYS
    def test_a_second_unreadable_one_is_flagged(self, run):
        client = ScriptedClient({"expert": ["a"] * 3, "fuse": ["f"], "disprove": ["well", "who knows"]})
        out = run(build_public_graph(client), task())
        assert (out["verdict"], out["answer"]) == ("no verdict", "f") and "could not be read" in out["warnings"][0]
        client.done()

    @WAYS
    def test_it_is_not_asked_for_beyond_the_limit_of_calls(self, run):
        client = ScriptedClient({"expert": ["a"] * 3, "fuse": ["f"], "disprove": ["well"]})
        out = run(build_public_graph(client), task(max_calls=5))
        assert (out["verdict"], out["usage"]["calls"]) == ("no verdict", 5)
        client.done()

    @WAYS
    def test_through_the_real_client(self, loopback, run):
        said = iter(["hm", FOUND, NONE])
        loopback.reply = lambda request: next(said) if "response_format" in request else "It may be kept."
        out = run(graph(loopback), task())
        assert (out["verdict"], out["rounds"]) == ("converged", 2)
        assert [c.reason for c in out["contradictions"]] == ["clue 2"]
        assert out["usage"]["disprove.calls"] == 3 and out["usage"]["disprove.input_tokens"] == 33


class TestBudget:
    @WAYS
    def test_every_reply_is_bounded_and_the_usage_stays_below(self, loopback, run):
        loopback.reply = speak
        out = run(graph(loopback), task(max_tokens=20_000))
        assert out["verdict"] == "converged"
        bounds = [r["max_completion_tokens"] for r in loopback.requests]
        assert all(256 <= bound < 5_000 for bound in bounds)
        assert out["usage"]["input_tokens"] + out["usage"]["output_tokens"] < 20_000

    @WAYS
    def test_a_budget_that_pays_no_call_is_refused_before_the_first(self, loopback, run):
        with pytest.raises(LimitReached, match="no room for the next call.*Raise max_tokens"):
            run(graph(loopback), task(max_tokens=200))
        assert loopback.requests == []

    @WAYS
    def test_what_was_paid_for_is_not_lost(self, loopback, run):
        """When the money ends in disproof, the answer stands and says so."""
        loopback.reply, loopback.usage = speak, True
        real = loopback.completion

        def dear(text, choices):
            whole = real(text, choices)
            return whole | {"usage": {"prompt_tokens": 900, "completion_tokens": 300, "total_tokens": 1200}}

        loopback.completion = dear
        out = run(graph(loopback), task(max_tokens=5_200))
        assert (out["answer"], out["verdict"]) == ("It may be kept.", "no verdict")
        assert out["usage"]["calls"] == 4 == len(loopback.requests)
        assert any("LimitReached: The budget" in warning for warning in out["warnings"])

    @WAYS
    def test_cost_is_reported_by_stage(self, loopback, run):
        loopback.reply = speak
        out = run(graph(loopback, prices={"openai:loop-1": [1000, 2000]}), task())
        per_token = {"input": 1000, "output": 2000}
        for stage in ("", "expert.", "fuse.", "disprove."):
            usage = {kind: out["usage"][f"{stage}{kind}_tokens"] for kind in per_token}
            expected = sum(usage[kind] * per_token[kind] for kind in per_token)
            assert out["usage"][f"{stage}cost_microusd"] == expected > 0

    @WAYS
    def test_dollars(self, loopback, run):
        loopback.reply = speak
        made = graph(loopback, prices={"openai:loop-1": [100, 100]})
        with pytest.raises(LimitReached, match="Raise max_cost"):
            run(made, task(max_cost=0.01))
        assert loopback.requests == []
        assert run(made, task(max_cost=10.0))["verdict"] == "converged"

    def test_a_model_without_a_price_says_so(self, monkeypatch):
        from langchain_core.language_models import FakeListChatModel

        made = build_public_graph(public_client(FakeListChatModel(responses=["x"])))
        with pytest.raises(OptionError, match="no price for 'FakeListChatModel'"):
            made.invoke({"task": task(max_cost=1.0)})

    def test_tasks_side_by_side_have_an_account_each(self, loopback):
        loopback.reply, made = speak, graph(loopback)

        async def both():
            return await asyncio.gather(*(made.ainvoke({"task": task(max_tokens=20_000)}) for _ in range(3)))

        assert [out["verdict"] for out in asyncio.run(both())] == ["converged"] * 3

    def test_a_resumed_run_remembers_what_was_spent(self, loopback, tmp_path):
        from gama.vault.encrypted_saver import LocalSaver

        loopback.reply = speak
        saver = LocalSaver(tmp_path / "public.sqlite")
        config = {"configurable": {"thread_id": "t"}}

        def built():
            client = public_client("openai:loop-1", base_url=loopback.url)
            return build_public_graph(client, saver)

        given = {"task": task(max_tokens=3_000)}
        built().invoke(given, config, durability="sync", interrupt_before=["disprove"])
        assert built().get_state(config).values["usage"]["calls"] == 4 == len(loopback.requests)
        # The account of the new process begins with what the checkpoint says.
        state = built().get_state(config)
        built().update_state(state.config, {"usage": {"input_tokens": 2_800}}, as_node="fuse")
        out = built().invoke(None, config, durability="sync")
        assert out["verdict"] == "no verdict" and any("LimitReached" in w for w in out["warnings"])
        assert len(loopback.requests) == 4
        saver.close()


class TestOptions:
    """What a user says in `Options` holds in the public graph."""

    QUESTION = "Dear Emma Williams, may my landlord Daniel Jones end the lease in May?"

    def gama(self, loopback, **more) -> Gama:
        return Gama(Options(public_model="openai:loop-1", public_base_url=loopback.url, k=2, **more), keep=False)

    def test_budget_and_prices(self, loopback):
        loopback.reply = speak
        reply = self.gama(loopback, max_cost=5.0, max_tokens=50_000, prices={"openai:loop-1": [10, 10]}).invoke(
            {"question": self.QUESTION}
        )
        assert reply["usage"]["cost_microusd"] > 0 and reply["verdict"] == "converged"
        assert all("max_completion_tokens" in request for request in loopback.requests)
        with pytest.raises(LimitReached):
            self.gama(loopback, max_tokens=100).invoke({"question": self.QUESTION})

    def test_a_budget_in_dollars_without_a_price_is_refused_before_anything_is_sent(self, loopback, monkeypatch):
        monkeypatch.setattr("gama.models.public.is_hosted", lambda name, url: True)
        with pytest.raises(OptionError, match="no price for 'openai:loop-1'"):
            self.gama(loopback, max_cost=5.0).invoke({"question": self.QUESTION})
        assert loopback.requests == []

    def test_numbers_of_the_letter_may_be_those_of_a_bound(self, loopback):
        loopback.reply = speak
        question = "Dear Emma Williams, account 50000 owes 40000 to account 12499 since May. What is to be done?"
        reply = self.gama(loopback, max_tokens=50_000).invoke({"question": question})
        assert reply["verdict"] == "converged" and "50000" not in reply["anonymized"]

    def test_the_environment_sets_them_for_a_graph_on_its_own(self, loopback, monkeypatch):
        for name, value in (
            ("PUBLIC_MODEL", "openai:loop-1"),
            ("PUBLIC_BASE_URL", loopback.url),
            ("MAX_CONCURRENT", "1"),
        ):
            monkeypatch.setenv(f"GAMA_{name}", value)
        loopback.reply = speak
        EGRESS.set(None)
        assert public().invoke({"task": task()})["verdict"] == "converged"
        monkeypatch.setenv("GAMA_MAX_CONCURRENT", "none")
        with pytest.raises(OptionError, match="'max_concurrent'"):
            public().invoke({"task": task()})

    def test_requests_at_a_time(self, loopback):
        inside, most, lock = 0, 0, threading.Lock()

        def reply(request):
            nonlocal inside, most
            with lock:
                inside += 1
                most = max(most, inside)
            try:
                threading.Event().wait(0.01)
                return speak(request)
            finally:
                with lock:
                    inside -= 1

        loopback.reply = reply
        question = f"{self.QUESTION} And does the bank take interest for the loan on the deposit?"
        self.gama(loopback, max_concurrent=1).invoke({"question": question})
        assert most == 1 and len(loopback.requests) == 4, "two experts, the fusion, the assistant"

    def test_the_usage_is_json(self, loopback):
        loopback.reply = speak
        reply = self.gama(loopback, prices={"openai:loop-1": [10, 10]}).invoke({"question": self.QUESTION})
        assert all(isinstance(count, int) for count in reply["usage"].values()) and json.dumps(reply)
