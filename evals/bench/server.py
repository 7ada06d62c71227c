"""A model of fixed latency: an OpenAI-compatible HTTP server that answers every call the same, after so many seconds.

It runs in a process of its own (`python -m gama.evals.bench.server SECONDS`), so that it takes no time from what is
measured, and writes its port to standard output. `GET /stats` tells how many calls there were and how many at once.
"""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.request import ProxyHandler, build_opener

ANSWER = json.dumps({"contradiction": True, "reason": "A contradiction, as always."})
"""What it answers: as an answer it will do, as a verdict it keeps the disproof going to its limit."""


class Stats(NamedTuple):
    """What the server saw since it was last asked."""

    calls: int
    most_at_once: int


class ModelServer(NamedTuple):
    """A running server."""

    url: str
    """Base URL for an OpenAI client."""

    def stats(self) -> Stats:
        """Return what it saw since it was last asked."""
        # Whatever proxy the environment names, this machine is reached without.
        with build_opener(ProxyHandler({})).open(self.url.removesuffix("/v1") + "/stats", timeout=30) as reply:
            return Stats(**json.load(reply))


@contextmanager
def model_of_latency(seconds: float) -> Iterator[ModelServer]:
    """Run the server in a process of its own.

    Raises:
        OSError: it does not start.
    """
    command = [sys.executable, "-m", "gama.evals.bench.server", str(seconds)]
    environment = dict(os.environ) | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)
    assert process.stdout is not None
    try:
        port = process.stdout.readline().strip()
        if not port:
            raise OSError("the model server of the benchmark did not start")
        yield ModelServer(f"http://127.0.0.1:{int(port)}/v1")
    finally:
        process.terminate()
        process.wait(10)
        process.stdout.close()


class _Model:
    """The server's side: connections are kept, replies are made once."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._calls = self._now = self._most = 0
        message = {"role": "assistant", "content": ANSWER}
        self._reply = _response(
            {
                "id": "bench",
                "object": "chat.completion",
                "created": 0,
                "model": "bench",
                "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
                "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
            }
        )

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
                length = next(
                    (int(h.partition(":")[2]) for h in head.split("\r\n") if h.startswith("content-length")), 0
                )
                await reader.readexactly(length)
                writer.write(self._stats() if head.startswith("get /stats") else await self._answer())
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            # The client has gone.
            pass
        finally:
            writer.close()

    async def _answer(self) -> bytes:
        self._calls += 1
        self._now += 1
        self._most = max(self._most, self._now)
        try:
            await asyncio.sleep(self._seconds)
        finally:
            self._now -= 1
        return self._reply

    def _stats(self) -> bytes:
        found = Stats(self._calls, self._most)
        self._calls, self._most = 0, self._now
        return _response(found._asdict())


def _response(content: dict[str, Any]) -> bytes:
    body = json.dumps(content).encode()
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + body


async def main(seconds: float) -> None:
    """Serve until the process is ended."""
    server = await asyncio.start_server(_Model(seconds).serve, "127.0.0.1", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1])))
