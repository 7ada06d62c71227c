"""How fast the guard reads payloads, how that depends on its entries, and against a plain search for each value.

The payload is a request of a long chat as a provider's client sends it: prose, code and tables in JSON, with escapes,
letters beyond ASCII, placeholders and some encoded tokens, none of which holds a value.
"""

import json
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from time import perf_counter

from gama.guard.search import Guard

_SYLLABLES = "ka lo mi ren dar vel sto pin gra hu ber tan ola wick ston ford nad jor eli sam".split()
_WORDS = (
    "the answer to that question depends on what people asked about money health contracts deadlines and possible "
    "reimbursement therefore however between appointments the recommendation was considered because details followed"
).split()
_PIECES = (
    "\n\n", "\t", " – “as agreed” – ", " café ", " if (a < b) { return c[0]; }\n", " 20 % & more ", " | 7 | 12 |\n",
)  # fmt: skip


@dataclass(frozen=True)
class Reading:
    """What one guard took for the payload."""

    entries: int
    build_s: float
    """Making the guard, once for a task."""
    megabytes_per_s: float
    growth: float
    """Time for the payload against that of the guard with the fewest entries."""


@dataclass(frozen=True)
class GuardBench:
    """The figures of one run."""

    megabytes: float
    """Size of the payload; a megabyte is a million bytes."""
    readings: tuple[Reading, ...]
    doubled: float
    """Time for a payload of twice the size against that for one, with the most entries."""
    plain_ratio: float
    """Time of a plain search for each of 200 values as it is written, in no other form, against the guard's."""


def bench_guard(entries: tuple[int, ...] = (10, 1_000, 10_000), megabytes: float = 4.0, repeats: int = 5) -> GuardBench:
    """Measure the guard.

    Args:
        entries: Numbers of values, each measured.
        megabytes: Size of the payload.
        repeats: Times that each is timed; the shortest counts, since other work only adds.
    """
    rng = Random(7)
    text = _payload(rng, int(megabytes * 1e6))
    values = _values(rng, max(*entries, 200))
    readings: list[Reading] = []
    first = 0.0
    guard = Guard(())
    for count in sorted(entries):
        began = perf_counter()
        guard = Guard(values[:count], placeholders=[f"<person-{number}>" for number in range(1, 100)])
        built = perf_counter() - began
        guard.search(text[:1000])
        # A payload that was checked before would not be read again.
        spent = _shortest(lambda guard=guard: guard.search(text), repeats)  # type: ignore[misc]
        first = first or spent
        readings.append(Reading(count, built, len(text) / 1e6 / spent, spent / first))
    small = Guard(values[:200])
    written, wanted = text.decode(), values[:200]
    return GuardBench(
        len(text) / 1e6,
        tuple(readings),
        _shortest(lambda: guard.search(text + text), repeats) / _shortest(lambda: guard.search(text), repeats),
        _shortest(lambda: any(value in written for value in wanted), 2) / _shortest(lambda: small.search(text), 2),
    )


def _shortest(work: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        began = perf_counter()
        work()
        times.append(perf_counter() - began)
    return min(times)


def _word(rng: Random) -> str:
    return "".join(rng.choice(_SYLLABLES) for _ in range(3)).title()


def _values(rng: Random, count: int) -> list[str]:
    def value(number: int) -> str:
        if number % 4 == 0:
            return f"+{rng.randrange(10**11, 10**12)}"
        if number % 4 == 1:
            return f"{_word(rng)}.{_word(rng)}@mail.example".lower()
        return f"{_word(rng)} {_word(rng)}"

    return [value(number) for number in range(count)]


def _payload(rng: Random, size: int) -> bytes:
    messages: list[dict[str, str]] = []
    written = 0
    while written < size:
        parts = []
        for _ in range(12):
            parts += [rng.choice(_WORDS) for _ in range(15)]
            parts += [rng.choice(_PIECES), f"<person-{rng.randrange(1, 100)}>"]
        if rng.random() < 0.05:
            parts.append(b64encode(" ".join(rng.choices(_WORDS, k=9)).encode()).decode())
        content = " ".join(parts)
        messages.append({"role": rng.choice(("user", "assistant")), "content": content})
        written += len(content.encode()) + 40
    return json.dumps({"model": "public", "messages": messages}, ensure_ascii=False).encode()


def table(result: GuardBench) -> str:
    """Return the outcome as people read it."""
    lines = [f"{'values':>8}{'ready s':>10}{'MB/s':>8}{'time / fewest':>15}"]
    for one in result.readings:
        lines += [f"{one.entries:>8,}{one.build_s:>10.3f}{one.megabytes_per_s:>8.0f}{one.growth:>15.2f}"]
    lines += [f"\ntwice the payload: {result.doubled:.2f} × the time"]
    lines += [f"a plain search for each of 200 values, in no other form: {result.plain_ratio:.1f} × the guard's time"]
    return "\n".join(lines)
