"""How fast answers full of placeholders are restored, and how the time grows, whatever a hostile one holds."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import process_time

from gama.privacy.box import PrivacyBox
from gama.state.restoring import Restoring
from gama.tools.placeholders.remapping import remap_text
from gama.tools.placeholders.stream import StreamRestorer

FLOODS: dict[str, Callable[[int], str]] = {
    "nested brackets": lambda n: "[" * (n // 2) + "]" * (n // 2),
    "opening angle brackets": lambda n: "<" * n,
    "angle brackets around": lambda n: "<" * (n // 2) + "name-1" + ">" * (n // 2),
    "deep JSON": lambda n: '{"a":' * (n // 5),
    "deep lists": lambda n: "[" * (n // 2) + '"<name-1>"' + "]" * (n // 2),
    "own": lambda n: "<name-1>" * (n // 80),
    "foreign": lambda n: "<name-7777>" * (n // 110),
    "halves": lambda n: "<name-" * (n // 60),
    "bare": lambda n: "name-1" * (n // 60),
    "all escapes": lambda n: "&lt;name-1&gt;%3Cname-1%3E\\u003cname-1\\u003e" * (n // 440),
    "facts": lambda n: "<name-1" + " a=b" * (n // 4),
    "facts without an end": lambda n: '<name-1 gender=f kind=x, c: "d" ' * (n // 320),
    "backslashes": lambda n: "\\" * n + "u003c",
    "spaces": lambda n: "<" + " " * n + "name-1>",
    "digits": lambda n: "<name-" + "1" * n + ">",
    "letters": lambda n: "<" + "name" * (n // 4) + "-1>",
    "combining marks": lambda n: "<n" + "\u0301" * n + "ame-1>",
    "zero-width": lambda n: "<" + "\u200b" * n + "name-1>",
    "null bytes": lambda n: "\x00" * n,
    "right-to-left overrides": lambda n: "\u202e<name-1>" * (n // 90),
    "fences": lambda n: "```python\n" * (n // 10),
    "quotes in code": lambda n: "```python\n" + "\"'`" * (n // 3),
    "quotes in a table": lambda n: "```csv\n" + 'x"' * (n // 4) + ",<name-1>," * (n // 400),
    "tags": lambda n: "<html>" + "<a b='" * (n // 6),
    "ampersands": lambda n: "&" * n,
    "percent signs": lambda n: "%25" * (n // 3),
    "joints": lambda n: "a-1" * (n // 3),
    "long address": lambda n: "https://x.org/" + "a" * n + "<name-1>",
}
"""Hostile answers of about n characters."""

TIMES = 8
"""How many times as long the longer answer is."""
_PLAIN = Restoring()
_LEAST_S = 0.002
"""Less cannot be told from nothing."""


@dataclass(frozen=True)
class Growth:
    """What one flood took."""

    name: str
    ms: float
    """Time for the longer answer."""
    growth: float
    """That time against `TIMES` times the shorter one's: 1 where it grows with the length, `TIMES` with its square."""
    stream: float
    """Time as a stream of chunks against the time as a whole."""


def bench_restore(length: int = 160_000, repeats: int = 3, chunk: int = 97) -> list[Growth]:
    """Measure restoring of hostile answers with a box of 400 values.

    Args:
        length: characters of the longer answers.
        repeats: times that each is timed; the shortest counts, since other work only adds.
        chunk: characters of a stream's chunks.
    """
    box = flooded_box()
    out = []
    for name, flood in FLOODS.items():
        short, long = flood(length // TIMES), flood(length)
        base = _shortest(lambda text=short: remap_text(text, box), repeats)  # type: ignore[misc]
        whole = _shortest(lambda text=long: remap_text(text, box), repeats)  # type: ignore[misc]
        stream = _shortest(lambda text=long: _streamed(text, box, chunk), 1)  # type: ignore[misc]
        out.append(Growth(name, whole * 1e3, whole / (TIMES * max(base, _LEAST_S)), stream / max(whole, _LEAST_S)))
    return out


DENSE: dict[str, str] = {
    "one after the other": "<name-{}>",
    "with spaces": "<name-{}> ",
    "in prose": "Dear <name-{}>, thank you for your letter. ",
    "in strings of JSON": '{{"to": "<name-{}>, <date-1>"}}, ',
    "in links": "https://x.example/?q=<name-{}> ",
    "changed": "[Name {}] ",
    "of other boxes": "<name-9{:03}> ",
}
"""Answers full of placeholders, each with the next number."""


@dataclass(frozen=True)
class Density:
    """How fast one kind of answer is restored, against replacing by a pattern and a table, which reads nothing else."""

    name: str
    mb_per_s: float
    plain: float
    """Its time against that of the replacing."""
    stream: float
    """As a stream of chunks of 4,096 characters, against the whole."""


def bench_dense(length: int = 1_500_000, repeats: int = 3) -> list[Density]:
    """Measure restoring of answers full of placeholders with a box of 400 values, as the gateway does it.

    Args:
        length: characters of the answers.
        repeats: times that each is timed; the shortest counts, since other work only adds.
    """
    box = flooded_box()
    table = {entry.placeholder: entry.surface for entry in box.entries}
    pattern = re.compile(r"<[a-z_]+-[0-9]+[a-z]*>")
    how = Restoring(hosts=frozenset())
    out = []
    for name, unit in DENSE.items():
        text = "".join(unit.format(n % 399 + 1) for n in range(length // len(unit)))
        text = f"[{text}" if "JSON" in name else f"Here. {text}"

        def plainly(text: str = text) -> object:
            return pattern.sub(lambda found: table.get(found[0], found[0]), text)

        whole = _shortest(lambda text=text: remap_text(text, box, how, traced=False), repeats)  # type: ignore[misc]
        plain = _shortest(plainly, repeats)
        stream = _shortest(lambda text=text: _streamed(text, box, 4_096, how), 1)  # type: ignore[misc]
        out.append(Density(name, len(text) / 1e6 / max(whole, _LEAST_S), whole / max(plain, _LEAST_S), stream / whole))
    return out


@dataclass(frozen=True)
class Piece:
    """What one piece of a stream takes that is a word, as models send them."""

    plain_us: float
    """Of prose without a placeholder."""
    mixed_us: float
    """Of prose in which every twelfth word is a placeholder."""


def bench_pieces(words: int = 3_000, repeats: int = 5) -> Piece:
    """Measure streams of single words with a box of 400 values, as the gateway restores them.

    Args:
        words: words of a stream.
        repeats: times that each is timed; the shortest counts.
    """
    box, how = flooded_box(), Restoring(hosts=frozenset())
    prose = "The deposit must be returned within two months after you moved out ".split()

    def spent(pieces: Sequence[str]) -> float:
        def stream() -> None:
            restorer = StreamRestorer(box, how)
            for piece in pieces:
                restorer.feed(piece)
            restorer.close()

        return _shortest(stream, repeats) / len(pieces) * 1e6

    plain = [f" {prose[at % len(prose)]}" for at in range(words)]
    return Piece(
        spent(plain), spent([f" <name-{at % 399 + 1}>" if at % 12 == 5 else one for at, one in enumerate(plain)])
    )


def flooded_box() -> PrivacyBox:
    """Return a box with 400 values."""
    box = PrivacyBox()
    for n in range(1, 400):
        box.add(f"Person {n}", "full_name", f"S{n}")
    box.add("1 May", "date")
    return box


def _streamed(text: str, box: PrivacyBox, chunk: int, how: Restoring = _PLAIN) -> None:
    stream = StreamRestorer(box, how)
    for at in range(0, len(text), chunk):
        stream.feed(text[at : at + chunk])
    stream.close()


def _shortest(work: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        began = process_time()
        work()
        times.append(process_time() - began)
    return min(times)


def table(dense: Sequence[Density], piece: Piece, rows: Sequence[Growth]) -> str:
    """Return the outcome as people read it."""
    lines = ["plain: time against replacing by a pattern and a table\n"]
    lines += [f"{'placeholders':26}{'MB/s':>9}{'plain':>9}{'stream / whole':>16}"]
    lines += [f"{one.name:26}{one.mb_per_s:>9.1f}{one.plain:>9.1f}{one.stream:>16.1f}" for one in dense]
    lines += [
        f"\na word of a stream: {piece.plain_us:.1f} µs in plain prose, {piece.mixed_us:.1f} µs with placeholders"
    ]
    lines += [f"\ngrowth: time for {TIMES} times the length, against {TIMES} times the time\n"]
    lines += [f"{'answer full of':26}{'ms':>9}{'growth':>9}{'stream / whole':>16}"]
    lines += [f"{row.name:26}{row.ms:>9.1f}{row.growth:>9.2f}{row.stream:>16.1f}" for row in rows]
    lines += [f"\nlargest growth: {max(row.growth for row in rows):.2f} (a square would be {TIMES})"]
    return "\n".join(lines)
