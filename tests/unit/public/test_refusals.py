"""Refusals and texts that are no answers, in every role: what is good is kept, and the user is told."""

import json

import pytest

from gama.graph.public_graph import build_public_graph
from gama.state.errors import ExpertsFailed
from gama.state.task import DomainChoice
from tests.support.scripted import ScriptedClient

NO = "I'm sorry, but I can't help with that."
NONE = '{"contradiction": false, "reason": ""}'
FOUND = json.dumps({"contradiction": True, "reason": "clue 2"})
GOOD = "The claim was in time, and <amount-1> must be paid."
FLAWS = pytest.mark.parametrize(
    "bad",
    [NO, "Lo siento, pero no puedo ayudar con eso.", "Es tut mir leid.", "…", "{}", "Here is the answer:", "no " * 40],
)


def run(script, task) -> dict:
    client = ScriptedClient(script)
    out = build_public_graph(client).invoke({"task": task})
    client.done()
    return out


def told(out) -> str:
    return " ".join(out["warnings"])


class TestExperts:
    @FLAWS
    def test_one_that_refuses_is_left_out_of_the_fusion(self, make_task, bad):
        script = {"expert:Law": [bad], "expert": [GOOD] * 2, "fuse": [GOOD], "disprove": [NONE]}
        client = ScriptedClient(script)
        out = build_public_graph(client).invoke({"task": make_task()})
        assert out["answer"] == GOOD and [a.domain for a in out["answers"]] == ["Finance", "Medicine"]
        (failure,) = out["failures"]
        assert (failure.domain, failure.error) == ("Law", "ModelReplyError") and failure.reason.startswith("it ")
        fusion = next(call for call in client.calls if call.role == "fuse")
        assert bad.strip() not in fusion.user.replace(GOOD, "").replace("\n", "")[len("=== TASK ===") :] or bad == "…"

    @FLAWS
    def test_when_all_refuse_that_is_a_clear_error(self, make_task, bad):
        with pytest.raises(ExpertsFailed, match=r"None of the 3 experts answered \(ModelReplyError\): it "):
            run({"expert": [bad] * 3}, make_task())

    def test_an_honest_short_answer_is_none(self, make_task):
        for said in ("No.", "42", "<name-1>", "I cannot see a contradiction, so the answer is 42."):
            out = run({"expert": [said] * 3, "fuse": [said], "disprove": [NONE]}, make_task())
            assert (out["answer"], out["verdict"], out["failures"], out["warnings"]) == (said, "converged", [], [])


class TestFusion:
    @FLAWS
    def test_one_that_refuses_or_is_empty_leaves_the_experts_answer(self, make_task, bad):
        script = {"expert:Law": [GOOD], "expert": ["Another."] * 2, "fuse": [bad], "disprove": [NONE]}
        out = run(script, make_task())
        assert out["answer"] == GOOD, "the expert with most weight"
        assert "could not be fused (it " in told(out) and "most weight" in told(out)

    def test_of_a_sub_question_too(self, make_task):
        task = make_task(route="knowledge", domains=DomainChoice(k=3))
        script = {
            "split": ['["How much is <amount-1>?"]'], "expert": [GOOD] * 3, "fuse": [NO],
            "check": ['{"correct": true, "replacement": ""}'], "assemble": [GOOD], "assure": ['{"approved": true}'],
        }  # fmt: skip
        out = run(script, task)
        assert out["parts"][0].answer == GOOD and "could not be fused (it declines the task)" in told(out)


class TestDisproof:
    @FLAWS
    def test_a_revision_that_refuses_keeps_the_draft(self, make_task, bad):
        out = run({"expert": ["a"] * 3, "fuse": [GOOD], "disprove": [FOUND], "revise": [bad]}, make_task())
        assert (out["answer"], out["verdict"]) == (GOOD, "unconverged")
        assert "could not be revised (it " in told(out) and "the last one stands" in told(out)

    @FLAWS
    def test_a_rival_that_refuses_never_takes_the_answers_place(self, make_task, bad):
        out = run({"expert": ["a"] * 3, "fuse": [GOOD], "rival": [bad]}, make_task(disprove="v2"))
        assert (out["answer"], out["verdict"], out["counterfactuals"]) == (GOOD, "unconverged", [])
        assert "could not be revised (it " in told(out)

    @pytest.mark.parametrize(
        "said",
        [[NO, NO], [json.dumps({"contradiction": True, "reason": NO})], [json.dumps({"contradiction": True, "reason": "Das kann ich leider nicht beantworten."})]],
    )  # fmt: skip
    def test_an_assistant_that_refuses_gives_no_verdict(self, make_task, said):
        out = run({"expert": ["a"] * 3, "fuse": [GOOD], "disprove": said}, make_task())
        assert (out["answer"], out["verdict"], out["contradictions"]) == (GOOD, "no verdict", [])
        assert "without a verdict" in told(out)
        out = run({"expert": ["a"] * 3, "fuse": [GOOD], "rival": ["B"], "refute": said}, make_task(disprove="v2"))
        assert (out["answer"], out["verdict"]) == (GOOD, "no verdict")

    def test_an_assistant_that_cannot_find_a_contradiction_has_found_none(self, make_task):
        out = run(
            {"expert": ["a"] * 3, "fuse": [GOOD], "disprove": ["I cannot find a contradiction."] * 2}, make_task()
        )
        assert (out["answer"], out["verdict"]) == (GOOD, "converged")


class TestKnowledge:
    def parts(self, **steps):
        return {
            "split": ['["What does the law say about the notice period of a lease?"]'], "expert": [GOOD],
            "check": ['{"correct": true, "replacement": ""}'], "assemble": ["Whole: " + GOOD],
            "assure": ['{"approved": true}'],
        } | steps  # fmt: skip

    @pytest.fixture
    def task(self, make_task):
        return make_task(route="knowledge", domains=DomainChoice(k=1))

    def test_a_replacement_that_refuses_is_none(self, task):
        out = run(self.parts(check=[json.dumps({"correct": False, "replacement": NO})]), task)
        assert out["parts"][0].answer == GOOD and "nothing was put in its place" in told(out)

    @FLAWS
    def test_an_assembly_that_refuses_leaves_the_answers_one_by_one(self, task, bad):
        out = run(self.parts(assemble=[bad]), task)
        assert out["answer"] == GOOD and "could not be put together (it " in told(out)

    @FLAWS
    def test_quality_assurance_that_refuses_leaves_the_answer(self, task, bad):
        out = run(self.parts(assure=[json.dumps({"approved": False, "answer": bad})]), task)
        assert (out["answer"], out["quality"]) == ("Whole: " + GOOD, "unclear") and "cannot stand: it " in told(out)


class TestLogic:
    def test_a_first_solution_that_refuses_is_a_clear_error(self, make_task):
        with pytest.raises(ExpertsFailed, match="did not answer .it declines the task"):
            run({"solve": [NO]}, make_task(route="logic"))

    def test_a_later_one_leaves_the_last(self, make_task):
        agree = '{"agree": true, "objection": ""}'
        out = run({"solve": [GOOD, NO], "discuss": [agree], "verify": [FOUND]}, make_task(route="logic"))
        assert (out["answer"], out["verdict"]) == (GOOD, "unconverged") and "it declines the task" in told(out)


async def test_async_is_the_same(make_task):
    script = {"expert": [NO, GOOD, GOOD], "fuse": [NO], "disprove": [FOUND], "revise": [NO]}
    out = await build_public_graph(ScriptedClient(script)).ainvoke({"task": make_task()})
    assert (out["answer"], out["verdict"], len(out["failures"])) == (GOOD, "unconverged", 1)
