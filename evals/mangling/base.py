"""A kind of change: how it mangles a placeholder, the answer it stands in, and what restoring must make of it."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

VALUE = "\0"
"""Stands for the restored value in what is expected."""


class Mark(NamedTuple):
    """A placeholder of any style, taken apart: `<`, `name`, `-`, `1`, `>`."""

    left: str
    word: str
    joint: str
    number: int | None
    """None where the style does not number, as those that put invented names in."""
    right: str
    facts: str = ""
    """What an enriched tag says behind its number: ` country=PL`."""

    def __str__(self) -> str:
        """Put it together again."""
        return f"{self.left}{self.core}{self.right}"

    @property
    def core(self) -> str:
        """What stands between the brackets."""
        return f"{self.word}{self.joint}{'' if self.number is None else self.number}{self.facts}"


_PARTS = re.compile(
    r"(?P<left>\W*)(?P<word>[A-Za-z][A-Za-z_ ]*?)(?P<joint>[-_: ]?)(?P<number>\d+)"
    r"(?P<facts>(?: \w+=\w+)*)(?P<right>\W*)"
)


def take_apart(placeholder: str) -> Mark:
    """Take a placeholder apart; one without a number is all word."""
    found = _PARTS.fullmatch(placeholder)
    if found is None:
        return Mark("", placeholder, "", None, "")
    return Mark(found["left"], found["word"], found["joint"], int(found["number"]), found["right"], found["facts"])


class Mangled(NamedTuple):
    """A mangled placeholder and what may stand in its place after restoring."""

    text: str
    restored: tuple[str, ...] = (VALUE,)
    """Each with `VALUE` for the value: a model that writes quotes for brackets may have meant quotes."""


Mangle = Callable[[Mark, Random], "Mangled | str | None"]
"""Mangles a placeholder; None where the change cannot be made to it."""

PROSE = (
    "Dear {0}, we wrote to {1} and to {2} on Monday.",
    "As agreed, {0} met {1}, and then {2} left the room.",
    "Please ask {0} whether {1} or {2} will come.",
)
"""Answers that most changes are made in."""


@dataclass(frozen=True)
class Kind:
    """One kind of change."""

    name: str
    group: str
    mangle: Mangle
    frames: tuple[str, ...] = PROSE
    """Answers with {0}, {1}, {2} for three placeholders."""
    values: str = "plain"
    """`plain` names, or `awkward` ones with quotes, commas, ampersands and backslashes."""
    reads: Callable[[str], list[str]] | None = None
    """Reads the values out of a restored answer by the rules of its format; raises where it is not well formed."""
    alone: bool = False
    """Whether there is nothing to restore, so that the answer must come back as it is."""


def of(mangled: "Mangled | str") -> Mangled:
    """Return a mangled placeholder; text alone is replaced by the value."""
    return Mangled(mangled) if isinstance(mangled, str) else mangled


def kept(before: str, core: str, after: str) -> Mangled:
    """Return a placeholder between signs that may be the answer's own and may stay."""
    return Mangled(f"{before}{core}{after}", (VALUE, f"{before}{VALUE}{after}"))


def stays(before: str, core: str, after: str) -> Mangled:
    """Return a placeholder between signs that are the answer's own."""
    return Mangled(f"{before}{core}{after}", (f"{before}{VALUE}{after}",))


def numbered(change: Callable[[Mark, Random], "Mangled | str | None"]) -> Mangle:
    """Make a change only to placeholders that have a number and brackets."""

    def mangle(mark: Mark, rng: Random) -> "Mangled | str | None":
        return change(mark, rng) if mark.number is not None and mark.left else None

    return mangle
