"""`SqliteKeys`: keys in a SQLite file of the home folder, readable by its owner only.

SQLite overwrites what it frees (`secure_delete`), the file is rewritten when destroyed keys are removed, and the
write-ahead log is cut: after that the key is in no page and no log of the file.
"""

import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gama.state.errors import StoreError
from gama.vault.keys.base import KeptBox, KeyStore, StaleMaster, WrappedKey
from gama.vault.keys.sources import private_folder

_TABLES = """
CREATE TABLE IF NOT EXISTS keys (
    thread TEXT PRIMARY KEY, wrapped BLOB NOT NULL, master TEXT, made REAL NOT NULL DEFAULT 0, owner TEXT,
    used REAL NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS boxes (thread TEXT PRIMARY KEY, version INTEGER NOT NULL, sealed BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS master (id TEXT NOT NULL);
"""
_COLUMNS = "thread, wrapped, master, made, owner, used"


class SqliteKeys(KeyStore):
    """Keeps keys in a file, opened on first use."""

    def __init__(self, path: Path) -> None:
        """Take the file's path."""
        self.path = path
        self.place = str(path)
        self._lock = threading.RLock()
        self._opened: sqlite3.Connection | None = None

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Hold the file's write lock."""
        with self._lock:
            db = self._db()
            if db.in_transaction:
                yield
                return
            db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                db.execute("ROLLBACK")
                raise
            db.execute("COMMIT")

    def master(self) -> str | None:
        """Return the id of the master key in use."""
        found = self._rows("SELECT id FROM master")
        return str(found[0][0]) if found else None

    def set_master(self, master: str) -> None:
        """Note which master key is in use."""
        with self.exclusive():
            self._rows("DELETE FROM master")
            self._rows("INSERT INTO master VALUES (?)", master)

    def get(self, thread: str) -> WrappedKey | None:
        """Return a thread's key."""
        found = self._rows(f"SELECT {_COLUMNS} FROM keys WHERE thread = ?", thread)
        return WrappedKey(*found[0]) if found else None

    def add(self, key: WrappedKey) -> WrappedKey:
        """Keep a key unless the thread has one."""
        with self.exclusive():
            if key.master != self.master():
                raise StaleMaster
            self._rows(f"INSERT OR IGNORE INTO keys ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)", *key)
            kept = self.get(key.thread)
        assert kept is not None
        return kept

    def replace(self, keys: Iterable[WrappedKey]) -> None:
        """Replace the wrapping of keys."""
        with self.exclusive():
            for key in keys:
                self._rows(
                    "UPDATE keys SET wrapped = ?, master = ? WHERE thread = ? AND wrapped != x''",
                    key.wrapped, key.master, key.thread,
                )  # fmt: skip

    def touch(self, thread: str, used: float) -> None:
        """Note when a thread's key was last used to seal."""
        self._rows("UPDATE keys SET used = ? WHERE thread = ?", used, thread)

    def all(self) -> list[WrappedKey]:
        """Return every key."""
        return [WrappedKey(*row) for row in self._rows(f"SELECT {_COLUMNS} FROM keys ORDER BY thread")]

    def destroy(self, thread: str) -> list[str]:
        """Destroy the keys of a thread and of those it owns, and their boxes."""
        with self.exclusive():
            owned = [str(row[0]) for row in self._rows("SELECT thread FROM keys WHERE owner = ? ORDER BY 1", thread)]
            self._rows("UPDATE keys SET wrapped = x'' WHERE thread = ? OR owner = ?", thread, thread)
            for name in (thread, *owned):
                self._rows("DELETE FROM boxes WHERE thread = ?", name)
        self._cut()
        return owned

    def remove(self, threads: Sequence[str]) -> None:
        """Remove the names of threads whose keys are destroyed."""
        with self.exclusive():
            for thread in threads:
                self._rows("DELETE FROM keys WHERE thread = ?", thread)
        # What is deleted is overwritten, but not the copies that pages keep of rows which moved to other pages.
        try:
            self._rows("VACUUM")
        except sqlite3.OperationalError:
            busy = True
        else:
            busy = False
        if busy:
            raise StoreError(
                f"Another program holds {self.place}, so old bytes are left in it. Run `gama forget` again."
            )
        self._cut()

    def load_box(self, thread: str) -> KeptBox | None:
        """Return the box of a conversation."""
        found = self._rows("SELECT version, sealed FROM boxes WHERE thread = ?", thread)
        return KeptBox(*found[0]) if found else None

    def save_box(self, thread: str, box: KeptBox) -> bool:
        """Keep a box, if the one that is there has the version before."""
        with self.exclusive():
            known = self.load_box(thread)
            if (known.version if known else 0) != box.version - 1:
                return False
            self._rows("INSERT OR REPLACE INTO boxes VALUES (?, ?, ?)", thread, box.version, box.sealed)
        return True

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    def __del__(self) -> None:
        """Close the file."""
        if getattr(self, "_opened", None) is not None:
            self.close()

    def _cut(self) -> None:
        """Move the write-ahead log into the file and cut it to nothing.

        Raises:
            StoreError: another process holds it, even after some waiting.
        """
        if self._rows("PRAGMA wal_checkpoint(TRUNCATE)")[0][0]:
            raise StoreError(
                f"Another program holds {self.place}, so old bytes are left in its log. Run `gama forget` again."
            )

    def _rows(self, statement: str, *values: object) -> list[Any]:
        with self._lock:
            return self._db().execute(statement, values).fetchall()

    def _db(self) -> sqlite3.Connection:
        if self._opened is None:
            private_folder(self.path.parent)
            if not self.path.exists():
                # Made with its mode: SQLite would make it readable for others first.
                os.close(os.open(self.path, os.O_WRONLY | os.O_CREAT, 0o600))
            db = sqlite3.connect(self.path, timeout=30, check_same_thread=False, isolation_level=None)
            try:
                db.execute("PRAGMA journal_mode=WAL")
                # A key is on the disk before anything is sealed with it.
                db.execute("PRAGMA synchronous=FULL")
                db.execute("PRAGMA secure_delete=ON")
                db.execute("PRAGMA temp_store=MEMORY")
                _bring_up_to_date(db)
            except BaseException:
                db.close()
                raise
            if os.name == "posix":
                self.path.chmod(0o600)
            self._opened = db
        return self._opened


def _bring_up_to_date(db: sqlite3.Connection) -> None:
    """Make the tables, or add to those of an early version what they lack."""
    wanted = set(_COLUMNS.split(", "))
    if {row[1] for row in db.execute("PRAGMA table_info(keys)")} >= wanted:
        return
    db.execute("BEGIN IMMEDIATE")
    for statement in filter(str.strip, _TABLES.split(";")):
        db.execute(statement)
    there = {row[1] for row in db.execute("PRAGMA table_info(keys)")}
    for column in ("master TEXT", "made REAL NOT NULL DEFAULT 0", "owner TEXT", "used REAL NOT NULL DEFAULT 0"):
        if column.split()[0] not in there:
            db.execute(f"ALTER TABLE keys ADD COLUMN {column}")
    db.execute("CREATE INDEX IF NOT EXISTS keys_owner ON keys (owner)")
    db.execute("COMMIT")
