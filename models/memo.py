"""`Memo`: what one task has asked already is not sent again; those who ask at the same time wait for the first."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from dataclasses import replace
from hashlib import sha256

from gama.models.calls import PublicReply
from gama.state.errors import GamaError


class _Left(Exception):
    """The first who asked went away (cancelled): the next takes its place."""


class Memo:
    """The replies of one task by what they depend on. Safe to share between threads and event loops."""

    def __init__(self) -> None:
        """Start with nothing asked."""
        self._lock = threading.Lock()
        self._asked: dict[bytes, Future[PublicReply]] = {}

    def get(self, fingerprint: str, ask: Callable[[], PublicReply]) -> PublicReply:
        """Return the reply, known or asked for now. A failure is shared with those who wait, and not kept."""
        while True:
            key, future, first = self._enter(fingerprint)
            if first:
                try:
                    reply = ask()
                except BaseException as error:
                    self._fail(key, future, error)
                    raise
                future.set_result(reply)
                return reply
            problem: Exception
            try:
                return again(future.result())
            except _Left:
                continue
            except Exception as error:
                problem = error
            raise _copy(problem)

    async def aget(self, fingerprint: str, ask: Callable[[], Awaitable[PublicReply]]) -> PublicReply:
        """Return the reply; see `get`. Cancelling one who waits does not disturb the first."""
        while True:
            key, future, first = self._enter(fingerprint)
            if first:
                try:
                    reply = await ask()
                except BaseException as error:
                    self._fail(key, future, error)
                    raise
                future.set_result(reply)
                return reply
            problem: Exception
            try:
                return again(await asyncio.shield(asyncio.wrap_future(future)))
            except _Left:
                continue
            except Exception as error:
                problem = error
            raise _copy(problem)

    def _enter(self, fingerprint: str) -> tuple[bytes, "Future[PublicReply]", bool]:
        key = sha256(fingerprint.encode("utf-8", "surrogatepass")).digest()
        with self._lock:
            first = key not in self._asked
            return key, self._asked.setdefault(key, Future()), first

    def _fail(self, key: bytes, future: "Future[PublicReply]", error: BaseException) -> None:
        with self._lock:
            self._asked.pop(key, None)
        future.set_exception(error if isinstance(error, Exception) else _Left())


def again(reply: PublicReply) -> PublicReply:
    """Return a reply as one that cost nothing, because an identical call had been answered."""
    return replace(reply, calls=0, input_tokens=0, output_tokens=0, cost=None if reply.cost is None else 0.0)


def _copy(error: Exception) -> Exception:
    # One exception object raised on several threads would mix their tracebacks.
    return type(error)(*error.args) if isinstance(error, GamaError) else error
