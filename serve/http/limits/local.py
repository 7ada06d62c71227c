"""`LocalLimits`: counts in memory, for a server of one process."""

import threading
import time
from collections.abc import Callable

from gama.serve.http.limits.base import Bound, Limits, check_running, spend


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
