"""`Storage`: where the checkpoints of both graphs lie: a folder with SQLite files, or a PostgreSQL database.

Whatever it is, the savers in it are behind the vault: what lies there is ciphertext.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

from langgraph.checkpoint.base import BaseCheckpointSaver

from gama.state.errors import OptionError
from gama.vault.encrypted_saver import SealedSaver
from gama.vault.postgres import is_postgres, shown
from gama.vault.seal import Vault
from gama.vault.sqlite_saver import LocalSaver, last_steps

_GREGORIAN = 0x01B21DD213814000
"""100-nanosecond intervals between 1582-10-15, where the time of a version 6 UUID starts, and 1970-01-01."""


class Compaction(NamedTuple):
    """What became of the space of deleted rows."""

    done: bool
    text: str
    """What was done, or why it was not, and what it leaves."""


class Storage(ABC):
    """The savers of both graphs and what can be done with their place."""

    address: str
    """Where it is, without a password."""
    private: BaseCheckpointSaver[Any]
    public: BaseCheckpointSaver[Any]

    @abstractmethod
    def last_used(self) -> dict[str, float]:
        """Return the conversations that have checkpoints, with the time of the last one in seconds since 1970."""

    def delete(self, thread: str, public: Sequence[str]) -> None:
        """Delete the checkpoints of a conversation and of its public threads."""
        for name in public:
            self.public.delete_thread(name)
        self.private.delete_thread(thread)

    @abstractmethod
    def compact(self, *, full: bool) -> Compaction:
        """Give up the space of deleted rows.

        Args:
            full: rewrite the tables of a server, which locks them meanwhile. A file is always rewritten.
        """

    @abstractmethod
    def close(self) -> None:
        """Close files or connections."""


class LocalStorage(Storage):
    """Two SQLite files in a folder."""

    def __init__(self, folder: Path, vault: Vault) -> None:
        """Open or make the files."""
        self.address = str(folder)
        self._savers = (LocalSaver(folder / "private.sqlite"), LocalSaver(folder / "public.sqlite"))
        self.private, self.public = (SealedSaver(saver, vault, make=False) for saver in self._savers)

    def last_used(self) -> dict[str, float]:
        """Return the conversations that have checkpoints."""
        return {thread: seconds_of(step) for thread, step in last_steps(self._savers[0]).items()}

    def compact(self, *, full: bool) -> Compaction:
        """Rewrite the files without the pages of deleted rows, which were overwritten when they were deleted."""
        busy = [saver for saver in self._savers if not saver.compact()]
        if busy:
            kept = "deleted ciphertext, whose key is gone, stays in them until it is done"
            return Compaction(False, f"Another program uses the files: {kept}.")
        return Compaction(True, "The files were rewritten without the deleted rows.")

    def close(self) -> None:
        """Close the files."""
        for saver in self._savers:
            saver.close()


class PostgresStorage(Storage):
    """Two schemas of a PostgreSQL database: `gama_private` and `gama_public`."""

    def __init__(self, url: str, vault: Vault) -> None:
        """Connect, and make what is missing.

        Raises:
            StoreError: the database cannot be used.
            OptionError: the URL cannot be read, or the extra is not installed.
        """
        try:
            from gama.vault.postgres_saver import PostgresCheckpoints
        except ImportError:
            raise OptionError("PostgreSQL needs the extra: pip install 'gama-privacy[postgres]'") from None
        self.address = shown(url)
        private = PostgresCheckpoints(url, "gama_private")
        try:
            self._savers = (private, PostgresCheckpoints(url, "gama_public"))
        except BaseException:
            private.close()
            raise
        self.private, self.public = (SealedSaver(saver, vault, make=False) for saver in self._savers)

    def last_used(self) -> dict[str, float]:
        """Return the conversations that have checkpoints."""
        return {thread: seconds_of(step) for thread, step in self._savers[0].last_steps().items()}

    def compact(self, *, full: bool) -> Compaction:
        """Vacuum the tables."""
        for saver in self._savers:
            saver.compact(full=full)
        kept = "the server's log, replicas and backups hold the deleted ciphertext until they are recycled"
        if full:
            return Compaction(True, f"The tables were rewritten without the deleted rows; {kept}.")
        return Compaction(True, f"The deleted rows' space may be used again (--full rewrites the tables); {kept}.")

    def close(self) -> None:
        """Close the connections."""
        for saver in self._savers:
            saver.close()


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
