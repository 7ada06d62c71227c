"""The lists that samples are drawn from: text files of sections, a heading `# name` and a line per item each."""

from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "data" / "piibench"
"""Where they lie."""


@cache
def sections(name: str) -> dict[str, tuple[str, ...]]:
    """Read a file of sections. A line that begins with `;` is a remark.

    Args:
        name: `values`, `frames`, `prose`, `scenarios`, `needs` or `names`.
    """
    found: dict[str, list[str]] = {}
    items: list[str] = []
    for line in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            items = found.setdefault(line[2:], [])
        elif line and not line.startswith(";"):
            items.append(line)
    return {heading: tuple(lines) for heading, lines in found.items()}


@cache
def pairs(name: str, heading: str) -> dict[str, str]:
    """Read a section whose items are a name, a colon and what belongs to it."""
    split = (line.partition(": ") for line in sections(name)[heading])
    return {key: value for key, _, value in split}
