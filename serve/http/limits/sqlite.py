"""`SqliteLimits`: counts in a SQLite file, for the workers of one machine."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gama.serve.http.limits.shared import SharedLimits
from gama.state.errors import StoreError
from gama.vault.database import private_folder

_TABLES = (
    "CREATE TABLE IF NOT EXISTS workers (worker TEXT PRIMARY KEY, beat REAL NOT NULL)",
    "CREATE TABLE IF NOT EXISTS running (worker TEXT, name TEXT, number INTEGER NOT NULL, PRIMARY KEY (worker, name))",
    "CREATE TABLE IF NOT EXISTS minutes (name TEXT PRIMARY KEY, remaining REAL NOT NULL, seen REAL NOT NULL)",
)


class SqliteLimits(SharedLimits):
    """Counts in a file, which holds names of keys and numbers."""

    def __init__(self, path: Path) -> None:
        """Take the file's path; it is made on first use."""
        super().__init__()
        self._path = path
        self._opened: sqlite3.Connection | None = None

    @contextmanager
    def together(self, name: str) -> Iterator[None]:
        """Hold the file's write lock."""
        with self.lock:
            self.run("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self.run("ROLLBACK")
                raise
            self.run("COMMIT")

    def run(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Run a statement."""
        with self.lock:
            try:
                return self._db().execute(statement, values).fetchall()
            except sqlite3.Error as error:
                kind = type(error).__name__
        raise StoreError(f"The file {str(self._path)!r}, where requests are counted, cannot be used ({kind}).")

    def now(self) -> float:
        """Return the machine's time."""
        return time.time()

    def close(self) -> None:
        """Take this worker's counts away and close the file."""
        super().close()
        with self.lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    def _db(self) -> sqlite3.Connection:
        if self._opened is None:
            private_folder(self._path.parent)
            db = sqlite3.connect(self._path, timeout=30, check_same_thread=False, isolation_level=None)
            db.execute("PRAGMA journal_mode=WAL")
            # Counts need not survive a crash of the machine.
            db.execute("PRAGMA synchronous=OFF")
            for statement in _TABLES:
                db.execute(statement)
            self._path.chmod(0o600)
            self._opened = db
        return self._opened
