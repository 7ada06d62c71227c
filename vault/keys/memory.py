"""`MemoryKeys`: keys that live and die with the process."""

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from gama.vault.keys.base import KeptBox, KeyStore, StaleMaster, WrappedKey


class MemoryKeys(KeyStore):
    """Keeps everything in dictionaries."""

    place = "memory"

    def __init__(self) -> None:
        """Start empty."""
        self._lock = threading.RLock()
        self._keys: dict[str, WrappedKey] = {}
        self._boxes: dict[str, KeptBox] = {}
        self._master: str | None = None

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Keep other threads out."""
        with self._lock:
            yield

    def master(self) -> str | None:
        """Return the id of the master key in use."""
        return self._master

    def set_master(self, master: str) -> None:
        """Note which master key is in use."""
        self._master = master

    def get(self, thread: str) -> WrappedKey | None:
        """Return a thread's key."""
        return self._keys.get(thread)

    def add(self, key: WrappedKey) -> WrappedKey:
        """Keep a key unless the thread has one."""
        with self._lock:
            if key.master != self._master:
                raise StaleMaster
            return self._keys.setdefault(key.thread, key)

    def replace(self, keys: Iterable[WrappedKey]) -> None:
        """Replace the wrapping of keys."""
        with self._lock:
            alive = {thread for thread, key in self._keys.items() if key.wrapped}
            self._keys.update({key.thread: key for key in keys if key.thread in alive})

    def touch(self, thread: str, used: float) -> None:
        """Note when a thread's key was last used to seal."""
        with self._lock:
            if (key := self._keys.get(thread)) is not None:
                self._keys[thread] = key._replace(used=used)

    def all(self) -> list[WrappedKey]:
        """Return every key."""
        with self._lock:
            return [self._keys[thread] for thread in sorted(self._keys)]

    def destroy(self, thread: str) -> list[str]:
        """Destroy the keys of a thread and of those it owns, and their boxes."""
        with self._lock:
            owned = sorted(key.thread for key in self._keys.values() if key.owner == thread)
            for name in [thread, *owned]:
                if name in self._keys:
                    self._keys[name] = self._keys[name]._replace(wrapped=b"")
                self._boxes.pop(name, None)
            return owned

    def remove(self, threads: Sequence[str]) -> None:
        """Remove the names of threads whose keys are destroyed."""
        with self._lock:
            for thread in threads:
                self._keys.pop(thread, None)

    def load_box(self, thread: str) -> KeptBox | None:
        """Return the box of a conversation."""
        return self._boxes.get(thread)

    def save_box(self, thread: str, box: KeptBox) -> bool:
        """Keep a box, if the one that is there has the version before."""
        with self._lock:
            known = self._boxes.get(thread)
            if (known.version if known else 0) != box.version - 1:
                return False
            self._boxes[thread] = box
            return True

    def close(self) -> None:
        """Keep everything: it lives as long as the process."""
