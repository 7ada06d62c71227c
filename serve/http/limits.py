"""How much each API key may do: counted in a process (`LocalLimits`), or where all workers look (`SharedLimits`)."""

import contextlib
import threading
import time
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Self

from gama.state.errors import StoreError
from gama.vault.database import Database, Schema, SqliteFile

BEAT_S = 5.0
"""Seconds between the signs of life of a worker."""
STALE_S = 20.0
"""Seconds after which a worker that gave none is taken for dead."""

_SCHEMA = Schema(
    "gama_limits",
    """
    CREATE TABLE IF NOT EXISTS workers (worker TEXT PRIMARY KEY, beat REAL NOT NULL);
    CREATE TABLE IF NOT EXISTS running (
        worker TEXT, name TEXT, number INTEGER NOT NULL, PRIMARY KEY (worker, name)
    );
    CREATE TABLE IF NOT EXISTS minutes (name TEXT PRIMARY KEY, remaining REAL NOT NULL, seen REAL NOT NULL);
    """,
    newest=("minutes", "seen"),
)
"""Names of keys, and numbers."""


class Bound(NamedTuple):
    """What one key may do; None for as much as it likes."""

    per_minute: int | None = None
    at_once: int | None = None


UNBOUND = Bound()


class TooMuch(Exception):
    """A caller has reached a limit."""

    def __init__(self, message: str, wait_s: float) -> None:
        """Say which, and how long to wait."""
        super().__init__(message)
        self.wait_s = wait_s


class Limits(ABC):
    """Counts requests. Every method may be called from any thread."""

    waits: bool
    """Whether asking takes a disk or a network: call it on a thread."""

    @abstractmethod
    def enter(self, name: str, bound: Bound) -> None:
        """Count a request that begins.

        Args:
            name: of the key; empty where the server has none.
            bound: what it may do.

        Raises:
            TooMuch: it is one too many; it is not counted.
            StoreError: the place where all count cannot be used.
        """

    @abstractmethod
    def leave(self, name: str) -> None:
        """Count a request that ends, of those that were let in with a bound on how many run at once."""

    @abstractmethod
    def close(self) -> None:
        """Let go of files and connections."""


def check_running(running: int, bound: Bound) -> None:
    """Refuse a request beside too many that run.

    Raises:
        TooMuch: as many run as may.
    """
    if bound.at_once is not None and running >= bound.at_once:
        raise TooMuch(f"This key has {bound.at_once} request(s) running, which is its limit.", 1.0)


def spend(left: float, since_s: float, per_minute: int) -> float:
    """Return what is left of a minute's requests after one more; they come back evenly over the minute.

    Args:
        left: what was left at the last request.
        since_s: seconds since then.
        per_minute: requests that the key may make within a minute.

    Raises:
        TooMuch: none was left.
    """
    rate = per_minute / 60
    left = min(float(per_minute), left + max(0.0, since_s) * rate)
    if left < 1:
        raise TooMuch(f"This key may make {per_minute} requests a minute.", (1 - left) / rate)
    return left - 1


class LocalLimits(Limits):
    """Counts in memory."""

    waits = False

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start with nothing counted."""
        self._clock = clock
        self._running: dict[str, int] = {}
        self._left: dict[str, tuple[float, float]] = {}
        self._lock = threading.Lock()

    def enter(self, name: str, bound: Bound) -> None:
        """Count a request that begins."""
        with self._lock:
            running = self._running.get(name, 0)
            check_running(running, bound)
            if bound.per_minute is not None:
                now = self._clock()
                left, seen = self._left.get(name, (float(bound.per_minute), now))
                self._left[name] = spend(left, now - seen, bound.per_minute), now
            if bound.at_once is not None:
                self._running[name] = running + 1

    def leave(self, name: str) -> None:
        """Count a request that ends."""
        with self._lock:
            self._running[name] -= 1

    def close(self) -> None:
        """Keep nothing."""


class SharedLimits(Limits):
    """Counts in a database.

    Each worker has a row that it renews every few seconds: what a worker had running that was killed is counted no
    more once its row is old.
    """

    waits = True

    def __init__(self, database: Database) -> None:
        """Name this worker; the database is opened on first use, and used by this one alone."""
        self._database = database
        self._run = database.run
        self.now = database.now
        self.worker = uuid.uuid4().hex
        self._stop = threading.Event()
        self._beating: threading.Thread | None = None
        self._starting = threading.Lock()
        self._own: dict[str, int] = {}
        self._counting = threading.RLock()

    @classmethod
    def in_file(cls, path: Path) -> Self:
        """Count in a SQLite file, for the workers of one machine."""
        # Counts need not survive a crash of the machine.
        return cls(SqliteFile(path, _SCHEMA, durable=False))

    @classmethod
    def in_postgres(cls, url: str) -> Self:
        """Count in a PostgreSQL schema, for the workers of several machines."""
        from gama.vault.postgres import PostgresSchema

        return cls(PostgresSchema(url, _SCHEMA))

    def enter(self, name: str, bound: Bound) -> None:
        """Count a request that begins."""
        self._live()
        with self._counting:
            own = self._own.get(name, 0)
            with self._database.exclusive(name):
                now = self.now()
                if bound.at_once is not None:
                    check_running(own + self._elsewhere(name, now), bound)
                if bound.per_minute is not None:
                    self._spend(name, now, bound.per_minute)
                if bound.at_once is not None:
                    self._write(name, own + 1)
            if bound.at_once is not None:
                self._own[name] = own + 1

    def leave(self, name: str) -> None:
        """Count a request that ends."""
        with self._counting:
            self._own[name] -= 1
            # Where the database is away for a while, the next sign of life tells.
            with contextlib.suppress(StoreError):
                self._write(name, self._own[name])

    def close(self) -> None:
        """Take this worker's counts away."""
        self._stop.set()
        if self._beating is not None:
            self._beating.join()
            with contextlib.suppress(StoreError):
                self._run("DELETE FROM running WHERE worker = ?", self.worker)
                self._run("DELETE FROM workers WHERE worker = ?", self.worker)
        self._database.close()

    def _elsewhere(self, name: str, now: float) -> int:
        """Return how many requests of a key other workers have running."""
        found = self._run(
            "SELECT coalesce(sum(number), 0) FROM running JOIN workers ON workers.worker = running.worker "
            "WHERE name = ? AND beat > ? AND running.worker != ?", name, now - STALE_S, self.worker,
        )  # fmt: skip
        return int(found.rows[0][0])

    def _write(self, name: str, number: int) -> None:
        self._run(
            "INSERT INTO running (worker, name, number) VALUES (?, ?, ?) "
            "ON CONFLICT (worker, name) DO UPDATE SET number = excluded.number",
            self.worker, name, number,
        )  # fmt: skip

    def _spend(self, name: str, now: float, per_minute: int) -> None:
        found = self._run("SELECT remaining, seen FROM minutes WHERE name = ?", name).rows
        left, seen = found[0] if found else (float(per_minute), now)
        self._run(
            "INSERT INTO minutes (name, remaining, seen) VALUES (?, ?, ?) "
            "ON CONFLICT (name) DO UPDATE SET remaining = excluded.remaining, seen = excluded.seen",
            name, spend(left, now - seen, per_minute), now,
        )  # fmt: skip

    def _live(self) -> None:
        """Give the first sign of life, and have the others given."""
        with self._starting:
            if self._beating is not None:
                return
            self._beat()
            self._beating = threading.Thread(target=self._beats, name="gama-limits", daemon=True)
            self._beating.start()

    def _beats(self) -> None:
        while not self._stop.wait(BEAT_S):
            # A database that is gone for a while is asked again.
            with contextlib.suppress(StoreError), self._counting:
                self._beat()
                for name, number in self._own.items():
                    self._write(name, number)

    def _beat(self) -> None:
        now = self.now()
        self._run(
            "INSERT INTO workers (worker, beat) VALUES (?, ?) ON CONFLICT (worker) DO UPDATE SET beat = excluded.beat",
            self.worker, now,
        )  # fmt: skip
        # The dead go, but not at once: a worker may only have been slow.
        old = now - 10 * STALE_S
        self._run("DELETE FROM running WHERE worker IN (SELECT worker FROM workers WHERE beat < ?)", old)
        self._run("DELETE FROM workers WHERE beat < ?", old)
