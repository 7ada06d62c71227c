"""Connecting to PostgreSQL: one connection that comes back, and clear errors."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gama.state.errors import OptionError, StoreError
from gama.vault.database import Database, Outcome, Schema, shown

if TYPE_CHECKING:
    from psycopg import Connection

_LOCK = "SELECT pg_advisory_xact_lock(hashtext(?), hashtext(?))"
_NEWEST = "SELECT 1 FROM information_schema.columns WHERE table_schema = %s AND table_name = %s AND column_name = %s"


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


class PostgresSchema(Database):
    """A schema of a PostgreSQL database; its connection is made on first use, and anew when it is gone."""

    def __init__(self, url: str, schema: Schema) -> None:
        """Take the database's URL and the tables."""
        super().__init__(f"the PostgreSQL schema {schema.name}")
        self._url = url
        self._schema = schema
        self._opened: Connection[Any] | None = None
        self._inside = False
        """Whether a transaction is under way."""

    def run(self, statement: str, *values: object) -> Outcome:
        """Run a statement."""
        import psycopg

        problem: Exception | None = None
        with self.lock:
            for last in (False, True):
                try:
                    done = self._db().execute(_translated(statement), values or None)
                    return Outcome(done.fetchall() if done.description else [], done.rowcount)
                except psycopg.Error as error:
                    # The server may have been restarted: a connection that is gone is made anew, once.
                    gone = self._opened is not None and self._opened.closed
                    if last or self._inside or not gone:
                        problem = failure(self._url, error)
                        break
        assert problem is not None
        raise problem

    @contextmanager
    def exclusive(self, name: str = "") -> Iterator[None]:
        """Hold an advisory lock of the name, in a transaction; no other thread comes between."""
        import psycopg

        problem: Exception | None = None
        with self.lock:
            if self._inside:
                yield
                return
            # A connection that is gone is noticed here, before the transaction.
            self.run("SELECT 1")
            self._inside = True
            try:
                with self._db().transaction():
                    self.run(_LOCK, self._schema.name, name)
                    yield
            except psycopg.Error as error:
                problem = failure(self._url, error)
            finally:
                self._inside = False
        if problem is not None:
            raise problem

    def cut(self) -> None:
        """Leave the server's log: it is recycled by and by."""

    def rewrite(self, *tables: str) -> None:
        """Rewrite tables: a plain VACUUM would leave the old bytes in their pages."""
        for table in tables:
            self.run(f"VACUUM (FULL) {table}")

    def now(self) -> float:
        """Return the server's time."""
        return float(self.run("SELECT extract(epoch FROM clock_timestamp())").rows[0][0])

    def close(self) -> None:
        """Close the connection."""
        with self.lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    def _db(self) -> "Connection[Any]":
        if self._opened is None or (self._opened.closed and not self._inside):
            # This connection sees the one schema: its tables have no other name than their own.
            db = connect(self._url, options=f"-c search_path={self._schema.name}")
            try:
                self._prepare(db)
            except BaseException:
                db.close()
                raise
            self._opened = db
        return self._opened

    def _prepare(self, db: "Connection[Any]") -> None:
        # Asked first: who may not make schemas may use those that were made for him.
        if db.execute(_NEWEST, (self._schema.name, *self._schema.newest)).fetchone() is not None:
            return
        with db.transaction():
            db.execute(_translated(_LOCK), (self._schema.name, ""))
            db.execute(f"CREATE SCHEMA IF NOT EXISTS {self._schema.name}")
            db.execute(_translated(self._schema.tables))
            for table, added in self._schema.added.items():
                for column in added:
                    db.execute(_translated(f"ALTER TABLE {table} ADD COLUMN IF NOT EXISTS {column}"))
            db.execute(self._schema.indexes)
            forget_statistics(db, self._schema.name)


def _translated(statement: str) -> str:
    """Return a statement as PostgreSQL writes it."""
    return statement.replace("?", "%s").replace(" BLOB", " BYTEA").replace(" REAL", " DOUBLE PRECISION")


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
