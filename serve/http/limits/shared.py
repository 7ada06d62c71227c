"""`SharedLimits`: counts where all workers of a server look.

Each worker has a row that it renews every few seconds: what a worker had running that was killed is counted
no more once its row is old.
"""

import contextlib
import threading
import uuid
from abc import abstractmethod
from contextlib import AbstractContextManager
from typing import Any

from gama.serve.http.limits.base import Bound, Limits, check_running, spend
from gama.state.errors import StoreError

BEAT_S = 5.0
"""Seconds between the signs of life of a worker."""
STALE_S = 20.0
"""Seconds after which a worker that gave none is taken for dead."""


class SharedLimits(Limits):
    """Counts in a database. What each database does in its own way is abstract."""

    waits = True

    def __init__(self) -> None:
        """Name this worker; the database is opened on first use."""
        self.worker = uuid.uuid4().hex
        self._stop = threading.Event()
        self._beating: threading.Thread | None = None
        self._starting = threading.Lock()
        self._own: dict[str, int] = {}
        self.lock = threading.RLock()
        """Held while this process counts; the database is used by one thread at a time."""

    @abstractmethod
    def together(self, name: str) -> AbstractContextManager[None]:
        """Keep every other process from counting for a key within; all is undone on an error."""

    @abstractmethod
    def run(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Run a statement with `?` for each value, and return its rows."""

    @abstractmethod
    def now(self) -> float:
        """Return the time by a clock that all workers share, in seconds."""

    def enter(self, name: str, bound: Bound) -> None:
        """Count a request that begins."""
        self._live()
        with self.lock:
            own = self._own.get(name, 0)
            with self.together(name):
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
        with self.lock:
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
                self.run("DELETE FROM running WHERE worker = ?", self.worker)
                self.run("DELETE FROM workers WHERE worker = ?", self.worker)

    def _elsewhere(self, name: str, now: float) -> int:
        """Return how many requests of a key other workers have running."""
        found = self.run(
            "SELECT coalesce(sum(number), 0) FROM running JOIN workers ON workers.worker = running.worker "
            "WHERE name = ? AND beat > ? AND running.worker != ?", name, now - STALE_S, self.worker,
        )  # fmt: skip
        return int(found[0][0])

    def _write(self, name: str, number: int) -> None:
        self.run(
            "INSERT INTO running (worker, name, number) VALUES (?, ?, ?) "
            "ON CONFLICT (worker, name) DO UPDATE SET number = excluded.number",
            self.worker, name, number,
        )  # fmt: skip

    def _spend(self, name: str, now: float, per_minute: int) -> None:
        found = self.run("SELECT remaining, seen FROM minutes WHERE name = ?", name)
        left, seen = found[0] if found else (float(per_minute), now)
        self.run(
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
            with contextlib.suppress(StoreError), self.lock:
                self._beat()
                for name, number in self._own.items():
                    self._write(name, number)

    def _beat(self) -> None:
        now = self.now()
        self.run(
            "INSERT INTO workers (worker, beat) VALUES (?, ?) ON CONFLICT (worker) DO UPDATE SET beat = excluded.beat",
            self.worker, now,
        )  # fmt: skip
        # The dead go, but not at once: a worker may only have been slow.
        old = now - 10 * STALE_S
        self.run("DELETE FROM running WHERE worker IN (SELECT worker FROM workers WHERE beat < ?)", old)
        self.run("DELETE FROM workers WHERE beat < ?", old)
