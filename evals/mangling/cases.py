"""Answers with mangled placeholders, and what restoring must make of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple
from urllib.parse import quote

from gama.evals.mangling.base import PROSE, VALUE, Kind, Mangled, Mark, of

TYPES = ("person", "given name", "place", "mail", "firm")
"""What the values of a box are, in the words of this evaluation."""

_SHARES = (8, 2, 2, 2, 2)
_SYLLABLES = [first + second for first in "bdfgklmnprstvz" for second in ("a", "e", "i", "o", "u", "or", "an", "el")]


class Value(NamedTuple):
    """A private value of a box that was made up."""

    type: str
    text: str
    key: str
    """A word that no other value has: by it a value is recognized in an answer."""


def made_up(size: int, seed: int, *, awkward: bool = False) -> list[Value]:
    """Return the values of a box: people, given names, places, mail addresses, firms.

    Args:
        size: how many.
        seed: of the random choice.
        awkward: whether they have quotes, commas, ampersands, angle brackets and backslashes in them.
    """
    rng = Random(f"values:{size}:{seed}")
    keys: list[str] = []
    seen: set[str] = set()
    while len(keys) < size:
        key = "".join(rng.choice(_SYLLABLES) for _ in range(4)).ljust(9, "q")[:9]
        if key not in seen:
            seen.add(key)
            keys.append(key)
    types = [kind for kind, share in zip(TYPES, _SHARES, strict=True) for _ in range(share)]
    return [Value(kind, _text(kind, key, awkward), key) for kind, key in zip(types * size, keys, strict=False)]


def _text(kind: str, key: str, awkward: bool) -> str:
    name = key.capitalize()
    if awkward:
        return {"person": f'{name} "AJ" Lee', "given name": f"{name}, Jr.", "place": f"O'{name} & <Co>"}.get(
            kind, f'{name}\\n "x", 50 %'
        )
    return {"person": f"{name} Lund", "mail": f"{key}@mail.example", "firm": f"{name} Ltd"}.get(kind, name)


@dataclass(frozen=True)
class Case:
    """One answer."""

    kind: Kind
    text: str
    restored: tuple[str, ...]
    """What it may be after restoring."""
    expected: tuple[int, ...]
    """Values, by their place in the box, in the order in which they must appear."""
    values: tuple[str, ...] = ()
    """What its format must read as, where the values need escaping."""
    example: str = ""
    """The first placeholder as it was mangled, or the whole answer where that is the change."""


def cases(kind: Kind, values: Sequence[Value], marks: Sequence[Mark], count: int, seed: int) -> Iterator[Case]:
    """Yield answers of a kind.

    The placeholders of one answer are alike, as `1`, `11` and `12`, so that a wrong one is at hand.
    """
    rng = Random(f"cases:{kind.name}:{len(values)}:{seed}")
    alike = _alike(values, marks)
    for number in range(count):
        frame = kind.frames[number % len(kind.frames)]
        slots = sum(f"{{{place}}}" in frame for place in range(3))
        chosen = _choose(alike, slots, rng)
        # What must be left alone is not a tag with facts: nothing in it can be taken for them.
        own = [marks[place]._replace(facts="") if kind.alone else marks[place] for place in chosen]
        made = [kind.mangle(mark, rng) for mark in own]
        if all(one is not None for one in made):
            yield _case(kind, frame, values, marks, chosen, [of(one) for one in made if one is not None])


def _case(
    kind: Kind, frame: str, values: Sequence[Value], marks: Sequence[Mark], chosen: list[int], made: list[Mangled]
) -> Case:
    left, right = marks[chosen[0]].left, marks[chosen[0]].right
    frames = [frame.replace("⟦", left).replace("⟧", right), frame.replace("⟦", "").replace("⟧", "")]
    text = frames[0].format(*(one.text for one in made))
    example = made[0].text if kind.frames is PROSE else text
    if kind.alone:
        return Case(kind, text, (text,), (), example=example)
    surfaces = [values[place].text for place in chosen]
    outcomes = []
    for style in range(max(len(one.restored) for one in made)):
        parts = [
            one.restored[min(style, len(one.restored) - 1)].replace(VALUE, surface)
            for one, surface in zip(made, surfaces, strict=True)
        ]
        quoted = [part.replace(surface, quote(surface, safe="")) for part, surface in zip(parts, surfaces, strict=True)]
        kept = [
            part.replace(surface, quote(surface, safe="@,+")) for part, surface in zip(parts, surfaces, strict=True)
        ]
        outcomes += [frames[1].format(*one) for one in (parts, quoted, kept)]
    order = sorted((at, place) for place in set(chosen) for at in _occurrences(outcomes[0], values[place].text))
    expected = tuple(place for _, place in order)
    return Case(kind, text, tuple(dict.fromkeys(outcomes)), expected, tuple(surfaces), example)


def _occurrences(text: str, surface: str) -> Iterator[int]:
    at = text.find(surface)
    while at >= 0:
        yield at
        at = text.find(surface, at + 1)


def _alike(values: Sequence[Value], marks: Sequence[Mark]) -> list[list[int]]:
    """Return groups of values whose placeholders have one word and numbers that begin alike."""
    groups: dict[tuple[str, str], list[int]] = {}
    for place, mark in enumerate(marks):
        groups.setdefault((mark.word if mark.number else values[place].type, str(mark.number or 0)[0]), []).append(
            place
        )
    large = [group for group in groups.values() if len(group) >= 3]
    by_word: dict[str, list[int]] = {}
    for (word, _), group in groups.items():
        by_word.setdefault(word, []).extend(group)
    return large or [group for group in by_word.values() if len(group) >= 3]


def _choose(alike: list[list[int]], count: int, rng: Random) -> list[int]:
    group = rng.choice(alike)
    # The first of a group has the shortest number: it begins like all the others.
    first = [group[0]] if rng.random() < 0.5 else []
    rest = rng.sample([place for place in group if place not in first], count - len(first))
    return rng.sample(first + rest, count)
