"""A streamed answer that ends when the client goes, or reads no more; and work that ends with its client."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Coroutine, Mapping
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

T = TypeVar("T")


class ClientGone(Exception):
    """The client has closed the connection; there is nobody left to tell."""


class Relay(Response):
    """Sends pieces as they come.

    The source is always closed, whatever happens: when the client goes, when it leaves an answer unread for
    `stall_s` seconds, when the source fails.
    """

    def __init__(
        self,
        source: AsyncGenerator[bytes, None],
        *,
        status_code: int = 200,
        headers: Mapping[str, str] | None = None,
        media_type: str = "text/event-stream",
        stall_s: float = 120.0,
    ) -> None:
        """Take the source."""
        self.status_code = status_code
        self.media_type = media_type
        self.background = None
        self.init_headers({"cache-control": "no-store", "x-accel-buffering": "no", **(headers or {})})
        self._source = source
        self._stall_s = stall_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answer."""
        sending = asyncio.create_task(self._send(send))
        leaving = asyncio.create_task(_left(receive))
        try:
            await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (sending, leaving):
                if not task.done():
                    task.cancel()
            await asyncio.gather(sending, leaving, return_exceptions=True)
            await self._source.aclose()
        if not sending.cancelled() and (error := sending.exception()) is not None:
            if isinstance(error, OSError | TimeoutError):
                return
            raise error

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async for piece in self._source:
            async with asyncio.timeout(self._stall_s):
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def until_gone(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Await work for a client; when the client goes, the work is cancelled.

    Raises:
        ClientGone: it has.
    """
    task = asyncio.create_task(work)
    leaving = asyncio.create_task(_left(request.receive))
    try:
        await asyncio.wait({task, leaving}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for one in (task, leaving):
            if not one.done():
                one.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await leaving
        if not task.done():
            await asyncio.gather(task, return_exceptions=True)
    if task.cancelled():
        raise ClientGone
    return task.result()
