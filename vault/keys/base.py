"""`KeyStore`: where the data keys of the threads lie, wrapped by the master key, and the conversations' boxes, sealed.

A store holds no private value and no usable key. It knows which master key is in use, so that a wrong one
is noticed before anything is sealed with it.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple


class StaleMaster(Exception):
    """The key was wrapped by a master key that the store no longer uses."""


class WrappedKey(NamedTuple):
    """A thread's data key, as it lies in a store."""

    thread: str
    wrapped: bytes
    """Empty once the key is destroyed, while what it sealed is being deleted."""
    master: str | None
    """Id of the master key that wrapped it; None where an early version did not note it."""
    made: float
    """When it was made, in seconds since 1970."""
    owner: str | None = None
    """The conversation that a public thread belongs to; it is forgotten together with it."""
    used: float = 0.0
    """When it last sealed something, to within some minutes, in seconds since 1970."""


class KeptBox(NamedTuple):
    """The box of a conversation."""

    version: int
    """How often it was saved."""
    sealed: bytes


class KeyStore(ABC):
    """A place for wrapped keys. Every method may be called from any thread; another process may use the same place."""

    place: str
    """What messages call it."""

    @abstractmethod
    def exclusive(self) -> AbstractContextManager[None]:
        """Keep every other process from changing the store within; what was changed is undone on an error."""

    @abstractmethod
    def master(self) -> str | None:
        """Return the id of the master key in use, or None where none has been used yet."""

    @abstractmethod
    def set_master(self, master: str) -> None:
        """Note which master key is in use."""

    @abstractmethod
    def get(self, thread: str) -> WrappedKey | None:
        """Return a thread's key, or None."""

    @abstractmethod
    def add(self, key: WrappedKey) -> WrappedKey:
        """Keep a key unless the thread has one; return the one that is kept.

        Raises:
            StaleMaster: another master key is in use by now.
        """

    @abstractmethod
    def replace(self, keys: Iterable[WrappedKey]) -> None:
        """Replace the wrapping of keys that are there."""

    @abstractmethod
    def touch(self, thread: str, used: float) -> None:
        """Note when a thread's key was last used to seal."""

    @abstractmethod
    def all(self) -> list[WrappedKey]:
        """Return every key, in the order of the threads' names."""

    @abstractmethod
    def destroy(self, thread: str) -> list[str]:
        """Destroy the keys of a thread and of those it owns, and their boxes; the names stay until `remove`.

        Returns:
            The names of the threads that it owns.
        """

    @abstractmethod
    def remove(self, threads: Sequence[str]) -> None:
        """Remove the names of threads whose keys are destroyed."""

    @abstractmethod
    def load_box(self, thread: str) -> KeptBox | None:
        """Return the box of a conversation, or None."""

    @abstractmethod
    def save_box(self, thread: str, box: KeptBox) -> bool:
        """Keep a box, if the one that is there has the version before; return whether it was."""

    @abstractmethod
    def close(self) -> None:
        """Let go of files and connections; the next use takes them up again."""
