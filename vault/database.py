"""`Database`: one connection for all threads of a process, to a SQLite file or (`postgres.py`) to PostgreSQL.

Statements are written once, with `?` for each value, in what both understand.
"""

import contextlib
import os
import re
import sqlite3
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from gama.state.errors import StoreError

PATIENCE_S = 30.0
"""Seconds to wait for another program that writes to the same file."""


class Schema(NamedTuple):
    """The tables of a database, made where they are missing; types are SQLite's."""

    name: str
    """The PostgreSQL schema that they lie in."""
    tables: str
    newest: tuple[str, str]
    """Table and column that an early version lacks; where they are there, nothing is missing."""
    added: Mapping[str, tuple[str, ...]] = {}
    """Columns that early versions of a table lack."""
    indexes: str = ""


class Outcome(NamedTuple):
    """What a statement gave."""

    rows: list[tuple[Any, ...]]
    changed: int
    """How many rows it wrote or deleted."""


class Database(ABC):
    """A place for rows. Every method may be called from any thread; another process may use the same place."""

    place: str
    """What messages call it."""

    def __init__(self, place: str) -> None:
        """Note where it is; it is opened on first use."""
        self.place = place
        self.lock = threading.RLock()
        """Held while this process uses the connection."""

    @abstractmethod
    def run(self, statement: str, *values: object) -> Outcome:
        """Run a statement.

        Raises:
            StoreError: the database does not let it.
        """

    @abstractmethod
    def exclusive(self, name: str = "") -> AbstractContextManager[None]:
        """Keep every other process from changing the place within, as far as it asks for the same name.

        What was changed is undone on an error. It may be asked for again within.
        """

    @abstractmethod
    def cut(self) -> None:
        """Leave no copy in a log of rows that were overwritten.

        Raises:
            StoreError: another process holds it, even after some waiting.
        """

    @abstractmethod
    def rewrite(self, *tables: str) -> None:
        """Rewrite tables, so that no copy of a deleted row is left in their pages.

        Raises:
            StoreError: another process holds it.
        """

    @abstractmethod
    def now(self) -> float:
        """Return the time by a clock that all who use the place share, in seconds since 1970."""

    @abstractmethod
    def close(self) -> None:
        """Let go of files and connections; the next use takes them up again."""


class SqliteFile(Database):
    """A file that its owner alone may read, or memory that lives and dies with the process.

    SQLite overwrites what it frees (`secure_delete`), and sorts in memory, not in temporary files.
    """

    def __init__(self, path: Path | None, schema: Schema, *, durable: bool = True) -> None:
        """Take the file's path.

        Args:
            path: the file; None for memory.
            schema: its tables.
            durable: whether what is written must survive a crash of the machine.
        """
        super().__init__("memory" if path is None else str(path))
        self.path = path
        self._schema = schema
        self._durable = durable
        self._opened: sqlite3.Connection | None = None

    def run(self, statement: str, *values: object) -> Outcome:
        """Run a statement."""
        with self.lock:
            try:
                done = self._db().execute(statement, values)
                return Outcome(done.fetchall(), done.rowcount)
            except sqlite3.Error as error:
                kind = type(error).__name__
        raise StoreError(f"The file {self.place!r} of the home folder cannot be used ({kind}). See `gama doctor`.")

    @contextmanager
    def exclusive(self, name: str = "") -> Iterator[None]:
        """Hold the file's write lock."""
        with self.lock:
            if self._db().in_transaction:
                yield
                return
            self.run("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self.run("ROLLBACK")
                raise
            self.run("COMMIT")

    def cut(self) -> None:
        """Move the write-ahead log into the file and cut it to nothing."""
        if self.run("PRAGMA wal_checkpoint(TRUNCATE)").rows[0][0]:
            raise StoreError(
                f"Another program holds {self.place}, so old bytes are left in its log. Run `gama forget` again."
            )

    def rewrite(self, *tables: str) -> None:
        """Rewrite the file: what is deleted is overwritten, but not the copies of rows that moved to other pages."""
        with contextlib.suppress(StoreError):
            self.run("VACUUM")
            self.cut()
            return
        raise StoreError(f"Another program holds {self.place}, so old bytes are left in it. Run `gama forget` again.")

    def now(self) -> float:
        """Return the machine's time."""
        return time.time()

    def close(self) -> None:
        """Close the file; memory is kept."""
        if self.path is not None:
            self._close()

    def __del__(self) -> None:
        """Close it."""
        if getattr(self, "_opened", None) is not None:
            self._close()

    def _close(self) -> None:
        with self.lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    def _db(self) -> sqlite3.Connection:
        if self._opened is None:
            db = open_sqlite(self.path)
            try:
                db.execute(f"PRAGMA synchronous={'FULL' if self._durable else 'OFF'}")
                self._prepare(db)
            except BaseException:
                db.close()
                raise
            self._opened = db
        return self._opened

    def _prepare(self, db: sqlite3.Connection) -> None:
        def columns(table: str) -> set[str]:
            return {row[1] for row in db.execute(f"PRAGMA table_info({table})")}

        table, column = self._schema.newest
        if column in columns(table):
            return
        db.execute("BEGIN IMMEDIATE")
        _run_all(db, self._schema.tables)
        for table, added in self._schema.added.items():
            for column in added:
                if column.split()[0] not in columns(table):
                    db.execute(f"ALTER TABLE {table} ADD COLUMN {column}")
        _run_all(db, self._schema.indexes)
        db.execute("COMMIT")


def _run_all(db: sqlite3.Connection, script: str) -> None:
    # Not `executescript`, which would end the transaction.
    for statement in filter(str.strip, script.split(";")):
        db.execute(statement)


def open_sqlite(path: Path | None) -> sqlite3.Connection:
    """Open a file that its owner alone may read, and that keeps nothing of what is deleted; None for memory."""
    if path is not None:
        private_folder(path.parent)
        if not path.exists():
            # Made with its mode: SQLite would make it readable for others first.
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
        if os.name == "posix":
            path.chmod(0o600)
    db = sqlite3.connect(path or ":memory:", timeout=PATIENCE_S, check_same_thread=False, isolation_level=None)
    try:
        _write_ahead(db)
        db.execute("PRAGMA secure_delete=ON")
        db.execute("PRAGMA temp_store=MEMORY")
    except BaseException:
        db.close()
        raise
    return db


def _write_ahead(db: sqlite3.Connection) -> None:
    """Turn on the write-ahead log. Processes that do so at once refuse one another, whatever the timeout says."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            db.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.02)


def private_folder(path: Path) -> Path:
    """Make a folder that only its owner may read."""
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    return path


def is_postgres(url: str) -> bool:
    """Return whether a URL names a PostgreSQL database."""
    return url.startswith(("postgresql://", "postgres://"))


def shown(url: str) -> str:
    """Return an address without what may be a secret: the password, and parameters.

    Accepts any URL; what stands between the user's colon and the last @ goes, and all behind a ?.
    """
    bare = url.partition("?")[0]
    return re.sub(r"^(\w+://[^:/@]*):.*@", r"\1@", bare)
