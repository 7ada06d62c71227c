"""Planted secrets with the shipped detector, by every route and client: searched for in all that the upstream got."""

import json
import re

import anthropic
import httpx
import openai
import pytest

from tests.support import letters, serving
from tests.support import upstream as up

TOKEN = re.compile(r"<[a-z_]+-\d+[a-z]*>")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def echo(path, request):
    """Answer with every placeholder of the request, whole or streamed."""
    text = "I used " + " and ".join(dict.fromkeys(TOKEN.findall(json.dumps(request, ensure_ascii=False)))) + "."
    if path == "/messages":
        said = {"id": "m", "type": "message", "role": "assistant", "model": "c", "content": [{"type": "text", "text": text}],
                "stop_reason": "end_turn", "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}  # fmt: skip
        return up.Answer(json.dumps(said).encode())
    if path == "/embeddings":
        return up.Answer(
            b'{"object": "list", "model": "e", "data": [], "usage": {"prompt_tokens": 1, "total_tokens": 1}}'
        )
    return up.events(up.deltas(up.text_deltas(text, 5))) if request.get("stream") else up.chat(text)


@pytest.fixture(scope="module")
def running():
    server = up.Upstream(echo)
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("GAMA_HOME", raising=False)
        with serving.serving(upstream=server.url, anthropic=server.url, keep=False) as made:
            yield made, server
    server.close()


def test_every_route(running):
    server, upstream = running
    with openai.OpenAI(base_url=server.v1, api_key="k", max_retries=0, timeout=600) as client:
        ask = [
            {"role": "system", "content": f"You write for {letters.SECRETS[0]}."},
            {"role": "user", "content": letters.PLANTED},
        ]
        text = client.chat.completions.create(model="m", messages=ask).choices[0].message.content
        assert all(secret in text for secret in letters.SECRETS), text
        chunks = client.chat.completions.create(model="m", messages=ask, stream=True)
        assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == text
        tool = {
            "type": "function",
            "function": {
                "name": "write",
                "description": letters.PLANTED,
                "parameters": {"type": "object", "properties": {}},
            },
        }
        result = {
            "role": "tool",
            "tool_call_id": "c",
            "content": json.dumps(
                {
                    "name": letters.SECRETS[0],
                    "mail": letters.SECRETS[1],
                    "iban": letters.SECRETS[2],
                    "phone": letters.SECRETS[3],
                }
            ),
        }
        call = {
            "role": "assistant",
            "tool_calls": [
                {
                    "id": "c",
                    "type": "function",
                    "function": {"name": "write", "arguments": json.dumps({"to": letters.SECRETS[1]})},
                }
            ],
        }
        client.chat.completions.create(
            model="m",
            messages=[*ask, call, result],
            tools=[tool],
            user=letters.SECRETS[1],
            metadata={"of": letters.SECRETS[0]},
        )
        client.embeddings.create(model="e", input=[letters.PLANTED], encoding_format="float")
        # What leaves is looked at; the answer is no response.
        client.responses.create(model="m", input=letters.PLANTED, metadata={"who": letters.SECRETS[1]})
    with anthropic.Anthropic(base_url=server.url, api_key="k", max_retries=0, timeout=600) as other:
        reply = other.messages.create(model="c", max_tokens=9, system=letters.PLANTED, messages=ask[1:])
        assert letters.SECRETS[0] in reply.content[0].text
    assert len(upstream.record) == 6 and letters.hits(upstream.received) == []


def test_some_letters_come_back_whole(running):
    server, upstream = running
    with httpx.Client(base_url=server.v1, timeout=600) as client:
        for letter in letters.hundred()[:100:12]:
            before = len(upstream.record)
            body = {"model": "m", "messages": [{"role": "user", "content": f"{letter.text}\n\n{letter.query}"}]}
            text = client.post("/chat/completions", json=body).json()["choices"][0]["message"]["content"]
            assert not TOKEN.search(text) and len(upstream.record) == before + 1, letter.id
            sent = upstream.last["messages"][0]["content"]
            for token in dict.fromkeys(TOKEN.findall(sent)):
                assert token not in text
            for entry in text.removeprefix("I used ").removesuffix(".").split(" and "):
                if len(entry) > 4:
                    assert not re.search(rf"(?<![^\W_]){re.escape(entry)}(?![^\W_])", TOKEN.sub("", sent)), letter.id


def test_the_runnable(running):
    server, _ = running
    reply = httpx.post(f"{server.url}/gama/invoke", json={"input": letters.PLANTED}, timeout=600).json()["output"]
    assert letters.hits(reply["anonymized"].encode()) == [] and letters.SECRETS[0] in str(reply["entities"])
