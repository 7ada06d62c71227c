"""`PostgresLimits`: counts in a PostgreSQL schema, for the workers of several machines."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gama.serve.http.limits.shared import SharedLimits
from gama.vault.postgres import Database

if TYPE_CHECKING:
    from psycopg import Connection

_LOCK = 0x67616D63
"""Number of the advisory locks: one for the tables, one for each key."""
_TABLES = """
CREATE SCHEMA IF NOT EXISTS gama_limits;
CREATE TABLE IF NOT EXISTS gama_limits.workers (worker TEXT PRIMARY KEY, beat DOUBLE PRECISION NOT NULL);
CREATE TABLE IF NOT EXISTS gama_limits.running (
    worker TEXT, name TEXT, number INTEGER NOT NULL, PRIMARY KEY (worker, name)
);
CREATE TABLE IF NOT EXISTS gama_limits.minutes (
    name TEXT PRIMARY KEY, remaining DOUBLE PRECISION NOT NULL, seen DOUBLE PRECISION NOT NULL
);
"""


class PostgresLimits(SharedLimits):
    """Counts in the schema `gama_limits` of a database: names of keys and numbers. One connection serves a worker."""

    def __init__(self, url: str) -> None:
        """Take the database's URL; it is connected to on first use."""
        super().__init__()
        self._database = Database(url, _prepare, options="-c search_path=gama_limits")

    @contextmanager
    def together(self, name: str) -> Iterator[None]:
        """Hold an advisory lock of the key, in a transaction."""
        with self._database.transaction():
            self._database.run("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", _LOCK, name)
            yield

    def run(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Run a statement.

        Raises:
            StoreError: the database does not let it.
        """
        cursor = self._database.run(statement.replace("?", "%s"), *values)
        return cursor.fetchall() if cursor.description else []

    def now(self) -> float:
        """Return the server's time."""
        return float(self.run("SELECT extract(epoch FROM clock_timestamp())")[0][0])

    def close(self) -> None:
        """Take this worker's counts away and close the connection."""
        super().close()
        self._database.close()


def _prepare(db: "Connection[Any]") -> None:
    if db.execute("SELECT to_regclass('gama_limits.minutes')").fetchone() == (None,):
        with db.transaction():
            db.execute("SELECT pg_advisory_xact_lock(%s, 0)", (_LOCK,))
            db.execute(_TABLES)
