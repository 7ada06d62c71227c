"""A streamed answer that ends when the client goes, or reads no more; and work that ends with its client."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping
from typing import Any, TypeVar

import anyio
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
        closing: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """Take the source.

        Args:
            source: gives the pieces.
            status_code: of the answer.
            headers: of the answer.
            media_type: of the answer.
            stall_s: seconds that the client may leave a piece unread.
            closing: called at the end, even of a source that never began, whose own `finally` does not run.
        """
        self.status_code = status_code
        self.media_type = media_type
        self.background = None
        self.init_headers({"cache-control": "no-store", "x-accel-buffering": "no", **(headers or {})})
        self._source = source
        self._stall_s = stall_s
        self._closing = closing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answer."""
        problem: Exception | None = None
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(_cancel_when_left, group.cancel_scope, receive)
                stall = _Stall(group.cancel_scope, self._stall_s)
                try:
                    await self._send(send, stall)
                except Exception as error:
                    problem = error
                finally:
                    stall.close()
                group.cancel_scope.cancel()
        finally:
            with anyio.CancelScope(shield=True):
                await self._source.aclose()
                if self._closing is not None:
                    await self._closing()
        if problem is not None and not isinstance(problem, OSError):
            raise problem

    async def _send(self, send: Send, stall: "_Stall") -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async for piece in self._source:
            stall.begin()
            await send({"type": "http.response.body", "body": piece, "more_body": True})
            stall.end()
        await send({"type": "http.response.body", "body": b"", "more_body": False})


class _Stall:
    """Cancels work when one step of it takes too long. One timer for all: a scope for each step costs more than it."""

    def __init__(self, work: anyio.CancelScope, longest_s: float) -> None:
        """Take the work, and the seconds that a step may take."""
        self._work = work
        self._longest_s = longest_s
        self._loop = asyncio.get_running_loop()
        self._began: float | None = None
        self._timer = self._loop.call_later(longest_s, self._look)

    def begin(self) -> None:
        """Begin a step."""
        self._began = self._loop.time()

    def end(self) -> None:
        """End it."""
        self._began = None

    def close(self) -> None:
        """Look no more."""
        self._timer.cancel()

    def _look(self) -> None:
        now = self._loop.time()
        since = now if self._began is None else self._began
        if now - since >= self._longest_s:
            self._work.cancel()
        else:
            self._timer = self._loop.call_at(since + self._longest_s, self._look)


async def _cancel_when_left(work: anyio.CancelScope, receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    work.cancel()


async def until_gone(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Await work for a client; when the client goes, the work is cancelled.

    Raises:
        ClientGone: it has.
    """
    # Cancelled by a scope and not by the task: the HTTP client's clean-up is shielded from scopes alone.
    problem: Exception | None = None
    done: list[T] = []
    async with anyio.create_task_group() as group:
        group.start_soon(_cancel_when_left, group.cancel_scope, request.receive)
        try:
            done.append(await work)
        except Exception as error:
            problem = error
        group.cancel_scope.cancel()
    if problem is not None:
        raise problem
    if not done:
        raise ClientGone
    return done[0]
