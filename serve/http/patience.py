"""How long a connection may take to say what it wants: headers here, bodies at the gate."""

import asyncio
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import H11Protocol as Protocol
else:
    Protocol = object

SLOWEST = 16_384
"""Bytes a second of a body, beyond the seconds that it has in any case."""


class Patience(Protocol):
    """Lets a protocol of uvicorn close a connection whose request's headers do not all come in time."""

    header_s = 30.0
    """Seconds from the connection, or the first byte of a further request, to the end of the headers."""
    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take bytes in; the waiting ends with the headers."""
        if self._between() and self._waiting is None:
            self._wait()
        super().data_received(data)
        if not self._between():
            self._stop()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._stop()
        super().connection_lost(exc)

    def _between(self) -> bool:
        """Return whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def _wait(self) -> None:
        self._waiting = self.loop.call_later(self.header_s, self._give_up)

    def _stop(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _give_up(self) -> None:
        self._waiting = None
        if self._between():
            self.transport.close()


def patient(header_s: float) -> type[asyncio.Protocol]:
    """Return the protocol of a server that waits so long for headers."""
    return type("PatientProtocol", (Patience, AutoHTTPProtocol), {"header_s": header_s})
