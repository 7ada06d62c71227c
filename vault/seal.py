"""Sealing: authenticated encryption of everything private that a state holds.

A `Vault` has a ring of master keys and, for each thread, a data key of its own, wrapped by the newest master key
and kept in a `KeyStore`. What is sealed under a thread's key opens only for that thread (the thread id is the
associated data of AES-256-GCM) and never again once the thread's key is gone: erasing the key is what `forget`
does first.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from gama.state.private_text import Sealed, Unpicklable
from gama.vault.cipher import ThreadCipher
from gama.vault.keys.sources import key_source
from gama.vault.keys.threads import KeptBox, KeyStore, ThreadKeys


def default_home() -> Path:
    """Return the folder for keys and checkpoints: `GAMA_HOME`, or the platform's place for user data."""
    if home := os.environ.get("GAMA_HOME"):
        return Path(home)
    from platformdirs import user_data_path

    return user_data_path("gama", appauthor=False)


class Vault(Unpicklable):
    """Seals and opens values, one key per thread.

    Args:
        keys: the keys of the threads.
        makes: whether a thread without a key gets one when something is sealed for it.
    """

    def __init__(self, keys: ThreadKeys, *, makes: bool = True) -> None:
        """Open the vault; its files are touched on first use."""
        self.keys = keys
        """The keys, to be shown, rotated and retired."""
        self._makes = makes

    @classmethod
    def at(cls, home: Path, *, source: str | None = None, keys: str | None = None) -> Self:
        """Open the vault of a home folder.

        The master key comes from `source` (see `gama.vault.keys.sources`); where none is named and none is there,
        it is the file `master.key` in the folder, made on first use and readable by its owner only. First use
        raises `SealError` when the key is malformed, missing or another than what is here was sealed with, or when
        others may read its file.

        Args:
            home: the folder.
            source: `env[:NAME]`, `file[:PATH]` or `keyring[:NAME]`; by default `GAMA_KEY_SOURCE` and what follows it.
            keys: `postgresql://` URL of the thread keys; by default `GAMA_THREAD_KEYS`, else the folder.
        """
        url = keys or os.environ.get("GAMA_THREAD_KEYS")
        store = KeyStore.in_postgres(url) if url else KeyStore.in_file(home / "keys.sqlite")
        return cls(ThreadKeys(key_source(home, source), store))

    @classmethod
    def ephemeral(cls) -> Self:
        """Open a vault that lives and dies with this process."""
        return cls(ThreadKeys(None, KeyStore.in_file(None)))

    def for_steps(self) -> "Vault":
        """Return the same vault for the steps of a run: it makes no keys, so no step revives what was forgotten."""
        return Vault(self.keys, makes=False)

    def seal(self, thread: str, value: bytes) -> Sealed:
        """Encrypt a value for a thread.

        Raises:
            SealError: the thread was forgotten while it ran, or there is no master key.
        """
        return Sealed(ct=self.cipher(thread).seal(value))

    def open(self, thread: str, sealed: Sealed) -> bytes:
        """Decrypt a value.

        Raises:
            SealError: another thread's value, another key, damaged, or the thread was forgotten.
        """
        return ThreadCipher(self.keys.key(thread, make=False), thread).open(sealed.ct)

    def cipher(self, thread: str, *, make: bool = True) -> ThreadCipher:
        """Return what seals and opens values of a thread; `make` gives the thread a key if it has none."""
        return ThreadCipher(self.keys.key(thread, make=make and self._makes), thread)

    def seal_file(self, label: str, value: bytes) -> Sealed:
        """Encrypt a value under the master key itself, for a file that belongs to no thread."""
        return Sealed(ct=self.keys.ring().wrap(value, "file:" + label))

    def open_file(self, label: str, sealed: Sealed) -> bytes:
        """Decrypt what `seal_file` made.

        Raises:
            SealError: another key, another label, or damaged.
        """
        return self.keys.ring().unwrap(sealed.ct, "file:" + label)

    def tie(self, public: str, thread: str) -> None:
        """Make a key for a public thread that belongs to a conversation: it will be forgotten with it.

        Raises:
            SealError: the conversation has no key: it was forgotten while it ran.
        """
        self.keys.key(thread, make=False)
        self.keys.key(public, make=True, owner=thread)

    def tied(self, thread: str) -> list[str]:
        """List the public threads of a conversation."""
        return [key.thread for key in self.keys.store.all() if key.owner == thread]

    def knows(self, thread: str) -> bool:
        """Return whether the thread has a key."""
        key = self.keys.store.get(thread)
        return key is not None and key.wrapped != b""

    def threads(self) -> list[str]:
        """List the conversations that have a key."""
        return list(self.used())

    def used(self) -> dict[str, float]:
        """Tell when the conversations that have a key last sealed something, in seconds since 1970."""
        alive = [key for key in self.keys.store.all() if key.wrapped and key.owner is None]
        return {key.thread: max(key.made, key.used) for key in alive}

    def touch(self, thread: str) -> None:
        """Note that a conversation is in use, where what belongs to it is sealed under keys of its own."""
        self.keys.touch(thread)

    def follow(self, now: float) -> float:
        """Return the time by which retention counts, which no jump of the clock moves far; see `KeyStore.follow`."""
        return self.keys.store.follow(now)

    def owner(self, thread: str) -> str | None:
        """Return the conversation that a public thread belongs to."""
        key = self.keys.store.get(thread)
        return key.owner if key else None

    def forget(self, thread: str) -> bool:
        """Erase a thread's key: what it sealed can never be read again. Return whether there was one."""
        known = self.knows(thread)
        self.remove([thread, *self.destroy(thread)])
        return known

    def destroy(self, thread: str) -> list[str]:
        """Destroy the keys of a conversation and of its public threads, and its box. Needs no master key.

        The names stay, so that a deletion that was interrupted can be finished, until `remove`.

        Returns:
            Its public threads.
        """
        return self.keys.store.destroy(thread)

    def remove(self, threads: Sequence[str]) -> None:
        """Remove the names of threads whose keys are destroyed."""
        self.keys.store.remove(threads)

    def destroyed(self) -> list[str]:
        """List the conversations whose deletion was interrupted after their keys were destroyed."""
        dead = [key for key in self.keys.store.all() if not key.wrapped]
        return sorted({key.owner or key.thread for key in dead})

    def load_box(self, thread: str) -> tuple[int, bytes | None]:
        """Return the box of a conversation with its version: 0 and None where none is kept."""
        kept = self.keys.store.load_box(thread)
        if kept is None:
            return 0, None
        return kept.version, self.cipher(thread, make=False).open(kept.sealed, "box")

    def save_box(self, thread: str, version: int, value: bytes) -> bool:
        """Keep the box of a conversation as the next version; return whether `version` was still the latest."""
        sealed = self.cipher(thread).seal(value, "box")
        return self.keys.store.save_box(thread, KeptBox(version + 1, sealed))

    def close(self) -> None:
        """Let go of files and connections; the next use takes them up again."""
        self.keys.store.close()

    def __repr__(self) -> str:
        """Name the place, never the keys."""
        return f"Vault({self.keys.store.place!r})"
