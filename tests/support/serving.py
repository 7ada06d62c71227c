"""A running server for tests, and a tagger that knows a few names: what is tested here is not the detection."""

import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from gama.state.entities import TYPE_OF, Span
from gama.state.options import Options

NAMES = {
    "Thessaly Quornbeck": "full_name",
    "Thessaly": "first_name",
    "Ambrose Tilling": "full_name",
    "Ludmila Vance": "full_name",
    "Marrowgate": "city",
    "7 Gallows Hill\nMarrowgate": "street_address",
    'The "Blue" Door\\Inn': "company",
    "Renée Ødegård": "full_name",
    "£1,350.00": "amount",
    "£2,025.00": "amount",
}
"""What the tagger finds, with subtypes."""

NAME = "Thessaly Quornbeck"
ADDRESS = "7 Gallows Hill\nMarrowgate"
SECRETS = ["quornbeck", "thessaly", "6016", "gallows", "marrowgate", "tilling", "planted.example"]
"""Pieces of what a client says that the upstream must never get, in lower case."""


class Chosen:
    """A selector that needs what it is told; it keeps what it was asked."""

    threshold = 0.5

    def __init__(self) -> None:
        self.needed = {"Marrowgate"}
        self.asked: list[tuple[str, str]] = []

    def scores(self, text: str, query: str, stretches: Sequence[tuple[int, int]]) -> list[float]:
        self.asked.append((text, query))
        return [0.9 if text[start:end] in self.needed else 0.1 for start, end in stretches]


_PATTERN = re.compile("|".join(map(re.escape, sorted(NAMES, key=len, reverse=True))))


def few_names(options: Options) -> Any:
    """Return a tagger that finds `NAMES` and nothing else, at once."""

    def find(text: str) -> list[Span]:
        out = []
        for match in _PATTERN.finditer(text):
            subtype = NAMES[match.group()]
            out.append(Span(*match.span(), TYPE_OF[subtype], subtype, 0.99, "pner", 0.99, source="embedded"))
        return out

    return find


def clean(blob: bytes) -> bool:
    """Return whether what the upstream got has nothing of `SECRETS` in it."""
    text = blob.decode().casefold()
    return not any(secret in text for secret in SECRETS)


def soon(holds: Callable[[], bool], within_s: float = 20.0) -> bool:
    """Return whether something comes to hold: a line of the log is written when the answer has gone out."""
    until = time.monotonic() + within_s
    while not holds() and time.monotonic() < until:
        time.sleep(0.02)
    return holds()


class Running:
    """A server that runs, and the lines of its access log."""

    def __init__(self, url: str, app: Any, log: list[dict[str, Any]]) -> None:
        self.url = url
        self.v1 = f"{url}/v1"
        self.app = app
        self.server = app.state.server
        self.log = log


@contextmanager
def serving(options: Options | None = None, **settings: Any) -> Iterator[Running]:
    """Run a server on a free port of loopback."""
    import uvicorn

    from gama.serve.app import create_app
    from gama.serve.http.patience import PatientConfig
    from gama.serve.http.settings import ServerSettings

    log: list[dict[str, Any]] = []
    chosen = ServerSettings(**settings)
    app = create_app(chosen, options or Options(), log=log.append)
    # A client that read slowly comes back for its connection at any time, maybe just as the server ends it as idle,
    # which no client can tell from a defect: nothing is idle for so long here.
    config = PatientConfig(
        app, port=0, log_level="critical", lifespan="on", ws="none", timeout_graceful_shutdown=5,
        timeout_keep_alive=300, header_s=chosen.header_s,
    )  # fmt: skip
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server did not start"
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield Running(f"http://127.0.0.1:{port}", app, log)
    finally:
        server.should_exit = True
        thread.join(20)
