"""A load test of the gateway: clients with new and known prompts, streams and whole answers, for some minutes.

The upstream is scripted, and a process of its own, as the gateway is; clients are here. What a prompt costs the encoder
alone is timed in the same run, before the clients begin.
"""

import asyncio
import math
import os
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

import httpx

from gama.evals.bench.gateway import WORDS, free_port, prompt_of, resident_mb, running
from gama.state.errors import OptionError

KINDS = ("new, stream", "known, stream", "new, whole", "known, whole")
"""What a client asks for, in turn."""
_PARTS = 10
"""How often memory is read in the course of a run."""
_TIMEOUT_S = 120.0
_FLAT = 0.02
"""Growth of the memory, as a share of it, up to which it counts as flat."""
_HEADS = ("half", "95 %", "99 %")


class Reply(NamedTuple):
    """What became of one request."""

    kind: str
    status: str
    """Of HTTP, or what broke it off."""
    first_s: float
    """Until the first byte of the answer's text; of whole answers the same as `whole_s`."""
    whole_s: float


@dataclass(frozen=True)
class Latency:
    """How long the answered requests of a kind took, in milliseconds: of all, half, 95 % and 99 % took no more."""

    kind: str
    count: int
    first_ms: tuple[float, float, float]
    whole_ms: tuple[float, float, float]


@dataclass(frozen=True)
class Load:
    """The outcome."""

    clients: int
    seconds: float
    requests: int
    per_second: float
    """Requests that were answered within a second."""
    latencies: tuple[Latency, ...]
    statuses: dict[str, int]
    """How many answers had which status; by name, what ended without one."""
    memory_mb: tuple[float, ...]
    """Resident memory of the gateway and its workers at the end of each tenth. Empty where unknown."""
    growth_mb: float | None
    """Memory of the second half of the run, less that of the first; medians."""
    cpu_ms: float | None
    """Processor time of the gateway and its workers for a request."""
    encoder_per_second: float
    """New prompts that the encoder alone reads within a second."""
    ratio: float
    """New prompts that were answered within a second, against those."""


def bench_load(
    text: str,
    *,
    clients: int,
    minutes: float,
    url: str | None = None,
    key: str | None = None,
    model: str = "m",
    words: int = WORDS,
    options: Sequence[str] = (),
) -> Load:
    """Put the gateway under load.

    Args:
        text: what the prompts are made of.
        clients: how many ask at the same time, each one request after the other.
        minutes: how long.
        url: base URL of a gateway that runs already; by default one is started before a scripted upstream.
        key: API key for that.
        model: name of the model that is asked for.
        words: words of a prompt.
        options: further options of `gama serve`.
    """
    prompt = prompt_of(text, words)
    encoder = _encoder_per_second(prompt)
    with tempfile.TemporaryDirectory() as home, _gateway(url, home, words, options) as (base, pid):
        return asyncio.run(_load(base, prompt, clients, minutes * 60, key, model, pid, encoder))


@contextmanager
def _gateway(url: str | None, home: str, words: int, options: Sequence[str]) -> Iterator[tuple[str, int | None]]:
    """Give a gateway's base URL, and its process where it is ours."""
    if url is not None:
        yield url.rstrip("/").removesuffix("/v1"), None
        return
    upstream, port = free_port(), free_port()
    with running(upstream, port, home, words, options) as process:
        yield f"http://127.0.0.1:{port}", process.pid


def _encoder_per_second(prompt: str) -> float:
    """Return how many prompts the encoder alone reads within a second."""
    from gama.models.embedded import WEIGHTS, embedded_tagger, encode, load_tokenizer, windows

    tagger = embedded_tagger()
    encoded = encode(prompt, load_tokenizer(WEIGHTS))
    feeds = [tagger.feed(encoded, window) for window in windows(encoded)]
    taken = []
    for _ in range(8):
        began = perf_counter()
        for feed in feeds:
            tagger.run(feed)
        taken.append(perf_counter() - began)
    return 1 / min(taken)


async def _load(
    base: str, prompt: str, clients: int, seconds: float, key: str | None, model: str, pid: int | None, encoder: float
) -> Load:
    replies: list[Reply] = []
    memory: list[float] = []
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=clients)
    headers = {"authorization": f"Bearer {key or 'k'}"}
    async with httpx.AsyncClient(
        base_url=base, headers=headers, limits=limits, timeout=_TIMEOUT_S, trust_env=False
    ) as http:
        known = await _ask(http, "known, whole", prompt, model)
        if known.status != "200":
            # A gateway that does not answer at all is told at once, not after minutes.
            raise OptionError(f"option --url: the gateway answered {known.status} to the first request; does it run?")
        cpu, began = _cpu_s(pid), perf_counter()
        until = began + seconds

        async def client(at: int) -> None:
            number = at
            while perf_counter() < until:
                kind = KINDS[number % len(KINDS)]
                asked = prompt if kind.startswith("known") else f"Case {at}.{number}. {prompt}"
                replies.append(await _ask(http, kind, asked, model))
                number += 1

        async def watch() -> None:
            for _ in range(_PARTS):
                await asyncio.sleep(seconds / _PARTS)
                memory.append(sum(resident_mb(one) for one in _processes(pid)))

        await asyncio.gather(watch(), *(client(at) for at in range(clients)))
        taken, spent = perf_counter() - began, _cpu_s(pid)
    good = [reply for reply in replies if reply.status == "200"]
    new = sum(reply.kind.startswith("new") for reply in good)
    half = len(memory) // 2
    known_memory = tuple(memory) if memory and all(memory) else ()
    return Load(
        clients=clients,
        seconds=taken,
        requests=len(replies),
        per_second=len(good) / taken,
        latencies=tuple(_latencies(good)),
        statuses=dict(sorted(Counter(reply.status for reply in replies).items())),
        memory_mb=known_memory,
        growth_mb=median(memory[half:]) - median(memory[:half]) if known_memory else None,
        cpu_ms=None if cpu is None or spent is None else 1000 * (spent - cpu) / max(1, len(replies)),
        encoder_per_second=encoder,
        ratio=new / taken / encoder,
    )


async def _ask(http: httpx.AsyncClient, kind: str, prompt: str, model: str) -> Reply:
    """Make one request; whatever goes wrong is told, and ends nothing."""
    streamed = kind.endswith("stream")
    body: dict[str, Any] = {"model": model, "stream": streamed, "messages": [{"role": "user", "content": prompt}]}
    began, first = perf_counter(), 0.0
    try:
        async with http.stream("POST", "/v1/chat/completions", json=body) as answer:
            status, seen, tail = str(answer.status_code), False, b""
            async for part in answer.aiter_bytes():
                tail = (tail + part)[-200:]
                if not first and (not streamed or b'"content":' in part):
                    first = perf_counter() - began
                seen = True
        whole = perf_counter() - began
        if status == "200" and (not seen or (streamed and b"[DONE]" not in tail)):
            status = "broken off"
        return Reply(kind, status, (first if streamed else whole) or whole, whole)
    except httpx.HTTPError as error:
        return Reply(kind, type(error).__name__, 0.0, perf_counter() - began)


def _latencies(replies: Sequence[Reply]) -> Iterator[Latency]:
    for kind in KINDS:
        if chosen := [reply for reply in replies if reply.kind == kind]:
            first, whole = ([getattr(one, name) for one in chosen] for name in ("first_s", "whole_s"))
            yield Latency(kind, len(chosen), percentiles(first), percentiles(whole))


def percentiles(seconds: Sequence[float]) -> tuple[float, float, float]:
    """Return which times, in milliseconds, half, 95 % and 99 % of some do not pass."""
    ordered = sorted(seconds)
    half, most, nearly = (1000 * ordered[math.ceil(share * len(ordered)) - 1] for share in (0.5, 0.95, 0.99))
    return half, most, nearly


def _processes(pid: int | None) -> list[int]:
    """Return a process and all that it has started; none where that is unknown."""
    if pid is None:
        return []
    found = [pid]
    for one in found:
        try:
            children = Path(f"/proc/{one}/task/{one}/children").read_text()
        except OSError:
            continue
        found += map(int, children.split())
    return found


def _cpu_s(pid: int | None) -> float | None:
    """Return the processor time of a process and of those that it has started; None where that is unknown."""
    spent = [ticks for one in _processes(pid) if (ticks := _ticks(one)) is not None]
    return sum(spent) / os.sysconf("SC_CLK_TCK") if spent else None


def _ticks(pid: int) -> int | None:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return int(fields[11]) + int(fields[12])


def table(result: Load) -> str:
    """Return the outcome as people read it."""
    count = f"{result.requests} requests of {result.clients} clients in {result.seconds:.0f} s"
    lines = [f"{count}: {result.per_second:.1f} answers/s\n"]
    lines += [f"{'ms':16}{'number':>8}" + "".join(f"{head:>10}" for head in (*_HEADS, *_HEADS))]
    lines += [f"{'':24}{'first token':^30}{'whole answer':^30}"]
    for row in result.latencies:
        times = "".join(f"{ms:>10.0f}" for ms in (*row.first_ms, *row.whole_ms))
        lines += [f"{row.kind:16}{row.count:>8}{times}"]
    lines += ["\nstatus: " + ", ".join(f"{status}: {number}" for status, number in result.statuses.items())]
    if result.memory_mb and result.growth_mb is not None:
        sizes = ", ".join(f"{size:.0f}" for size in result.memory_mb)
        told = "flat" if result.growth_mb <= _FLAT * result.memory_mb[0] else "growing"
        lines += [f"memory by tenths, MiB: {sizes}; {told}, second half against first: {result.growth_mb:+.1f}"]
    if result.cpu_ms is not None:
        lines += [f"processor time for a request: {result.cpu_ms:.0f} ms"]
    lines += [
        f"new prompts/s against the encoder alone ({result.encoder_per_second:.1f}/s): {result.ratio:.2f}, while known "
        "ones are answered beside them"
    ]
    return "\n".join(lines)
