"""Names in the scripts and languages that the embedded tagger has not learnt, or reads less well."""

from collections.abc import Callable, Iterator
from typing import Protocol

from gama.tools.languages.chinese import chinese
from gama.tools.languages.japanese import japanese
from gama.tools.languages.korean import korean
from gama.tools.languages.parts import is_plain, parts
from gama.tools.languages.spaced import Name, spaced
from gama.tools.languages.thai import thai


class Reader(Protocol):
    """Finds the names of one language."""

    def names(self, text: str, start: int, end: int) -> Iterator[Name]:
        """Yield the names in a stretch of a text; they may overlap."""


_ALONE: dict[str, Callable[[], Reader]] = {"zh": chinese, "ja": japanese, "ko": korean, "th": thai}
_AS = {"mr": "hi", "ne": "hi", "ur": "ar", "ps": "ar", "ug": "ar", "bg": "ru", "be": "ru", "sr": "ru", "mk": "ru", "kk": "ru"}
"""Languages that are read by the rules of another."""
READ = frozenset({*_ALONE, *_AS, "ar", "fa", "he", "hi", "bn", "ru", "uk", "el", "tr", "vi"})
"""Languages with rules."""


def names(text: str) -> list[Name]:
    """Return the names that rules and lists find in a text, without overlap: announced ones first, then longer ones."""
    if is_plain(text):
        return []
    stretches: dict[str, tuple[int, int]] = {}
    for part in parts(text):
        if part.language in READ:
            start, _ = stretches.get(part.language, (part.start, 0))
            stretches[part.language] = (start, part.end)
    found: list[Name] = []
    for language, (start, end) in stretches.items():
        known = _AS.get(language, language)
        reader = _ALONE[known]() if known in _ALONE else spaced(known)
        found += reader.names(text, start, end)
    kept: list[Name] = []
    taken = bytearray(len(text))
    for name in sorted(found, key=lambda name: (not name.announced, name.start - name.end, name.start)):
        if not any(taken[name.start : name.end]):
            taken[name.start : name.end] = b"\x01" * (name.end - name.start)
            kept.append(name)
    return sorted(kept)
