"""A JSON object from any model: by schema, by tool, in words, and what a server refuses is remembered."""

import asyncio
import json
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_openai import ChatOpenAI

from gama.guard.egress import EGRESS, NoPrivateSpace
from gama.guard.search import Guard
from gama.models.calls import PublicCall
from gama.models.json_replies import read_object
from gama.models.public import public_client
from gama.models.replies import VERDICT_SCHEMA, read_verdict
from gama.models.wire import bound, name_of
from gama.state.errors import LeakError, ModelReplyError, ModelUnreachable
from tests.support.scripted import ScriptedClock

CALL = PublicCall(role="disprove", system="You disprove.", user="T and A", task="T", schema=VERDICT_SCHEMA)
FOUND = {"contradiction": True, "reason": "clue 2"}


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


def way_of(request) -> str:
    if "response_format" in request or request.get("format"):
        return "schema"
    return "tool" if request.get("tools") else "words"


def client(loopback, provider="openai", **more):
    address = loopback.url if provider == "openai" else loopback.url.removesuffix("/v1")
    return public_client(f"{provider}:loop-1", base_url=address, clock=ScriptedClock(), **more)


def answer(request):
    """Answer as a server does that takes every way."""
    if way_of(request) != "tool":
        return json.dumps(FOUND)
    arguments = FOUND if "options" in request else json.dumps(FOUND)
    call = {"id": "c", "type": "function", "function": {"name": "verdict", "arguments": arguments}}
    return {"content": "", "tool_calls": [call]}


@WAYS
@pytest.mark.parametrize("provider", ["openai", "ollama"])
def test_the_schema_goes_with_the_request(loopback, ask, provider):
    loopback.reply = answer
    reply = ask(client(loopback, provider))
    assert json.loads(reply.text) == FOUND and (reply.calls, reply.input_tokens) == (1, 11)
    (sent,) = loopback.requests
    schema = sent["response_format"]["json_schema"]["schema"] if provider == "openai" else sent["format"]
    assert schema == {
        "title": "verdict",
        "type": "object",
        "properties": {"reason": {"type": "string"}, "contradiction": {"type": "boolean"}},
        "required": ["reason", "contradiction"],
        "additionalProperties": False,
    }
    if provider == "openai":
        assert sent["response_format"]["json_schema"]["strict"] is True
        assert sent["response_format"]["json_schema"]["name"] == "verdict"
    assert sent["messages"][0]["content"] == "You disprove."


@WAYS
@pytest.mark.parametrize("status", [400, 404, 422, 500])
def test_a_refused_way_is_remembered_and_the_next_one_is_tried_in_the_same_call(loopback, ask, status):
    loopback.reply, loopback.refuses = answer, {"response_format": status}
    made = client(loopback)
    assert json.loads(ask(made).text) == FOUND
    assert [way_of(r) for r in loopback.requests] == ["schema", "tool"]
    assert made._refused == {"schema"}
    assert json.loads(ask(made).text) == FOUND
    assert [way_of(r) for r in loopback.requests] == ["schema", "tool", "tool"]
    tool = loopback.requests[-1]["tools"][0]["function"]
    assert tool["name"] == "verdict" and tool["parameters"]["required"] == ["reason", "contradiction"]
    assert loopback.requests[-1]["tool_choice"] == {"type": "function", "function": {"name": "verdict"}}


@WAYS
@pytest.mark.parametrize("provider", ["openai", "ollama"])
def test_words_are_the_last_way(loopback, ask, provider):
    loopback.reply, loopback.refuses = answer, {"response_format": 400, "format": 400, "tools": 400}
    if provider == "ollama":
        # Every request of Ollama's library has the field; it refuses the filled one.
        real = loopback.answer

        def picky(handler, body):
            loopback.refuses = {"format": 400} if json.loads(body).get("format") else {"tools": 400}
            if json.loads(body).get("format") is None and not json.loads(body).get("tools"):
                loopback.refuses = {}
            real(handler, body)

        loopback.answer = picky
        loopback_error = loopback.error
        loopback.error = lambda handler, status, said: loopback_error(
            handler, status, {"message": "json: cannot unmarshal object into Go struct field ChatRequest.format"}
            if said["param"] == "format" else {"message": "loop-1 does not support tools"},
        )  # fmt: skip
    made = client(loopback, provider)
    assert json.loads(ask(made).text) == FOUND
    assert [way_of(r) for r in loopback.requests] == ["schema", "tool", "words"]
    asked = loopback.requests[-1]["messages"][0]["content"]
    assert asked.startswith("You disprove.\n\nReply with one JSON object of this JSON schema")
    assert json.loads(asked.partition("else:\n")[2])["required"] == ["reason", "contradiction"]
    assert made._refused == {"schema", "tool"}
    # Free text is asked for as before.
    assert made.complete(PublicCall(role="expert", system="s", user="u", task="t")).text
    assert loopback.requests[-1]["messages"][0]["content"] == "s"


@WAYS
def test_a_server_that_accepts_a_schema_and_ignores_it(loopback, ask):
    loopback.reply = lambda request: "Well. <b>There is a contradiction</b>: {'contradiction': True, reason: 'clue 2',}"
    reply = ask(client(loopback))
    assert read_object(reply.text, VERDICT_SCHEMA).data == FOUND


@WAYS
def test_a_server_that_ignores_tools_answers_in_words(loopback, ask):
    loopback.refuses = {"response_format": 400}
    loopback.reply = lambda request: "```json\n" + json.dumps(FOUND) + "\n```"
    assert read_verdict(ask(client(loopback)).text) == (True, "clue 2", False)


@WAYS
@pytest.mark.parametrize(
    "arguments", ['{"contradiction": true, "reason": "clue 2"', "{'contradiction': True, 'reason': 'clue 2'}"]
)
def test_broken_tool_arguments_are_mended(loopback, ask, arguments):
    call = {"id": "c", "type": "function", "function": {"name": "verdict", "arguments": arguments}}
    loopback.refuses = {"response_format": 400}
    loopback.reply = lambda request: {"content": None, "tool_calls": [call]}
    assert read_object(ask(client(loopback)).text, VERDICT_SCHEMA).data == FOUND


@WAYS
def test_an_object_that_was_cut_off_is_still_read(loopback, ask):
    loopback.reply, loopback.finish = lambda request: '{"contradiction": true, "reason": "clue 2', "length"
    reply = ask(client(loopback))
    assert reply.unfinished and read_verdict(reply.text) == (True, "clue 2", False)
    assert (reply.input_tokens, reply.output_tokens) == (11, 5)


@WAYS
def test_a_tool_call_that_the_library_cannot_take_is_asked_for_in_words(loopback, ask):
    """Some servers write the arguments as an object where the protocol wants a text."""
    loopback.refuses = {"response_format": 400}
    call = {"id": "c", "type": "function", "function": {"name": "verdict", "arguments": FOUND}}
    loopback.reply = lambda request: (
        {"content": "", "tool_calls": [call]} if request.get("tools") else json.dumps(FOUND)
    )
    made = client(loopback)
    assert read_verdict(ask(made).text) == (True, "clue 2", False)
    assert [way_of(r) for r in loopback.requests] == ["schema", "tool", "words"] and made._refused == {"schema"}


def test_several_experts_at_once_all_learn_it(loopback):
    loopback.reply, loopback.refuses = answer, {"response_format": 400}
    made = client(loopback)

    def ask(_):
        EGRESS.set(NoPrivateSpace())
        return json.loads(made.complete(CALL).text)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, range(8))) == [FOUND] * 8


def test_sampling_and_schema_may_both_be_refused(loopback):
    loopback.reply, loopback.refuses = answer, {"temperature": 400, "top_p": 400, "response_format": 422}
    made = client(loopback)
    assert json.loads(made.complete(CALL).text) == FOUND
    assert made._refused == {"sampling", "schema"} and len(loopback.requests) == 3


def test_a_server_that_refuses_everything_is_an_error_in_the_end(loopback):
    loopback.fault = 400
    with pytest.raises(ModelReplyError, match="did not accept"):
        client(loopback).complete(CALL)
    assert [way_of(r) for r in loopback.requests][:3] == ["schema", "tool", "words"] and len(loopback.requests) < 6


def test_a_task_that_is_too_long_is_no_refusal(loopback):
    loopback.error = lambda handler, status, said: type(loopback).error(
        loopback, handler, status, said | {"message": said["message"] + " (10 in the tools, max_tokens, temperature)"}
    )
    loopback.fault = "context"
    made = client(loopback)
    with pytest.raises(ModelReplyError, match="too long"):
        made.complete(CALL)
    assert len(loopback.requests) == 1 and made._refused == set()


def test_an_outage_is_no_refusal(loopback):
    loopback.reply = answer
    made = client(loopback)
    loopback.faults = ["drop", "drop", "drop"]
    with pytest.raises(ModelUnreachable):
        made.complete(CALL)
    assert made._refused == set() and json.loads(made.complete(CALL).text) == FOUND


def test_a_model_without_tools_is_asked_in_words():
    asked = []

    class Plain(FakeListChatModel):
        def _call(self, messages, *args, **kwargs):
            asked.append(messages)
            return super()._call(messages, *args, **kwargs)

    made = public_client(Plain(responses=[json.dumps(FOUND)]))
    assert read_verdict(made.complete(CALL).text) == (True, "clue 2", False)
    assert "JSON schema" in asked[0][0].content


def test_a_model_whose_library_cannot_bind_tools_is_asked_in_words():
    class Half(FakeListChatModel):
        def bind_tools(self, tools, **kwargs):
            raise ValueError("tool_choice is not supported")

    made = public_client(Half(responses=[json.dumps(FOUND)]))
    assert read_verdict(made.complete(CALL).text) == (True, "clue 2", False)
    assert made._refused == {"tool"}


class TestEgress:
    """The final request is checked, schema and tool definitions included."""

    SCHEMA = {
        "title": "pick",
        "type": "object",
        "properties": {"name": {"enum": ["Emma Williams", "nobody"]}},
        "required": ["name"],
        "additionalProperties": False,
    }
    ASKED = PublicCall(role="expert", system="s", user="u", task="t", schema=SCHEMA)

    @pytest.fixture(autouse=True)
    def guard(self, egress):
        EGRESS.set(Guard(["Emma Williams"]))

    @WAYS
    @pytest.mark.parametrize("refused", [{}, {"response_format": 400}, {"response_format": 400, "tools": 400}])
    def test_a_value_in_the_schema_never_arrives(self, loopback, ask, refused):
        loopback.refuses = refused
        with pytest.raises(LeakError):
            ask(client(loopback), self.ASKED)
        assert loopback.record == []

    def test_nor_through_a_ready_model(self):
        with pytest.raises(LeakError):
            public_client(FakeListChatModel(responses=["{}"])).complete(self.ASKED)

    @pytest.mark.parametrize("way", ["schema", "tool"])
    def test_the_wire_itself_is_checked(self, loopback, way):
        from gama.models.faults import mapped
        from gama.models.public import chat_model

        model = bound(chat_model("openai:loop-1", loopback.url), way, self.SCHEMA)
        with pytest.raises(Exception) as caught:
            model.invoke("hello")
        assert isinstance(mapped(caught.value, "x"), LeakError) and loopback.record == []

    @pytest.mark.parametrize(
        "value", ["contradiction", "verdict", "response_format", "additionalProperties", "Boolean"]
    )
    @pytest.mark.parametrize("refused", [{}, {"response_format": 400}, {"response_format": 400, "tools": 400}])
    def test_the_names_of_a_schema_are_no_leak(self, loopback, value, refused):
        EGRESS.set(Guard([value]))
        loopback.reply, loopback.refuses = answer, refused
        assert json.loads(client(loopback).complete(CALL).text) == FOUND

    def test_the_bound_of_the_reply_is_no_leak(self, loopback):
        EGRESS.set(Guard(["48213"]))
        bounded = PublicCall(role="expert", system="s", user="u", task="t", max_tokens=48213)
        assert client(loopback).complete(bounded).text == "fine"
        assert loopback.requests[0]["max_completion_tokens"] == 48213


@pytest.mark.parametrize(("provider", "field"), [("openai", "max_completion_tokens"), ("ollama", "num_predict")])
def test_the_length_of_a_reply_can_be_bounded(loopback, provider, field):
    made = client(loopback, provider)
    made.complete(PublicCall(role="expert", system="s", user="u", task="t", max_tokens=300))
    (sent,) = loopback.requests
    assert (sent.get("options") or sent)[field] == 300
    made.complete(PublicCall(role="expert", system="s", user="u", task="t"))
    assert field not in json.dumps(loopback.requests[1])


def test_a_refused_bound_is_left_out(loopback):
    loopback.refuses = {"max_completion_tokens": 400}
    made = client(loopback)
    bounded = PublicCall(role="expert", system="s", user="u", task="t", max_tokens=300)
    assert made.complete(bounded).text == "fine" and made._refused == {"length"}


def test_no_warning_comes_of_it(loopback):
    """pydantic and openai warn about schemas they do not know; a user sees none of it."""
    loopback.reply = answer
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        client(loopback).complete(CALL)


def test_loose_schemas_are_not_called_strict(loopback):
    loopback.reply = answer
    loose = {
        "type": "object",
        "properties": {"a": {"type": "object", "properties": {"b": {"type": "string"}}}},
        "required": ["a"],
        "additionalProperties": False,
    }
    client(loopback).complete(PublicCall(role="expert", system="s", user="u", task="t", schema=loose))
    sent = loopback.requests[0]["response_format"]["json_schema"]
    assert sent["strict"] is False and sent["name"] == "reply"
    assert name_of({"title": "a strange & long name" * 9}) == ("a_strange___long_name" * 9)[:64]


def test_the_providers_class_decides_the_ways():
    from gama.models.wire import ways_of

    assert ways_of(ChatOpenAI(model="x", api_key="k")) == ("schema", "tool", "words")
    assert ways_of(FakeListChatModel(responses=[])) == ("words",)
