"""Connections to the public model that the runs under way in one event loop share.

A new connection to a hosted model costs round trips and a handshake: about as long as a short answer. A kept one
belongs to the event loop that opened it and must not outlive it, so it is kept as long as a run is under way there.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx

_lock = threading.Lock()
Key = tuple[str | None, str]
"""Proxy, and address of the server."""


@dataclass
class _Shared:
    """What the runs of one loop share: idle transports, each with one connection.

    One transport with many connections looks through all of them for every request.
    """

    runs: int = 0
    idle: "dict[Key, list[httpx.AsyncHTTPTransport]]" = field(default_factory=dict)


_open: dict[asyncio.AbstractEventLoop, _Shared] = {}


@asynccontextmanager
async def shared_connections() -> AsyncIterator[None]:
    """Keep the connections that are opened in this event loop until the last of its runs has ended."""
    loop = asyncio.get_running_loop()
    with _lock:
        shared = _open.setdefault(loop, _Shared())
        shared.runs += 1
    try:
        yield
    finally:
        idle: list[httpx.AsyncHTTPTransport] = []
        with _lock:
            shared.runs -= 1
            if shared.runs == 0:
                _open.pop(loop, None)
                idle = [transport for kept in shared.idle.values() for transport in kept]
        for transport in idle:
            await transport.aclose()


class Lease:
    """A transport for one request; given back, it serves the next one of a run of this event loop."""

    def __init__(self, key: Key, make: "Callable[[], httpx.AsyncHTTPTransport]") -> None:
        """Take an idle transport, or make one."""
        self._key = key
        with _lock:
            self._shared = _open.get(asyncio.get_running_loop())
            kept = self._shared.idle.get(key) if self._shared is not None else None
            idle = kept.pop() if kept else None
        self.transport = idle or make()

    async def give_back(self) -> None:
        """Keep the transport for the runs under way, or close it when there is none."""
        with _lock:
            if self._shared is not None and self._shared.runs:
                self._shared.idle.setdefault(self._key, []).append(self.transport)
                return
        await self.close()

    async def close(self) -> None:
        """Close the connection: its request failed."""
        await self.transport.aclose()
