"""Disproof v2 with scripted agents, every path; and both variants on the same script (spec 01 §1.8)."""

import json

import pytest

from gama.graph.public_graph import build_public_graph
from gama.state.errors import LeakError, LimitReached, ModelTimeout
from tests.support.scripted import ScriptedClient

K = 3
NONE = '{"contradiction": false, "reason": ""}'


def found(reason: str = "impossible") -> str:
    return json.dumps({"contradiction": True, "reason": reason})


def run(client: ScriptedClient, task) -> dict:
    out = build_public_graph(client).invoke({"task": task})
    client.done()
    return out


def script(draft: str = "A", **steps) -> ScriptedClient:
    return ScriptedClient({"expert": ["a"] * K, "fuse": [draft], **steps})


def roles(client: ScriptedClient) -> list[str]:
    return [call.role for call in client.calls if call.role not in ("expert", "fuse")]


@pytest.fixture
def v2(make_task):
    return lambda **fields: make_task(disprove="v2", **fields)


class TestTheDiscriminatingTest:
    """The assistant always says "contradiction": v1 runs to its cap, v2 stops at once."""

    @pytest.mark.parametrize("cap", [1, 3, 7])
    def test_v1_runs_to_the_cap(self, make_task, cap):
        client = script(disprove=[found()] * cap, revise=[f"answer {n}" for n in range(cap)])
        out = run(client, make_task(disprove="v1", max_rounds=cap))
        assert (out["verdict"], out["rounds"], out["answer"]) == ("unconverged", cap, f"answer {cap - 1}")
        assert len(out["contradictions"]) == cap and out["counterfactuals"] == []
        assert out["usage"]["calls"] == K + 1 + 2 * cap

    @pytest.mark.parametrize("cap", [1, 3, 7])
    def test_v2_stops_at_once(self, v2, cap):
        client = script(rival=["B"], refute=[found("B breaks clue 2")])
        out = run(client, v2(max_rounds=cap))
        assert (out["verdict"], out["rounds"], out["answer"]) == ("converged", 1, "A")
        assert out["usage"]["calls"] == K + 1 + 2 and out["contradictions"] == []
        assert [c.model_dump() for c in out["counterfactuals"]] == [
            {"round": 1, "against": "A", "text": "B", "contradicted": True, "reason": "B breaks clue 2"}
        ]


def test_v1_keeps_fifty_words_of_a_contradiction(make_task):
    client = script(disprove=[found(" ".join(f"w{n}" for n in range(55))), NONE], revise=["B"])
    kept = run(client, make_task(disprove="v1"))["contradictions"][0].reason
    assert kept.split()[-2:] == ["w49", "…"] and len(kept.split()) == 51


class TestOpenTasks:
    def test_a_tenable_rival_takes_the_answers_place(self, v2):
        client = script(rival=["B", "C", "D"], refute=[NONE, NONE, found()])
        out = run(client, v2())
        assert (out["answer"], out["verdict"], out["rounds"]) == ("C", "converged", 3)
        trace = [(c.round, c.against, c.text, c.contradicted) for c in out["counterfactuals"]]
        assert trace == [(1, "A", "B", False), (2, "B", "C", False), (3, "C", "D", True)]
        assert out["usage"]["calls"] == K + 1 + 2 * 3
        assert roles(client) == ["rival", "refute"] * 3, "the expert begins"

    def test_the_expert_is_told_the_confirmed_answer_and_all_that_was_tried(self, v2):
        client = script(rival=["B", "C"], refute=[NONE, found()])
        run(client, v2())
        first, second = (call for call in client.calls if call.role == "rival")
        assert (first.draft, first.tried) == ("A", ()) and (second.draft, second.tried) == ("B", ("B",))
        assert "=== ANSWER ===\nB\n" in second.user and "=== TRIED 1 ===\nB\n" in second.user
        assert "TRIED" not in first.user

    def test_the_assistant_sees_the_task_and_the_rival_only(self, v2):
        client = script("the confirmed one", rival=["B"], refute=[found()])
        run(client, v2())
        refute = next(call for call in client.calls if call.role == "refute")
        assert refute.rival == "B" and "=== ASSUMED ===\nB\n" in refute.user and "confirmed" not in refute.user
        assert refute.task == v2().text, "the task's own text is never changed"

    @pytest.mark.parametrize("cap", [1, 2, 4])
    def test_the_round_limit(self, v2, cap):
        client = script(rival=[f"rival {n}" for n in range(cap)], refute=[NONE] * cap)
        out = run(client, v2(max_rounds=cap))
        assert (out["answer"], out["verdict"], out["rounds"]) == (f"rival {cap - 1}", "unconverged", cap)
        assert out["usage"]["calls"] == K + 1 + 2 * cap

    @pytest.mark.parametrize("said", ["NONE", "None.", "a", "  A! "])
    def test_no_rival_or_the_answer_itself_ends_it(self, v2, said):
        client = script(rival=[said])
        out = run(client, v2())
        assert (out["answer"], out["verdict"], out["rounds"]) == ("A", "exhausted", 0)
        assert out["counterfactuals"] == [] and out["usage"]["calls"] == K + 2

    def test_a_rival_that_was_tried_before_ends_it(self, v2):
        client = script(rival=["B", "C", "b."], refute=[NONE, NONE])
        out = run(client, v2(max_rounds=9))
        assert (out["answer"], out["verdict"], out["rounds"]) == ("C", "exhausted", 2)

    def test_the_first_answer_may_come_back_as_a_rival(self, v2):
        client = script(rival=["B", "A"], refute=[NONE, found()])
        out = run(client, v2())
        assert (out["answer"], out["verdict"]) == ("B", "converged") and out["counterfactuals"][1].text == "A"

    def test_a_verdict_that_cannot_be_read_ends_it_with_a_flag(self, v2):
        out = run(script(rival=["B"], refute=["who knows"]), v2())
        assert (out["answer"], out["verdict"], out["rounds"]) == ("A", "no verdict", 1)
        assert out["counterfactuals"][0].contradicted is None and "could not be read" in out["warnings"][0]

    def test_a_failing_assistant_loses_no_answer(self, v2):
        out = run(script(rival=["B"], refute=[ModelTimeout("too slow")]), v2())
        assert (out["answer"], out["verdict"]) == ("A", "no verdict") and "too slow" in out["warnings"][0]

    def test_a_failing_expert_loses_no_answer(self, v2):
        out = run(script(rival=[ModelTimeout("too slow")]), v2())
        assert (out["answer"], out["verdict"]) == ("A", "unconverged") and "too slow" in out["warnings"][0]

    def test_words_instead_of_json(self, v2):
        # Words are asked for once more as an object; when words come again, they are read.
        said = ["There is no contradiction."] * 2 + ["That contradicts clue 3."] * 2
        out = run(script(rival=["B", "C"], refute=said), v2())
        assert (out["answer"], out["verdict"]) == ("B", "converged")
        assert out["counterfactuals"][1].reason == "That contradicts clue 3."


class TestBooleanTasks:
    """The rival is the negation: no call to the expert, and two rounds at the most."""

    @pytest.mark.parametrize(("draft", "rival"), [("True, because", "False"), ("No.\nIt is late", "True")])
    def test_the_negation_is_refuted(self, v2, draft, rival):
        client = script(draft, refute=[found()])
        out = run(client, v2(kind="boolean"))
        assert (out["answer"], out["verdict"], out["rounds"]) == (draft, "converged", 1)
        assert out["counterfactuals"][0].text == rival and out["usage"]["calls"] == K + 1 + 1

    def test_the_negation_is_tenable_and_the_first_answer_is_refuted(self, v2):
        client = script("True", refute=[NONE, found()])
        out = run(client, v2(kind="boolean"))
        assert (out["answer"], out["verdict"], out["rounds"]) == ("False", "converged", 2)
        assert [(c.against, c.text) for c in out["counterfactuals"]] == [("True", "False"), ("False", "True")]

    @pytest.mark.parametrize("cap", [3, 20])
    def test_both_tenable_ends_after_two_rounds(self, v2, cap):
        client = script("True", refute=[NONE, NONE])
        out = run(client, v2(kind="boolean", max_rounds=cap))
        assert (out["answer"], out["verdict"], out["rounds"]) == ("True", "exhausted", 2)
        assert out["usage"]["calls"] == K + 1 + 2

    def test_a_draft_that_is_neither_has_no_negation(self, v2):
        client = script("It depends.", rival=["True"], refute=[found()])
        out = run(client, v2(kind="boolean"))
        assert out["answer"] == "It depends." and client.count("rival") == 1


class TestTheExamination:
    """The assistant solves first, compares condition by condition, then judges; and compares with the answer before."""

    def examined(self, contradiction: bool, earlier_better: bool = False, reason: str = "clue 2") -> str:
        said = {"solution": "A", "checks": ["clue 1 holds", "clue 2 fails"], "reason": reason if contradiction else ""}
        return json.dumps(said | {"contradiction": contradiction, "earlier_better": earlier_better})

    @pytest.mark.parametrize(("mode", "role"), [("v1", "disprove"), ("v2", "refute")])
    def test_the_server_is_told_the_reason_before_the_verdict(self, make_task, mode, role):
        steps = {role: [self.examined(mode == "v2")], **({"rival": ["B"]} if mode == "v2" else {})}
        client = script(**steps)
        assert run(client, make_task(disprove=mode))["verdict"] == "converged"
        keys = list(next(c for c in client.calls if c.role == role).schema["properties"])
        assert keys[:4] == ["solution", "checks", "reason", "contradiction"]

    @pytest.mark.parametrize("contradiction", [True, False])
    def test_a_revision_that_is_worse_gives_way_to_the_answer_before_it_and_that_is_told(
        self, make_task, contradiction
    ):
        client = script("the right one", disprove=[found(), self.examined(contradiction, True)], revise=["a worse one"])
        out = run(client, make_task(disprove="v1"))
        assert (out["answer"], out["verdict"]) == ("the right one", "unconverged" if contradiction else "converged")
        assert "found worse than the one before it" in " ".join(out["warnings"])
        first, second = (call for call in client.calls if call.role == "disprove")
        assert "=== EARLIER ANSWER ===\nthe right one\n" in second.user and "EARLIER ANSWER ===" not in first.user
        assert "the right one" in second.quoted, "it came from the public space"

    def test_an_earlier_answer_is_asked_about_only_where_there_is_one(self, make_task):
        client = script(disprove=[found(), self.examined(False)], revise=["better"])
        run(client, make_task(disprove="v1"))
        first, second = (call for call in client.calls if call.role == "disprove")
        assert "earlier" not in first.system.replace("earlier answers", "").lower()
        assert "earlier_better" not in first.schema["properties"]
        assert '"earlier_better": true or false}' in second.system and "EARLIER ANSWER" in second.system
        assert "earlier_better" in second.schema["properties"]
        assert '"contradiction": true or false}' in first.system

    def test_a_revision_that_is_better_stays(self, make_task):
        client = script(disprove=[found(), self.examined(False)], revise=["better"])
        out = run(client, make_task(disprove="v1"))
        assert (out["answer"], out["verdict"], out["warnings"]) == ("better", "converged", [])

    def test_an_answer_that_was_not_revised_has_none_before_it(self, make_task):
        out = run(script(disprove=[self.examined(False, True)]), make_task(disprove="v1"))
        assert (out["answer"], out["verdict"], out["warnings"]) == ("A", "converged", [])

    @pytest.mark.parametrize(
        ("mode", "role", "steps"), [("v1", "disprove", {"disprove": [NONE]}), ("v2", "refute", {"refute": [found()]})]
    )
    def test_the_required_form_is_given_to_it(self, make_task, mode, role, steps):
        client = script("True", **steps)
        run(client, make_task(disprove=mode, kind="boolean"))
        said = next(c for c in client.calls if c.role == role).user
        assert "=== FORM ===\nForm of the answer: reason first" in said and "Answer: False" in said
        client = script("A", **(steps | ({"rival": ["B"]} if mode == "v2" else {})))
        run(client, make_task(disprove=mode))
        assert "FORM" not in next(c for c in client.calls if c.role == role).user, "free text has none"


class TestReasonBeforeTheAnswer:
    """The verdict stands on the last line, after the reasons; the reader gets it alone where the task asks for that."""

    DRAFT = "Nobody paid, so it is not kept.\nAnswer: False"

    @pytest.mark.parametrize("text", ["Is it kept? Answer only yes or no.", "True or false: it is kept. Say why."])
    @pytest.mark.parametrize("disprove", ["v1", "v2", "off"])
    def test_the_answer_is_cut_where_short_is_asked(self, make_task, text, disprove):
        steps = {"v1": {"disprove": [NONE]}, "v2": {"refute": [found()]}, "off": {}}[disprove]
        client = ScriptedClient({"expert": [self.DRAFT] * K, "fuse": [self.DRAFT], **steps})
        out = run(client, make_task(kind="boolean", text=text, disprove=disprove))
        assert out["answer"] == ("False" if "only" in text else self.DRAFT)
        if disprove == "v2":
            assert out["counterfactuals"][0].text == "True", "the last line tells what the rival is"


class TestClosedSets:
    OPTIONS = ("red", "green", "blue", "none")

    def test_the_remaining_options_are_gone_through_without_a_call(self, v2):
        client = script("green\nas clue 1 says", refute=[NONE, NONE, found()])
        out = run(client, v2(kind="choice", options=self.OPTIONS))
        assert [(c.against.split("\n")[0], c.text) for c in out["counterfactuals"]] == [
            ("green", "red"), ("red", "green"), ("green", "blue"),
        ]  # fmt: skip
        assert (out["answer"], out["verdict"], client.count("rival")) == ("green", "converged", 0)
        assert out["usage"]["calls"] == K + 1 + 3

    def test_all_options_tenable_ends_when_they_are_used_up(self, v2):
        client = script("green", refute=[NONE] * 4)
        out = run(client, v2(kind="choice", options=self.OPTIONS, max_rounds=20))
        assert (out["verdict"], out["rounds"]) == ("exhausted", 4)
        tried = [c.text for c in out["counterfactuals"]]
        assert sorted(tried) == sorted(self.OPTIONS) and out["answer"] == tried[-1] == "none"

    def test_options_of_signs_only(self, v2):
        client = script("+", refute=[found()])
        out = run(client, v2(kind="choice", options=("+", "-")))
        assert out["counterfactuals"][0].text == "-" and out["answer"] == "+"

    def test_a_draft_that_names_no_option(self, v2):
        client = script("Hard to say.", refute=[found()])
        out = run(client, v2(kind="choice", options=self.OPTIONS))
        assert out["counterfactuals"][0].text == "red" and out["answer"] == "Hard to say."


@pytest.mark.parametrize("off", [{"disprove": "off"}, {"disprove": "v2", "max_rounds": 0}])
def test_off(make_task, off):
    out = run(script(), make_task(**off))
    assert (out["answer"], out["verdict"], out["usage"]["calls"]) == ("A", "off", K + 1)


@pytest.mark.parametrize(("most", "made"), [(K + 1, K + 1), (K + 2, K + 2)])
def test_v2_keeps_the_call_limit(v2, most, made):
    client = script(rival=["B"], refute=[NONE])
    with pytest.raises(LimitReached):
        build_public_graph(client).invoke({"task": v2(max_calls=most)})
    assert len(client.calls) == made


async def test_v2_async_is_the_same(v2):
    client = script(rival=["B", "C"], refute=[NONE, found()])
    out = await build_public_graph(client).ainvoke({"task": v2()})
    assert (out["answer"], out["verdict"], out["rounds"]) == ("B", "converged", 2)
    client = script("True", refute=[found()])
    out = await build_public_graph(client).ainvoke({"task": v2(kind="boolean")})
    assert (out["answer"], out["rounds"]) == ("True", 1)


def test_v2_is_taken_up_where_it_stopped(v2, tmp_path):
    from gama.vault.encrypted_saver import LocalSaver

    saver = LocalSaver(tmp_path / "public.sqlite")
    config = {"configurable": {"thread_id": "t"}}
    first = script(rival=["B", "C"], refute=[NONE, LeakError("stop here")])
    with pytest.raises(LeakError):
        build_public_graph(first, saver).invoke({"task": v2()}, config, durability="sync")
    second = ScriptedClient({"refute": [found()]})
    out = build_public_graph(second, saver).invoke(None, config, durability="sync")
    assert (out["answer"], [c.text for c in out["counterfactuals"]]) == ("B", ["B", "C"])
    saver.close()
    second.done()
