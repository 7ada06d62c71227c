"""Fair queueing with real clients: nobody waits behind another's megabyte, and nobody for longer than is allowed."""

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from gama.serve.gateway import lanes
from gama.state.options import Options
from tests.support import serving
from tests.support.upstream import Upstream

SIZES = {"short": 1, "middle": 2_000, "long": 10_000}
"""Letters of a request in each lane, under the bounds below."""


class Held:
    """A tagger that is held up by texts with a sign in them until it is let go."""

    def __init__(self) -> None:
        """Begin closed."""
        self.gate = threading.Event()
        self.reading = threading.Semaphore(0)

    def finder(self, options: Options) -> Any:
        """Return what takes the tagger's place."""
        find = serving.few_names(options)

        def hold(text: str) -> Any:
            if "HOLD" in text:
                self.reading.release()
                assert self.gate.wait(60)
            return find(text)

        return hold


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    held = Held()
    monkeypatch.setattr("gama.privacy.finders.tagger", held.finder)
    monkeypatch.setattr(lanes, "LANES", (1_000, 5_000))
    yield held
    held.gate.set()


def ask(url: str, text: str, size: str) -> httpx.Response:
    content = f"{text} {'a ' * (SIZES[size] // 2)}"
    body = {"model": "m", "messages": [{"role": "user", "content": content}]}
    return httpx.post(f"{url}/v1/chat/completions", json=body, timeout=90)


def answered(asked: list["Future[httpx.Response]"]) -> list[int]:
    return [one.result(90).status_code for one in asked]


def test_short_requests_pass_by_any_number_of_long_ones(upstream: Upstream, held: Held) -> None:
    with serving.serving(upstream=upstream.url, threads=2) as server, ThreadPoolExecutor(8) as clients:
        long = [clients.submit(ask, server.url, f"HOLD {at}", "long") for at in range(5)]
        assert held.reading.acquire(timeout=60)
        assert [ask(server.url, f"Hello {at}.", "short").status_code for at in range(3)] == [200] * 3
        assert ask(server.url, "Hello.", "middle").status_code == 200
        assert not any(one.done() for one in long)
        held.gate.set()
        assert answered(long) == [200] * 5


def test_a_wait_beyond_the_limit_ends_with_a_clear_answer(upstream: Upstream, held: Held) -> None:
    with (
        serving.serving(upstream=upstream.url, threads=1, longest_wait=0.3) as server,
        ThreadPoolExecutor(8) as clients,
    ):
        first = clients.submit(ask, server.url, "HOLD", "short")
        assert held.reading.acquire(timeout=60)
        refused = ask(server.url, "Hello.", "short")
        assert refused.status_code == 503 and int(refused.headers["retry-after"]) >= 1
        assert refused.json()["error"]["code"] == "busy" and "longest-wait" in refused.json()["error"]["message"]
        assert not first.done() and upstream.record == []
        held.gate.set()
        assert answered([first]) == [200]
        assert ask(server.url, "Hello.", "short").status_code == 200


def test_who_would_wait_too_long_is_told_at_once(upstream: Upstream, held: Held) -> None:
    """Once it is known how long requests take, none waits in vain."""
    with (
        serving.serving(upstream=upstream.url, threads=1, longest_wait=30) as server,
        ThreadPoolExecutor(8) as clients,
    ):
        lane = server.app.state.gateway._lanes._lanes[0]
        first = clients.submit(ask, server.url, "HOLD", "short")
        assert held.reading.acquire(timeout=60)
        # The last request took a second for each byte.
        lane._read_s, lane._read_bytes = 1.0, 1.0
        refused = ask(server.url, "Hello.", "short")
        assert refused.status_code == 503 and int(refused.headers["retry-after"]) > 30
        held.gate.set()
        assert answered([first]) == [200]
