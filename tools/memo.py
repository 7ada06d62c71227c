"""What was worked out of a text, known again by a digest of it: the text itself is not kept."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b
from typing import Generic, TypeVar

Made = TypeVar("Made")


class Memo(Generic[Made]):
    """The last outcomes, never None, of a pure function of texts, of which they hold no part. Safe between threads."""

    def __init__(self, most: int) -> None:
        """Keep at most so many."""
        self._most = most
        self._made: OrderedDict[bytes, Made] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, given: str, make: Callable[[], Made]) -> Made:
        """Return what was made of the same before, or make it.

        Args:
            given: all that the outcome depends on.
            make: makes it.
        """
        key = _key(given)
        return made if (made := self._known(key)) is not None else self._keep(key, make())

    def get(self, given: str) -> Made | None:
        """Return what was made of the same before, or None."""
        return self._known(_key(given))

    def put(self, given: str, made: Made) -> Made:
        """Remember what was made of something, and return it."""
        return self._keep(_key(given), made)

    def _known(self, key: bytes) -> Made | None:
        with self._lock:
            if key in self._made:
                self._made.move_to_end(key)
            return self._made.get(key)

    def _keep(self, key: bytes, made: Made) -> Made:
        with self._lock:
            self._made[key] = made
            if len(self._made) > self._most:
                self._made.popitem(last=False)
        return made


def _key(given: str) -> bytes:
    return blake2b(given.encode("utf-8", "surrogatepass"), digest_size=16).digest()
