"""/v1/responses, /v1/embeddings and /v1/models with the official client."""

import json
from typing import Any

import httpx
import openai
import pytest
from pydantic import BaseModel

from tests.support import serving
from tests.support import upstream as up
from tests.support.serving import ADDRESS, NAME, clean

pytestmark = pytest.mark.usefixtures("few_names")


def message(text: str) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    return {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [part]}


def response(output: list, name: str = "resp_1", status: str = "completed", **more) -> dict[str, Any]:
    return {
        "id": name, "object": "response", "created_at": 1, "status": status, "model": "up-1", "output": output,
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "error": None, "incomplete_details": None,
        "instructions": None, "metadata": {}, "temperature": 1.0, "top_p": 1.0,
        "usage": {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5, "input_tokens_details": {"cached_tokens": 0},
                  "output_tokens_details": {"reasoning_tokens": 0}},
    } | more  # fmt: skip


def whole(*args, **more) -> up.Answer:
    return up.Answer(json.dumps(response(*args, **more)).encode())


def stream_of(pieces: list[str], kind: str = "text") -> list[Any]:
    """Return the events of a response: of a text, or of the arguments of a call."""
    text = "".join(pieces)
    item: dict[str, Any]
    place: dict[str, Any]
    if kind == "text":
        place = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
        item, base = message(text), "response.output_text"
        inside: list[Any] = [{"type": f"{base}.done", **place, "text": text, "logprobs": []}]
    else:
        place = {"item_id": "fc_1", "output_index": 0}
        item = {
            "id": "fc_1",
            "type": "function_call",
            "call_id": "call_1",
            "name": "write",
            "arguments": text,
            "status": "completed",
        }
        base = "response.function_call_arguments"
        inside = [{"type": f"{base}.done", **place, "arguments": text, "name": "write"}]
    nothing: dict[str, Any] = {"content": []} if kind == "text" else {"arguments": ""}
    empty = item | nothing
    begun = response([], status="in_progress")
    made: list[Any] = [
        {"type": "response.created", "response": begun},
        {"type": "response.output_item.added", "output_index": 0, "item": empty},
    ]
    if kind == "text":
        made.append(
            {
                "type": "response.content_part.added",
                **place,
                "part": {"type": "output_text", "text": "", "annotations": []},
            }
        )
    made += [{"type": f"{base}.delta", **place, "delta": piece, "logprobs": []} for piece in pieces]
    made += inside
    made += [
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": response([item])},
    ]
    return [{**event, "sequence_number": at} for at, event in enumerate(made)]


def test_a_response(client, upstream):
    upstream.answer = lambda path, request: whole([{"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "g" * 80}])  # fmt: skip
    client.responses.create(model="up-1", input="Hello there")
    upstream.answer = lambda path, request: whole([message("Dear <name-1> of <address-1>")])
    reply = client.responses.create(
        model="up-1",
        instructions=f"You work for {NAME}.",
        input=[
            {"role": "user", "content": [{"type": "input_text", "text": f"I live at {ADDRESS}."}]},
            {"type": "function_call", "call_id": "c1", "name": "find", "arguments": json.dumps({"who": NAME})},
            {"type": "function_call_output", "call_id": "c1", "output": json.dumps({"friend": "Ambrose Tilling"})},
            {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": f"It is {NAME}."}], "encrypted_content": "g" * 80},
        ],
        tools=[{"type": "function", "name": "find", "description": f"Finds {NAME}", "parameters": {"type": "object", "properties": {}}, "strict": None}],
        metadata={"who": NAME},
    )  # fmt: skip
    assert reply.output_text == f"Dear {NAME} of {ADDRESS}"
    sent = upstream.last
    assert clean(upstream.received) and sent["input"][3]["encrypted_content"] == "g" * 80
    assert (
        json.loads(sent["input"][1]["arguments"]) == {"who": "<name-1>"}
        and sent["instructions"] == "You work for <name-1>."
    )
    assert json.loads(sent["input"][2]["output"]) == {"friend": "<name-2>"}


def test_a_stream(client, upstream):
    upstream.answer = lambda path, request: up.events(
        stream_of(["Dear <na", "me", "-1>, yes. <name-", "1>"]), named=True, done=False
    )
    with client.responses.stream(model="up-1", input=f"I am {NAME}.") as stream:
        deltas = [event.delta for event in stream if event.type == "response.output_text.delta"]
        final = stream.get_final_response()
    assert "".join(deltas) == final.output_text == f"Dear {NAME}, yes. {NAME}"
    assert not any("<" in delta for delta in deltas) and clean(upstream.received)


def test_streamed_arguments(client, upstream):
    pieces = list('{"to": "<name-1>", "at": "<address-1>"}')
    upstream.answer = lambda path, request: up.events(stream_of(pieces, "call"), named=True, done=False)
    seen = ""
    for event in client.responses.create(model="up-1", input=f"I am {NAME} of {ADDRESS}.", stream=True):
        if event.type == "response.function_call_arguments.delta":
            seen += event.delta
        elif event.type == "response.completed":
            final = event.response.output[0].arguments
    assert json.loads(seen) == json.loads(final) == {"to": NAME, "at": ADDRESS}


class Person(BaseModel):
    name: str
    address: str


def test_structured_output(client, upstream):
    upstream.answer = lambda path, request: whole([message('{"name": "<name-1>", "address": "<address-1>"}')])
    reply = client.responses.parse(model="up-1", input=f"I am {NAME} of {ADDRESS}.", text_format=Person)
    assert reply.output_parsed == Person(name=NAME, address=ADDRESS)


def test_a_kept_conversation_goes_on_with_its_box(client, upstream):
    upstream.answer = lambda path, request: whole([message("Hello <name-1>")], "resp_1")
    first = client.responses.create(model="up-1", input=f"I am {NAME}.")
    upstream.answer = lambda path, request: whole([message("<name-1> meets <name-2>")], "resp_2")
    second = client.responses.create(model="up-1", input="Ambrose Tilling is my friend.", previous_response_id=first.id)
    assert second.output_text == f"{NAME} meets Ambrose Tilling"
    assert upstream.last["input"] == "<name-2> is my friend." and upstream.last["previous_response_id"] == "resp_1"
    kept = client.responses.retrieve("resp_2")
    assert kept.output_text == f"{NAME} meets Ambrose Tilling"
    client.responses.delete("resp_2")
    with pytest.raises(openai.NotFoundError) as caught:
        client.responses.retrieve("resp_2")
    assert caught.value.code == "conversation_unknown"


def test_a_conversation_whose_box_is_not_here_is_not_continued(client, upstream):
    with pytest.raises(openai.NotFoundError):
        client.responses.create(model="up-1", input="And then?", previous_response_id="resp_of_another")
    with pytest.raises(openai.BadRequestError, match="previous_response_id"):
        client.responses.create(model="up-1", input="And then?", conversation="conv_1")
    assert upstream.record == []


def test_boxes_outlive_the_server_and_are_sealed(client, upstream, home):
    upstream.answer = lambda path, request: whole([message("Hello <name-1>")])
    client.responses.create(model="up-1", input=f"I am {NAME}.")
    assert NAME.encode() not in b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    with (
        serving.serving(upstream=upstream.url) as again,
        openai.OpenAI(base_url=again.v1, api_key="k", max_retries=0) as other,
    ):
        assert other.responses.retrieve("resp_1").output_text == f"Hello {NAME}"


def test_a_failed_response_and_an_error_event(client, upstream):
    failed = response([], status="failed", error={"code": "server_error", "message": "no <name-1>"})
    made = [{"type": "response.created", "response": response([], status="in_progress"), "sequence_number": 0},
            {"type": "response.failed", "response": failed, "sequence_number": 1}]  # fmt: skip
    upstream.answer = lambda path, request: up.events(made, named=True, done=False)
    got = list(client.responses.create(model="up-1", input=f"I am {NAME}.", stream=True))
    assert got[-1].response.error.message == "no <name-1>"
    upstream.answer = lambda path, request: up.events(
        stream_of(["Dear <name-1"])[:-3], named=True, done=False, broken=True
    )
    got = list(client.responses.create(model="up-1", input=f"I am {NAME}.", stream=True))
    assert got[-1].type == "error" and got[-1].code == "upstream_unreachable"


def test_embeddings_get_anonymized_texts_each_by_itself(client, upstream):
    vector = {"object": "list", "model": "e", "data": [{"object": "embedding", "index": 0, "embedding": [0.5, -1.0]}], "usage": {"prompt_tokens": 1, "total_tokens": 1}}  # fmt: skip
    upstream.answer = lambda path, request: up.Answer(json.dumps(vector).encode())
    reply = client.embeddings.create(
        model="e", input=["Ambrose Tilling left.", f"{NAME} met Ambrose Tilling."], encoding_format="float"
    )
    assert reply.data[0].embedding == [0.5, -1.0] and reply.usage.total_tokens == 1
    assert upstream.last["input"] == ["<name-1> left.", "<name-1> met <name-2>."] and clean(upstream.received)
    client.embeddings.create(model="e", input=NAME, encoding_format="float")
    assert upstream.last["input"] == "<name-1>"
    with pytest.raises(openai.BadRequestError, match="token numbers"):
        client.embeddings.create(model="e", input=[1, 2, 3])


def test_models_are_passed_on(client, upstream):
    listed = {"object": "list", "data": [{"id": "up-1", "object": "model", "created": 1, "owned_by": "x"}]}
    upstream.answer = lambda path, request: up.Answer(
        json.dumps(listed if path == "/models" else listed["data"][0]).encode()
    )
    assert [model.id for model in client.models.list()] == ["up-1"]
    assert client.models.retrieve("up-1").id == "up-1" and b"Bearer sk-users-own" in upstream.received
    assert client.models.retrieve("gama").owned_by == "gama"


def test_other_addresses_and_parameters_are_refused(client, upstream):
    with pytest.raises(openai.NotFoundError) as caught:
        client.images.generate(prompt=f"{NAME} at home", model="d")
    assert caught.value.code == "unknown_url"
    with pytest.raises(openai.BadRequestError):
        client.models.list(extra_query={"who": NAME})
    for path in ("/models/..%2Ffiles", "/models/x%3Fy", "/models/a%20b", "/responses/..%2Ffiles"):
        assert httpx.get(str(client.base_url).rstrip("/") + path).status_code in (400, 404)
    assert upstream.record == []
