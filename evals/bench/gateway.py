"""What the gateway adds to a stream: time to the first and to the last piece, throughput, memory.

The same requests go to the same upstream, directly and through the gateway, in turn, on one machine;
upstream, gateway and clients are processes of their own.
"""

import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import monotonic, perf_counter, sleep
from typing import Any

WORDS = 300
"""Words of a prompt."""
WORDS_A_PIECE = 5
"""Words of a prompt for each piece of its answer."""
PAUSE_MS = 5.0
"""Milliseconds between them."""
READY_S = 180.0
ANSWER = "Thank you, I have read it."
TURN = "And what do you say to the last question: may we wait with it until the week after next?"
_WARM = 8


Ask = Callable[[int], tuple[Any, ...]]
"""Gives, by the number of a request, the port and the texts."""


@dataclass(frozen=True)
class Way:
    """One way to the upstream, at one number of streams at a time."""

    name: str
    """`direct`; `new`: each prompt is read for the first time; `turn`: one that was read before, an answer, and a new
    question of a line; `known`: all texts were read before."""
    streams: int
    first_ms: float
    """Median time to the first piece of the answer."""
    last_ms: float
    """Median time to the last piece."""
    first_p95_ms: float
    per_second: float
    """Streams that end within a second."""
    added_first_ms: float
    """Median time to the first piece, less that of the direct way at the same number of streams."""
    added_last_ms: float


@dataclass(frozen=True)
class GatewayBench:
    """The outcome."""

    cores: int
    words: int
    ways: tuple[Way, ...]
    memory_mb: tuple[float, ...]
    """Resident memory of the gateway: at rest, then after each tenth of further requests. Empty where unknown."""
    requests: int


def bench_gateway(
    text: str,
    *,
    levels: Sequence[int] = (1, 16, 128),
    rounds: int = 3,
    requests: int = 1000,
    words: int = WORDS,
    options: Sequence[str] = (),
) -> GatewayBench:
    """Measure.

    Args:
        text: what the prompts are made of.
        levels: streams at a time.
        rounds: streams that each place makes one after the other.
        requests: further requests, over which the memory is watched.
        words: words of a prompt.
        options: further options of `gama serve`.
    """
    prompt = prompt_of(text, words)
    upstream, gateway = free_port(), free_port()
    with tempfile.TemporaryDirectory() as home, running(upstream, gateway, home, words, options) as process:
        asyncio.run(_warm(gateway, prompt))
        ways: list[Way] = []
        for streams in levels:
            asks: dict[str, Ask] = {
                "direct": lambda n: (upstream, prompt),
                "new": lambda n, streams=streams: (gateway, f"Case {streams}.{n}. {prompt}"),  # type: ignore[misc]
                "turn": lambda n, streams=streams: (gateway, prompt, ANSWER, f"{streams}.{n}. {TURN}"),  # type: ignore[misc]
                "known": lambda n: (gateway, prompt),
            }
            base: Way | None = None
            for name, ask in asks.items():
                way = asyncio.run(_measure(name, ask, streams, rounds, base))
                base = base or way
                ways.append(way)
        memory = tuple(asyncio.run(_watch(process.pid, gateway, prompt, requests)))
    return GatewayBench(os.cpu_count() or 1, words, tuple(ways), memory, requests)


def prompt_of(text: str, words: int) -> str:
    """Return a prompt of so many words of a text."""
    return " ".join((text.split() * (1 + words // max(1, len(text.split()))))[:words])


@contextmanager
def running(
    upstream: int, gateway: int, home: str, words: int, options: Sequence[str]
) -> "Iterator[subprocess.Popen[bytes]]":
    """Run an upstream, and a gateway before it; gives the gateway's process.

    Args:
        upstream: port of the one.
        gateway: port of the other.
        home: folder of its keys and boxes.
        words: words of a prompt, by which answers have their length.
        options: further ones of `gama serve`.
    """
    pieces = max(1, words // WORDS_A_PIECE)
    answering = [sys.executable, "-m", "gama.evals.bench.upstream", str(upstream), str(pieces), str(PAUSE_MS)]
    url = f"http://127.0.0.1:{upstream}/v1"
    with _process(answering, upstream), gateway_at(gateway, url, home, ["--no-store-threads", *options]) as process:
        yield process


@contextmanager
def gateway_at(port: int, upstream: str, home: str, options: Sequence[str]) -> "Iterator[subprocess.Popen[bytes]]":
    """Run a gateway before an upstream; gives its process once it listens.

    Args:
        port: where it listens.
        upstream: base URL.
        home: folder of its keys and boxes.
        options: further ones of `gama serve`.
    """
    command = [sys.executable, "-m", "gama.serve", "serve", "--port", str(port), "--no-access-log"]
    with _process([*command, "--upstream", upstream, *options], port, GAMA_HOME=home) as process:
        yield process


@contextmanager
def _process(command: Sequence[str], port: int, **variables: str) -> "Iterator[subprocess.Popen[bytes]]":
    process = subprocess.Popen(command, env=os.environ | variables, stderr=subprocess.DEVNULL)
    try:
        wait_for(port, process)
        yield process
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_for(port: int, process: "subprocess.Popen[bytes]") -> None:
    """Wait until somebody listens at a port.

    Raises:
        RuntimeError: nobody does in time.
    """
    until = monotonic() + READY_S
    while monotonic() < until and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            sleep(0.1)
    raise RuntimeError("The gateway did not start: try `gama serve` by itself.")


def free_port() -> int:
    """Return a port that nobody listens at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


async def ask_once(port: int, *texts: str) -> tuple[float, float]:
    """Make one streamed request of a conversation's texts; returns the seconds to the first and to the last piece."""
    messages = [{"role": "assistant" if at % 2 else "user", "content": text} for at, text in enumerate(texts)]
    body = json.dumps({"model": "m", "stream": True, "messages": messages}).encode()
    head = (
        "POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
        f"authorization: Bearer k\r\nconnection: close\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    began = perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(head.encode() + body)
        await writer.drain()
        seen = b""
        first = 0.0
        while b"[DONE]" not in seen[-200:]:
            part = await reader.read(65536)
            if not part:
                raise RuntimeError(f"The stream broke off: {seen[:300]!r}")
            seen += part
            if not first and b'"content":' in seen:
                first = perf_counter() - began
        return first, perf_counter() - began
    finally:
        writer.close()


async def _warm(port: int, prompt: str) -> None:
    """Make requests until models are loaded and memory has come to rest."""
    for number in range(_WARM):
        await ask_once(port, f"Warm {number}. {prompt}")
    await ask_once(port, prompt)


async def _measure(name: str, ask: Ask, streams: int, rounds: int, base: Way | None) -> Way:
    async def place(at: int) -> list[tuple[float, float]]:
        return [await ask_once(*ask(at * rounds + turn)) for turn in range(rounds)]

    began = perf_counter()
    times = [pair for pairs in await asyncio.gather(*(place(at) for at in range(streams))) for pair in pairs]
    taken = perf_counter() - began
    first = sorted(pair[0] * 1000 for pair in times)
    last = median(pair[1] for pair in times) * 1000
    middle = median(first)
    return Way(
        name, streams, middle, last, first[min(len(first) - 1, int(0.95 * len(first)))], len(times) / taken,
        middle - base.first_ms if base else 0.0, last - base.last_ms if base else 0.0,
    )  # fmt: skip


async def _watch(pid: int, port: int, prompt: str, requests: int) -> list[float]:
    """Make further requests, half of them with new texts, and read the memory after each tenth."""
    out = [resident_mb(pid)]
    for tenth in range(10):
        for at in range(0, requests // 10, 8):
            numbers = [tenth * requests + at + n for n in range(8)]
            await asyncio.gather(*(ask_once(port, f"Turn {n}. {prompt}" if n % 2 else prompt) for n in numbers))
        out.append(resident_mb(pid))
    return [size for size in out if size]


def resident_mb(pid: int) -> float:
    """Return the resident memory of a process in MiB; 0 where the platform does not tell."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS")), 0.0)


def table(result: GatewayBench) -> str:
    """Return the outcome as people read it."""
    head = f"prompts of {result.words} words, {result.cores} cores; milliseconds, medians; + is what the gateway adds\n"
    lines = [head, f"{'':8}{'streams':>8}{'first':>9}{'p95':>9}{'last':>9}{'+first':>9}{'+last':>9}{'streams/s':>11}"]
    for way in result.ways:
        times = (way.first_ms, way.first_p95_ms, way.last_ms, way.added_first_ms, way.added_last_ms)
        lines += [f"{way.name:8}{way.streams:>8}" + "".join(f"{ms:>9.1f}" for ms in times) + f"{way.per_second:>11.1f}"]
    if result.memory_mb:
        sizes = ", ".join(f"{size:.0f}" for size in result.memory_mb)
        lines += [f"\nmemory over {result.requests} further requests, MiB: {sizes}"]
    return "\n".join(lines)
