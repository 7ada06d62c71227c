"""Tools in calls to real model libraries: requests, results, refusals, retries, budgets."""

import asyncio
import json
from dataclasses import replace

import pytest
from langchain_core.language_models import FakeListChatModel

from gama.guard.egress import EGRESS, NoPrivateSpace
from gama.guard.search import Guard
from gama.models.calls import PublicCall, ToolRequest, ToolSpec, ToolTurn
from gama.models.public import public_client
from gama.models.session import Session, TaskClient
from gama.state.errors import LeakError, LimitReached, ModelReplyError, ModelUnreachable, ToolsRefused
from gama.state.task import PublicLimits
from tests.support.scripted import ScriptedClock

SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
ECHO = ToolSpec("echo", "Gives the text back.", SCHEMA)
PLAIN = PublicCall(role="expert", system="You know Law.", user="May <name-1> go?", task="May <name-1> go?")
CALL = replace(PLAIN, tools=(ECHO,))
TURN = ToolTurn((ToolRequest("c0", "echo", '{"text": "x"}'),), ("echo of x",), "Let me see.")
WISH = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c0", "type": "function", "function": {"name": "echo", "arguments": '{"text": "x"}'}}],
}


@pytest.fixture(autouse=True)
def egress():
    token = EGRESS.set(NoPrivateSpace())
    yield
    EGRESS.reset(token)


@pytest.fixture
def clock():
    return ScriptedClock()


@pytest.fixture(params=["openai", "ollama"])
def made(request, loopback, clock):
    address = loopback.url if request.param == "openai" else loopback.url.removesuffix("/v1")
    return public_client(f"{request.param}:loop-1", base_url=address, clock=clock)


@pytest.fixture
def openai(loopback, clock):
    return public_client("openai:loop-1", base_url=loopback.url, clock=clock, prices={"openai:loop-1": [1.0, 1.0]})


def by_sync(client, call=CALL):
    return client.complete(call)


def by_async(client, call=CALL):
    return asyncio.run(client.acomplete(call))


WAYS = pytest.mark.parametrize("ask", [by_sync, by_async])


@WAYS
def test_a_wish_and_its_result_go_through_the_library(made, loopback, ask):
    loopback.reply = lambda request: WISH if request["messages"][-1]["role"] == "user" else "done"
    first = ask(made)
    (wish,) = first.requests
    assert (first.text, wish.name, json.loads(wish.arguments)) == ("", "echo", {"text": "x"})
    assert (first.calls, first.input_tokens) == (1, 11) and not first.unfinished
    last = ask(made, replace(CALL, turns=(ToolTurn(first.requests, ("echo of x",), "", first.message),)))
    assert (last.text, last.requests, last.message) == ("done", (), None)
    told = loopback.requests[1]["messages"]
    assert [message["role"] for message in told] == ["system", "user", "assistant", "tool"]
    assert told[3]["content"] == "echo of x"
    assert all(request["tools"][0]["function"]["parameters"] == SCHEMA for request in loopback.requests)


@WAYS
def test_a_round_without_the_librarys_own_message_is_told_too(made, loopback, ask):
    """A message that another process has written is not there; what it asked for is."""
    ask(made, replace(CALL, turns=(TURN,)))
    said = loopback.requests[0]["messages"][2]
    assert said["content"] == "Let me see." and said["tool_calls"][0]["function"]["name"] == "echo"


@WAYS
@pytest.mark.parametrize("fault", [429, 503, "drop"])
def test_a_call_with_tools_is_tried_again(made, loopback, clock, ask, fault):
    loopback.reply, loopback.faults = lambda request: WISH, [fault]
    assert ask(made).requests and len(loopback.record) == 2 and len(clock.waits) == 1
    assert made.native_tools


@WAYS
@pytest.mark.parametrize("status", [400, 404, 422, 500, 501])
def test_a_refusal_of_tools_is_told_apart_and_remembered(made, loopback, clock, ask, status):
    loopback.refuses = {"tools": status}
    assert made.native_tools
    with pytest.raises(ToolsRefused):
        ask(made)
    assert not made.native_tools and made._refused == {"tools"} and clock.waits == []
    loopback.refuses = {}
    assert ask(made, PLAIN).text == "fine"


def test_other_failures_are_none(made, loopback):
    for fault in ("context", "quota", 401, 503):
        loopback.fault = fault
        with pytest.raises((ModelReplyError, ModelUnreachable, Exception)) as raised:
            made.complete(CALL)
        assert not isinstance(raised.value, ToolsRefused) and made.native_tools


def test_a_refused_temperature_leaves_the_tools(openai, loopback):
    loopback.reply, loopback.refuses = lambda request: WISH, {"temperature": 400}
    assert openai.complete(CALL).requests
    assert ["temperature" in r for r in loopback.requests] == [True, False] and "tools" in loopback.requests[1]
    assert openai._refused == {"sampling"}


def test_a_class_without_tool_calling_says_so_before_anything_is_asked():
    model = FakeListChatModel(responses=["never"])
    client = public_client(model)
    with pytest.raises(ToolsRefused):
        client.complete(CALL)
    assert not client.native_tools and client.complete(PLAIN).text == "never"


@pytest.mark.parametrize("closed", [True, False])
def test_the_last_round_asks_for_no_tool(openai, loopback, closed):
    loopback.reply = lambda request: "done"
    openai.complete(replace(CALL, turns=(TURN,), closed=closed))
    assert loopback.requests[0].get("tool_choice") == ("none" if closed else None)


def test_a_wish_after_the_last_round_is_told_and_paid_for(openai, loopback):
    loopback.reply = lambda request: WISH
    reply = openai.complete(replace(CALL, closed=True))
    assert reply.requests and reply.cost


def test_the_limit_of_tokens_inside_a_wish_is_no_empty_answer(openai, loopback):
    loopback.reply, loopback.finish = lambda request: WISH, "length"
    reply = openai.complete(CALL)
    assert reply.requests and reply.unfinished
    loopback.reply = lambda request: ""
    with pytest.raises(ModelReplyError, match="used up its tokens"):
        openai.complete(CALL)


def test_the_content_filter_stops_a_wish_too(openai, loopback):
    loopback.reply, loopback.finish = lambda request: WISH, "content_filter"
    with pytest.raises(ModelReplyError, match="content filter"):
        openai.complete(CALL)


def test_what_tools_add_is_estimated_where_the_server_counts_nothing(openai, loopback):
    loopback.usage = False
    counts = [
        openai.complete(call).input_tokens
        for call in (PLAIN, CALL, replace(CALL, turns=(replace(TURN, results=("word " * 500,)),)))
    ]
    assert counts[0] < counts[1] < counts[2] - 500


def test_a_reply_depends_on_tools_and_rounds(openai):
    other = replace(TURN, results=("echo of y",))
    calls = [
        PLAIN, CALL, replace(CALL, tools=(ECHO._replace(description="Else."),)), replace(CALL, turns=(TURN,)),
        replace(CALL, turns=(other,)), replace(CALL, turns=(TURN, TURN)), replace(CALL, turns=(TURN,), closed=True),
        replace(CALL, turns=(replace(TURN, text=""),)),
    ]  # fmt: skip
    assert len({openai.fingerprint(call) for call in calls}) == len(calls)
    assert openai.fingerprint(replace(CALL, turns=(replace(TURN, message=object()),))) == openai.fingerprint(calls[3])


@WAYS
def test_an_identical_round_is_answered_from_memory_and_no_other(openai, loopback, ask):
    loopback.reply = lambda request: WISH if request["messages"][-1]["role"] == "user" else "done"
    client = TaskClient(openai, Session())
    assert client.tool_calling and client.native_tools
    first, again = ask(client), ask(client)
    assert (first.calls, again.calls) == (1, 0) and first.requests == again.requests
    assert first.cost and not again.cost
    assert ask(client, replace(CALL, turns=(TURN,))).text == "done" and len(loopback.requests) == 2


def test_every_round_is_a_call_of_the_tasks_budget(openai, loopback):
    loopback.reply = lambda request: WISH
    session = Session()
    session.bind(PublicLimits(max_calls=2))
    client = TaskClient(openai, session)
    client.complete(CALL)
    client.complete(replace(CALL, turns=(TURN,)))
    with pytest.raises(LimitReached):
        client.complete(replace(CALL, turns=(TURN, TURN)))
    assert len(loopback.requests) == 2


def test_results_count_for_the_budget_of_tokens_before_they_are_sent(openai, loopback):
    session = Session()
    session.bind(PublicLimits(max_tokens=3_000))
    client = TaskClient(openai, session)
    with pytest.raises(LimitReached):
        client.complete(replace(CALL, turns=(replace(TURN, results=("word " * 5_000,)),)))
    assert loopback.requests == []


@WAYS
@pytest.mark.parametrize(
    "call",
    [
        replace(CALL, turns=(replace(TURN, results=("It was EMMA  Williams.",)),)),
        replace(CALL, turns=(replace(TURN, requests=(ToolRequest("c0", "echo", '{"text": "Emma Williams"}'),)),)),
        replace(CALL, tools=(ECHO._replace(description="Files of Emma Williams."),)),
    ],
)
def test_a_private_value_in_what_tools_add_stops_the_call(made, loopback, ask, call):
    EGRESS.set(Guard(["Emma Williams"]))
    with pytest.raises(LeakError):
        ask(made, call)
    assert loopback.record == []


@WAYS
@pytest.mark.parametrize("value", ["arguments", "Function", "tool_calls", "parameters"])
def test_words_of_the_protocol_are_no_leak(made, ask, value):
    EGRESS.set(Guard([value]))
    assert ask(made, replace(CALL, turns=(TURN,), said=(TURN.text, "echo"))).text == "fine"
