"""The data keys of the threads: the rows in which they lie, wrapped (`KeyStore`), and who wraps them (`ThreadKeys`).

A store holds no private value and no usable key: keys are wrapped by the master key, the conversations' boxes are
sealed. It knows which master key is in use, so that a wrong one is noticed before anything is sealed with it.
"""

import secrets
import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, Self

from gama.state.errors import SealError
from gama.state.private_text import Unpicklable
from gama.vault.cipher import KEY_BYTES, MasterRing
from gama.vault.database import Database, Schema, SqliteFile
from gama.vault.keys.sources import KeySource

TOUCH_S = 60.0
"""Seconds after which it is noted again that a key is in use."""

STEP_S = 86_400.0
"""How far the clock of retention goes at a time."""
EARLIEST = 1_704_067_200.0
"""Begin of 2024: a clock that says less was never set."""

_COLUMNS = "thread, wrapped, master, made, owner, used"
_SCHEMA = Schema(
    "gama_keys",
    """
    CREATE TABLE IF NOT EXISTS keys (
        thread TEXT PRIMARY KEY, wrapped BLOB NOT NULL, master TEXT, made REAL NOT NULL DEFAULT 0, owner TEXT,
        used REAL NOT NULL DEFAULT 0
    );
    CREATE TABLE IF NOT EXISTS boxes (thread TEXT PRIMARY KEY, version BIGINT NOT NULL, sealed BLOB NOT NULL);
    CREATE TABLE IF NOT EXISTS master (id TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS clock (seen REAL NOT NULL);
    """,
    newest=("clock", "seen"),
    added={"keys": ("master TEXT", "made REAL NOT NULL DEFAULT 0", "owner TEXT", "used REAL NOT NULL DEFAULT 0")},
    indexes="CREATE INDEX IF NOT EXISTS keys_owner ON keys (owner)",
)


class StaleMaster(Exception):
    """The key was wrapped by a master key that the store no longer uses."""


class WrappedKey(NamedTuple):
    """A thread's data key, as it lies in a store."""

    thread: str
    wrapped: bytes
    """Empty once the key is destroyed, while what it sealed is being deleted."""
    master: str | None
    """Id of the master key that wrapped it; None where an early version did not note it."""
    made: float
    """When it was made, in seconds since 1970."""
    owner: str | None = None
    """The conversation that a public thread belongs to; it is forgotten together with it."""
    used: float = 0.0
    """When it last sealed something, to within some minutes, in seconds since 1970."""


class KeptBox(NamedTuple):
    """The box of a conversation."""

    version: int
    """How often it was saved."""
    sealed: bytes


class KeyStore:
    """A place for wrapped keys. Every method may be called from any thread; another process may use the same place."""

    def __init__(self, database: Database) -> None:
        """Take the place; it is opened on first use."""
        self._database = database
        self._run = database.run
        self.place = database.place
        """What messages call it."""
        self.exclusive = database.exclusive
        """Keeps every other process from changing the store within; what was changed is undone on an error."""

    @classmethod
    def in_file(cls, path: Path | None) -> Self:
        """Keep keys in a SQLite file; without one, in memory.

        Keys that are destroyed are overwritten, the file is rewritten when their names go, and its write-ahead log is
        cut: after that they are in no page and no log of the file.
        """
        return cls(SqliteFile(path, _SCHEMA))

    @classmethod
    def in_postgres(cls, url: str) -> Self:
        """Keep keys in a PostgreSQL schema, for several machines that share one store.

        PostgreSQL keeps old rows in its log and in backups, so destroying a key there is sure only once those are
        gone, or once the master key that wrapped it is (`gama keys rotate`, `reseal`, `retire`). One machine alone
        does better with keys in its home folder.
        """
        from gama.vault.postgres import PostgresSchema

        return cls(PostgresSchema(url, _SCHEMA))

    def master(self) -> str | None:
        """Return the id of the master key in use, or None where none has been used yet."""
        found = self._run("SELECT id FROM master").rows
        return str(found[0][0]) if found else None

    def set_master(self, master: str) -> None:
        """Note which master key is in use."""
        with self.exclusive():
            self._run("DELETE FROM master")
            self._run("INSERT INTO master VALUES (?)", master)

    def get(self, thread: str) -> WrappedKey | None:
        """Return a thread's key, or None."""
        found = self._run(f"SELECT {_COLUMNS} FROM keys WHERE thread = ?", thread).rows
        return WrappedKey(*found[0]) if found else None

    def add(self, key: WrappedKey) -> WrappedKey:
        """Keep a key unless the thread has one; return the one that is kept.

        Raises:
            StaleMaster: another master key is in use by now.
        """
        with self.exclusive():
            if key.master != self.master():
                raise StaleMaster
            self._run(f"INSERT INTO keys ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", *key)
            kept = self.get(key.thread)
        assert kept is not None
        return kept

    def replace(self, keys: Iterable[WrappedKey]) -> None:
        """Replace the wrapping of keys that are there."""
        with self.exclusive():
            for key in keys:
                statement = "UPDATE keys SET wrapped = ?, master = ? WHERE thread = ? AND wrapped != ?"
                self._run(statement, key.wrapped, key.master, key.thread, b"")

    def touch(self, thread: str, used: float) -> None:
        """Note when a thread's key was last used to seal."""
        self._run("UPDATE keys SET used = ? WHERE thread = ?", used, thread)

    def follow(self, now: float) -> float:
        """Return the time by which retention counts: it follows the clock by at most a day each time it is asked.

        So a clock that jumps, forwards or back, neither makes everything old at once nor keeps it for ever. A time of
        use that no clock can have given that was right, in the future or long past, becomes this time.

        Args:
            now: what the clock says, in seconds since 1970.
        """
        with self.exclusive():
            found = self._run("SELECT seen FROM clock").rows
            known = float(found[0][0]) if found else now
            then = min(max(now, known - STEP_S), known + STEP_S)
            self._run("DELETE FROM clock")
            self._run("INSERT INTO clock VALUES (?)", then)
            self._run(
                "UPDATE keys SET made = ?, used = ? WHERE made > ? OR used > ? OR (made < ? AND used < ?)",
                then, then, then + STEP_S, then + STEP_S, EARLIEST, EARLIEST,
            )  # fmt: skip
        return then

    def all(self) -> list[WrappedKey]:
        """Return every key, in the order of the threads' names."""
        return [WrappedKey(*row) for row in self._run(f"SELECT {_COLUMNS} FROM keys ORDER BY thread").rows]

    def destroy(self, thread: str) -> list[str]:
        """Destroy the keys of a thread and of those it owns, and their boxes; the names stay until `remove`.

        Returns:
            The names of the threads that it owns.
        """
        with self.exclusive():
            owned = [row[0] for row in self._run("SELECT thread FROM keys WHERE owner = ? ORDER BY 1", thread).rows]
            self._run("UPDATE keys SET wrapped = ? WHERE thread = ? OR owner = ?", b"", thread, thread)
            for name in (thread, *owned):
                self._run("DELETE FROM boxes WHERE thread = ?", name)
        self._database.cut()
        return owned

    def remove(self, threads: Sequence[str]) -> None:
        """Remove the names of threads whose keys are destroyed."""
        with self.exclusive():
            for thread in threads:
                self._run("DELETE FROM keys WHERE thread = ?", thread)
        self._database.rewrite("keys", "boxes")

    def load_box(self, thread: str) -> KeptBox | None:
        """Return the box of a conversation, or None."""
        found = self._run("SELECT version, sealed FROM boxes WHERE thread = ?", thread).rows
        return KeptBox(*found[0]) if found else None

    def save_box(self, thread: str, box: KeptBox) -> bool:
        """Keep a box, if the one that is there has the version before; return whether it was."""
        if box.version == 1:
            statement = "INSERT INTO boxes (version, sealed, thread) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
            return bool(self._run(statement, *box, thread).changed)
        statement = "UPDATE boxes SET version = ?, sealed = ? WHERE thread = ? AND version = ?"
        return bool(self._run(statement, *box, thread, box.version - 1).changed)

    def close(self) -> None:
        """Let go of files and connections; the next use takes them up again."""
        self._database.close()


class Rotation(NamedTuple):
    """What became of the thread keys when they were wrapped anew."""

    wrapped: int
    """Keys that the newest master key wraps by now."""
    closed: int
    """Keys that no master key of the ring opens; they were left as they are."""


class ThreadKeys(Unpicklable):
    """Gives every thread its key; makes, rotates and retires the master keys.

    Args:
        source: gives the master keys, on first use; None for one that lives and dies with the process.
        store: keeps the wrapped keys.
    """

    def __init__(self, source: KeySource | None, store: KeyStore) -> None:
        """Take both; neither is touched yet."""
        self.source = source
        self.store = store
        self._ring = None if source else MasterRing.fresh()
        self._agreed = False
        self._lock = threading.RLock()

    def key(self, thread: str, *, make: bool, owner: str | None = None) -> bytes:
        """Return a thread's key.

        Args:
            thread: its name.
            make: whether it gets one if it has none.
            owner: the conversation that it belongs to, if it is a public thread.

        Raises:
            SealError: it has none, or the master key is missing or another one.
        """
        # The store is asked every time: another process may have forgotten the thread.
        kept = self.store.get(thread)
        if kept is None and make:
            return self._make(thread, owner)
        if kept is None:
            raise SealError(
                "This thread's key is not here: it was forgotten, or belongs to another home folder. "
                "Start a new thread, or point GAMA_HOME at the folder it was made with."
            )
        if not kept.wrapped:
            raise SealError("This thread is being forgotten. Run `gama forget` on it again, or start a new one.")
        if make:
            self._touch(kept)
        return self._unwrap(kept)

    def touch(self, thread: str) -> None:
        """Note that a thread is in use; nothing happens to one that has no key."""
        if (kept := self.store.get(thread)) is not None:
            self._touch(kept)

    def ring(self) -> MasterRing:
        """Return the master keys, once source and store agree on them."""
        with self._lock:
            if self._ring is None:
                assert self.source is not None
                self._ring = self.source.read()
            if self._ring is None or not self._agreed:
                self._ring = self._agree(self._ring)
                self._agreed = True
            return self._ring

    def wrapped_by(self) -> dict[str, int]:
        """Count the keys by the id of the master key that wraps them; `?` where it was not noted."""
        counts: dict[str, int] = {}
        for key in self.store.all():
            if key.wrapped:
                counts[key.master or "?"] = counts.get(key.master or "?", 0) + 1
        return counts

    def rotate(self) -> str:
        """Put a new master key in front: it seals from now on, the old ones still open. Return its id."""
        assert self.source is not None
        with self._lock, self.store.exclusive():
            ring = self.ring().rotated()
            # The source first: a key that only the store knew of would be lost.
            self.source.write(ring)
            self.store.set_master(ring.current)
            self._ring = ring
        return ring.current

    def reseal(self) -> Rotation:
        """Wrap every thread key by the newest master key."""
        wrapped = closed = 0
        with self._lock, self.store.exclusive():
            ring = self.ring()
            fresh = []
            for key in self.store.all():
                if not key.wrapped or key.master == ring.current:
                    wrapped += bool(key.wrapped)
                    continue
                try:
                    bare = ring.unwrap(key.wrapped, "key:" + key.thread, key.master)
                except SealError:
                    closed += 1
                    continue
                fresh.append(key._replace(wrapped=ring.wrap(bare, "key:" + key.thread), master=ring.current))
            self.store.replace(fresh)
        return Rotation(wrapped + len(fresh), closed)

    def retire(self) -> tuple[str, ...]:
        """Destroy all master keys but the newest, and return their ids.

        Raises:
            SealError: a thread key still needs one of them; nothing was changed.
        """
        assert self.source is not None
        with self._lock, self.store.exclusive():
            ring = self.ring()
            if waiting := sum(n for master, n in self.wrapped_by().items() if master != ring.current):
                raise SealError(f"{waiting} thread key(s) still need an old master key. Run `gama keys reseal` first.")
            self.source.write(ring.retired())
            self._ring = ring.retired()
        return ring.ids[1:]

    def _agree(self, ring: MasterRing | None) -> MasterRing:
        """Agree with the store on the master key in use; make a first one where nothing was ever sealed."""
        if ring is not None and self.store.master() == ring.current:
            return ring
        with self.store.exclusive():
            wanted = self.store.master()
            alive = [key for key in self.store.all() if key.wrapped]
            if self.source is not None:
                # Another process may have made or rotated it in the meantime.
                ring = self.source.read()
                if ring is None and alive:
                    raise SealError(_missing(self.source, self.store, wanted, len(alive)))
                ring = ring or self.source.make()
            assert ring is not None
            if alive and not _fits(ring, wanted, alive):
                raise SealError(_wrong(self.source, self.store, wanted, ring, len(alive)))
            if wanted != ring.current:
                self.store.set_master(ring.current)
        return ring

    def _make(self, thread: str, owner: str | None) -> bytes:
        key = secrets.token_bytes(KEY_BYTES)
        for _ in range(5):
            ring = self.ring()
            fresh = WrappedKey(thread, ring.wrap(key, "key:" + thread), ring.current, time.time(), owner)
            try:
                return self._unwrap(self.store.add(fresh))
            except StaleMaster:
                # Another process has rotated the master key.
                with self._lock:
                    self._agreed = False
        raise SealError("The master key is being changed by another process. Try again.")

    def _touch(self, kept: WrappedKey) -> None:
        # What is kept for a while is kept from the last use on.
        if (now := time.time()) > max(kept.made, kept.used) + TOUCH_S:
            self.store.touch(kept.thread, now)

    def _unwrap(self, kept: WrappedKey) -> bytes:
        ring = self.ring()
        if kept.master is not None and kept.master not in ring.ids:
            with self._lock:
                self._agreed = False
            ring = self.ring()
        return ring.unwrap(kept.wrapped, "key:" + kept.thread, kept.master)

    def __repr__(self) -> str:
        """Name the places, never the keys."""
        return f"ThreadKeys({self.store.place!r})"


def _fits(ring: MasterRing, wanted: str | None, alive: Sequence[WrappedKey]) -> bool:
    """Return whether a ring has the master key that a store was sealed with."""
    if wanted is not None:
        return wanted in ring.ids
    for key in alive:
        try:
            ring.unwrap(key.wrapped, "key:" + key.thread, key.master)
        except SealError:
            continue
        return True
    return False


_REMEDY = (
    "Nothing was changed. Give the key that it was sealed with (a backup of master.key, GAMA_KEY, GAMA_KEY_SOURCE), "
    "or use another home folder; `gama forget --older-than 0d` gives up what is here."
)


def _missing(source: KeySource, keys: KeyStore, wanted: str | None, count: int) -> str:
    return (
        f"The master key{f' {wanted}' if wanted else ''} is missing: {count} key(s) in {keys.place} are wrapped by it, "
        f"and there is none in {source.name}. {_REMEDY}"
    )


def _wrong(source: KeySource | None, keys: KeyStore, wanted: str | None, ring: MasterRing, count: int) -> str:
    given = f"{source.name} has {', '.join(ring.ids)}" if source else "another is given"
    return (
        f"This is not the master key: {count} key(s) in {keys.place} belong to another thread or key"
        f"{f', the master key {wanted}' if wanted else ''}; {given}. {_REMEDY}"
    )
