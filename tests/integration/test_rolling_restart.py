"""Servers on one PostgreSQL behind a balancer: each is ended and begun anew under load, and no request is lost."""

import contextlib
import itertools
import json
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support import upstream as up
from tests.support.balancer import Balancer, is_ready
from tests.support.ports import free_port
from tests.support.roles import Model
from tests.support.serving import soon

NAME, FRIEND = "Thessaly Quornbeck", "Ambrose Tilling"
LETTER = f"My name is {NAME}. The lease says: three months' notice. When must I give notice?"
PLAIN = {"k": 1, "disprove": "off"}
"""Options of a task that asks the model as little as it can."""
HELD = 7
"""The seed of streams that are held in their middle."""
DRAIN_S = 2.0

pytestmark = [
    pytest.mark.slow, pytest.mark.timeout(1200), pytest.mark.skipif(os.name != "posix", reason="signals")
]  # fmt: skip


class Server:
    """`gama serve` with a home folder of its own, which can be begun anew at the same address."""

    def __init__(self, folder: Path, workers: int, options: list[str], environment: dict[str, str]) -> None:
        folder.mkdir()
        self.port, self.log = free_port(), folder / "log"
        self.url = f"http://127.0.0.1:{self.port}"
        self._command = [sys.executable, "-m", "gama.serve", "serve", "--port", str(self.port), *options]
        self._command += ["--workers", str(workers), "--drain", str(DRAIN_S), "--grace", "60"]
        self._environment = os.environ | {"GAMA_HOME": str(folder / "home"), "OMP_NUM_THREADS": "1"} | environment
        self.start()

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self._command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self._environment
            )

    def wait(self) -> None:
        """Wait until it is ready."""
        assert soon(lambda: is_ready(self.port) or self.process.poll() is not None, 300)
        assert self.process.poll() is None, self.log.read_text()

    def listens(self) -> bool:
        # Who is in the queue of a socket that closes is cut off.
        with (
            httpx.Client() as http,
            contextlib.suppress(httpx.ConnectError, httpx.RemoteProtocolError, httpx.ReadError),
        ):
            http.get(f"{self.url}/healthz")
            return True
        return False

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


class Upstream:
    """Answers chats and responses with what was asked; streams take seconds, and some are held in their middle."""

    def __init__(self, server: up.Upstream) -> None:
        self.asked: Counter[int] = Counter()
        """How often a request came, by its seed."""
        self.go_on = threading.Event()
        self._lock = threading.Lock()
        server.answer = self.answer

    def answer(self, path: str, request: Any) -> up.Answer:
        number = request.get("seed") or request["max_output_tokens"]
        with self._lock:
            self.asked[number] += 1
        text = f"Dear <name-1>, number {number} is done."
        if path == "/responses":
            return up.response(text, f"resp_{number}")
        if not request.get("stream"):
            return up.chat(text)
        first, *rest = up.deltas(up.text_deltas(text))

        def slowly() -> Iterator[dict[str, Any]]:
            yield first
            if number == HELD:
                assert self.go_on.wait(600)
            for one in rest:
                time.sleep(0.1)
                yield one

        return up.events(slowly())


def connected(url: str) -> httpx.Client:
    """Return a client that keeps its connection and tries nothing twice."""
    limits = httpx.Limits(max_connections=1)
    cookies = {"gama_owner": "t" * 43}
    return httpx.Client(base_url=url, timeout=120, limits=limits, cookies=cookies, trust_env=False)


def chat(http: httpx.Client, number: int, *, stream: bool) -> str:
    """Return what a chat is answered, as far as it came."""
    body = {
        "model": "up-1",
        "seed": number,
        "stream": stream,
        "messages": [{"role": "user", "content": f"I am {NAME}."}],
    }
    headers = {"authorization": "Bearer k"}
    if not stream:
        answer = http.post("/v1/chat/completions", json=body, headers=headers).raise_for_status()
        return str(answer.json()["choices"][0]["message"]["content"])
    text = ""
    with http.stream("POST", "/v1/chat/completions", json=body, headers=headers) as streamed:
        assert streamed.status_code == 200
        for line in streamed.iter_lines():
            if line.startswith("data: {"):
                text += json.loads(line[6:])["choices"][0]["delta"].get("content") or ""
            elif line:
                assert line == "data: [DONE]"
                text += "|"
    return text


class Client(threading.Thread):
    """Asks one request after the other: chats whole and streamed, a conversation of responses, tasks of a thread."""

    def __init__(self, url: str, number: int, ended: threading.Event) -> None:
        super().__init__(daemon=True)
        self.url, self.number, self.ended = url, number, ended
        self.seeds: list[int] = []
        self.calls = 0
        """How often its tasks asked the model, as their replies say."""
        self.problems: list[str] = []

    def run(self) -> None:
        last = None
        for turn in itertools.count():
            # A connection is kept for some requests, as balancers keep it with one server as long as it stands.
            with connected(self.url) as http:
                for at, kind in enumerate(("whole", "stream", "response", "task")):
                    if self.ended.is_set():
                        return
                    try:
                        last = self._ask(http, kind, 10_000 * self.number + 4 * turn + at, last)
                    except Exception as error:
                        self.problems.append(f"{kind} {turn}: {type(error).__name__} {error}")
                        return

    def _ask(self, http: httpx.Client, kind: str, seed: int, last: str | None) -> str | None:
        dear = f"Dear {NAME}, number {seed} is done."
        if kind == "task":
            task = {"question": LETTER, "options": PLAIN}
            reply = http.post(f"/threads/load-{self.number}/runs", json=task).raise_for_status().json()
            assert NAME in reply["answer"] and "<name-1>" in reply["anonymized"], reply
            self.calls += reply["usage"]["calls"]
            return last
        self.seeds.append(seed)
        if kind == "response":
            body = {"model": "up-1", "max_output_tokens": seed, "input": f"I am {NAME}, still."}
            if last is not None:
                body |= {"previous_response_id": last, "input": "And then?"}
            said = (
                http.post("/v1/responses", json=body, headers={"authorization": "Bearer k"}).raise_for_status().json()
            )
            # Only the box of the conversation knows the name in a later turn.
            assert said["output"][0]["content"][0]["text"] == dear, said
            return str(said["id"])
        assert chat(http, seed, stream=kind == "stream") == dear + ("|" if kind == "stream" else "")
        return last


@pytest.fixture
def servers(tmp_path: Path, upstream: Any, loopback: Any, postgres: str) -> Iterator[list[Server]]:
    """Run two servers on one database: a single process, and one with two workers."""
    options = ["--upstream", upstream.url, "--public", "openai:loop", "--base-url", loopback.url]
    options += ["--deny", NAME, "--deny", FRIEND]
    environment = {"GAMA_STORE": postgres, "GAMA_THREAD_KEYS": postgres}
    environment["GAMA_KEY"] = b64encode(secrets.token_bytes(32)).decode()
    made = [Server(tmp_path / f"server-{workers}", workers, options, environment) for workers in (1, 2)]
    for server in made:
        server.wait()
    yield made
    for server in made:
        server.close()


def test_each_server_is_restarted_under_load_and_no_request_is_lost(servers, upstream, loopback):
    Model(loopback)
    model = Upstream(upstream)
    balancer, ended = Balancer([server.port for server in servers]), threading.Event()
    clients = [Client(balancer.url, number, ended) for number in (1, 2, 3)]
    assert soon(lambda: len(balancer.ready) == 2, 60)
    for client in clients:
        client.start()
    reviewed = 0
    for server in servers:
        before = [len(client.seeds) for client in clients]
        assert soon(lambda before=before: all(len(c.seeds) > n + 3 for c, n in zip(clients, before, strict=True)), 120)
        with connected(server.url) as there:
            look = there.post("/threads/looked/review", json={"question": LETTER}).raise_for_status().json()
        restart(server, balancer, model)
        # What was looked at on the one is sent by whichever is there.
        with connected(balancer.url) as elsewhere:
            task = {"question": LETTER, "reviewed": look["anonymized"], "options": PLAIN}
            reply = elsewhere.post("/threads/looked/runs", json=task).raise_for_status().json()
            assert reply["anonymized"] == look["anonymized"] and NAME in reply["answer"]
            reviewed += reply["usage"]["calls"]
    led = dict(balancer.led)
    assert soon(lambda: all(balancer.led[port] > led[port] for port in led), 120), "both take part again"
    ended.set()
    for client in clients:
        client.join(120)
    balancer.close()
    assert [problem for client in clients for problem in client.problems] == []
    seeds = [seed for client in clients for seed in client.seeds]
    assert len(seeds) == len(set(seeds)) and model.asked == Counter(seeds) + Counter({HELD: len(servers)})
    assert len(loopback.requests) == reviewed + sum(client.calls for client in clients)
    for server in servers:
        assert "Traceback" not in server.log.read_text() and "quornbeck" not in server.log.read_text().lower()


def restart(server: Server, balancer: Balancer, model: Upstream) -> None:
    """End a server as a supervisor does while it streams an answer, and begin it anew."""
    model.go_on.clear()
    got: list[str] = []
    with connected(server.url) as streaming, connected(server.url) as kept:
        asking = threading.Thread(target=lambda: got.append(chat(streaming, HELD, stream=True)))
        held = model.asked[HELD]
        asking.start()
        assert soon(lambda: model.asked[HELD] > held, 60)
        server.process.terminate()
        # It is not ready first, and takes requests still, each the last on its connection.
        assert soon(lambda: not is_ready(server.port), DRAIN_S)
        late = kept.post("/anonymize", json={"text": f"I am {NAME}."})
        assert late.status_code == 200 and late.headers["connection"] == "close"
        assert soon(lambda: server.port not in balancer.ready, 10)
        refused = balancer.refused
        assert soon(lambda: not server.listens(), DRAIN_S + 20), "then nobody can connect"
        assert server.process.poll() is None and asking.is_alive()
        model.go_on.set()
        asking.join(60)
    assert got == [f"Dear {NAME}, number {HELD} is done.|"]
    assert server.process.wait(60) == 0
    assert balancer.refused == refused, "the balancer knew"
    server.start()
    server.wait()
    assert soon(lambda: server.port in balancer.ready, 60)


def test_a_server_that_is_killed_leaves_its_task_to_another_and_a_lost_database_comes_back(
    servers, loopback, postgres_server, postgres
):
    model = Model(loopback)
    model.hold("fuse")
    one, two = servers
    problems: list[Exception] = []

    def ask() -> None:
        with connected(one.url) as http:
            try:
                http.post("/threads/t/runs", json={"question": LETTER})
            except httpx.TransportError as error:
                problems.append(error)

    asking = threading.Thread(target=ask)
    asking.start()
    assert model.held.wait(600)
    experts = [who for who in model.asked if who != "fuse"]
    os.kill(one.process.pid, signal.SIGKILL)
    asking.join(60)
    assert problems, "the client was told that the connection is gone"
    model.go_on.set()
    with connected(two.url) as http:
        assert http.get("/threads/t").json()["status"] == "interrupted"
        # Connections of the database are cut: what comes next makes new ones.
        name = postgres.rpartition("/")[2]
        cut = postgres_server.run(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
        assert len(cut) > 1
        resumed = http.post("/threads/t/resume").raise_for_status().json()
        assert NAME in resumed["answer"]
        assert experts and all(model.asked.count(who) == 1 for who in experts)
        # The database is away for a while: that is told, and over when it is back.
        postgres_server.stop(at_once=True)
        try:
            away = http.get("/threads/t")
            assert away.status_code == 503 and "store_unavailable" in away.text, away.text
        finally:
            postgres_server.start()
        assert soon(lambda: http.get("/threads/t").status_code == 200, 60)
        assert http.get("/threads/t").json()["reply"] == resumed
