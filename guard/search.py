r"""The guard: searches whatever is about to leave for the values of the box, in any normal form.

Text and values are folded alike: compatibility forms, case, diacritics and look-alike letters are
levelled, and everything that is neither letter nor digit is dropped, so that `E\u200bmma-Williams`
meets `EMMA  WILLIAMS`, and `+44 (0)20` meets `+44020`. Escaped and encoded forms of a payload
(JSON, HTML, URL, base64, hexadecimal) are undone and searched too.

A value is *weak* when it is so short or so ordinary (`7`, `Ann`, `Will`) that folding it would
find it everywhere. Weak values are compared as they are written, and only in the task's own text.
"""

import codecs
import json
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from copy import copy
from hashlib import sha256
from importlib.resources import files
from operator import itemgetter
from typing import Any, NamedTuple

from gama.guard.decoding import decoded, without_escapes
from gama.guard.folding import (
    BLANK,
    SHORTEST,
    carried_text,
    ends_word,
    fold,
    fold_bytes,
    is_han,
    level,
    origins,
    starts_word,
    text_bytes,
)
from gama.state.entities import PLACEHOLDER_KINDS
from gama.state.errors import LeakError

_SHORTEST_NUMBER = 5
_SHORTEST_HAN = 2
SHORTEST_CIPHERED = 8
"""Letters and digits of the shortest value that is searched backwards and in rot13: shorter ones are other words."""
_MOST_CLEAN = 256
"""Payloads that a guard remembers, by their digests."""
_SURE_LENGTH = 16
"""From this length on a value is found inside a longer run of letters as well."""

COMMON_WORDS = frozenset(files("gama.guard").joinpath("data", "common_words.txt").read_text(encoding="utf-8").split())
"""English words that are also names: compared as they are written, for a guard that took the verb in "you will see" for
a man called Will would stop every run. Every other value is found whatever its case."""
_ORDINARY = COMMON_WORDS | {word for kind in PLACEHOLDER_KINDS for word in (kind, *kind.split("_"))}


_DENSE = 4_000
"""Up to so many bytes of strings the transitions are kept in full tables: they find three times as fast and take five
times as long to make. Beyond, a text has to be longer than most for the tables to pay, and far beyond they never do."""


class Match(NamedTuple):
    """One string found: which, and where in bytes."""

    word: int
    start: int
    end: int


class _Part:
    """Some strings of an automaton, compiled together."""

    def __init__(self, first: int, words: Sequence[bytes]) -> None:
        from ahocorasick_rs import BytesAhoCorasick, Implementation

        self.first, self.words = first, words
        dense = sum(map(len, words)) <= _DENSE
        kind = Implementation.DFA if dense else Implementation.ContiguousNFA
        self._compiled: Any = BytesAhoCorasick(words, implementation=kind)

    def find(self, text: bytes) -> Iterator[Match]:
        for word, start, end in self._compiled.find_matches_as_indexes(text, overlapping=True):
            yield Match(word + self.first, start, end)

    def which(self, text: bytes) -> set[int]:
        return {word + self.first for word, _, _ in self._compiled.find_matches_as_indexes(text, overlapping=True)}


class Automaton:
    """Finds strings in UTF-8, overlapping ones too. Immutable, and safe to share between threads.

    One that grows is compiled in parts, each of another binary magnitude: a string is compiled anew only when the part
    that it stands in has about doubled.
    """

    def __init__(self, words: Iterable[str] = ()) -> None:
        """Compile the strings; none may be empty."""
        self._parts: tuple[_Part, ...] = ()
        if encoded := [text_bytes(word) for word in words]:
            self._parts = (_Part(0, encoded),)

    def __len__(self) -> int:
        """Return the number of strings."""
        return self._parts[-1].first + len(self._parts[-1].words) if self._parts else 0

    def with_more(self, words: Sequence[str]) -> "Automaton":
        """Return what finds further strings too, numbered after those that are here; what is compiled is used again."""
        encoded, kept = [text_bytes(word) for word in words], list(self._parts)
        if not encoded:
            return self
        while kept and len(kept[-1].words).bit_length() <= len(encoded).bit_length():
            encoded = [*kept.pop().words, *encoded]
        more = Automaton()
        more._parts = (*kept, _Part(len(self) + len(words) - len(encoded), encoded))
        return more

    def find(self, text: bytes) -> list[Match]:
        """Return every place of every string, in order of their ends."""
        found = [match for part in self._parts for match in part.find(text)]
        return sorted(found, key=itemgetter(2)) if len(self._parts) > 1 else found

    def which(self, text: bytes) -> set[int]:
        """Return which of the strings stand in a text, by their numbers."""
        return set[int]().union(*(part.which(text) for part in self._parts))


class _Forms:
    """Forms of values, which value each is of, and what finds them."""

    def __init__(self) -> None:
        self.automaton = Automaton()
        self.values: dict[str, int] = {}
        self.numbered: list[tuple[str, int]] = []

    def __len__(self) -> int:
        return len(self.automaton)

    def with_more(self, forms: Iterable[tuple[str, int]]) -> "_Forms":
        """Return these forms and further ones; of those that are known already the first value stays."""
        more, size = _Forms(), len(self)
        if size == len(self.numbered):
            # Nobody but this one looks them up, and it looks up what its automaton finds.
            more.values, more.numbered = self.values, self.numbered
        else:
            more.numbered = self.numbered[:size]
            more.values = dict(more.numbered)
        for form, value in forms:
            if form and form not in more.values:
                more.values[form] = value
                more.numbered.append((form, value))
        more.automaton = self.automaton.with_more([form for form, _ in more.numbered[size:]])
        return more


def offsets(text: bytes) -> Any:
    """Return, for each byte of a text in UTF-8 and for its end, the number of the character it belongs to."""
    import numpy as np

    begins = (np.frombuffer(text, dtype=np.uint8) & 0xC0) != 0x80
    return np.append(np.cumsum(begins) - 1, np.count_nonzero(begins))


class Hit(NamedTuple):
    """A private value found in a text: where, and which; without the value."""

    start: int
    end: int
    value: int
    """Place of the value among those the guard was made with."""


class Guard:
    """Searches texts for a set of private values. Immutable, and safe to share between threads.

    Args:
        values: the private surfaces.
        fixed: our own prompt texts: a value that they contain by chance is not taken for a leak on the wire.
        placeholders: the tokens that stand for the values: what they are written with is no value (the 3 of
            `<name-3>`).
        kept: texts that a person lets leave: a value inside of one is excused there, and nowhere else.
    """

    def __init__(
        self,
        values: Iterable[str],
        fixed: Sequence[str] = (),
        placeholders: Iterable[str] = (),
        kept: Iterable[str] = (),
    ) -> None:
        """Compile the values."""
        self._strong, self._weak, self._size = _Forms(), _Forms(), 0
        self._take(list(dict.fromkeys(values)))
        self._excuse(fixed, placeholders, kept)

    def with_more(self, values: Sequence[str]) -> "Guard":
        """Return the guard of further values too, numbered on, none of them among these; what is compiled is kept."""
        more = copy(self)
        more._take(values)
        return more

    def excusing(self, fixed: Sequence[str], placeholders: Iterable[str], kept: Iterable[str]) -> "Guard":
        """Return the guard of the same values that excuses something else; see `Guard`."""
        other = copy(self)
        other._excuse(fixed, placeholders, kept)
        return other

    def _take(self, values: Sequence[str]) -> None:
        """Compile further values."""
        self._clean: set[tuple[bool, bytes]] = set()
        strong: list[tuple[str, int]] = []
        weak: list[tuple[str, int]] = []
        for index, value in enumerate(values, self._size):
            if not value:
                continue
            if is_weak(value):
                # One or two letters in other case are another word: "a" and "A", "us" and "US".
                forms = (value, value.upper(), value.capitalize()) if len(fold(value)) > 2 else (value,)
                weak += [(form, index) for form in forms]
            else:
                strong += [(form, index) for form in _forms(value)]
        self._strong, self._weak = self._strong.with_more(strong), self._weak.with_more(weak)
        self._size += len(values)

    def _excuse(self, fixed: Sequence[str], placeholders: Iterable[str], kept: Iterable[str]) -> None:
        """Take in what is no leak. The keys of a dictionary are not copied: there may be many."""
        self._clean = set()
        self._placeholders = placeholders if isinstance(placeholders, Set) else frozenset(placeholders)
        # As they are written, and as JSON writes them.
        written = {form for word in kept if word for form in (word, json.dumps(word, ensure_ascii=False)[1:-1])}
        words = sorted(written, key=len, reverse=True)
        # As words; the `n` of a line end in JSON joins nothing.
        any_of = "|".join(map(re.escape, words))
        self._kept = re.compile(rf"(?:(?<![^\W_])|(?<=\\[nrt]))(?:{any_of})(?![^\W_])") if words else None
        self._fixed = frozenset(form for text in fixed for form in self._folded_hits(text))

    def find(self, text: str) -> list[Hit]:
        """Return where private values stand in a text as it is written, weak ones included."""
        text = self._blanked(text)
        hits = [hit for hit, _ in self._strong_hits(text)]
        return sorted({*hits, *self._weak_hits(text)})

    def check_text(self, text: str, what: str) -> None:
        """Refuse a text of the task that still contains a private value in any form.

        Args:
            text: the text that is about to cross.
            what: what it is, for the message.

        Raises:
            LeakError: it does.
        """
        if self.find(text) or any(self._folded_hits(*reading) for reading in decoded(level(text))):
            raise LeakError(_refusal(what))

    def check(
        self, payload: str | bytes, quoted: Sequence[str] = (), *, what: str = "A request to the public model"
    ) -> None:
        """Refuse a payload on the wire that contains a private value in any form.

        Args:
            payload: the serialised request.
            quoted: texts of public origin inside it: a value that they contain was said by the
                other side first, and repeating it tells nothing.
            what: what it is, for the message.

        Raises:
            LeakError: it does. The message does not quote it.
        """
        if not len(self._strong):
            return
        # What these very values were not found in is not searched for them again: addresses, parameters, second tries.
        # More placeholders that are known by then only take more of it out.
        whole = payload if isinstance(payload, bytes) else text_bytes(payload)
        key = payload is whole, sha256(whole).digest()
        if key in self._clean:
            return
        found = self._forms_in(payload)
        if not found:
            if len(self._clean) >= _MOST_CLEAN:
                self._clean = set()
            self._clean.add(key)
        if (rest := found - self._fixed) and rest - self._said(quoted):
            raise LeakError(_refusal(what))

    def _said(self, quoted: Sequence[str]) -> set[str]:
        """Return the forms that texts contain, also within what may leave: who says a whole name says its parts."""
        told = copy(self)
        told._kept = None
        return {form for said in quoted for form in told._folded_hits(said)}

    def search(self, payload: str | bytes) -> frozenset[int]:
        """Return which values a payload contains in any form, by their places among those the guard was made with.

        Weak values are not searched, and nothing is excused.
        """
        return frozenset(self._strong.values[form] for form in self._forms_in(payload))

    def _forms_in(self, payload: str | bytes) -> set[str]:
        """Return the folded forms of strong values that a payload contains, as it is and with its escapes undone."""
        if not len(self._strong):
            return set()
        if isinstance(payload, bytes):
            if (payload[:1], payload[-1:]) in _JSON:
                # What a line ends with is no letter of the next one's first word.
                payload = without_escapes(payload, json=True)
            payload = payload.decode("utf-8", "replace")
        leveled = level(payload)
        found = self._folded_hits(payload, leveled)
        for reading in decoded(leveled):
            found |= self._folded_hits(*reading)
        return found

    def __repr__(self) -> str:
        """Show how many values there are."""
        return f"Guard({len(self._strong)} strong and {len(self._weak)} weak forms)"

    def _blanked(self, text: str) -> str:
        """Put a sign of the same length, which joins nothing, in the place of every known placeholder."""
        if not self._placeholders:
            return text
        return _TOKEN.sub(lambda m: BLANK * len(m[0]) if m[0] in self._placeholders else m[0], text)

    def _kept_in(self, text: str) -> list[tuple[int, int]]:
        """Return where texts that a person lets leave stand as words."""
        return [match.span() for match in self._kept.finditer(text)] if self._kept else []

    def _folded_hits(self, text: str, leveled: bytes | None = None) -> set[str]:
        """Return the folded forms of strong values that a text contains; `leveled` spares a second reading."""
        # Placeholders part what stands beside them: without a hit in the whole there is none between them.
        if not self._strong.automaton.find(fold_bytes(level(text) if leveled is None else leveled)):
            return set()
        return {form for _, form in self._strong_hits(text)}

    def _strong_hits(self, text: str) -> Iterator[tuple[Hit, str]]:
        text = self._blanked(text)
        yield from self._hits_in(text)
        if (carried := carried_text(text)) is not text:
            yield from self._hits_in(carried)

    def _hits_in(self, text: str) -> Iterator[tuple[Hit, str]]:
        folded = fold_bytes(level(text))
        matches = self._strong.automaton.find(folded)
        if not matches:
            return
        origin, place = origins(text), offsets(folded)
        kept = self._kept_in(text)
        for word, first, last in matches:
            form, value = self._strong.numbered[word]
            start, end = int(origin[place[first]]), int(origin[place[last] - 1]) + 1
            if any(begin <= start and end <= stop for begin, stop in kept):
                continue
            glued = len(form) >= SHORTEST_CIPHERED and form.isalpha()
            if len(form) >= _SURE_LENGTH or (
                (
                    starts_word(text, start)
                    or (glued and _LITTLE_BEFORE.search(text[max(0, start - _LONGEST_GLUED) : start]))
                )
                and (ends_word(text, start, end) or (glued and _LITTLE_BEHIND.match(text[end : end + _LONGEST_GLUED])))
            ):
                yield Hit(start, end, value), form

    def _weak_hits(self, text: str) -> Iterator[Hit]:
        encoded = text_bytes(text)
        matches = self._weak.automaton.find(encoded)
        if not matches:
            return
        place, passed = offsets(encoded), 0
        kept = self._kept_in(text)
        for word, first, last in sorted(matches, key=lambda match: (match.start, -match.end)):
            start, end = int(place[first]), int(place[last])
            if any(begin <= start and end <= stop for begin, stop in kept):
                continue
            if start >= passed and not text[start - 1 : start].isalnum() and not text[end : end + 1].isalnum():
                passed = end
                yield Hit(start, end, self._weak.numbered[word][1])


def is_tiny(value: str) -> bool:
    """Return whether a value says something in its own place alone: one or two figures, a single letter.

    The 2 of an age is none of `2.14.0` and `Child 2`, the F of a patient none of `P/F`.
    """
    return len(value) < 3 and value.isascii() and (value.isdigit() or (len(value) == 1 and value.isalpha()))


def is_weak(value: str) -> bool:
    """Return whether a value is too short or ordinary to be searched in folded form."""
    folded = fold(value)
    if folded.isdigit():
        return len(folded) < _SHORTEST_NUMBER
    if sum(map(is_han, folded)) >= _SHORTEST_HAN:
        return False
    return len(folded) < SHORTEST or folded in _ORDINARY


def _forms(value: str) -> Iterator[str]:
    """Yield the folded value, with its umlauts written out too, and of names the reversed order (`Williams, Emma`).

    Values that are long enough to be no other word are searched backwards and in rot13, too.
    """
    for written in dict.fromkeys((value, value.translate(_WRITTEN_OUT))):
        yield fold(written)
        parts = written.split()
        if 2 <= len(parts) <= 4 and all(part[:1].isalpha() for part in parts):
            yield fold(parts[-1] + "".join(parts[:-1]))
    for ciphered in (value[::-1], codecs.encode(value, "rot13")):
        if SHORTEST_CIPHERED <= len(folded := fold(ciphered)) <= _LONGEST_CIPHERED:
            yield folded


_LONGEST_CIPHERED = 64
_WRITTEN_OUT = str.maketrans({
    "ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "å": "aa", "Å": "Aa", "ø": "oe", "Ø": "Oe",
})  # fmt: skip
"""Letters as German and Danish write them without their signs."""
_JSON = ((b"{", b"}"), (b"[", b"]"))
"""How a serialised request begins and ends that is JSON."""
# An exact placeholder of either style; whether it is one of the box is looked up.
_TOKEN = re.compile(r"<<?[a-z_]{1,40}-\d{1,9}[a-z]{0,3}(?: [a-z]{2,20}=[\w.+-]{1,24}){0,4}>>?")


_LITTLE = (
    "the|my|your|his|her|our|from|for|to|by|with|of|and|or|is|was|"
    "user|name|account|e?mail|profile|page|id|login|mrs?|ms|dr"
)
"""Words that are written at a name without a space, as in a handle: `theemmawilliamsaccount`."""
_LITTLE_BEFORE = re.compile(rf"(?<![^\W\d_])(?:{_LITTLE}){{1,3}}\Z", re.IGNORECASE)
_LITTLE_BEHIND = re.compile(rf"(?:{_LITTLE}){{1,3}}(?![^\W\d_])", re.IGNORECASE)
_LONGEST_GLUED = 24


def _refusal(what: str) -> str:
    return (
        f"{what} was stopped: it would have carried a private value that must not leave. Nothing was sent. "
        "Run `gama anonymize` on the text to see what is found, or add the value with `--deny`."
    )
