"""A set of strings, found in a text all at once in linear time."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from gama.guard.folding import text_bytes

_DENSE = 4_000
"""Up to so many bytes of strings the transitions are kept in full tables: they find three times as fast and take five
times as long to make. Beyond, a text has to be longer than most for the tables to pay, and far beyond they never do."""


class Match(NamedTuple):
    """One string found: which, and where in bytes."""

    word: int
    start: int
    end: int


class Automaton:
    """Finds strings in UTF-8, overlapping ones too. Immutable, and safe to share between threads."""

    def __init__(self, words: Sequence[str]) -> None:
        """Compile the strings; none may be empty."""
        self._words = len(words)
        self._automaton: Any = None
        if words:
            from ahocorasick_rs import BytesAhoCorasick, Implementation

            encoded = [text_bytes(word) for word in words]
            dense = sum(map(len, encoded)) <= _DENSE
            kind = Implementation.DFA if dense else Implementation.ContiguousNFA
            self._automaton = BytesAhoCorasick(encoded, implementation=kind)

    def __len__(self) -> int:
        """Return the number of strings."""
        return self._words

    def find(self, text: bytes) -> list[Match]:
        """Return every place of every string, in order of their ends."""
        if self._automaton is None:
            return []
        return [Match(*found) for found in self._automaton.find_matches_as_indexes(text, overlapping=True)]


def offsets(text: bytes) -> Any:
    """Return, for each byte of a text in UTF-8 and for its end, the number of the character it belongs to."""
    import numpy as np

    begins = (np.frombuffer(text, dtype=np.uint8) & 0xC0) != 0x80
    return np.append(np.cumsum(begins) - 1, np.count_nonzero(begins))
