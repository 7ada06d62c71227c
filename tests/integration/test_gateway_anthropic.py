"""Anthropic's /v1/messages with the official client."""

import json
from typing import Any

import anthropic
import pytest

from tests.support import serving
from tests.support import upstream as up
from tests.support.serving import ADDRESS, NAME, clean

pytestmark = pytest.mark.usefixtures("few_names")


@pytest.fixture
def running(upstream):
    with serving.serving(anthropic=upstream.url) as server:
        yield server


@pytest.fixture
def client(running):
    with anthropic.Anthropic(base_url=running.url, api_key="sk-ant-own", max_retries=0) as made:
        yield made


def message(content: list, stop: str = "end_turn") -> dict:
    return {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x", "content": content,
            "stop_reason": stop, "stop_sequence": None, "usage": {"input_tokens": 9, "output_tokens": 4}}  # fmt: skip


def whole(content: list, stop: str = "end_turn") -> up.Answer:
    return up.Answer(json.dumps(message(content, stop)).encode())


def stream_of(blocks: list[tuple[dict, list[dict]]]) -> list[Any]:
    """Return the events of a message: for each block its start and its deltas."""
    made: list[Any] = [{"type": "message_start", "message": message([]) | {"stop_reason": None}}, {"type": "ping"}]
    for index, (start, deltas) in enumerate(blocks):
        made.append({"type": "content_block_start", "index": index, "content_block": start})
        made += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        made.append({"type": "content_block_stop", "index": index})
    made.append(
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn", "stop_sequence": None},
            "usage": {"output_tokens": 4},
        }
    )
    return [*made, {"type": "message_stop"}]


TOOL = {
    "name": "write",
    "description": f"Write to {NAME}.",
    "input_schema": {"type": "object", "properties": {"to": {"type": "string", "enum": [NAME]}}, "required": ["to"]},
}


def test_a_message(client, upstream):
    upstream.answer = lambda path, request: whole(
        [{"type": "text", "text": "Dear <name-1>"}, {"type": "tool_use", "id": "t1", "name": "write", "input": {"to": "<name-1>", "type": "<address-1>"}}],
        "tool_use",
    )  # fmt: skip
    reply = client.messages.create(
        model="claude-x",
        max_tokens=100,
        system=[{"type": "text", "text": f"You work for {NAME}.", "cache_control": {"type": "ephemeral"}}],
        messages=[
            {"role": "user", "content": f"I live at {ADDRESS}."},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t0", "name": "write", "input": {"to": NAME, "id": "Ambrose Tilling", "n": 3}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t0", "content": [{"type": "text", "text": f"sent to {NAME}"}]},
                                         {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": f"By {NAME}"}, "title": NAME}]},
        ],
        tools=[TOOL],
        metadata={"user_id": NAME},
    )  # fmt: skip
    assert reply.content[0].text == f"Dear {NAME}" and reply.content[1].input == {"to": NAME, "type": ADDRESS}
    assert reply.stop_reason == "tool_use" and reply.usage.output_tokens == 4
    sent = upstream.last
    assert clean(upstream.received) and sent["messages"][1]["content"][0]["input"] == {
        "to": "<name-1>",
        "id": "<name-2>",
        "n": 3,
    }
    assert sent["messages"][2]["content"][1]["source"]["data"] == "By <name-1>" and sent["system"][0][
        "cache_control"
    ] == {"type": "ephemeral"}
    assert b"sk-ant-own" in upstream.received and b"anthropic-version" in upstream.received.lower()
    assert upstream.paths == ["/v1/messages"]


def test_a_stream_with_text_tool_and_thinking(client, upstream):
    arguments = '{"to": "<name-1>", "at": "<address-1>"}'
    blocks = [
        ({"type": "thinking", "thinking": "", "signature": ""}, [{"type": "thinking_delta", "thinking": "So <name"}, {"type": "thinking_delta", "thinking": "-1> asks"}, {"type": "signature_delta", "signature": "S" * 70}]),
        ({"type": "text", "text": ""}, [{"type": "text_delta", "text": piece} for piece in ("Dear <na", "me-1", ">")]),
        ({"type": "tool_use", "id": "t1", "name": "write", "input": {}}, [{"type": "input_json_delta", "partial_json": sign} for sign in arguments]),
    ]  # fmt: skip
    upstream.answer = lambda path, request: up.events(stream_of(blocks), named=True, done=False)
    with client.messages.stream(
        model="claude-x", max_tokens=50, messages=[{"role": "user", "content": f"I am {NAME} of {ADDRESS}."}]
    ) as stream:
        texts = list(stream.text_stream)
        final = stream.get_final_message()
    assert "".join(texts) == f"Dear {NAME}" and final.content[1].text == f"Dear {NAME}"
    assert final.content[0].thinking == f"So {NAME} asks" and final.content[0].signature == "S" * 70
    assert final.content[2].input == {"to": NAME, "at": ADDRESS}

    upstream.answer = lambda path, request: whole([{"type": "text", "text": "fine"}])
    history = [
        {"role": "user", "content": f"I am {NAME} of {ADDRESS}."},
        {"role": "assistant", "content": [block.model_dump(include={"type", "thinking", "signature", "text"}) for block in final.content[:2]]},
        {"role": "user", "content": "So what does Ambrose Tilling say?"},
    ]  # fmt: skip
    client.messages.create(model="claude-x", max_tokens=50, messages=history)
    thinking, text = upstream.last["messages"][1]["content"]
    assert thinking == {"type": "thinking", "thinking": "So <name-1> asks", "signature": "S" * 70}, (
        "signed: unchanged to the letter"
    )
    assert text["text"] == "Dear <name-1>" and clean(upstream.received)


async def test_async_and_count_tokens(running, upstream):
    async with anthropic.AsyncAnthropic(base_url=running.url, api_key="k", max_retries=0) as client:
        upstream.answer = lambda path, request: up.Answer(b'{"input_tokens": 12}')
        counted = await client.messages.count_tokens(
            model="claude-x", messages=[{"role": "user", "content": f"I am {NAME}."}]
        )
        assert counted.input_tokens == 12 and upstream.paths == ["/v1/messages/count_tokens"]
        blocks = [({"type": "text", "text": ""}, [{"type": "text_delta", "text": "Dear <name-1>."}])]
        upstream.answer = lambda path, request: up.events(stream_of(blocks), named=True, done=False)
        text = ""
        async with client.messages.stream(
            model="claude-x", max_tokens=9, messages=[{"role": "user", "content": f"I am {NAME}."}]
        ) as stream:
            async for piece in stream.text_stream:
                text += piece
        assert text == f"Dear {NAME}." and clean(upstream.received)


def test_errors_have_anthropics_form(client, upstream):
    said = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    upstream.answer = lambda path, request: up.Answer(json.dumps(said).encode(), 529)
    with pytest.raises(anthropic.APIStatusError) as caught:
        client.messages.create(model="claude-x", max_tokens=9, messages=[{"role": "user", "content": "Hello there"}])
    assert caught.value.status_code == 529 and caught.value.body == said
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo" * 20}}
    with pytest.raises(anthropic.BadRequestError) as refused:
        client.messages.create(model="claude-x", max_tokens=9, messages=[{"role": "user", "content": [picture]}])
    assert refused.value.body["error"]["type"] == "invalid_request_error" and len(upstream.record) == 1
    blocks = [({"type": "text", "text": ""}, [{"type": "text_delta", "text": "Dear <name-1"}])]
    upstream.answer = lambda path, request: up.events(stream_of(blocks)[:4], named=True, done=False, broken=True)
    with (
        pytest.raises(anthropic.APIStatusError),
        client.messages.stream(
            model="claude-x", max_tokens=9, messages=[{"role": "user", "content": f"I am {NAME}."}]
        ) as stream,
    ):
        list(stream.text_stream)
