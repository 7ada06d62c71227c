"""Surrogates in a text: placeholders that are not tags, such as another name or number, found where they stand.

An exact surrogate means its entry. A model may also write it in other case or spacing, or take a part of a name
(`Ms Bennett` of `Olivia Bennett`): the words of surrogate names stand for the words of the real ones, but not in the
name of somebody else (`Sarah Bennett`), whom the model has brought in. Dates that were moved are read in whatever
notation they are written, and so are those that a model has reckoned from them (`gama.tools.placeholders.shifted`).
"""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import regex

from gama.state.box import Bijection, BoxEntry
from gama.state.entities import TYPE_OF
from gama.state.restoring import Mode
from gama.tools.placeholders.boundaries import boundary
from gama.tools.placeholders.grammar import LONGEST, Token

_WORD = regex.compile(r"[\p{L}\p{M}'’]{2,}")
_NAME_BEFORE = regex.compile(r"(?<![\p{L}\p{M}'’-])(\p{Lu}[\p{L}\p{M}'’]{1,39}) $")
_NAME_BEHIND = regex.compile(r" (\p{Lu}[\p{L}\p{M}'’]{1,39})")
_MAY_FOLLOW = regex.compile(r"(?: (?:\p{Lu}[\p{L}\p{M}'’]{0,38})?)?")


class Found(NamedTuple):
    """A surrogate in a text, and what it stands for."""

    start: int
    end: int
    surface: str
    entry: BoxEntry | None
    """None for a word of a name."""
    foreign: bool = False
    """Whether it is a word of somebody else's name, or a date of which it is not certain what is meant: it stays."""


class Surrogates:
    """The surrogates of a box, to be found in texts. False where there are none.

    Args:
        box: the box.
        mode: `strict` finds exact ones only.
    """

    def __init__(self, box: Bijection, mode: Mode = "tolerant") -> None:
        """Collect them, and all their beginnings."""
        entries = box.surrogates()
        tolerant = bool(entries) and mode == "tolerant"
        self._box = box
        self._strict = mode == "strict"
        self._dates: Any = None
        if entries and box.shift is not None:
            from gama.tools.placeholders.shifted import moved_dates

            self._dates = moved_dates(box)
        self._exact = {entry.placeholder: entry for entry in entries}
        self._loose = {_level(entry.placeholder): entry for entry in reversed(entries)} if tolerant else {}
        self._words = name_words(entries) if tolerant else {}
        self._names = [frozenset(_level(entry.placeholder).split()) for entry in entries] if self._words else []
        self._pattern = _pattern([*self._exact, *self._loose, *self._words], ignore_case=tolerant) if entries else None
        # In strict mode too: what is held back too long does no harm.
        forms = {_level(entry.placeholder) for entry in entries} | set(self._words)
        self._beginnings = {form[:length] for form in forms for length in range(1, len(form) + 1)}

    def __bool__(self) -> bool:
        """Return whether there are any."""
        return self._pattern is not None

    def find(self, text: str, start: int, end: int, *, reckoned: bool = True) -> Iterator[Found]:
        """Yield those in a stretch of a text, longest first where they overlap, left to right.

        Args:
            text: the text.
            start: where the stretch begins.
            end: where it ends.
            reckoned: whether dates that may have been reckoned from moved ones come too.
        """
        if not self._dates:
            yield from self._written(text, start, end)
            return
        found = list(self._written(text, start, end))
        for one in (self._dates.find if reckoned else self._dates.own)(text, start, end):
            if any(known.start <= one.start and one.end <= known.end for known in found):
                continue
            found = [known for known in found if known.end <= one.start or one.end <= known.start]
            stands = text[one.start : one.end]
            foreign = one.text is None or self._strict
            entry = self._box.shown(one.placeholder)
            found.append(Found(one.start, one.end, stands if foreign else one.text, entry, foreign))
        yield from sorted(found, key=lambda one: one.start)

    def _written(self, text: str, start: int, end: int) -> Iterator[Found]:
        """Yield those that stand in a stretch as they were written, and the words of names."""
        if self._pattern is None:
            return
        at = start
        while match := self._pattern.search(text, at, end):
            begin, stop = match.span()
            at = begin + 1
            if not (boundary(text, begin) and boundary(text, stop)):
                continue
            if found := self._meant(match.group(), begin, stop):
                yield found._replace(foreign=True) if found.entry is None and self._foreign(text, found) else found
                at = stop

    def _foreign(self, text: str, found: Found) -> bool:
        """Return whether a word of a surrogate name stands in the name of somebody else."""
        from gama.tools.knowledge.index import is_ordinary

        word = text[found.start : found.end]
        before = _NAME_BEFORE.search(text, max(0, found.start - 42), found.start)
        behind = _NAME_BEHIND.match(text, found.end)
        for other, whole in ((before, "{1} {0}"), (behind, "{0} {1}")):
            if other and not any({_level(word), _level(other[1])} <= name for name in self._names):
                if _level(other[1]) in self._words or is_ordinary(whole.format(word, other[1])):
                    return True
        return False

    def open_behind(self, text: str, found: Found) -> bool:
        """Return whether what follows must be known before it is clear whose name a word belongs to."""
        return found.entry is None and _MAY_FOLLOW.fullmatch(text, found.end) is not None

    def open_at(self, text: str, start: int = 0) -> int:
        """Return where the earliest stretch begins that may go on behind the text's end; its length if none does."""
        if self._dates:
            dated: int = self._dates.open_at(text, start)
            return min(dated, self._open_name_at(text, start))
        return self._open_name_at(text, start)

    def _open_name_at(self, text: str, start: int) -> int:
        if not self._beginnings:
            return len(text)
        for at in range(max(start, len(text) - 2 * LONGEST), len(text)):
            if boundary(text, at) and _level(text[at:]) in self._beginnings:
                return at
        return len(text)

    def _meant(self, stretch: str, start: int, end: int) -> Found | None:
        level = _level(stretch)
        entry = self._exact.get(stretch) or self._loose.get(level)
        if entry is not None:
            surface = entry.surface if stretch == entry.placeholder else _in_case(entry.surface, stretch)
            return Found(start, end, surface, entry)
        if level in self._words:
            return Found(start, end, _in_case(self._words[level], stretch), None)
        return None


def find_surrogates(text: str, box: Bijection) -> list[Found]:
    """Return the surrogates of a box in a text, longest first where they overlap, left to right."""
    return list(Surrogates(box).find(text, 0, len(text), reckoned=False))


def telling(box: Bijection) -> list[str]:
    """Return the values that may not stand in a moved date: a small number, such as an age, stands there by chance."""
    return [value for value in box.values() if len(value) > 4 or not value.isdecimal()]


def name_words(entries: Iterable[BoxEntry]) -> dict[str, str]:
    """Return the words of surrogate names, levelled, with the real words they stand for, where that is clear."""
    words: dict[str, set[str]] = {}
    for entry in entries:
        if TYPE_OF.get(entry.subtype) != "PER":
            continue
        for real, other in paired_words(entry.surface, entry.placeholder):
            words.setdefault(_level(other), set()).add(real)
    return {word: _best(real) for word, real in words.items() if len({_level(one) for one in real}) == 1}


def paired_words(surface: str, placeholder: str) -> list[tuple[str, str]]:
    """Pair the words of a name with those of its surrogate, where both have as many; equal words are left out."""
    real, other = _WORD.findall(surface), _WORD.findall(placeholder)
    if len(real) != len(other):
        return []
    return [(one, two) for one, two in zip(real, other, strict=True) if _level(one) != _level(two)]


def _pattern(forms: Iterable[str], *, ignore_case: bool) -> "regex.Pattern[str]":
    parts = sorted(set(forms), key=len, reverse=True)
    spaced = ("\\s+".join(regex.escape(piece) for piece in part.split()) for part in parts)
    return regex.compile("|".join(spaced), regex.IGNORECASE if ignore_case else 0)


def _level(text: str) -> str:
    """Level case and the width of spaces; a space at the end stays one."""
    return regex.sub(r"\s+", " ", text.casefold())


def _in_case(surface: str, like: str) -> str:
    return surface.upper() if like.isupper() and len(like) > 1 else surface


def _best(words: Iterable[str]) -> str:
    """Of several spellings take the one with a capital first."""
    return min(words, key=lambda word: (not word[:1].isupper(), word.isupper(), word))


def in_order(found: Iterable[Found], unknown: Iterable[Token]) -> Iterator[Token | Found]:
    """Yield surrogates and the tokens that are none of the box's, left to right, without those inside surrogates."""
    tokens = deque(unknown)
    for one in found:
        while tokens and tokens[0].start < one.end:
            token = tokens.popleft()
            if token.end <= one.start:
                yield token
        yield one
    yield from tokens
