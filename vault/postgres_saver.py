"""`PooledSaver`: the checkpoints of a graph in a schema of a PostgreSQL database, sync and async."""

import time
from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from typing import Any, LiteralString, ParamSpec, TypeVar

import psycopg
from langgraph.checkpoint.postgres import PostgresSaver
from psycopg.rows import dict_row
from psycopg.sql import SQL, Identifier
from psycopg_pool import ConnectionPool, PoolTimeout

from gama.state.errors import StoreError
from gama.vault.encrypted_saver import StoredSaver
from gama.vault.postgres import connect, failure, forget_statistics

P = ParamSpec("P")
T = TypeVar("T")

_LOCK = 0x67616D62
"""Number of the advisory lock under which tables are made."""
_CONNECTIONS = 8
_PATIENCE_S = 15.0
"""Seconds to wait for a connection."""


def _guarded(work: Callable[P, T]) -> Callable[P, T]:
    """Return a method that says clearly when the database does not let it be done."""

    @wraps(work)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return work(*args, **kwargs)
        except (psycopg.OperationalError, psycopg.errors.InsufficientPrivilege, PoolTimeout) as error:
            saver: Any = args[0]
            problem = failure(saver.url, error)
        # Outside the except block: what is raised here is kept in checkpoints.
        raise problem

    return guarded


class PooledSaver(StoredSaver, PostgresSaver):
    """PostgreSQL checkpoints that serve sync and async runs alike, from a pool of connections; close it when done."""

    get_tuple = _guarded(PostgresSaver.get_tuple)
    put = _guarded(PostgresSaver.put)
    put_writes = _guarded(PostgresSaver.put_writes)

    @_guarded
    def __init__(self, url: str, schema: str) -> None:
        """Connect, and make the schema and its tables where they are missing.

        Raises:
            StoreError: the server does not answer, refuses, or lets the user make no schema.
            OptionError: the URL cannot be read.
        """
        self.url = url
        self.schema = schema
        # Every connection sees this schema only: the saver's tables have no other name than their own.
        options = {"options": f"-c search_path={schema}"}
        _prepare(url, schema, options)
        pool: ConnectionPool[Any] = ConnectionPool(
            url,
            kwargs={"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row, **options},
            min_size=1,
            max_size=_CONNECTIONS,
            # A server that was restarted must not fail the next step.
            check=ConnectionPool.check_connection,
            open=False,
            timeout=_PATIENCE_S,
        )
        super().__init__(pool)
        self.pool = pool
        # Every cursor has a connection of its own: nothing is left to lock.
        self.lock = nullcontext()  # type: ignore[assignment]
        pool.open(wait=True, timeout=_PATIENCE_S)

    def last_steps(self) -> dict[str, str]:
        """Return the threads with the id of their last checkpoint."""
        with self._cursor() as cursor:
            rows = cursor.execute("SELECT thread_id, max(checkpoint_id) AS last FROM checkpoints GROUP BY 1").fetchall()
        return {row["thread_id"]: row["last"] for row in rows}

    def compact(self, *, full: bool) -> None:
        """Let the space of deleted rows be used again; `full` rewrites the tables without it, locking them."""
        with self.pool.connection() as db:
            for table in ("checkpoints", "checkpoint_blobs", "checkpoint_writes"):
                words = SQL("VACUUM (FULL) {}") if full else SQL("VACUUM {}")
                db.execute(words.format(Identifier(self.schema, table)))

    def close(self) -> None:
        """Close the connections."""
        self.pool.close()


def _prepare(url: str, schema: str, options: dict[str, str]) -> None:
    """Make schema and tables, one process at a time."""
    problem: StoreError | None = None
    with connect(url, row_factory=dict_row, **options) as db:
        try:
            # Not waited for inside the server: making an index would wait for the waiting statement in turn.
            deadline = time.monotonic() + 60
            while not _value(db, "SELECT pg_try_advisory_lock(%s) AS value", _LOCK):
                if time.monotonic() > deadline:
                    raise psycopg.OperationalError("busy")
                time.sleep(0.05)
            # Asked first: who may not make schemas may use those that were made for him.
            if _value(db, "SELECT to_regnamespace(%s) AS value", schema) is None:
                db.execute(SQL("CREATE SCHEMA IF NOT EXISTS {}").format(Identifier(schema)))
            PostgresSaver(db).setup()
            forget_statistics(db, schema)
        except psycopg.Error as error:
            problem = failure(url, error)
    if problem is not None:
        raise problem


def _value(db: psycopg.Connection[Any], question: LiteralString, *values: object) -> Any:
    row = db.execute(question, values).fetchone()
    assert row is not None
    return row["value"]
