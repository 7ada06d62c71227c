"""What was found in a text, kept by a digest of it: a long history is not read again at each turn.

No text is kept: a digest under a key of this process, and for it offsets and kinds. Callers do not
share what is remembered, so that nobody can tell from the time what another one has sent.
"""

import hmac
import secrets
import threading
from collections import OrderedDict
from typing import Any, NamedTuple

from gama.privacy.pipeline import Read
from gama.state.entities import Entity

MOST_TEXTS = 20_000
MOST_SPANS = 400_000
"""Bounds of what is remembered: some hundred megabytes at most. What was used longest ago goes first."""


class _Kept(NamedTuple):
    """One mention without its text and its subject, which depends on the conversation."""

    start: int
    end: int
    subtype: str
    private: bool
    rest: tuple[Any, ...]
    """Type, views and score."""
    late: bool
    """Whether only a second look found it."""


class SpanMemory:
    """Remembers the mentions of texts. Safe to share between threads."""

    def __init__(self, most_texts: int = MOST_TEXTS, most_spans: int = MOST_SPANS) -> None:
        """Start empty."""
        self._secret = secrets.token_bytes(32)
        self._most_texts = most_texts
        self._most_spans = most_spans
        self._kept: OrderedDict[bytes, tuple[_Kept, ...]] = OrderedDict()
        self._spans = 0
        self._lock = threading.Lock()

    def get(self, caller: str, text: str) -> Read | None:
        """Return the mentions of a text that this caller has sent before."""
        digest = self._digest(caller, text)
        with self._lock:
            if (kept := self._kept.get(digest)) is None:
                return None
            self._kept.move_to_end(digest)
        read = Read([], [])
        for one in kept:
            entity = Entity(
                text=text[one.start : one.end], start=one.start, end=one.end, subtype=one.subtype, private=one.private,
                type=one.rest[0], views=one.rest[1], score=one.rest[2],
            )  # fmt: skip
            (read.late if one.late else read.found).append(entity)
        return read

    def put(self, caller: str, text: str, read: Read) -> None:
        """Remember the mentions of a text."""
        kept = tuple(
            _Kept(e.start, e.end, e.subtype, e.private, (e.type, e.views, e.score), bool(late))
            for late, entities in enumerate(map(list, read))
            for e in entities
        )
        digest = self._digest(caller, text)
        with self._lock:
            self._spans += len(kept) - len(self._kept.pop(digest, ()))
            self._kept[digest] = kept
            while len(self._kept) > self._most_texts or (self._spans > self._most_spans and len(self._kept) > 1):
                _, gone = self._kept.popitem(last=False)
                self._spans -= len(gone)

    def __len__(self) -> int:
        """Return how many texts are remembered."""
        return len(self._kept)

    def _digest(self, caller: str, text: str) -> bytes:
        body = f"{caller}\0{text}".encode("utf-8", "surrogatepass")
        return hmac.digest(self._secret, body, "sha256")
