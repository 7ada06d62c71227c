"""LangChain's ChatOpenAI over the gateway: every way to call it, tools, structured output, embeddings."""

import json

import pytest
from langchain_core.messages import HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from pydantic import BaseModel, SecretStr

from tests.support import upstream as up
from tests.support.serving import NAME, clean

TASK = [SystemMessage(f"You work for {NAME}."), HumanMessage(f"I am {NAME}.")]

pytestmark = pytest.mark.usefixtures("few_names")


@pytest.fixture
def chat(running):
    return ChatOpenAI(model="up-1", base_url=running.v1, api_key=SecretStr("k"), max_retries=0)


async def test_every_way_to_call_it(chat, upstream):
    def answer(path, request):
        if request.get("stream"):
            return up.events(up.deltas(up.text_deltas("Dear <name-1>.")))
        return up.chat("Dear <name-1>.")

    upstream.answer = answer
    wanted = f"Dear {NAME}."
    assert chat.invoke(TASK).content == wanted and (await chat.ainvoke(TASK)).content == wanted
    assert [reply.content for reply in chat.batch([TASK, TASK])] == [wanted, wanted]
    assert "".join(chunk.text for chunk in chat.stream(TASK)) == wanted
    assert "".join([chunk.text async for chunk in chat.astream(TASK)]) == wanted
    seen = [
        event async for event in chat.astream_events(TASK, version="v2") if event["event"] == "on_chat_model_stream"
    ]
    assert "".join(event["data"]["chunk"].text for event in seen) == wanted
    assert clean(upstream.received)


@tool
def write(to: str) -> str:
    """Write to somebody."""
    return f"sent to {to}"


def test_a_tool_loop(chat, upstream):
    call = {"id": "c1", "type": "function", "function": {"name": "write", "arguments": json.dumps({"to": "<name-1>"})}}
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": None, "tool_calls": [call]},
        "finish_reason": "tool_calls",
    }
    upstream.answer = lambda path, request: up.chat(None, [choice])
    bound = chat.bind_tools([write])
    first = bound.invoke(TASK)
    assert first.tool_calls[0]["args"] == {"to": NAME}
    upstream.answer = lambda path, request: up.chat("Done, <name-1>.")
    result: ToolMessage = write.invoke(first.tool_calls[0])
    assert bound.invoke([*TASK, first, result]).content == f"Done, {NAME}." and clean(upstream.received)
    assert upstream.last["messages"][-1]["content"] == "sent to <name-1>"


class Person(BaseModel):
    name: str


def test_structured_output(chat, upstream):
    upstream.answer = lambda path, request: up.chat('{"name": "<name-1>"}')
    assert chat.with_structured_output(Person).invoke(TASK) == Person(name=NAME)


def test_the_responses_api(running, upstream):
    upstream.answer = lambda path, request: up.response("Dear <name-1>.")
    chat = ChatOpenAI(model="up-1", base_url=running.v1, api_key=SecretStr("k"), use_responses_api=True, max_retries=0)
    assert chat.invoke(TASK).text == f"Dear {NAME}." and clean(upstream.received)


def test_embeddings(running, upstream):
    vector = {"object": "list", "model": "e", "data": [{"object": "embedding", "index": 0, "embedding": [0.5]}], "usage": {"prompt_tokens": 1, "total_tokens": 1}}  # fmt: skip
    upstream.answer = lambda path, request: up.Answer(json.dumps(vector).encode())
    texts = OpenAIEmbeddings(model="e", base_url=running.v1, api_key=SecretStr("k"), check_embedding_ctx_length=False)
    assert texts.embed_query(f"I am {NAME}.") == [0.5] and clean(upstream.received)
