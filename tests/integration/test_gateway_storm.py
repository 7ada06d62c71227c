"""A storm: 256 clients at once that go, stall and are let down, while upstream and gateway are killed.

No value of one client reaches another or the upstream, nothing hangs, every error is told in the protocol's own form,
and what was killed leaves nothing private behind.
"""

import asyncio
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.ports import free_port

CLIENTS = 256
cut = Counter[str]()
"""How connections ended that were cut off."""
REQUESTS = 640
UPSTREAM = Path(__file__).parents[1] / "support" / "stormy.py"
PATHS = ("/v1/chat/completions", "/v1/messages", "/v1/responses")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="kills processes and counts their files"),
]


def secret(n: int) -> str:
    return f"client.number{n:04}@planted.example"


class Place:
    """A gateway and its upstream, both processes that can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.record, self.log = folder / "record", folder / "log"
        self.ports = free_port(), free_port()
        self.url = f"http://127.0.0.1:{self.ports[1]}"
        self.upstream, self.gateway = self.start_upstream(), self.start_gateway()

    def start_upstream(self) -> "subprocess.Popen[bytes]":
        return subprocess.Popen([sys.executable, str(UPSTREAM), str(self.ports[0]), str(self.record)])

    def start_gateway(self) -> "subprocess.Popen[bytes]":
        target = f"http://127.0.0.1:{self.ports[0]}/v1"
        command = [sys.executable, "-m", "gama.serve", "serve", "--port", str(self.ports[1]), "--upstream", target]
        path = os.pathsep.join(sys.path)
        environment = os.environ | {"PYTHONPATH": path, "GAMA_HOME": str(self.folder / "home")}
        with self.log.open("ab") as log:
            # 256 clients in one process may need longer than usual to say what they want.
            patient = ["--anthropic", target, "--header-timeout", "1500"]
            process = subprocess.Popen([*command, *patient], stderr=log, stdout=log, env=environment)
        for port in self.ports[::-1]:
            until = time.monotonic() + 120
            while time.monotonic() < until:
                assert process.poll() is None, self.log.read_text()
                try:
                    socket.create_connection(("127.0.0.1", port), 1).close()
                    break
                except OSError:
                    time.sleep(0.1)
        return process

    def kill_upstream(self) -> None:
        self.upstream.send_signal(signal.SIGKILL)
        self.upstream.wait()

    def kill_gateway(self) -> None:
        self.gateway.send_signal(signal.SIGKILL)
        self.gateway.wait()

    def files(self) -> int:
        return len(os.listdir(f"/proc/{self.gateway.pid}/fd"))

    def close(self) -> None:
        for process in (self.gateway, self.upstream):
            process.kill()
            process.wait()


@pytest.fixture
def place(tmp_path):
    made = Place(tmp_path)
    yield made
    made.close()


def body_of(n: int, path: str, stream: bool) -> dict[str, Any]:
    text = f"I am {secret(n)}. Who am I?"
    more = {"max_tokens": 9} if path == "/v1/messages" else {}
    field = {"input": text} if path == "/v1/responses" else {"messages": [{"role": "user", "content": text}]}
    return {"model": "m", "stream": stream, **field, **more}


def headers(n: int) -> dict[str, str]:
    return {"x-api-key": "k", "idempotency-key": str(n)}


def check_form(path: str, error: dict[str, Any], *, event: bool) -> None:
    """Check that an error has the form of its protocol."""
    if path == "/v1/messages":
        assert error["type"] == "error" and {"type", "message"} <= set(error["error"]), error
    elif path == "/v1/responses" and event:
        assert error["type"] == "error" and {"code", "message", "param", "sequence_number"} <= set(error), error
    else:
        assert set(error["error"]) == {"message", "type", "param", "code"}, error


async def one(client: httpx.AsyncClient, n: int) -> str:
    """Make one request as one of several kinds of clients; tells how it ended."""
    dice = random.Random(10_000 + n)
    path, stream = dice.choice(PATHS), dice.random() < 0.8
    leaves, slow = dice.random() < 0.2, dice.random() < 0.2
    text = ""
    try:
        async with client.stream("POST", path, json=body_of(n, path, stream), headers=headers(n)) as answer:
            if answer.status_code != 200:
                raw = await answer.aread()
                assert answer.headers["content-type"].startswith("application/json"), "no page of the upstream's own"
                error = json.loads(raw)
                if "out of order" not in str(error):
                    check_form(path, error, event=False)
                return "error"
            async for piece in answer.aiter_text():
                text += piece
                if leaves and len(text) > dice.randint(0, 3000):
                    return "left"
                if slow:
                    await asyncio.sleep(0.02)
    except httpx.TransportError as error:
        cut[type(error).__name__] += 1
        return "cut off"
    finally:
        others = {int(found) for found in re.findall(r"client\.number(\d{4})@", text)} - {n}
        assert not others, f"{n} saw the values of others"
    events = [json.loads(line[6:]) for line in text.splitlines() if line.startswith('data: {"')] if stream else []
    told = [event for event in events if "error" in event or event.get("type") == "error"]
    if told:
        check_form(path, told[-1], event=True)
        return "broken"
    if "indeed" in text:
        assert secret(n) in text and "<email" not in text, text[:300]
    return "done"


async def storm(place: Place, first: int, many: int, trouble: Any) -> Counter[str]:
    """Let the clients loose, and trouble with them. A busy machine takes minutes; what hangs meets the test's own limit."""
    limits = httpx.Limits(max_connections=CLIENTS, max_keepalive_connections=0)
    async with httpx.AsyncClient(base_url=place.url, limits=limits, timeout=httpx.Timeout(1500, pool=None)) as client:
        work = asyncio.gather(*(one(client, n) for n in range(first, first + many)))
        await asyncio.gather(trouble(), work)
        return Counter(work.result())


async def running(place: Place) -> float:
    async with httpx.AsyncClient(base_url=place.url, timeout=60) as client:
        page = (await client.get("/metrics")).text
    (value,) = re.findall(r"^gama_requests_running (\S+)", page, re.MULTILINE)
    return float(value)


async def quiet(place: Place) -> None:
    """Wait until no request but the question itself is under way."""
    until = time.monotonic() + 120
    while await running(place) > 1 and time.monotonic() < until:
        await asyncio.sleep(0.2)
    assert await running(place) == 1


def nothing_private(place: Place) -> None:
    """Search what the upstream got, the log and the disk."""
    assert place.record.stat().st_size > 10_000
    for path in [place.record, place.log, *(p for p in (place.folder / "home").rglob("*") if p.is_file())]:
        assert b"planted.example" not in path.read_bytes(), path.name


async def served(place: Place) -> None:
    """Check that a usual request is answered."""
    n = next(n for n in range(9000, 9999) if random.Random(n).choice(WAYS) == "whole")
    async with httpx.AsyncClient(base_url=place.url, timeout=120) as client:
        answer = await client.post(PATHS[0], json=body_of(n, PATHS[0], stream=False), headers=headers(n))
    assert secret(n) in answer.json()["choices"][0]["message"]["content"]


WAYS = ("whole", "whole", "whole", "error", "drop", "garbage", "empty", "reset", "html")
"""As in `stormy.py`."""


async def test_the_upstream_is_killed(place):
    await served(place)
    before = place.files()

    async def trouble() -> None:
        for _ in range(3):
            await asyncio.sleep(2)
            place.kill_upstream()
            await asyncio.sleep(0.5)
            place.upstream = place.start_upstream()

    ended = await storm(place, 0, REQUESTS, trouble)
    assert {"done", "left", "error", "broken"} <= set(ended) and "cut off" not in ended, (ended, cut)
    await quiet(place)
    await served(place)
    # The line of a request is written when its answer has left.
    await quiet(place)
    nothing_private(place)
    # Idle connections to the upstream may be kept, 256 at most; those of the clients are gone.
    assert place.files() <= before + 256 + 16
    lines = [json.loads(line) for line in place.log.read_text().splitlines() if line.startswith("{")]
    assert sum(line["route"] in PATHS for line in lines) == REQUESTS + 2


async def test_the_gateway_is_killed(place):
    async def trouble() -> None:
        await asyncio.sleep(2)
        place.kill_gateway()

    ended = await storm(place, 1000, CLIENTS, trouble)
    assert ended["cut off"], ended
    place.gateway = place.start_gateway()
    await served(place)

    async def none() -> None:
        pass

    ended = await storm(place, 2000, 128, none)
    assert "cut off" not in ended and ended["done"], ended
    await quiet(place)
    nothing_private(place)
