"""What hiding costs beside other tools, in one run: the same texts, each tool in a process of its own Python.

A cell is one text of so many bytes, or with so many entities. A cell that would take longer than is allowed, and all
larger ones of the tool, stay empty.
"""

import json
import math
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, Self

from gama.evals.competitors import hiding
from gama.state.errors import OptionError

SIZES = (100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000)
"""Bytes of the texts."""
ENTITIES = (1, 10, 100, 1_000, 10_000, 100_000)
"""Different persons in the texts, each with a name and a mail address."""
START_S = 180.0
"""Seconds that a tool has to start."""

_FORENAMES = "Emma Noah Olivia Liam Ava Ethan Mia Lucas Sofia Leo Nora Hugo".split()
_SYLLABLES = "bar ces dol fen gur hal jov kem lis mor nes pol rik sun tav vel".split()
_PROSE = (
    "the order came late and nobody knew why so the office looked at the list once more and found that two boxes were "
    "missing while the weather stayed mild and the road was open in both directions until the end of the week"
).split()
_EVERY = 400
"""Bytes of a text of a given size for which it names one person."""


@dataclass
class Costs:
    """What one tool takes."""

    name: str
    version: str = ""
    start_s: float = 0.0
    peak_mb: float = 0.0
    """Peak of its memory over all cells that it was given."""
    by_size: dict[int, float | None] = field(default_factory=dict)
    """Seconds by bytes; None where it would take too long, or failed."""
    by_entities: dict[int, float | None] = field(default_factory=dict)
    missing: str = ""
    """Why it took no part."""
    failed: list[str] = field(default_factory=list)
    """Errors that it ended a cell with."""

    @property
    def megabytes_per_s(self) -> float:
        """Its throughput on the largest text that it was through with."""
        done = [(size, taken) for size, taken in self.by_size.items() if taken]
        size, taken = max(done, default=(0, 1.0))
        return size / 1e6 / taken


def person(number: int) -> str:
    """Return a person's name and mail address in a sentence, another one for each number."""
    first, rest, name = _FORENAMES[number % len(_FORENAMES)], number // len(_FORENAMES), ""
    for _ in range(4):
        rest, at = divmod(rest, len(_SYLLABLES))
        name += _SYLLABLES[at]
    last = name.capitalize()
    return f"{first} {last} wrote from {first.lower()}.{last.lower()}@mail.example."


def text_of_size(size: int) -> str:
    """Return prose of so many bytes that names a person now and then."""
    rng, parts, length, number = Random(size), [], 0, 0
    while length <= size:
        part = person(number) if length >= number * _EVERY else _sentence(rng)
        number += part[0].isupper() and "@" in part
        parts.append(part)
        length += len(part) + 1
    return "\n".join(parts)[:size]


def text_of_entities(count: int) -> str:
    """Return lines of which each names another person."""
    return "\n".join(map(person, range(count)))


def _sentence(rng: Random) -> str:
    return " ".join(rng.choices(_PROSE, k=14)).capitalize() + "."


class Tool:
    """A tool in a process of its own; see `hiding`."""

    def __init__(self, name: str, python: str) -> None:
        """Start it, and wait until it is ready.

        Raises:
            OptionError: the Python cannot be started.
        """
        script = str(Path(hiding.__file__).resolve())
        paths = os.pathsep.join(path for path in sys.path if path)
        variables = os.environ | ({"PYTHONPATH": paths} if python == sys.executable else {})
        try:
            self._process = subprocess.Popen(
                [python, script, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                encoding="utf-8", env=variables,
            )  # fmt: skip
        except OSError as error:
            raise OptionError(f"option --python: {python!r} cannot be started: {error.strerror}") from None
        self.costs = Costs(name)
        told = self._answer(START_S)
        if told is None or "missing" in told:
            self.costs.missing = "it does not start" if told is None else str(told["missing"])
        else:
            self.costs.version, self.costs.start_s = str(told["version"]), float(told["start_s"])
            self.costs.peak_mb = float(told["peak_mb"])

    def __enter__(self) -> Self:
        """Use it in a `with` block, which ends its process."""
        return self

    def __exit__(self, *error: object) -> None:
        """End its process."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()

    def hide(self, text: str, limit_s: float) -> float | None:
        """Return the seconds that hiding in a text takes; None where they are more than a limit, or it fails."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({"text": text}) + "\n")
            self._process.stdin.flush()
        except OSError:
            return None
        told = self._answer(limit_s)
        if told is None:
            return None
        self.costs.peak_mb = max(self.costs.peak_mb, float(told["peak_mb"]))
        if told["failed"]:
            self.costs.failed.append(str(told["failed"]))
            return None
        return float(told["seconds"])

    def _answer(self, limit_s: float) -> dict[str, Any] | None:
        """Return the next line; where it does not come in time, the process is ended."""
        assert self._process.stdout is not None
        timer = threading.Timer(limit_s, self._process.kill)
        timer.start()
        try:
            line = self._process.stdout.readline()
        finally:
            timer.cancel()
        told: dict[str, Any] | None = json.loads(line) if line else None
        return told


def measure(
    name: str, python: str, cell_s: float, sizes: Sequence[int] = SIZES, entities: Sequence[int] = ENTITIES
) -> Costs:
    """Measure one tool, from the smallest cell to the last that it is through with in time.

    Args:
        name: one of `hiding.TOOLS`.
        python: the interpreter that it is installed in.
        cell_s: seconds that a cell may take.
        sizes: bytes of the texts.
        entities: persons in the texts.

    Raises:
        OptionError: the Python cannot be started.
    """
    with Tool(name, python) as tool:
        costs = tool.costs
        if not costs.missing:
            _climb(tool, costs.by_size, sizes, text_of_size, cell_s)
    if costs.missing:
        return costs
    # A new process: one cell that took too long has ended the other.
    with Tool(name, python) as again:
        _climb(again, costs.by_entities, entities, text_of_entities, cell_s)
        costs.peak_mb = max(costs.peak_mb, again.costs.peak_mb)
        costs.failed += again.costs.failed
    return costs


def _climb(
    tool: Tool, cells: dict[int, float | None], steps: Sequence[int], make: Callable[[int], str], cell_s: float
) -> None:
    last: tuple[int, float] | None = None
    for step in steps:
        likely_s = last[1] * step / last[0] if last else 0.0
        # What would be too late by linear growth alone is not begun.
        taken = tool.hide(make(step), cell_s) if likely_s <= cell_s else None
        cells[step] = taken
        if taken is None:
            return
        last = step, taken


def bench_compare(
    python: str, cell_s: float, tools: Sequence[str], sizes: Sequence[int] = SIZES, entities: Sequence[int] = ENTITIES
) -> list[Costs]:
    """Measure tools one after the other.

    Args:
        python: the interpreter that the tools of others are installed in.
        cell_s: seconds that a cell may take.
        tools: their names.
        sizes: bytes of the texts.
        entities: persons in the texts.

    Raises:
        OptionError: a tool is unknown, or the Python cannot be started.
    """
    if unknown := [name for name in tools if name not in hiding.TOOLS]:
        raise OptionError(f"option --tool: unknown tool {unknown[0]!r}; known tools: {'; '.join(hiding.TOOLS)}")
    return [measure(name, sys.executable if name in hiding.OWN else python, cell_s, sizes, entities) for name in tools]


def table(rows: Sequence[Costs], cell_s: float) -> str:
    """Return the outcome as people read it."""
    took_part = [row for row in rows if not row.missing]
    sizes = sorted({size for row in took_part for size in row.by_size})
    counts = sorted({count for row in took_part for count in row.by_entities})
    lines = [f"{'':22}{'version':>10}{'start s':>9}{'peak MiB':>10}{'MB/s':>11}"]
    for row in took_part:
        lines.append(
            f"{row.name:22}{row.version:>10}{row.start_s:>9.2f}{row.peak_mb:>10.0f}{row.megabytes_per_s:>11.4g}"
        )
    for head, steps, kind in (("seconds by bytes", sizes, "by_size"), ("by persons", counts, "by_entities")):
        lines += ["", f"{head:22}" + "".join(f"{step:>12,}" for step in steps)]
        for row in took_part:
            cells = getattr(row, kind)
            lines.append(f"{row.name:22}" + "".join(f"{_cell(cells.get(step)):>12}" for step in steps))
    lines += ["", f"–: more than {cell_s:g} s, or after such a cell"]
    lines += [f"{row.name} failed: {', '.join(sorted(set(row.failed)))}" for row in took_part if row.failed]
    lines += [f"{row.name} is left out: {row.missing}" for row in rows if row.missing]
    return "\n".join(lines)


def _cell(taken: float | None) -> str:
    return "–" if taken is None else f"{taken:.2g}"


_WIDE, _HIGH, _LEFT, _TOP = 460, 320, 60, 30
_COLOURS = (
    "#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#888888", "#cc6600", "#004488", "#bb5566",
    "#117733", "#332288", "#999933", "#882255",
)  # fmt: skip


def plot(rows: Sequence[Costs]) -> str:
    """Return both curves of all tools as one SVG, both axes in powers of ten."""
    chosen = [row for row in rows if not row.missing]
    parts = [_panel(chosen, "by_size", "bytes", 0), _panel(chosen, "by_entities", "persons", _WIDE + _LEFT)]
    below = _TOP + _HIGH + 60
    for at, row in enumerate(chosen):
        x, y = _LEFT + at % 4 * 230, below + at // 4 * 18
        parts.append(f'<rect x="{x}" y="{y - 9}" width="12" height="10" fill="{_COLOURS[at % len(_COLOURS)]}"/>')
        parts.append(f'<text x="{x + 18}" y="{y}">{escape(row.name)}</text>')
    width, height = 2 * (_WIDE + _LEFT) + 20, below + (len(chosen) + 3) // 4 * 18
    font = 'font-family="sans-serif" font-size="12"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" {font}>'
    return "\n".join([head, f'<rect width="{width}" height="{height}" fill="white"/>', *parts, "</svg>"]) + "\n"


def _panel(rows: Sequence[Costs], kind: str, unit: str, shift: int) -> str:
    cells = [[(step, taken) for step, taken in getattr(row, kind).items() if taken] for row in rows]
    points = [point for row in cells for point in row]
    if not points:
        return ""
    low_x, high_x = (pick(math.log10(step) for step, _ in points) for pick in (min, max))
    low_y, high_y = math.floor(min(math.log10(y) for _, y in points)), math.ceil(max(math.log10(y) for _, y in points))

    def place(step: float, taken: float) -> tuple[float, float]:
        across = (math.log10(step) - low_x) / ((high_x - low_x) or 1)
        up = (math.log10(taken) - low_y) / ((high_y - low_y) or 1)
        return round(shift + _LEFT + across * _WIDE, 1), round(_TOP + (1 - up) * _HIGH, 1)

    parts = [f'<text x="{shift + _LEFT}" y="{_TOP - 10}">seconds by {unit}</text>']
    for power in range(low_y, high_y + 1):
        x, y = place(10**low_x, 10.0**power)
        parts.append(f'<path d="M{x} {y}h{_WIDE}" stroke="#ddd"/>')
        parts.append(f'<text x="{x - 6}" y="{y + 4}" text-anchor="end">{10.0**power:g}</text>')
    for step in sorted({step for step, _ in points}):
        x, _ = place(step, 10.0**low_y)
        parts.append(f'<text x="{x}" y="{_TOP + _HIGH + 18}" text-anchor="middle">{step:,}</text>')
    for at, row in enumerate(cells):
        colour, placed = _COLOURS[at % len(_COLOURS)], [place(*point) for point in row]
        parts += [
            f'<path d="M{a} {b}L{c} {d}" stroke="{colour}" stroke-width="2"/>' for (a, b), (c, d) in pairwise(placed)
        ]
        parts += [f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>' for x, y in placed]
    return "\n".join(parts)
