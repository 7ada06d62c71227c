"""How long a connection may take to say what it wants: headers here, bodies at the gate."""

import asyncio
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.http.auto import AutoHTTPProtocol

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import H11Protocol as Protocol
else:
    Protocol = object

HEADER_S = 30.0
"""Seconds from the connection, or the first byte of a further request, to the end of the headers."""
LATE = 1.0
"""Seconds after which a timer that comes late tells that the server was too busy to read."""
SLOWEST = 16_384
"""Bytes a second of a body, beyond the seconds that it has in any case."""


class Patience(Protocol):
    """Lets a protocol of uvicorn close a connection whose request's headers do not all come in time."""

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

    def _wait(self, seconds: float | None = None) -> None:
        seconds = getattr(self.config, "header_s", HEADER_S) if seconds is None else seconds
        self._waiting = self.loop.call_later(seconds, self._give_up, self.loop.time() + seconds)

    def _stop(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _give_up(self, due: float) -> None:
        """Close, unless the loop itself was late: what came meanwhile is not read yet then."""
        self._waiting = None
        if not self._between():
            return
        if self.loop.time() - due > LATE:
            self._wait(LATE)
        else:
            self.transport.close()


class PatientProtocol(Patience, AutoHTTPProtocol):  # type: ignore[misc,valid-type]
    """The protocol of the server, in whichever way uvicorn reads HTTP."""


class PatientConfig(uvicorn.Config):
    """The settings of uvicorn, with how long it waits for headers. They travel to processes of their own."""

    def __init__(self, *given: Any, header_s: float = HEADER_S, **named: Any) -> None:
        """Take what uvicorn takes, and how long to wait."""
        super().__init__(*given, **{**named, "http": PatientProtocol})
        self.header_s = header_s
