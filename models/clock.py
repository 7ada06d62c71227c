"""`Clock`: time and waiting, in one place so that a test can bring a time of its own."""

import asyncio
import time


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
        """Return the seconds that are left, never less than none; None when there is no end."""
        if self._seconds is None:
            return None
        return max(0.0, self._began + self._seconds - self._clock.now())

    def put_off(self, seconds: float) -> None:
        """Move the end by time that was not the call's own."""
        self._began += seconds
