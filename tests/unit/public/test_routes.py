"""The routes knowledge, logic and auto with scripted agents: every path, call counts, limits (spec 01 §1.6)."""

import json

import pytest
from langgraph.graph import END, START

from gama.graph.public_graph import build_public_graph
from gama.nodes.public.knowledge import MOST, gathered
from gama.state.errors import ExpertsFailed, LeakError, LimitReached, ModelTimeout
from gama.state.task import DomainChoice
from gama.tools.domains.packs import SETS
from tests.support.scripted import ScriptedClient

NONE = '{"contradiction": false, "reason": ""}'
CORRECT = '{"correct": true, "replacement": ""}'
APPROVED = '{"approved": true}'
PART_EDGES = frozenset(
    {
        (START, "choose_domains"),
        ("choose_domains", "expert"),
        ("expert", "fuse"),
        ("fuse", "check"),
        ("fuse", "close_part"),
        ("check", "check"),
        ("check", "close_part"),
        ("close_part", END),
    }
)
"""The agreed edges of the drawn graph."""

LEASE = "What does the law say about the notice period of a lease?"
TAX = "Which expenses can be deducted from the income tax?"


def found(reason: str = "clue 2 does not hold") -> str:
    return json.dumps({"contradiction": True, "reason": reason})


def wrong(replacement: str) -> str:
    return json.dumps({"correct": False, "replacement": replacement})


def run(client: ScriptedClient, task) -> dict:
    out = build_public_graph(client).invoke({"task": task})
    client.done()
    return out


def knowledge(*, questions=(LEASE, TAX), k=1, **steps) -> ScriptedClient:
    """A script in which every sub-question has K experts."""
    n = len(questions)
    usual: dict = {
        "split": [json.dumps(questions)],
        "expert": [lambda call: f"{call.domain} on {call.question}"] * (k * n),
        "fuse": [lambda call: f"fused: {call.question}"] * (n if k > 1 else 0),
        "check": [CORRECT] * n,
        "assemble": ["assembled"],
        "assure": [APPROVED],
    }
    return ScriptedClient(usual | steps)


@pytest.fixture
def task(make_task):
    return lambda k=1, **fields: make_task(
        **{"route": "knowledge", "domains": DomainChoice(k=k, topk_mode="paper")} | fields
    )


class TestKnowledge:
    def test_the_whole_way_and_its_calls(self, task):
        client = knowledge()
        out = run(client, task())
        assert (out["answer"], out["route"], out["quality"], out["verdict"]) == (
            "assembled", "knowledge", "approved", "converged",
        )  # fmt: skip
        # One call that takes apart; for each sub-question its one rule, with nothing to fuse, one check; then two more.
        assert out["usage"]["calls"] == 1 + 2 * (1 + 1) + 2
        assert [part.question for part in out["parts"]] == [LEASE, TAX] and out["rounds"] == 1
        assert [part.answer for part in out["parts"]] == [f"Law on {LEASE}", f"Finance on {TAX}"]

    @pytest.mark.parametrize("k", [1, 2, 3])
    def test_each_sub_question_has_domains_of_its_own(self, task, k):
        client = ScriptedClient(
            {
                "split": [json.dumps([LEASE, TAX])], "fuse": ["f"] * 2, "check": [CORRECT] * 2, "assemble": ["x"],
                "assure": [APPROVED], "expert": ["e"] * 2 * k,
            }
        )  # fmt: skip
        out = build_public_graph(client).invoke({"task": task(k)})
        lease, tax = out["parts"]
        assert lease.domains[0].domain == "Law" and tax.domains[0].domain == "Finance"
        assert 1 <= len(lease.domains) <= k and len(lease.answers) == len(lease.domains)
        # Fired rules, and one fusion for each sub-question with several answers (spec 01 §1.7).
        asked = sum(len(part.domains) for part in out["parts"])
        fused = sum(len(part.domains) > 1 for part in out["parts"])
        assert client.count("expert") == asked and client.count("fuse") == fused and (fused > 0) == (k > 1)
        assert out["usage"]["calls"] == 1 + asked + fused + 2 + 2

    def test_the_choice_of_domains_at_home_holds_for_sub_questions(self, task):
        client = knowledge()
        domains = DomainChoice(k=1, topk_mode="paper", domain_set="ten")
        names = {rule.domain for part in run(client, task(domains=domains))["parts"] for rule in part.domains}
        assert names and names <= {domain.name for domain in SETS["ten"]} - {domain.name for domain in SETS["twenty"]}

    def test_experts_get_the_task_and_their_question_with_a_prompt_of_the_templates(self, task):
        client = knowledge()
        run(client, task(kind="boolean"))
        asked = {call.question: call for call in client.calls if call.role == "expert"}
        assert set(asked) == {LEASE, TAX}
        call = asked[LEASE]
        assert (
            call.user
            == f"=== TASK ===\n{task().text}\n=== END TASK ===\n\n=== QUESTION ===\n{LEASE}\n=== END QUESTION ==="
        )
        assert "expert in Law" in call.system and "free text" in call.system and call.kind == "open"

    def test_a_wrong_answer_is_replaced_and_checked_again(self, task):
        client = knowledge(questions=(LEASE,), check=[wrong("better"), wrong("best"), CORRECT])
        out = run(client, task())
        part = out["parts"][0]
        assert (part.answer, part.verdict, out["rounds"]) == ("best", "converged", 3)
        assert [(c.round, c.correct, c.replacement) for c in part.checks] == [
            (1, False, "better"), (2, False, "best"), (3, True, ""),
        ]  # fmt: skip
        checks = [call for call in client.calls if call.role == "check"]
        assert [call.draft for call in checks] == [f"Law on {LEASE}", "better", "best"]
        assert "=== ANSWER 1 ===\nbest\n" in next(c for c in client.calls if c.role == "assemble").user

    @pytest.mark.parametrize(("cap", "calls"), [(4, 4), (1, 1), (2, 2)])
    def test_at_most_four_checks(self, task, cap, calls):
        client = knowledge(questions=(LEASE,), check=[wrong(f"better {n}") for n in range(cap)])
        out = run(client, task() if cap == 4 else task(max_checks=cap))
        assert (client.count("check"), out["parts"][0].answer) == (calls, f"better {cap - 1}")
        assert out["parts"][0].verdict == out["verdict"] == "unconverged" and out["answer"] == "assembled"

    @pytest.mark.parametrize("off", [{"max_checks": 0}, {"disprove": "off"}, {"max_rounds": 0}])
    def test_checks_off(self, task, off):
        out = run(knowledge(check=[]), task(**off))
        assert out["verdict"] == "off" and out["usage"]["calls"] == 1 + 2 * 1 + 2 and out["rounds"] == 0

    @pytest.mark.parametrize("said", ["hm", ModelTimeout("too slow"), '{"correct": "perhaps"}'])
    def test_a_check_without_a_verdict_counts_as_correct_and_is_flagged(self, task, said):
        out = run(knowledge(questions=(LEASE,), check=[said]), task())
        part = out["parts"][0]
        assert (part.answer, part.verdict, part.checks[0].correct) == (f"Law on {LEASE}", "no verdict", None)
        assert out["verdict"] == "no verdict" and "sub-question 1 ended without a verdict" in out["warnings"][0]

    def test_wrong_without_a_replacement_keeps_the_answer_and_says_so(self, task):
        out = run(knowledge(questions=(LEASE,), check=[wrong("")]), task())
        assert out["parts"][0].answer == f"Law on {LEASE}" and out["verdict"] == "unconverged"
        assert "nothing was put in its place" in out["warnings"][0]

    @pytest.mark.parametrize("said", ["I cannot.", "[]", ModelTimeout("too slow")])
    def test_a_task_that_cannot_be_taken_apart_is_one_question(self, task, said):
        client = knowledge(questions=(task().text,), k=1, split=[said])
        client._steps["expert"] = ["e"] * 3
        out = build_public_graph(client).invoke({"task": task(3)})
        assert [part.question for part in out["parts"]] == [task().text] and out["answer"] == "assembled"
        assert "could not be taken apart" in out["warnings"][0]

    def test_many_questions_are_asked_together_and_none_is_dropped(self, task):
        questions = [f"{LEASE[:-1]} {n}?" for n in range(9)]
        client = knowledge(
            questions=questions[:MOST], split=["\n".join(f"{n}. {q}" for n, q in enumerate(questions, 1))]
        )
        out = run(client, task())
        asked = [part.question for part in out["parts"]]
        assert (
            len(asked) == MOST and asked[:-1] == questions[: MOST - 1] and asked[-1] == " ".join(questions[MOST - 1 :])
        )
        assert gathered(["a", "b"], 1) == ["a b"] and gathered(["a"], 4) == ["a"]

    def test_quality_assurance_may_write_the_answer_anew(self, task):
        said = "Here:\n" + json.dumps({"approved": False, "answer": "the better one {whole}"})
        out = run(knowledge(assure=[said]), task())
        assert (out["answer"], out["quality"]) == ("the better one {whole}", "rewritten")

    @pytest.mark.parametrize("said", ["fine by me", '{"approved": false}', ModelTimeout("too slow")])
    def test_quality_assurance_without_a_result_loses_no_answer(self, task, said):
        out = run(knowledge(assure=[said]), task())
        assert (out["answer"], out["quality"]) == ("assembled", "unclear") and "no result" in out["warnings"][0]

    def test_failing_assembly_puts_the_answers_one_after_the_other(self, task):
        out = run(knowledge(assemble=[ModelTimeout("too slow")]), task())
        assert out["answer"] == f"Law on {LEASE}\n\nFinance on {TAX}" and "too slow" in out["warnings"][0]

    def test_a_sub_question_without_an_answer_stays_open(self, task):
        client = knowledge(
            expert=[], check=[CORRECT], **{"expert:Law": [ModelTimeout("slow")], "expert:Finance": ["e"]}
        )
        out = run(client, task())
        lease, tax = out["parts"]
        assert (lease.answer, lease.verdict, tax.answer) == ("", "off", "e")
        assert [(f.domain, f.reason) for f in lease.failures] == [("Law", "slow")] and out["verdict"] == "converged"
        assert "No expert answered this question." in next(c for c in client.calls if c.role == "assemble").user

    def test_no_answer_at_all_is_a_clear_error(self, task):
        client = knowledge(expert=[ModelTimeout("slow")] * 2)
        with pytest.raises(ExpertsFailed, match=r"^None of the 2 experts answered \(ModelTimeout\): slow"):
            build_public_graph(client).invoke({"task": task()})

    def test_a_failed_fusion_takes_the_weightiest_answer(self, task):
        client = knowledge(questions=("How much is <amount-1>?",), k=3, fuse=[ModelTimeout("slow")])
        (part,) = run(client, task())["parts"]
        assert part.answer == f"Law on {part.question}" and len(part.answers) == 3

    def test_one_answer_of_several_experts_is_not_fused(self, task):
        slow = {f"expert:{name}": [ModelTimeout("slow")] for name in ("Law", "Finance")}
        client = knowledge(questions=("How much is <amount-1>?",), expert=["e"], **slow)
        (part,) = run(client, task())["parts"]
        assert part.answer == "e" and len(part.failures) == 2

    def test_a_leak_in_a_sub_question_stops_the_run(self, task):
        client = knowledge(expert=[], **{"expert:Law": [LeakError("stopped")], "expert:Finance": ["e"]})
        with pytest.raises(LeakError, match="stopped"):
            build_public_graph(client).invoke({"task": task()})
        assert client.count("assemble") == 0

    def test_without_domain_rules_each_sub_question_has_one_expert_and_no_fusion(self, task):
        out = run(knowledge(), task(drke=False))
        assert out["usage"]["calls"] == 1 + 2 * (1 + 1) + 2
        assert [part.answer for part in out["parts"]] == [f"Law on {LEASE}", f"Law on {TAX}"], "the first rule's prompt"

    def test_a_sub_question_that_is_near_no_domain_goes_to_the_experts_of_the_task(self, task):
        client = knowledge(questions=("How much is <amount-1>?",), k=3)
        out = run(client, task())
        assert [m.domain for m in out["parts"][0].domains] == ["Law", "Finance", "Medicine"]
        assert all("free text" in c.system for c in client.calls if c.role == "expert")

    async def test_async_is_the_same(self, task):
        client = knowledge(questions=(LEASE, TAX), check=[wrong("b"), CORRECT, CORRECT])
        out = await build_public_graph(client).ainvoke({"task": task()})
        client.done()
        assert out["answer"] == "assembled" and out["usage"]["calls"] == 1 + 2 + 3 + 2


class TestLimitsOfKnowledge:
    def test_what_cannot_end_is_not_begun(self, task):
        client = knowledge()
        with pytest.raises(LimitReached):
            build_public_graph(client).invoke({"task": task(max_calls=3)})
        assert client.calls == []

    @pytest.mark.parametrize("most", range(4, 22))
    def test_no_more_calls_than_allowed_and_always_an_answer(self, task, most):
        questions = [f"{LEASE[:-1]} {n}?" for n in range(8)]
        client = ScriptedClient(
            {
                "split": [json.dumps(questions)], "expert": ["e"] * 99, "fuse": ["f"] * 99,
                "check": [wrong(f"c{n}") for n in range(99)], "assemble": ["assembled"], "assure": [APPROVED],
            }
        )  # fmt: skip
        out = build_public_graph(client).invoke({"task": task(3, max_calls=most)})
        assert len(client.calls) == out["usage"]["calls"] <= most and out["answer"] == "assembled"
        assert " ".join(part.question for part in out["parts"]) == " ".join(questions), "nothing is dropped"
        assert any("max_calls" in note for note in out["warnings"]), "and it is said"

    def test_with_the_default_limit_everything_fits(self, task):
        questions = [f"{LEASE[:-1]} {n}?" for n in range(MOST)]
        client = ScriptedClient(
            {
                "split": [json.dumps(questions)], "expert": ["e"] * 99, "fuse": ["f"] * 99, "vote": ["yes"] * 3,
                "check": [wrong(f"c{n}") for n in range(99)], "assemble": ["assembled"], "assure": [APPROVED],
            }
        )  # fmt: skip
        out = build_public_graph(client).invoke({"task": task(3, route="auto")})
        assert client.count("check") == 4 * MOST and not any("max_calls" in note for note in out["warnings"])


class TestLogic:
    AGREED = '{"agree": true, "objection": ""}'

    @pytest.fixture
    def task(self, make_task):
        return lambda **fields: make_task(route="logic", **fields)

    def roles(self, client):
        return [call.role for call in client.calls]

    def test_solved_agreed_and_verified(self, task):
        client = ScriptedClient({"solve": ["A"], "discuss": [self.AGREED], "verify": ["Clue 1 holds.\n" + NONE]})
        out = run(client, task())
        assert (out["answer"], out["verdict"], out["rounds"], out["route"]) == ("A", "converged", 1, "logic")
        assert out["usage"]["calls"] == 3 and out["answers"] == []

    def test_an_objection_is_answered_once(self, task):
        objection = json.dumps({"agree": False, "objection": "step 2 does not follow"})
        client = ScriptedClient({"solve": ["A", "B"], "discuss": [objection], "verify": [NONE]})
        out = run(client, task())
        assert self.roles(client) == ["solve", "discuss", "solve", "verify"] and out["answer"] == "B"
        again = client.calls[2]
        assert "=== OBJECTION ===\nstep 2 does not follow\n" in again.user and "=== ANSWER ===\nA\n" in again.user

    def test_a_contradiction_leads_to_another_solution(self, task):
        client = ScriptedClient({"solve": ["A", "B"], "discuss": [self.AGREED] * 2, "verify": [found("clue 3"), NONE]})
        out = run(client, task())
        assert (out["answer"], out["verdict"], out["rounds"]) == ("B", "converged", 2)
        assert [(c.round, c.reason) for c in out["contradictions"]] == [(1, "clue 3")]
        assert self.roles(client) == ["solve", "discuss", "verify"] * 2, "a short contradiction needs no condensing"
        assert "=== CONTRADICTION 1 ===\nclue 3\n" in client.calls[3].user and client.calls[3].task == task().text

    def test_a_long_finding_is_condensed_to_fifty_words(self, task):
        long = found(" ".join(f"w{n}" for n in range(55)))
        client = ScriptedClient(
            {
                "solve": ["A", "B"], "discuss": [self.AGREED] * 2, "verify": ["Clue 1: no.\n" + long, NONE],
                "condense": [" ".join(f"c{n}" for n in range(80))],
            }
        )  # fmt: skip
        out = run(client, task())
        kept = out["contradictions"][0].reason
        assert kept.split()[:50] == [f"c{n}" for n in range(50)] and len(kept.split()) == 51 and kept.endswith("…")
        condense = next(call for call in client.calls if call.role == "condense")
        assert "Clue 1: no." in condense.user and "w54" in condense.user, "the whole check is condensed"

    def test_a_finding_that_cannot_be_condensed_is_cut(self, task):
        long = found(" ".join(f"w{n}" for n in range(55)))
        client = ScriptedClient(
            {
                "solve": ["A", "B"], "discuss": [self.AGREED] * 2, "verify": [long, NONE],
                "condense": [ModelTimeout("too slow")],
            }
        )  # fmt: skip
        out = run(client, task())
        assert len(out["contradictions"][0].reason.split()) <= 51 and "too slow" in out["warnings"][0]

    @pytest.mark.parametrize("cap", [3, 1, 5])
    def test_at_most_three_rounds(self, task, cap):
        client = ScriptedClient(
            {
                "solve": [f"A{n}" for n in range(cap)], "discuss": [self.AGREED] * cap,
                "verify": [found(f"clue {n}") for n in range(cap)],
            }
        )  # fmt: skip
        out = run(client, task() if cap == 3 else task(max_rounds=cap))
        assert (out["answer"], out["verdict"], out["rounds"]) == (f"A{cap - 1}", "unconverged", cap)
        assert [c.reason for c in out["contradictions"]] == [f"clue {n}" for n in range(cap)]
        assert out["usage"]["calls"] == 3 * cap

    @pytest.mark.parametrize("off", [{"disprove": "off"}, {"max_rounds": 0}])
    def test_without_disproof_the_first_answer_is_final(self, task, off):
        client = ScriptedClient({"solve": ["A"]})
        out = run(client, task(**off))
        assert (out["answer"], out["verdict"], out["usage"]["calls"]) == ("A", "off", 1)

    @pytest.mark.parametrize("said", ["hm", ModelTimeout("too slow")])
    def test_an_assistant_that_says_nothing_readable_is_passed_over(self, task, said):
        out = run(ScriptedClient({"solve": ["A"], "discuss": [said], "verify": [NONE]}), task())
        assert (out["answer"], out["verdict"]) == ("A", "converged") and "said nothing" in out["warnings"][0]

    @pytest.mark.parametrize("said", ["hm", ModelTimeout("too slow")])
    def test_a_check_without_a_verdict_ends_it_with_a_flag(self, task, said):
        out = run(ScriptedClient({"solve": ["A"], "discuss": [self.AGREED], "verify": [said]}), task())
        assert (out["answer"], out["verdict"]) == ("A", "no verdict") and "substitution" in out["warnings"][0]

    def test_a_failing_expert(self, task):
        with pytest.raises(ExpertsFailed, match="ModelTimeout: too slow"):
            build_public_graph(ScriptedClient({"solve": [ModelTimeout("too slow")]})).invoke({"task": task()})
        client = ScriptedClient(
            {"solve": ["A", ModelTimeout("too slow")], "discuss": [self.AGREED], "verify": [found()]}
        )
        out = run(client, task())
        assert (out["answer"], out["verdict"]) == ("A", "unconverged") and "too slow" in out["warnings"][0]

    @pytest.mark.parametrize("most", [1, 2, 3, 4])
    def test_the_call_limit(self, task, most):
        client = ScriptedClient({"solve": ["A"] * 9, "discuss": [self.AGREED] * 9, "verify": [found()] * 9})
        with pytest.raises(LimitReached):
            build_public_graph(client).invoke({"task": task(max_calls=most)})
        assert len(client.calls) == most

    async def test_async_is_the_same(self, task):
        client = ScriptedClient({"solve": ["A", "B"], "discuss": [self.AGREED] * 2, "verify": [found(), NONE]})
        out = await build_public_graph(client).ainvoke({"task": task()})
        client.done()
        assert (out["answer"], out["rounds"]) == ("B", 2)


class TestAuto:
    @pytest.fixture
    def task(self, make_task):
        return lambda **fields: make_task(**{"route": "auto", "disprove": "off", "domains": DomainChoice(k=1)} | fields)

    @pytest.mark.parametrize(
        ("votes", "route"),
        [
            (["yes", "yes", "no"], "knowledge"), (["no", "Yes.", "yes"], "knowledge"), (["no", "no", "yes"], "logic"),
            (["no"] * 3, "logic"), (["No, all is stated.", "<think>yes</think>no", "hm"], "logic"),
            (["yes", "no", "hm"], "knowledge"), (["hm"] * 3, "knowledge"), (["yes", "hm", "hm"], "knowledge"),
        ],
    )  # fmt: skip
    def test_two_of_three_decide_and_undecided_is_knowledge(self, task, votes, route):
        client = knowledge(questions=(LEASE,), check=[])
        client._steps |= {"vote": list(votes), "solve": ["A"]}
        out = build_public_graph(client).invoke({"task": task()})
        assert out["route"] == route and client.count("vote") == 3
        assert client.count("solve") == (route == "logic") and client.count("split") == (route == "knowledge")
        undecided = max(out["votes"].count("yes"), out["votes"].count("no")) < 2
        assert any("undecided" in note for note in out["warnings"]) == undecided

    def test_a_failing_vote_is_unclear(self, task):
        client = ScriptedClient({"vote": ["no", ModelTimeout("too slow"), "no"], "solve": ["A"]})
        out = run(client, task())
        assert sorted(out["votes"]) == ["no", "no", "unclear"] and "too slow" in out["warnings"][0]
        assert out["usage"]["calls"] == 4

    async def test_async(self, task):
        client = ScriptedClient({"vote": ["no"] * 3, "solve": ["A"]})
        assert (await build_public_graph(client).ainvoke({"task": task()}))["route"] == "logic"


def test_both_is_the_default_and_asks_no_vote(make_task):
    client = ScriptedClient({"expert": ["a"] * 3, "fuse": ["f"], "disprove": [NONE]})
    out = run(client, make_task())
    assert (out["route"], out["votes"], out["parts"]) == ("both", [], [])


@pytest.mark.parametrize("route", ["knowledge", "logic", "auto"])
def test_v2_on_another_route_is_not_passed_over_in_silence(make_task, route):
    from gama.models.standin import StandInReader

    task = make_task(route=route, disprove="v2", text="The shop opens at nine. When does the shop open?")
    out = build_public_graph(StandInReader()).invoke({"task": task})
    assert any(f"on the route {route}" in note for note in out["warnings"]) and "nine" in out["answer"]


def test_without_domain_rules_the_one_experts_answer_is_the_draft(make_task):
    client = ScriptedClient({"expert": ["alone"], "disprove": [NONE]})
    out = run(client, make_task(k=1, drke=False))
    assert (out["answer"], out["usage"]["calls"]) == ("alone", 2)
    with pytest.raises(ExpertsFailed):
        build_public_graph(ScriptedClient({"expert": [ModelTimeout("x")]})).invoke({"task": make_task(1, drke=False)})


def test_the_drawn_edges_of_a_sub_question_are_the_agreed_ones():
    part = dict(build_public_graph(ScriptedClient({})).get_subgraphs())["answer_part"]
    assert {(edge.source, edge.target) for edge in part.get_graph().edges} == PART_EDGES


def test_a_stopped_run_asks_no_expert_of_a_sub_question_twice(task, tmp_path):
    from gama.vault.encrypted_saver import LocalSaver

    saver = LocalSaver(tmp_path / "public.sqlite")
    config = {"configurable": {"thread_id": "t"}}
    first = knowledge(check=[LeakError("stop here")] * 2)
    with pytest.raises(LeakError):
        build_public_graph(first, saver).invoke({"task": task()}, config, durability="sync")
    assert first.count("expert") == 2 and first.count("fuse") == 0
    second = ScriptedClient({"check": [CORRECT] * 2, "assemble": ["assembled"], "assure": [APPROVED]})
    out = build_public_graph(second, saver).invoke(None, config, durability="sync")
    assert out["answer"] == "assembled" and [part.answer for part in out["parts"]] == [
        f"Law on {LEASE}",
        f"Finance on {TAX}",
    ]
    assert out["usage"]["expert.calls"] == 2
    assert build_public_graph(second, saver).get_state(config).values["parts"] == out["parts"], "read back as they were"
    second.done()
    saver.close()
