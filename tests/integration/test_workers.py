"""Several real workers on one store: a conversation goes on at another one, one is killed, limits are counted together."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest

from tests.support import upstream as up
from tests.support.ports import free_port
from tests.support.roles import Model

NAME, FRIEND = "Thessaly Quornbeck", "Ambrose Tilling"
LETTER = f"My name is {NAME}. The lease says: three months' notice. When must I give notice?"
SECRETS = (b"quornbeck", b"thessaly", b"tilling")

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="signals")]


class Cluster:
    """`gama serve` with two workers."""

    def __init__(self, folder: Path, upstream: str, model: str, *options: str, **environment: str) -> None:
        self.home, self.log = folder / "home", folder / "server.log"
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        command = [sys.executable, "-m", "gama.serve", "serve", "--workers", "2", "--port", str(port)]
        command += ["--upstream", upstream, "--anthropic", upstream, "--public", "openai:loop", "--base-url", model]
        command += ["--deny", NAME, "--deny", FRIEND, "--grace", "60", *options]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=os.environ | {"GAMA_HOME": str(self.home), "OMP_NUM_THREADS": "1"} | environment,
            )  # fmt: skip
        self.clients: list[httpx.Client] = []
        until(lambda: "2 workers" in self.text() or self.process.poll() is not None, 300)
        assert self.process.poll() is None, self.text()

    def text(self) -> str:
        return self.log.read_text()

    def line(self, request: str) -> dict[str, Any]:
        """Return the line of a request in the access log, once it is there."""
        found: list[str] = []

        def look() -> bool:
            found[:] = [line for line in self.text().splitlines() if request in line]
            return bool(found)

        until(look, 30)
        entry: dict[str, Any] = json.loads(found[0])
        return entry

    def each(self, number: int, headers: dict[str, str] | None = None) -> list[tuple[int, httpx.Client]]:
        """Return clients with a connection of their own to different workers, with the workers' process ids."""
        found: dict[int, httpx.Client] = {}
        for _ in range(300):
            client = httpx.Client(
                base_url=self.url, timeout=120, headers=headers or {}, cookies={"gama_owner": "t" * 43}
            )
            self.clients.append(client)
            answer = client.get("/gama/input_schema")
            assert answer.status_code == 200, answer.text
            found.setdefault(self.line(answer.headers["x-request-id"])["worker"], client)
            if len(found) == number:
                return list(found.items())
        raise AssertionError(f"only {len(found)} worker(s) answered")

    def stop(self, *, wait_s: float = 100) -> int:
        self.process.terminate()
        return self.process.wait(wait_s)

    def close(self) -> None:
        for client in self.clients:
            client.close()
        if self.process.poll() is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.stop(wait_s=90)
        self.process.kill()
        self.process.wait()


def until(true: Any, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.05)


@pytest.fixture
def start(tmp_path, upstream, loopback) -> Iterator[Any]:
    made: list[Cluster] = []

    def begin(*options: str, **environment: str) -> Cluster:
        made.append(Cluster(tmp_path, upstream.url, loopback.url, *options, **environment))
        return made[-1]

    yield begin
    for cluster in made:
        cluster.close()


@pytest.fixture(params=["sqlite", "postgres"])
def store(request) -> str | None:
    return request.getfixturevalue("postgres") if request.param == "postgres" else None


def placed(store: str | None) -> dict[str, str]:
    # The keys as well: so several machines would have it.
    return {"GAMA_STORE": store, "GAMA_THREAD_KEYS": store} if store else {}


def thought(signature: str) -> up.Answer:
    """Return a streamed message that thinks, signs its thinking, and speaks."""
    deltas: list[tuple[int, dict[str, str]]] = [
        (0, {"type": "thinking_delta", "thinking": "So <name-1> asks"}),
        (0, {"type": "signature_delta", "signature": signature}),
        (1, {"type": "text_delta", "text": "Dear <name-1>"}),
    ]
    blocks = [{"type": "thinking", "thinking": "", "signature": ""}, {"type": "text", "text": ""}]
    message: dict[str, Any] = {
        "id": "m1", "type": "message", "role": "assistant", "model": "claude-x", "content": [], "stop_reason": None,
        "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
    }  # fmt: skip
    events: list[dict[str, Any]] = [{"type": "message_start", "message": message}]
    for index, block in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events += [{"type": "content_block_delta", "index": at, "delta": delta} for at, delta in deltas if at == index]
        events.append({"type": "content_block_stop", "index": index})
    end = {"stop_reason": "end_turn", "stop_sequence": None}
    events += [{"type": "message_delta", "delta": end, "usage": {"output_tokens": 3}}, {"type": "message_stop"}]
    return up.events(events, named=True, done=False)


def searched(blob: bytes) -> list[bytes]:
    return [secret for secret in SECRETS if secret in blob.lower()]


def test_a_conversation_goes_on_at_another_worker(start, store, upstream, loopback, postgres_server):
    model = Model(loopback)
    cluster = start("--max-tokens", "100000", **placed(store))
    (_, one), (_, two) = cluster.each(2)

    # Threads: the whole graph.
    reply = one.post("/threads/t/runs", json={"question": LETTER}).raise_for_status().json()
    assert NAME in reply["answer"] and "<name-1>" in reply["anonymized"]
    look = two.post("/threads/t/review", json={"question": f"And {FRIEND}, says {NAME}?"}).json()
    assert look["anonymized"] == "And <name-2>, says <name-1>?"
    again = two.post("/threads/t/runs", json={"question": f"And {FRIEND}, says {NAME}?"}).raise_for_status().json()
    assert again["anonymized"] == look["anonymized"] and NAME in again["answer"]
    assert one.get("/threads/t").json()["reply"] == again and one.get("/threads").json() == {"threads": ["t"]}
    assert model.asked

    # Responses that the upstream keeps.
    with openai_client(cluster, one) as first, openai_client(cluster, two) as second:
        upstream.answer = lambda path, request: up.response("Hello <name-1>", "resp_1")
        assert first.responses.create(model="up-1", input=f"I am {NAME}.").output_text == f"Hello {NAME}"
        upstream.answer = lambda path, request: up.response("<name-1> meets <name-2>", "resp_2")
        turn = second.responses.create(model="up-1", input=f"{FRIEND} comes.", previous_response_id="resp_1")
        assert turn.output_text == f"{NAME} meets {FRIEND}" and upstream.last["input"] == "<name-2> comes."
        assert first.responses.retrieve("resp_2").output_text == f"{NAME} meets {FRIEND}"
        second.responses.delete("resp_2")
        with pytest.raises(openai.NotFoundError):
            first.responses.retrieve("resp_2")
        assert second.responses.retrieve("resp_1").output_text.endswith(FRIEND) is False

        # A chat, whose box is made of its messages.
        upstream.answer = lambda path, request: up.chat("<name-2> and <name-1>")
        talk: list[Any] = [{"role": "user", "content": f"I am {NAME}."}]
        for client in (first, second):
            talk.append({"role": "user", "content": f"So {FRIEND}?"})
            said = client.chat.completions.create(model="up-1", messages=talk).choices[0].message.content
            assert said == f"{FRIEND} and {NAME}"
            talk.append({"role": "assistant", "content": said})

    # Signed thinking goes back to the letter.
    upstream.answer = lambda path, request: thought("S" * 70)
    ask: Any = {"model": "claude-x", "max_tokens": 50, "stream": True}
    history: list[Any] = [{"role": "user", "content": f"I am {NAME}."}]
    events = one.post("/v1/messages", json=ask | {"messages": history}).raise_for_status().text
    deltas = [json.loads(line[6:])["delta"] for line in events.splitlines() if '"content_block_delta"' in line[6:]]
    thinking = "".join(delta.get("thinking", "") for delta in deltas)
    assert thinking == f"So {NAME} asks" and {"type": "signature_delta", "signature": "S" * 70} in deltas
    block = {"type": "thinking", "thinking": thinking, "signature": "S" * 70}
    history += [{"role": "assistant", "content": [block]}, {"role": "user", "content": "And?"}]
    two.post("/v1/messages", json=ask | {"messages": history}).raise_for_status()
    assert upstream.last["messages"][1]["content"][0]["thinking"] == "So <name-1> asks"

    # Boxes that the caller holds.
    box = one.post("/anonymize", json={"text": f"I am {NAME}."}).json()["box"]
    assert two.post("/restore", json={"text": "Dear <name-1>", "box": box}).json()["text"] == f"Dear {NAME}"

    # What the workers count is summed up, whichever is asked.
    counted = [runs(client.get("/metrics").text, "/threads/{thread}/runs") for client in (one, two)]
    assert counted == [2.0, 2.0]

    def everything() -> bytes:
        here = b"".join(path.read_bytes() for path in cluster.home.rglob("*") if path.is_file())
        return here + (postgres_server.tables(store) + postgres_server.disk() if store else b"")

    blob = everything()
    assert len(blob) > 10_000 and searched(blob) == []
    assert one.delete("/threads/t").json() == {"thread": "t", "forgotten": True}
    assert two.get("/threads/t").status_code == 404
    assert cluster.stop() == 0
    assert searched(cluster.log.read_bytes() + everything() + upstream.received + loopback.received) == []
    assert "Traceback" not in cluster.text()


def bare(client: httpx.Client) -> Any:
    """Return a client over the same connection, for libraries that set headers and addresses of their own."""
    made = httpx.Client(timeout=120, transport=client._transport)
    made.close = lambda: None  # type: ignore[method-assign]
    return made


def openai_client(cluster: Cluster, client: httpx.Client) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{cluster.url}/v1", api_key="sk-own", max_retries=0, http_client=bare(client))


def runs(page: str, route: str) -> float:
    found = re.findall(rf'gama_requests_total{{[^}}]*route="{re.escape(route)}"[^}}]*}} ([0-9.]+)', page)
    return sum(map(float, found))


def test_a_worker_that_is_killed_loses_nothing_that_was_finished(start, store, upstream, loopback):
    model = Model(loopback)
    upstream.answer = lambda path, request: up.response("Hello <name-1>", "resp_1")
    cluster = start(**placed(store))
    (dies, one), (stays, two) = cluster.each(2)
    done = one.post("/threads/done/runs", json={"question": LETTER}).raise_for_status().json()
    with openai_client(cluster, one) as client:
        client.responses.create(model="up-1", input=f"I am {NAME}.")
    model.asked.clear()
    model.hold("fuse")
    problem: list[Exception] = []

    def ask() -> None:
        try:
            one.post("/threads/t/runs", json={"question": LETTER})
        except httpx.TransportError as error:
            problem.append(error)

    asking = threading.Thread(target=ask)
    asking.start()
    assert model.held.wait(600)
    experts = [who for who in model.asked if who != "fuse"]
    assert two.get("/threads/t").json()["next"] == ["call_public_graph"]
    os.kill(dies, signal.SIGKILL)
    asking.join(60)
    assert problem, "the client was told that the connection is gone"
    model.go_on.set()
    # What was finished is there; what was not goes on at another worker, and nobody is paid twice who had answered.
    assert two.get("/threads/done").json()["reply"] == done
    with openai_client(cluster, two) as client:
        assert client.responses.retrieve("resp_1").output_text == f"Hello {NAME}"
    assert two.get("/threads/t").json()["status"] == "interrupted"
    resumed = two.post("/threads/t/resume").raise_for_status().json()
    assert NAME in resumed["answer"] and resumed["anonymized"] == done["anonymized"]
    assert experts and all(model.asked.count(who) == 1 for who in experts)
    # Another one has taken its place, and a killed one has nothing under way.
    until(lambda: cluster_of(cluster) - {dies, stays}, 200)
    assert re.search(r"^gama_requests_running 1(\.0)?$", two.get("/metrics").text, re.MULTILINE)
    fresh = next(client for pid, client in cluster.each(2) if pid != stays)
    assert fresh.get("/threads/t").json()["reply"] == resumed
    assert cluster.stop() == 0


def cluster_of(cluster: Cluster) -> set[int]:
    """Return the processes that answer now."""
    with httpx.Client(base_url=cluster.url, timeout=60) as client:
        return {cluster.line(client.get("/gama/input_schema").headers["x-request-id"])["worker"]}


KEYS = """
[keys.look]
key = "look-has-a-long-key"
[keys.one]
key = "one-has-a-long-key"
concurrent = 1
[keys.few]
key = "few-has-a-long-key"
requests_per_minute = 2
"""


def test_limits_are_counted_together_and_the_end_waits(start, tmp_path, upstream):
    (tmp_path / "keys.toml").write_text(KEYS)
    gate = threading.Event()

    def held(path: str, request: Any) -> up.Answer:
        gate.wait(600)
        return up.events(up.deltas(up.text_deltas("Dear <name-1>.")))

    upstream.answer = held
    cluster = start("--keys", str(tmp_path / "keys.toml"))
    (_, one), (_, two) = cluster.each(2, {"x-gama-key": "look-has-a-long-key"})
    chat = {"model": "up-1", "stream": True, "messages": [{"role": "user", "content": f"I am {NAME}."}]}
    key = {"x-gama-key": "one-has-a-long-key", "authorization": "Bearer sk-own"}
    got: list[str] = []

    def ask() -> None:
        with one.stream("POST", "/v1/chat/completions", json=chat, headers=key) as answer:
            got.extend(answer.iter_text())

    asking = threading.Thread(target=ask)
    asking.start()
    until(lambda: bool(upstream.record), 100)
    refused = two.post("/v1/chat/completions", json=chat, headers=key)
    assert refused.status_code == 429 and "1 request(s) running" in refused.text
    few = {"x-gama-key": "few-has-a-long-key"}
    began = time.monotonic()
    codes = [client.get("/gama/input_schema", headers=few).status_code for client in (two, two, two)]
    fourth = cluster.each(1, {"x-gama-key": "look-has-a-long-key"})[0][1].get("/gama/input_schema", headers=few)
    if time.monotonic() - began < 25:
        assert codes == [200, 200, 429] and fourth.status_code == 429 and int(fourth.headers["retry-after"]) >= 1
    # Stopped in the middle of an answer: it is finished, and no further request is taken.
    cluster.process.terminate()
    # Nobody can connect then: a listening socket that nobody serves would take requests to lose them.
    until(lambda: not connects(cluster.url), 30)
    gate.set()
    asking.join(60)
    assert cluster.process.wait(600) == 0
    text = "".join(got)
    assert text.rstrip().endswith("data: [DONE]") and "<" not in text
    assert searched(cluster.log.read_bytes()) == [] and "Traceback" not in cluster.text()


def connects(url: str) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", int(url.rpartition(":")[2]))) == 0


def test_what_is_wrong_is_told_once_and_at_the_start(tmp_path, home, postgres, loopback):
    wrong = postgres.replace("planted-pass", "wrong-pass")
    for options, told in (
        (["--no-store-threads"], "leave out --no-store-threads"),
        (["--store", wrong], "refuses the user"),
        (["--store", "mysql://x"], "neither sqlite"),
        (["--keys", str(tmp_path / "none.toml")], "no keys to be read"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "gama.serve", "serve", "--workers", "2", "--port", "0", *options],
            capture_output=True, text=True, timeout=200, env=os.environ | {"GAMA_HOME": str(home)},
        )  # fmt: skip
        assert done.returncode not in (0, 1) and told in done.stderr and "Traceback" not in done.stderr
        assert "wrong-pass" not in done.stderr
