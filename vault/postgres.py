"""Connecting to PostgreSQL: one connection that comes back, clear errors, and addresses that can be shown."""

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gama.state.errors import OptionError, StoreError

if TYPE_CHECKING:
    from psycopg import Connection, Cursor


def is_postgres(url: str) -> bool:
    """Return whether a URL names a PostgreSQL database."""
    return url.startswith(("postgresql://", "postgres://"))


def shown(url: str) -> str:
    """Return an address without what may be a secret: the password, and parameters.

    Accepts any URL; what stands between the user's colon and the last @ goes, and all behind a ?.
    """
    bare = url.partition("?")[0]
    return re.sub(r"^(\w+://[^:/@]*):.*@", r"\1@", bare)


def connect(url: str, **options: Any) -> "Connection[Any]":
    """Connect in autocommit mode.

    Raises:
        OptionError: the URL cannot be read, or the extra is not installed.
        StoreError: the server does not answer, or refuses.
    """
    try:
        import psycopg
    except ImportError:
        raise OptionError("PostgreSQL needs the extra: pip install 'gama-privacy[postgres]'") from None
    try:
        return psycopg.connect(url, autocommit=True, connect_timeout=10, **options)
    except psycopg.ProgrammingError:
        problem: Exception = OptionError(f"the address {shown(url)!r} cannot be read: postgresql://USER@HOST/DATABASE")
    except psycopg.Error as error:
        problem = failure(url, error)
    # Outside the except block: the server's own words name the host, the user, and what they like.
    raise problem


class Database:
    """One connection to a database, for all threads of a process: made on first use, and anew when it is gone.

    Args:
        url: the database's address.
        prepare: makes the tables, on a fresh connection.
        options: see `connect`.
    """

    def __init__(self, url: str, prepare: Callable[["Connection[Any]"], None], **options: Any) -> None:
        """Note where it is."""
        self._url = url
        self._prepare = prepare
        self._options = options
        self._opened: Connection[Any] | None = None
        self.lock = threading.RLock()
        self.inside = False
        """Whether a transaction is under way."""

    def run(self, statement: str, *values: object) -> "Cursor[Any]":
        """Run a statement.

        Raises:
            StoreError: the database does not let it.
        """
        import psycopg

        problem: Exception | None = None
        with self.lock:
            for last in (False, True):
                try:
                    return self._db().execute(statement, values or None)
                except psycopg.Error as error:
                    # The server may have been restarted: a connection that is gone is made anew, once.
                    gone = self._opened is not None and self._opened.closed
                    if last or self.inside or not gone:
                        problem = failure(self._url, error)
                        break
        assert problem is not None
        raise problem

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Hold a transaction; no other thread comes between.

        Raises:
            StoreError: the database does not let it.
        """
        import psycopg

        problem: Exception | None = None
        with self.lock:
            # A connection that is gone is noticed here, before the transaction.
            self.run("SELECT 1")
            self.inside = True
            try:
                with self._db().transaction():
                    yield
            except psycopg.Error as error:
                problem = failure(self._url, error)
            finally:
                self.inside = False
        if problem is not None:
            raise problem

    def close(self) -> None:
        """Close the connection."""
        with self.lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    def _db(self) -> "Connection[Any]":
        if self._opened is None or (self._opened.closed and not self.inside):
            db = connect(self._url, **self._options)
            try:
                self._prepare(db)
            except BaseException:
                db.close()
                raise
            self._opened = db
        return self._opened


def forget_statistics(db: "Connection[Any]", schema: str) -> None:
    """Have the server keep no samples of what stands in a schema's tables, for its planner.

    They would outlive the rows: a name, or a wrapped key, of what was forgotten long ago. Asked on each start: tables
    may have been made meanwhile.
    """
    from psycopg.sql import SQL, Identifier

    sampled = db.execute(
        "SELECT c.relname AS tab, a.attname AS col FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid "
        "WHERE c.relnamespace = to_regnamespace(%s) AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped "
        "AND a.attstattarget IS DISTINCT FROM 0",
        (schema,),
    ).fetchall()
    for row in sampled:
        table, column = (row["tab"], row["col"]) if isinstance(row, dict) else row
        words = SQL("ALTER TABLE {} ALTER COLUMN {} SET STATISTICS 0")
        db.execute(words.format(Identifier(schema, table), Identifier(column)))


def failure(url: str, error: Exception) -> StoreError:
    """Say that a database cannot be used, and why, without the server's words."""
    state = str(getattr(error, "sqlstate", None) or "")
    said = str(error).lower()
    # While connecting there is no code, only the server's words; in another language they are not understood.
    if state.startswith("28") or "authentication failed" in said or "pg_hba.conf" in said or "no password" in said:
        told = "it refuses the user or the password"
    elif state.startswith("3D") or ("database" in said and "does not exist" in said):
        told = "there is no such database"
    elif state == "42501":
        told = "the user lacks a right there: it needs the schemas gama_private and gama_public"
    elif state.startswith("53") or "too many" in said:
        told = "it has no room for one more connection"
    else:
        told = f"nothing answers there, or it hung up ({type(error).__name__})"
    return StoreError(f"The PostgreSQL database {shown(url)} cannot be used: {told}. Nothing is lost.")
