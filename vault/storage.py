"""`Storage`: where the checkpoints of both graphs lie, and how conversations in it are forgotten.

It is a folder with SQLite files, or a PostgreSQL database. Whatever it is, the savers in it are behind the vault: what
lies there is ciphertext.
"""

import os
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

from gama.state.errors import OptionError
from gama.vault.database import is_postgres, shown
from gama.vault.encrypted_saver import EncryptedSaver, LocalSaver, StoredSaver
from gama.vault.keys.threads import STEP_S
from gama.vault.seal import Vault

_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_GREGORIAN = 0x01B21DD213814000
"""100-nanosecond intervals between 1582-10-15, where the time of a version 6 UUID starts, and 1970-01-01."""


class Compaction(NamedTuple):
    """What became of the space of deleted rows."""

    done: bool
    text: str
    """What was done, or why it was not, and what it leaves."""


class Storage(ABC):
    """The savers of both graphs and what can be done with their place."""

    def __init__(self, vault: Vault, address: str, private: StoredSaver, public: StoredSaver) -> None:
        """Put the savers behind the vault.

        Args:
            vault: gives every thread its key.
            address: where it is, without a password.
            private: keeps the checkpoints of the private graph.
            public: keeps those of the public graph.
        """
        self.vault = vault
        self.address = address
        self._savers = private, public
        self.private, self.public = (EncryptedSaver(saver, vault, make=False) for saver in self._savers)

    def last_used(self) -> dict[str, float]:
        """Return the conversations that have checkpoints, with the time of the last one in seconds since 1970."""
        return {thread: seconds_of(step) for thread, step in self._savers[0].last_steps().items()}

    def delete(self, thread: str, public: Sequence[str]) -> None:
        """Delete the checkpoints of a conversation and of its public threads."""
        for name in public:
            self.public.delete_thread(name)
        self.private.delete_thread(thread)

    def forget(self, thread: str) -> bool:
        """Erase a conversation: its keys, then its rows, private and public, then its name.

        Once the keys are destroyed nothing of it can be read, wherever a copy of the rows lies. Needs no master key.

        Returns:
            Whether there was one.
        """
        known = self.vault.knows(thread) or thread in self.last_used()
        # Its name stays beside the destroyed keys until the rows are deleted: what a crash interrupts can be finished.
        public = self.vault.destroy(thread)
        self.delete(thread, public)
        self.vault.remove([thread, *public])
        return known

    def finish(self) -> None:
        """Finish what an earlier process could not: delete the rows of conversations whose keys are destroyed."""
        for thread in self.vault.destroyed():
            self.forget(thread)

    def older_than(self, age: timedelta, now: float | None = None) -> list[str]:
        """List the conversations that were last used longer ago, of those whose keys are here.

        Others in the same store may be another machine's.

        Args:
            age: how long.
            now: the time that counts; by default what the clock says.
        """
        now = time.time() if now is None else now
        limit = now - age.total_seconds()
        # What was saved in the future was saved while the clock was wrong: when it was sealed counts alone.
        saved = {thread: when for thread, when in self.last_used().items() if when <= now + STEP_S}
        # Conversations of agents and the gateway have no checkpoints here: what counts is when they last sealed.
        used = self.vault.used().items()
        return sorted(thread for thread, sealed in used if max(saved.get(thread, 0.0), sealed) < limit)

    @abstractmethod
    def compact(self, *, full: bool) -> Compaction:
        """Give up the space of deleted rows.

        Args:
            full: rewrite the tables of a server, which locks them meanwhile. A file is always rewritten.
        """

    def close(self) -> None:
        """Close files or connections."""
        for saver in self._savers:
            saver.close()


class LocalStorage(Storage):
    """Two SQLite files in a folder."""

    def __init__(self, folder: Path, vault: Vault) -> None:
        """Open or make the files."""
        self._files = LocalSaver(folder / "private.sqlite"), LocalSaver(folder / "public.sqlite")
        super().__init__(vault, str(folder), *self._files)

    def compact(self, *, full: bool) -> Compaction:
        """Rewrite the files without the pages of deleted rows, which were overwritten when they were deleted."""
        busy = [saver for saver in self._files if not saver.compact()]
        if busy:
            kept = "deleted ciphertext, whose key is gone, stays in them until it is done"
            return Compaction(False, f"Another program uses the files: {kept}.")
        return Compaction(True, "The files were rewritten without the deleted rows.")


class PostgresStorage(Storage):
    """Two schemas of a PostgreSQL database: `gama_private` and `gama_public`."""

    def __init__(self, url: str, vault: Vault) -> None:
        """Connect, and make what is missing.

        Raises:
            StoreError: the database cannot be used.
            OptionError: the URL cannot be read, or the extra is not installed.
        """
        try:
            from gama.vault.postgres_saver import PooledSaver
        except ImportError:
            raise OptionError("PostgreSQL needs the extra: pip install 'gama-privacy[postgres]'") from None
        private = PooledSaver(url, "gama_private")
        try:
            self._pools = private, PooledSaver(url, "gama_public")
        except BaseException:
            private.close()
            raise
        super().__init__(vault, shown(url), *self._pools)

    def compact(self, *, full: bool) -> Compaction:
        """Vacuum the tables."""
        for saver in self._pools:
            saver.compact(full=full)
        kept = "the server's log, replicas and backups hold the deleted ciphertext until they are recycled"
        if full:
            return Compaction(True, f"The tables were rewritten without the deleted rows; {kept}.")
        return Compaction(True, f"The deleted rows' space may be used again (--full rewrites the tables); {kept}.")


def open_storage(vault: Vault, home: Path, address: str | None = None) -> Storage:
    """Open the storage at an address.

    Args:
        vault: gives every thread its key.
        home: the home folder, where the files lie when no address is given.
        address: `sqlite:///FOLDER` or `postgresql://…`; by default `GAMA_STORE`, else the home folder.

    Raises:
        OptionError: the address is of another kind.
        StoreError: the database cannot be used.
    """
    address = address or os.environ.get("GAMA_STORE") or ""
    if is_postgres(address):
        return PostgresStorage(address, vault)
    return LocalStorage(folder_of(address, home), vault)


def folder_of(address: str, home: Path) -> Path:
    """Return the folder that an address names.

    Raises:
        OptionError: it names a file, or is of another kind.
    """
    if not address:
        return home
    if not address.startswith("sqlite:///"):
        raise OptionError(f"option store: {shown(address)!r} is neither sqlite:///FOLDER nor postgresql://USER@HOST/DB")
    folder = Path(address.removeprefix("sqlite:///")).expanduser()
    if folder.is_file() or folder.suffix in (".sqlite", ".sqlite3", ".db"):
        raise OptionError(
            f"option store: {str(folder)!r} is a file; name a folder: private.sqlite and public.sqlite lie in it"
        )
    return folder


def seconds_of(checkpoint_id: str) -> float:
    """Return the time at which a checkpoint was made, in seconds since 1970: LangGraph's ids are version 6 UUIDs."""
    number = UUID(checkpoint_id).int
    ticks = ((number >> 80) << 12) | ((number >> 64) & 0x0FFF)
    return (ticks - _GREGORIAN) / 1e7


def age_of(text: str | timedelta) -> timedelta:
    """Read an age such as `30d`, `12h`, `90m` or `2w`.

    Raises:
        OptionError: it is none.
    """
    if isinstance(text, timedelta):
        return text
    # A whole number and one letter, with or without a space: 30d, 2 w. No fractions, no sign, no bare number.
    found = re.fullmatch(r"([0-9]{1,6})\s?([mhdw])", text.strip().lower())
    if found is None:
        raise OptionError(f"{text!r} is no age: write 30d, 12h, 90m or 2w")
    return timedelta(**{_UNITS[found[2]]: int(found[1])})
