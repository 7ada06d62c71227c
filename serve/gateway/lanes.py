"""Fair queueing: requests wait only behind others of about their size, and none longer than the operator allows."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter
from typing import Any, TypeVar

from gama.serve.gateway.errors import Busy

T = TypeVar("T")

LANES = (32_768, 524_288)
"""Bytes up to which a body goes into the first lane, and the second; all longer ones go into the third."""
_MEMORY = 0.9
"""How much of what is known of a lane's speed counts on, at each further request."""


class Lanes:
    """The gateway's threads that read. Belongs to one event loop."""

    def __init__(self, threads: int, longest_s: float) -> None:
        """Open the lanes.

        Args:
            threads: of the lane of short requests; each of the others has half of them.
            longest_s: seconds that a request may wait for its turn.
        """
        half = max(1, threads // 2)
        self._lanes = [_Lane(count, longest_s) for count in (threads, half, half)]

    async def run(self, size: int, function: Callable[..., T], *args: Any) -> T:
        """Call what reads a request on a thread, once those of its lane that came before have had theirs.

        Args:
            size: bytes of the request.
            function: reads it.
            args: what it is called with.

        Raises:
            Busy: its turn would come too late, or has not come in time; it was not called.
        """
        return await self._lanes[sum(size > most for most in LANES)].run(size, function, *args)

    def close(self) -> None:
        """Let the threads end; nothing that waits is begun."""
        for lane in self._lanes:
            lane.close()


class _Lane:
    """A queue and its threads."""

    def __init__(self, threads: int, longest_s: float) -> None:
        self._threads = threads
        self._longest_s = longest_s
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="gama-lane")
        self._lock = threading.Lock()
        self._ahead = 0
        """Bytes of the requests that wait or are read."""
        self._read_s = self._read_bytes = 0.0
        """What the last requests took."""

    async def run(self, size: int, function: Callable[..., T], *args: Any) -> T:
        if (wait_s := self._wait_s()) > self._longest_s:
            raise Busy(wait_s)
        with self._lock:
            self._ahead += size
        future = self._executor.submit(self._timed, size, function, *args)
        future.add_done_callback(lambda _: self._leave(size))
        late: list[bool] = []
        # What has begun cannot be withdrawn, and goes on.
        timer = asyncio.get_running_loop().call_later(self._longest_s, lambda: late.append(future.cancel()))
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            if any(late):
                raise Busy(max(self._wait_s(), 1.0)) from None
            raise
        finally:
            timer.cancel()

    def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)

    def _wait_s(self) -> float:
        """Return after how long a further request would have its turn, as far as the last ones tell."""
        with self._lock:
            if not self._read_bytes:
                return 0.0
            return self._ahead * self._read_s / self._read_bytes / self._threads

    def _timed(self, size: int, function: Callable[..., T], *args: Any) -> T:
        began = perf_counter()
        try:
            return function(*args)
        finally:
            with self._lock:
                self._read_s = _MEMORY * self._read_s + perf_counter() - began
                self._read_bytes = _MEMORY * self._read_bytes + size

    def _leave(self, size: int) -> None:
        with self._lock:
            self._ahead -= size
