"""`PostgresKeys`: keys in a PostgreSQL schema, for several machines that share one store.

PostgreSQL keeps old rows in its log and in backups, so destroying a key here is sure only once those are
gone, or once the master key that wrapped it is (`gama keys rotate`, `reseal`, `retire`). One machine alone
does better with keys in its home folder.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gama.vault.keys.base import KeptBox, KeyStore, StaleMaster, WrappedKey
from gama.vault.postgres import Database, forget_statistics

if TYPE_CHECKING:
    from psycopg import Connection

_LOCK = 0x67616D61
"""Number of the advisory lock that `exclusive` takes."""
_TABLES = """
CREATE SCHEMA IF NOT EXISTS gama_keys;
CREATE TABLE IF NOT EXISTS gama_keys.keys (
    thread TEXT PRIMARY KEY, wrapped BYTEA NOT NULL, master TEXT, made DOUBLE PRECISION NOT NULL, owner TEXT,
    used DOUBLE PRECISION NOT NULL DEFAULT 0
);
ALTER TABLE gama_keys.keys ADD COLUMN IF NOT EXISTS used DOUBLE PRECISION NOT NULL DEFAULT 0;
CREATE INDEX IF NOT EXISTS keys_owner ON gama_keys.keys (owner);
CREATE TABLE IF NOT EXISTS gama_keys.boxes (thread TEXT PRIMARY KEY, version BIGINT NOT NULL, sealed BYTEA NOT NULL);
CREATE TABLE IF NOT EXISTS gama_keys.master (id TEXT NOT NULL);
"""
_NEWEST = """
SELECT 1 FROM information_schema.columns
WHERE table_schema = 'gama_keys' AND table_name = 'keys' AND column_name = 'used'
"""
_COLUMNS = "thread, wrapped, master, made, owner, used"


class PostgresKeys(KeyStore):
    """Keeps keys in the schema `gama_keys` of a database, connected to on first use."""

    def __init__(self, url: str) -> None:
        """Take the database's URL."""
        self.place = "the PostgreSQL schema gama_keys"
        self._database = Database(url, _prepare)
        self._run = self._database.run

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Hold an advisory lock of the database, in a transaction."""
        with self._database.lock:
            if self._database.inside:
                yield
                return
            with self._database.transaction():
                self._run("SELECT pg_advisory_xact_lock(%s)", _LOCK)
                yield

    def master(self) -> str | None:
        """Return the id of the master key in use."""
        found = self._rows("SELECT id FROM gama_keys.master")
        return str(found[0][0]) if found else None

    def set_master(self, master: str) -> None:
        """Note which master key is in use."""
        with self.exclusive():
            self._run("DELETE FROM gama_keys.master")
            self._run("INSERT INTO gama_keys.master VALUES (%s)", master)

    def get(self, thread: str) -> WrappedKey | None:
        """Return a thread's key."""
        found = self._rows(f"SELECT {_COLUMNS} FROM gama_keys.keys WHERE thread = %s", thread)
        return WrappedKey(*found[0]) if found else None

    def add(self, key: WrappedKey) -> WrappedKey:
        """Keep a key unless the thread has one."""
        with self.exclusive():
            if key.master != self.master():
                raise StaleMaster
            self._run(
                f"INSERT INTO gama_keys.keys ({_COLUMNS}) VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING", *key
            )
            kept = self.get(key.thread)
        assert kept is not None
        return kept

    def replace(self, keys: Iterable[WrappedKey]) -> None:
        """Replace the wrapping of keys."""
        with self.exclusive():
            for key in keys:
                self._run(
                    "UPDATE gama_keys.keys SET wrapped = %s, master = %s WHERE thread = %s AND wrapped != ''",
                    key.wrapped, key.master, key.thread,
                )  # fmt: skip

    def touch(self, thread: str, used: float) -> None:
        """Note when a thread's key was last used to seal."""
        self._run("UPDATE gama_keys.keys SET used = %s WHERE thread = %s", used, thread)

    def all(self) -> list[WrappedKey]:
        """Return every key."""
        return [WrappedKey(*row) for row in self._rows(f"SELECT {_COLUMNS} FROM gama_keys.keys ORDER BY thread")]

    def destroy(self, thread: str) -> list[str]:
        """Destroy the keys of a thread and of those it owns, and their boxes."""
        with self.exclusive():
            owned = self._rows("SELECT thread FROM gama_keys.keys WHERE owner = %s ORDER BY 1", thread)
            self._run("UPDATE gama_keys.keys SET wrapped = '' WHERE thread = %s OR owner = %s", thread, thread)
            names = [str(row[0]) for row in owned]
            self._run("DELETE FROM gama_keys.boxes WHERE thread = ANY(%s)", [thread, *names])
        return names

    def remove(self, threads: Sequence[str]) -> None:
        """Remove the names of threads whose keys are destroyed, and rewrite the tables without what was removed."""
        with self._database.lock:
            self._run("DELETE FROM gama_keys.keys WHERE thread = ANY(%s)", list(threads))
            # Small tables: a rewrite is quick, and a plain VACUUM would leave the old bytes in their pages.
            for table in ("keys", "boxes"):
                self._run(f"VACUUM (FULL) gama_keys.{table}")

    def load_box(self, thread: str) -> KeptBox | None:
        """Return the box of a conversation."""
        found = self._rows("SELECT version, sealed FROM gama_keys.boxes WHERE thread = %s", thread)
        return KeptBox(*found[0]) if found else None

    def save_box(self, thread: str, box: KeptBox) -> bool:
        """Keep a box, if the one that is there has the version before."""
        if box.version == 1:
            done = self._run(
                "INSERT INTO gama_keys.boxes VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
                thread, box.version, box.sealed,
            )  # fmt: skip
        else:
            done = self._run(
                "UPDATE gama_keys.boxes SET version = %s, sealed = %s WHERE thread = %s AND version = %s",
                box.version, box.sealed, thread, box.version - 1,
            )  # fmt: skip
        return bool(done.rowcount)

    def close(self) -> None:
        """Close the connection."""
        self._database.close()

    def _rows(self, statement: str, *values: object) -> list[Any]:
        found: list[Any] = self._run(statement, *values).fetchall()
        return found


def _prepare(db: "Connection[Any]") -> None:
    if db.execute(_NEWEST).fetchone() is None:
        with db.transaction():
            db.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            db.execute(_TABLES)
            forget_statistics(db, "gama_keys")
