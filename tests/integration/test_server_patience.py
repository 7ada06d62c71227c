"""Clients that drip: what says nothing, or says it byte by byte, is ended; a slow one in time is served."""

import socket
import threading
import time
from collections.abc import Iterator

import httpx
import pytest

from tests.support import serving

pytestmark = pytest.mark.usefixtures("few_names")

HANG = 120
"""Seconds that only a hang reaches."""


@pytest.fixture(scope="module", params=["httptools", "h11"])
def server(request) -> Iterator[serving.Running]:
    from uvicorn.protocols.http import h11_impl, httptools_impl

    from gama.serve.http import patience

    base = {"httptools": httptools_impl.HttpToolsProtocol, "h11": h11_impl.H11Protocol}[request.param]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(patience, "PatientProtocol", type("PatientProtocol", (patience.Patience, base), {}))
        with serving.serving(header_s=0.5, body_s=0.5, keep=False) as running:
            yield running


def connect(server: serving.Running) -> socket.socket:
    host, port = server.url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=HANG)


def drip(made: socket.socket, piece: bytes) -> bytes:
    """Send a piece again and again until the server ends the connection, and return what it said."""
    ended = threading.Event()

    def send() -> None:
        try:
            while not ended.is_set():
                made.sendall(piece)
                ended.wait(0.05)
        except OSError:
            pass

    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    said = b""
    try:
        while part := made.recv(4096):
            said += part
    except ConnectionResetError:
        pass
    finally:
        ended.set()
        sender.join()
        made.close()
    return said


def test_a_connection_that_says_nothing_is_ended(server):
    with connect(server) as made:
        assert made.recv(1) == b""


def test_headers_that_drip_are_ended(server):
    made = connect(server)
    made.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: ")
    assert drip(made, b"a") == b""


def test_headers_that_drip_behind_a_first_request_are_ended(server):
    made = connect(server)
    made.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert made.recv(12) == b"HTTP/1.1 200"
    made.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: ")
    assert drip(made, b"a").count(b"HTTP/1.1") == 0


@pytest.mark.parametrize("path", ["/identify", "/v1/chat/completions", "/threads"])
def test_a_body_that_drips_is_ended_and_told(server, path):
    made = connect(server)
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{{"
    )
    made.sendall(head.encode())
    said = drip(made, b" ")
    if path == "/threads":
        # It takes no body, and does not wait for one.
        assert said.startswith(b"HTTP/1.1 ")
        return
    assert said.startswith(b"HTTP/1.1 408") and b"body_too_slow" in said and said.count(b"HTTP/1.1") == 1


def test_a_body_in_pieces_that_comes_in_time_is_taken(server):
    def pieces() -> Iterator[bytes]:
        # What has come earns time: more than the half second that a body without a byte has.
        yield b"{" + b" " * 4_000_000
        time.sleep(0.7)
        yield b'"text": "I am Thessaly Quornbeck."}'

    head = {"content-type": "application/json"}
    told = httpx.post(f"{server.url}/identify", content=pieces(), headers=head, timeout=HANG)
    assert told.status_code == 200 and told.json()["entities"][0]["text"] == "Thessaly Quornbeck"


def test_an_answer_may_take_as_long_as_it_takes(server, monkeypatch):
    anonymizer = server.server.anonymizer
    usual = type(anonymizer).identify

    def slow(self, text):
        time.sleep(1.2)
        return usual(self, text)

    monkeypatch.setattr(type(anonymizer), "identify", slow)
    with httpx.Client(base_url=server.url, timeout=HANG) as client:
        assert client.post("/identify", json={"text": "I am Thessaly Quornbeck."}).status_code == 200


class Quiet:
    """A protocol that is given no bytes."""

    cycle = None

    def connection_made(self, transport: object) -> None:
        self.transport = transport


@pytest.mark.parametrize(("late_s", "closed"), [(0.0, True), (40.0, False)])
def test_a_server_that_was_too_busy_to_read_closes_nothing_yet(late_s, closed):
    from types import SimpleNamespace

    from gama.serve.http.patience import LATE, Patience

    now, timers, ended = [100.0], [], []
    loop = SimpleNamespace(
        time=lambda: now[0],
        call_later=lambda seconds, call, *args: timers.append((seconds, call, args)) or SimpleNamespace(cancel=int),
    )
    made = type("Made", (Patience, Quiet), {"loop": loop, "config": SimpleNamespace(header_s=30.0)})()
    made.connection_made(SimpleNamespace(close=lambda: ended.append(True)))
    ((seconds, call, args),) = timers
    # The loop comes back from other work: the timer is due before what has come is read.
    now[0] += seconds + late_s
    call(*args)
    assert bool(ended) is closed
    if not closed:
        seconds, call, args = timers[-1]
        assert seconds == LATE
        now[0] += seconds
        call(*args)
        assert ended
