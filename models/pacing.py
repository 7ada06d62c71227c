"""When a call is made: the clock, the time it has left, when it is made again, and how many at a time.

LangChain's `InMemoryRateLimiter` keeps the first request waiting, looks every tenth of a second
and knows no bound of requests at a time; so `Pace` is our own.
"""

import asyncio
import random
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from typing import NamedTuple

from gama.models.faults import PASSING, Fault

MINUTE = 60.0


class Clock:
    """The real time."""

    def now(self) -> float:
        """Return seconds that only ever grow."""
        return time.monotonic()

    def utc(self) -> float:
        """Return the seconds since 1970, which dates are compared with."""
        return time.time()

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)

    async def asleep(self, seconds: float) -> None:
        """Wait; cancelling ends the wait."""
        await asyncio.sleep(seconds)


CLOCK = Clock()
"""The clock of every client that is given none."""


class Deadline:
    """The time that one call has left; it stands still while our own rate limit holds the call back."""

    def __init__(self, clock: Clock, seconds: float | None) -> None:
        """Start it; None never ends."""
        self._clock = clock
        self._seconds = seconds
        self._began = clock.now()

    def left(self) -> float | None:
        """Return the seconds that are left, never below zero; None when there is no end."""
        if self._seconds is None:
            return None
        return max(0.0, self._began + self._seconds - self._clock.now())

    def put_off(self, seconds: float) -> None:
        """Move the end by time that was not the call's own."""
        self._began += seconds


class Backoff(NamedTuple):
    """Exponential waiting with jitter; what a server asks for in Retry-After goes before it."""

    retries: int = 2
    """How often a call is made again."""
    first_s: float = 0.5
    """Longest wait before the first retry; it doubles with each."""
    longest_s: float = 8.0

    def wait(self, fault: Fault, done: int, left: float | None) -> float | None:
        """Return the seconds to wait before the next attempt; None when there is to be none.

        Args:
            fault: what went wrong.
            done: retries made so far.
            left: seconds the call has left; None when it has no end.
        """
        if fault.kind not in PASSING or done >= self.retries:
            return None
        if fault.retry_after is not None:
            wait = fault.retry_after
        else:
            # Between half of it and all of it: clients that failed together do not come back together.
            wait = min(self.longest_s, self.first_s * 2**done) * random.uniform(0.5, 1.0)
        return wait if left is None or wait < left else None


class Pace:
    """Holds requests back; a client has one for its model. Safe to share between threads and event loops.

    Args:
        per_minute: requests that may begin within any sixty seconds; None sets no bound.
        at_once: requests that may be under way; None sets no bound.
        clock: the time.
    """

    def __init__(self, per_minute: int | None = None, at_once: int | None = None, clock: Clock = CLOCK) -> None:
        """Set it up; nothing has been sent yet."""
        self._per_minute = per_minute
        self._free = at_once
        self._clock = clock
        self._lock = threading.Lock()
        self._begun: deque[float] = deque()
        self._queue: deque[Future[None]] = deque()

    @contextmanager
    def slot(self) -> Iterator[float]:
        """Wait for a place, hold it inside, and tell the seconds that were waited."""
        came = self._clock.now()
        with self._place() as ticket:
            if ticket is not None:
                ticket.result()
        try:
            with self._turn() as seconds:
                if seconds > 0:
                    self._clock.sleep(seconds)
            yield self._clock.now() - came
        finally:
            self._release()

    @asynccontextmanager
    async def aslot(self) -> AsyncIterator[float]:
        """Wait for a place; see `slot`. Cancelling gives it to the next."""
        came = self._clock.now()
        with self._place() as ticket:
            if ticket is not None:
                await asyncio.wrap_future(ticket)
        try:
            with self._turn() as seconds:
                if seconds > 0:
                    await self._clock.asleep(seconds)
            yield self._clock.now() - came
        finally:
            self._release()

    @contextmanager
    def _place(self) -> Iterator[Future[None] | None]:
        """Take a place, or give the ticket that is called once one is free; who goes meanwhile leaves the queue."""
        ticket = self._ask()
        try:
            yield ticket
        except BaseException:
            # A place that was given meanwhile goes on to the next.
            if ticket is not None and not ticket.cancel():
                self._release()
            raise

    @contextmanager
    def _turn(self) -> Iterator[float]:
        """Reserve the next free time to begin, and tell the seconds until then; who goes meanwhile gives it back."""
        start = self._take_turn()
        try:
            yield 0.0 if start is None else start - self._clock.now()
        except BaseException:
            with self._lock:
                if start is not None and start in self._begun:
                    self._begun.remove(start)
            raise

    def _take_turn(self) -> float | None:
        """Reserve the next free time to begin; None means now, without a bound."""
        if self._per_minute is None:
            return None
        with self._lock:
            now = self._clock.now()
            while self._begun and self._begun[0] <= now - MINUTE:
                self._begun.popleft()
            start = now if len(self._begun) < self._per_minute else self._begun[-self._per_minute] + MINUTE
            self._begun.append(start)
            return start

    def _ask(self) -> Future[None] | None:
        """Take a place; where none is free, return the ticket that will be called."""
        with self._lock:
            if self._free is None:
                return None
            if self._free > 0:
                self._free -= 1
                return None
            ticket: Future[None] = Future()
            self._queue.append(ticket)
            return ticket

    def _release(self) -> None:
        with self._lock:
            if self._free is None:
                return
            while self._queue:
                ticket = self._queue.popleft()
                if ticket.set_running_or_notify_cancel():
                    ticket.set_result(None)
                    return
            self._free += 1
