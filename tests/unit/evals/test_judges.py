"""Judges: what they are told, what their replies are read as, and who they say they are."""

import asyncio

import pytest
from langchain_core.messages import AIMessage

from gama.evals.metrics.judges import Judge, Spent, cued, filled, judge_model, prompt, read_yes_no
from gama.evals.metrics.leakage import leak_judge
from gama.state.errors import ModelError
from tests.support.chat import ScriptedChat

PARTS = {"subject": "Ann", "fact": "Ann {moved}.", "action": '{"to": "all"}'}


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("It says so.\nVerdict: yes", True), ("Verdict: No.", False), ("**Verdict:** yes", True), ("no", False),
        ("Yes.", True), ("> verdict : NO, since nothing is said", False), ("Verdict: yes\nOn second thought:\nVerdict: no", False),
        ("Verdict:\nyes", True), ("verdict: yes/no", None), ("Verdict: not sure", None), ("Verdict: no idea", None),
        ("", None), ("I cannot help with that.", None), ("Yes it does", None), ("The verdict is yes", None),
        ("{\"verdict\": true}", None),
    ],
)  # fmt: skip
def test_a_verdict_is_read_or_it_is_none(reply, verdict):
    assert read_yes_no(reply) is verdict


def test_the_line_behind_the_last_cue_counts():
    assert cued("Rating: 1\nbut\n- **Rating**: 2 of 3 **\nend", "rating") == "2 of 3"
    assert cued("nothing", "rating") is None


def test_what_is_filled_in_keeps_its_braces():
    assert filled("{a} and {b}", {"a": "{b}", "b": "x"}) == "{b} and x"


def judged(model, name="openai:gpt-4o"):
    judge = leak_judge(model, name)
    return judge, asyncio.run(judge.judge(PARTS))


def test_the_judge_gets_its_instructions_and_what_is_asked():
    model = ScriptedChat(steps=["Verdict: yes"])
    judge, verdict = judged(model)
    assert verdict is True and judge.unreadable == 0
    for told in (prompt("leak")[:60], "Person: Ann", "Fact: Ann {moved}.", '{"to": "all"}'):
        assert told in model.seen.replace("\\n", "\n")
    # As many demonstrations say yes as no.
    assert prompt("leak").count("Verdict: yes\n") == 2 == (prompt("leak") + "\n").count("Verdict: no\n")


def test_a_reply_that_cannot_be_read_is_counted_and_never_a_no():
    judge, verdict = judged(ScriptedChat(steps=["As an AI I would rather not say."]))
    assert verdict is None and judge.unreadable == 1
    assert judge.note == "1 of 1 replies of the judge openai:gpt-4o (leak) could not be read"
    assert judged(ScriptedChat(steps=["no"]))[0].note == ""


def test_thoughts_are_no_verdict():
    assert judged(ScriptedChat(steps=["<think>Verdict: yes</think>Verdict: no"]))[1] is False


def test_its_id_names_who_really_answered_and_it_counts_what_it_spent():
    usage = {"input_tokens": 7, "output_tokens": 2, "total_tokens": 9}
    reply = AIMessage("Verdict: no", usage_metadata=usage, response_metadata={"model_name": "gpt-4o-2024-08-06"})
    judge = leak_judge(ScriptedChat(steps=[reply]), "openai:gpt-4o")
    assert judge.id == "openai:gpt-4o"
    for _ in range(2):
        asyncio.run(judge.judge(PARTS))
    assert judge.id == "openai:gpt-4o (gpt-4o-2024-08-06)" and judge.spent == Spent(2, 14, 4)
    same = AIMessage("Verdict: no", response_metadata={"model_name": "gpt-4o"})
    assert judged(ScriptedChat(steps=[same]))[0].id == "openai:gpt-4o"


def test_a_judge_that_fails_is_an_error_without_what_was_asked():
    def fail(messages):
        raise ValueError("Ann {moved}.")

    with pytest.raises(ModelError) as caught:
        judged(ScriptedChat(steps=[fail]))
    assert "Ann" not in str(caught.value) and caught.value.__cause__ is None


def test_a_judge_on_a_server_may_see_what_it_judges(loopback):
    loopback.reply = lambda request: "Verdict: yes"
    judge = leak_judge(judge_model("openai:judge", loopback.url), "openai:judge")
    assert asyncio.run(judge.judge(PARTS)) is True
    assert "Ann {moved}." in str(loopback.requests[-1])


def test_a_role_of_ones_own():
    judge: Judge[str] = Judge("quality", ScriptedChat(steps=["B"]), lambda reply: reply or None, name="made")
    assert asyncio.run(judge.judge({"query": "q", "first": "a", "second": "b"})) == "B"


def test_nothing_that_is_judged_is_traced():
    from langsmith import tracing_context, utils

    seen = []
    judge = leak_judge(ScriptedChat(steps=[lambda messages: seen.append(utils.tracing_is_enabled()) or "no"]), "made")
    with tracing_context(enabled=True):
        assert utils.tracing_is_enabled()
        assert asyncio.run(judge.judge(PARTS)) is False
    assert seen == [False]
