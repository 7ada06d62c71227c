"""What a user is told, through the real libraries: each message says what was wrong and what to do."""

import asyncio

import pytest

from gama.guard.egress import EGRESS, NoPrivateSpace
from gama.models.calls import PublicCall
from gama.models.faults import fault_of
from gama.models.public import chat_model, public_client
from gama.state.errors import ModelDenied, ModelReplyError, ModelTimeout, ModelUnknown, ModelUnreachable
from tests.support.scripted import ScriptedClock

CALL = PublicCall(role="expert", system="You know Law.", user="May <name-1> go? Planted", task="t")


@pytest.fixture(autouse=True)
def egress():
    token = EGRESS.set(NoPrivateSpace())
    yield
    EGRESS.reset(token)


def by_sync(client, call=CALL):
    return client.complete(call)


def by_async(client, call=CALL):
    return asyncio.run(client.acomplete(call))


WAYS = pytest.mark.parametrize("ask", [by_sync, by_async])


def client(loopback, provider="openai", **more):
    address = loopback.url if provider == "openai" else loopback.url.removesuffix("/v1")
    return public_client(f"{provider}:loop-1", base_url=address, clock=ScriptedClock(), **more)


@WAYS
@pytest.mark.parametrize("provider", ["openai", "ollama"])
@pytest.mark.parametrize(
    ("fault", "error", "says"),
    [
        (401, ModelDenied, "refused the key.*HTTP 401"),
        (403, ModelDenied, "refused the key.*HTTP 403"),
        (404, ModelUnknown, "knows no model.*Check the name"),
        ("no model", ModelUnknown, "knows no model"),
        (429, ModelUnreachable, "takes no more requests now.*HTTP 429.*rate_limit_per_minute"),
        ("quota", ModelUnreachable, "quota.*used up.*billing"),
        (402, ModelUnreachable, "quota.*used up"),
        (500, ModelUnreachable, "failed.*HTTP 500"),
        ("context", ModelReplyError, "too long.*Shorten the task, or name a model with a longer context"),
        (413, ModelReplyError, "too long"),
        ("filter", ModelReplyError, "content filter"),
        (418, ModelReplyError, "did not accept the request.*HTTP 418"),
        ("drop", ModelUnreachable, "broke before the answer was whole"),
        ("half", ModelUnreachable, "broke before the answer was whole"),
    ],
)
def test_messages(loopback, ask, provider, fault, error, says):
    loopback.fault = fault
    with pytest.raises(error, match=says) as caught:
        ask(client(loopback, provider))
    assert type(caught.value) is error and "Planted" not in str(caught.value)
    assert caught.value.__cause__ is None and caught.value.__context__ is None


@WAYS
@pytest.mark.parametrize("fault", ["no choices", "null choices"])
def test_no_choices(loopback, ask, fault):
    loopback.fault = fault
    with pytest.raises(ModelReplyError, match="without an answer"):
        ask(client(loopback))


@WAYS
@pytest.mark.parametrize(
    ("reply", "finish", "says"),
    [
        ({"content": None, "refusal": "I can't help with Planted."}, "stop", "refused to answer"),
        ({"content": "Half of Planted"}, "content_filter", "content filter"),
        ({"content": ""}, "length", "used up its tokens.*Raise max_tokens"),
        ({"content": "<think>hm, Planted"}, "length", "used up its tokens"),
        ({"content": " \n"}, "stop", "empty answer"),
        ({"content": None}, "stop", "empty answer"),
    ],
)
def test_replies_that_are_none(loopback, ask, reply, finish, says):
    loopback.reply, loopback.finish = lambda request: reply, finish
    with pytest.raises(ModelReplyError, match=says) as caught:
        ask(client(loopback))
    assert "Planted" not in str(caught.value)


@WAYS
@pytest.mark.parametrize("provider", ["openai", "ollama"])
def test_an_answer_that_reached_the_limit_of_tokens_is_marked(loopback, ask, provider):
    loopback.reply, loopback.finish = lambda request: "It begins", "length"
    reply = ask(client(loopback, provider))
    assert (reply.text, reply.unfinished, reply.cut) == ("It begins", True, False)


@pytest.mark.parametrize("fault", ["hold", "hold body", "hold stream"])
def test_a_stalled_answer_ends_at_the_deadline(loopback, fault):
    """The clock is the real one: the transport's own waits end the call."""
    loopback.fault = fault
    model = chat_model("openai:loop-1", loopback.url, timeout_s=0.3, streaming=fault == "hold stream")
    made = public_client(model, timeout_s=0.3)
    for ask in (by_sync, by_async):
        loopback.arrived.clear()
        loopback.gone.clear()
        with pytest.raises(ModelTimeout, match="no answer in time"):
            ask(made)
        # On a busy machine the time may be over before the server has seen the request.
        assert not loopback.arrived.is_set() or loopback.gone.wait(60), "the connection is closed, not left open"


@WAYS
def test_a_streaming_model_answers(loopback, ask):
    loopback.reply = lambda request: "It may go"
    made = public_client(chat_model("openai:loop-1", loopback.url, streaming=True))
    assert ask(made).text == "It may go"
    assert loopback.requests[0]["stream"] is True


@WAYS
def test_a_server_that_counts_nothing_is_estimated(loopback, ask):
    loopback.usage = False
    reply = ask(client(loopback))
    assert reply.estimated and reply.input_tokens > 10 and reply.output_tokens > 0
    loopback.usage = True
    assert not ask(client(loopback)).estimated


@pytest.mark.parametrize(
    "text",
    [
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens",
        "the request exceeds the available context size, try increasing it",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        "Please reduce the length of the messages",
    ],
)
def test_servers_say_too_long_in_many_ways(text):
    class Refused(Exception):
        status_code = 400

    assert fault_of(Refused(text)).kind == "too long"
    assert fault_of(Refused("Invalid value")).kind == "refused"
