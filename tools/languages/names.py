"""Names in the scripts and languages that the embedded tagger has not learnt, or reads less well."""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Protocol

import regex

from gama.tools.languages.parts import parts
from gama.tools.languages.spaced import Name, spaced
from gama.tools.languages.words import any_of
from gama.tools.recognizers.base import is_plain
from gama.tools.tables import table


class Reader(Protocol):
    """Finds the names of one language."""

    def names(self, text: str, start: int, end: int) -> Iterator[Name]:
        """Yield the names in a stretch of a text; they may overlap."""


_ALONE = {"zh": "chinese", "ja": "japanese", "ko": "korean", "th": "thai"}
"""Languages with a reader of their own, by its module and its function."""
_AS = {
    "mr": "hi",
    "ne": "hi",
    "ur": "ar",
    "ps": "ar",
    "ug": "ar",
    "bg": "ru",
    "be": "ru",
    "sr": "ru",
    "mk": "ru",
    "kk": "ru",
}
"""Languages that are read by the rules of another."""
READ = frozenset({*_ALONE, *_AS, "ar", "fa", "he", "hi", "bn", "ru", "uk", "el", "tr", "vi"})
"""Languages with rules."""


def stretches(text: str) -> list[tuple[int, int]]:
    """Return where a text is in another script, or in a language of Latin script that has rules: numbers included."""
    if is_plain(text):
        return []
    found: list[tuple[int, int]] = []
    for part in parts(text):
        if part.script != "Latin" or part.language in READ:
            # What comes before the first letter belongs to nothing: to the part behind it as well.
            start = part.start if found or part.start > _LEAD else 0
            if found and found[-1][1] >= start - _LATIN:
                found[-1] = (found[-1][0], part.end)
            else:
                found.append((start, part.end))
    return found


_LEAD = 40
"""Characters before the first letter of a text that are looked at with it."""
_LATIN = 24
"""Characters of Latin script between two parts that are looked at with them: a code often has some."""


def bounds(text: str) -> dict[str, tuple[int, int]]:
    """Return where the first part for the rules of each language begins, and where the last one ends."""
    found: dict[str, tuple[int, int]] = {}
    for part in () if is_plain(text) else parts(text):
        if part.language in READ:
            language = _AS.get(part.language, part.language)
            start, _ = found.get(language, (part.start, 0))
            found[language] = (start, part.end)
    if "zh" in found and "ja" in found:
        # Their characters run into each other where one follows on the other: each reads the stretch of both.
        found["zh"] = found["ja"] = (
            min(found["zh"][0], found["ja"][0]),
            max(found["zh"][1], found["ja"][1]),
        )
    return found


def _reader(language: str) -> Reader:
    if language not in _ALONE:
        return spaced(language)
    name = _ALONE[language]
    made: Reader = getattr(import_module(f"gama.tools.languages.{name}"), name)()
    return made


_ENDS = ".!?;\n؟۔।。！？"
"""What ends a sentence."""


@cache
def _asks(language: str) -> "regex.Pattern[str]":
    given: str | list[str] = table("languages", language).get("asks", "")
    words = given.split() if isinstance(given, str) else given
    return regex.compile(any_of(word.replace("_", " ") for word in words), regex.IGNORECASE)


def is_asked(text: str, start: int, end: int, language: str) -> bool:
    """Return whether the sentence round a name asks of somebody whom the world may know: `Who was …?`."""
    first = max(text.rfind(mark, 0, start) for mark in _ENDS) + 1
    ends = [at for mark in _ENDS if (at := text.find(mark, end)) >= 0]
    return _asks(language).search(text, first, min(ends, default=len(text))) is not None


def names(text: str) -> list[Name]:
    """Return the names that rules and lists find in a text, without overlap: announced ones first, then longer ones."""
    found: list[Name] = []
    for language, (start, end) in bounds(text).items():
        told = _reader(language).names(text, start, end)
        found += (name for name in told if name.announced or not is_asked(text, name.start, name.end, language))
    kept: list[Name] = []
    taken = bytearray(len(text))
    for name in sorted(found, key=lambda name: (not name.announced, name.start - name.end, name.start)):
        if not any(taken[name.start : name.end]):
            taken[name.start : name.end] = b"\x01" * (name.end - name.start)
            kept.append(name)
    return sorted(kept)
