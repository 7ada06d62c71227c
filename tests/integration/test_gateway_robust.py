"""Many clients at once that go, stall and are let down: no leak, no cross-talk, no hang, errors in the protocol's form."""

import asyncio
import gc
import json
import random
import time

import httpx
import pytest

from gama.state.options import Options
from tests.support import serving
from tests.support import upstream as up

CLIENTS = 64
REQUESTS = 192

pytestmark = [pytest.mark.usefixtures("few_names"), pytest.mark.slow]


def secret(n: int) -> str:
    return f"client.number{n:03}@planted.example"


def let_down(path, request):
    """Answer with the caller's placeholders, or break in one of the ways that servers break."""
    n = int(request["messages"][0]["content"].split()[0])
    dice = random.Random(n)
    text = f"{n} " + "You are <email-1>, indeed. " * 30
    way = dice.choice(["whole", "stream", "stream", "stream", "500", "drop", "garbage", "empty"])
    if way == "500":
        return up.error(500, "out of order")
    if way == "garbage":
        return up.Answer([b"data: {not json\n\n", b"\x00\xff\n\n", b"data: [DONE]\n\n"], kind="text/event-stream")
    if way == "empty":
        return up.Answer([b""], kind="text/event-stream", broken=True)
    if not request.get("stream"):
        return up.chat(text)
    deltas = up.deltas(up.text_deltas(text, dice.randint(1, 30)))
    if way == "drop":
        return up.events(deltas[: len(deltas) // 2], done=False, broken=True, pause=0.001)
    return up.events(deltas, pause=0.001)


async def one(client: httpx.AsyncClient, n: int) -> str:
    """Make one request, as one of several kinds of clients; tells how it ended."""
    dice = random.Random(1000 + n)
    body = {
        "model": "m",
        "messages": [{"role": "user", "content": f"{n} I am {secret(n)}."}],
        "stream": dice.random() < 0.8,
    }
    leaves = dice.random() < 0.25
    slow = dice.random() < 0.2
    text = ""
    try:
        async with client.stream("POST", "/v1/chat/completions", json=body) as answer:
            if answer.status_code != 200:
                problem = json.loads(await answer.aread())
                assert set(problem["error"]) == {"message", "type", "param", "code"}, problem
                return "error"
            async for piece in answer.aiter_text():
                text += piece
                if leaves and len(text) > dice.randint(0, 3000):
                    return "left"
                if slow:
                    await asyncio.sleep(0.01)
    finally:
        others = [secret(m) for m in range(REQUESTS) if m != n and secret(m) in text]
        assert not others, f"{n} saw the values of others"
    if body["stream"] and '"error"' in text:
        events = [
            json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: {") and '"error"' in line
        ]
        assert set(events[-1]["error"]) == {"message", "type", "param", "code"}
        return "broken"
    if "You are" in text:
        assert secret(n) in text and "<email" not in text
    return "done"


async def test_many_clients(upstream):
    upstream.answer = let_down
    with serving.serving(Options(), upstream=upstream.url) as server:
        limits = httpx.Limits(max_connections=CLIENTS)
        timeout = httpx.Timeout(120, pool=None)
        async with httpx.AsyncClient(base_url=server.url, limits=limits, timeout=timeout) as client:
            ended = await asyncio.gather(*(one(client, n) for n in range(REQUESTS)))
        assert {"done", "left", "error", "broken"} <= set(ended), ended
        assert b"planted.example" not in upstream.received
        until = time.monotonic() + 30
        while server.server.metrics.running._value.get() and time.monotonic() < until:
            await asyncio.sleep(0.05)
        assert server.server.metrics.running._value.get() == 0 and len(server.log) == REQUESTS
        pool = server.app.state.gateway.openai._client._transport._inner._pool
        until = time.monotonic() + 10
        while any(not connection.is_idle() for connection in pool.connections) and time.monotonic() < until:
            await asyncio.sleep(0.05)
        assert all(connection.is_idle() for connection in pool.connections), [
            *map(repr, pool.connections),
            *map(str, ended),
        ]


async def test_a_client_that_reads_no_more_is_given_up(upstream):
    upstream.answer = lambda path, request: up.events(up.deltas(up.text_deltas("word " * 400_000, 4000)))
    with serving.serving(Options(), upstream=upstream.url, stall_s=1.0) as server:
        host, port = server.url.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        body = json.dumps({"model": "m", "stream": True, "messages": [{"role": "user", "content": "Go on"}]}).encode()
        head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()
        until = time.monotonic() + 30
        while not server.log and time.monotonic() < until:
            await asyncio.sleep(0.1)
        assert server.log, "the request has ended although nobody reads"
        writer.transport.abort()
        await asyncio.sleep(0)
        del reader


@pytest.mark.timeout(300)
async def test_memory_stays_flat(upstream):
    """What the gateway keeps does not grow with the requests: counted in objects, not in bytes of a busy machine."""
    upstream.answer = lambda path, request: up.chat("You are <email-1>.")
    with serving.serving(Options(), upstream=upstream.url, access_log=False) as server:
        memory = server.app.state.gateway.masker._memory
        memory._most_texts = 50
        async with httpx.AsyncClient(base_url=server.url, timeout=60) as client:

            async def ask(n: int) -> None:
                content = f"{n} I am {secret(n % 200)}."
                answer = await client.post(
                    "/v1/chat/completions", json={"model": "m", "messages": [{"role": "user", "content": content}]}
                )
                assert secret(n % 200) in answer.text

            async def count(first: int, many: int) -> int:
                for n in range(first, first + many):
                    await ask(n)
                gc.collect()
                return len(gc.get_objects())

            await count(0, 60)
            before = await count(60, 60)
            after = await count(120, 120)
        upstream.record.clear()
        assert len(memory) == 50 and after - before < 120 * 20
