"""The audit's PostgreSQL database, where one is given: what stands in its tables."""

from typing import Any

from gama.state.errors import OptionError
from gama.vault.database import is_postgres
from gama.vault.postgres import connect

SCHEMAS = ["gama_private", "gama_public"]
"""Where conversations are kept."""


def check_empty(url: str) -> None:
    """Refuse a database in which conversations are kept: the audit would take up its time, and search its rows.

    Raises:
        OptionError: it has some, or is no PostgreSQL database.
        StoreError: it cannot be used.
    """
    if not is_postgres(url):
        raise OptionError("the audit's store is a PostgreSQL database: postgresql://USER@HOST/DATABASE")
    if rows(url, most=1):
        raise OptionError("the database has conversations in it: give the audit an empty one of its own")


def rows(url: str, most: int | None = None) -> list[bytes]:
    """Return the rows of the tables of conversations, each as the bytes of its values.

    Args:
        url: the database's address.
        most: how many of each table.

    Raises:
        StoreError: the database cannot be used.
    """
    found: list[bytes] = []
    with connect(url) as db:
        # Not before: `connect` says what to install.
        from psycopg.sql import SQL, Identifier

        tables = db.execute(
            "SELECT schemaname, tablename FROM pg_tables WHERE schemaname = ANY(%s) AND tablename NOT LIKE %s",
            (SCHEMAS, "%migrations"),
        ).fetchall()
        for schema, table in tables:
            whole = SQL("SELECT * FROM {} LIMIT %s").format(Identifier(schema, table))
            found += [b"\n".join(map(_bytes, row)) for row in db.execute(whole, (most,))]
    return found


def _bytes(value: Any) -> bytes:
    return bytes(value) if isinstance(value, bytes | memoryview) else str(value).encode("utf-8", "replace")
