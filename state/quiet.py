"""`Quiet`: a fresh context in which nothing is traced and nothing is inherited.

A fresh `contextvars.Context` has no parent run, no callbacks and no tags of the caller's; tracing
is switched off in it whatever the environment says. Threads and tasks that LangGraph starts there
inherit it.
"""

import asyncio
import contextvars
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar

T = TypeVar("T")
P = ParamSpec("P")

_END: Any = object()


class Quiet:
    """A fresh, untraced context; use it in a `with` statement."""

    def __init__(self) -> None:
        """Make the context."""
        from langsmith import tracing_context

        self._context = contextvars.Context()
        self._tracing = tracing_context(enabled=False, parent=False)

    def __enter__(self) -> Self:
        """Switch tracing off inside."""
        self._context.run(self._tracing.__enter__)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the context."""
        self._context.run(self._tracing.__exit__, None, None, None)

    def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function inside."""
        return self._context.run(function, *args, **kwargs)

    async def arun(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Await a coroutine inside; cancelling the caller cancels it."""
        task = asyncio.create_task(coroutine, context=self._context)
        try:
            return await task
        except asyncio.CancelledError:
            task.cancel()
            raise

    def iterate(self, items: Iterator[T]) -> Iterator[T]:
        """Step an iterator inside, item by item."""
        try:
            while (item := self._context.run(next, items, _END)) is not _END:
                yield item
        finally:
            if (close := getattr(items, "close", None)) is not None:
                self._context.run(close)

    async def aiterate(self, items: AsyncIterator[T]) -> AsyncIterator[T]:
        """Step an async iterator inside, item by item."""
        try:
            while (item := await self.arun(_next(items))) is not _END:
                yield item
        finally:
            if (close := getattr(items, "aclose", None)) is not None:
                await self.arun(_wait(close))


async def _next(items: AsyncIterator[T]) -> T:
    return await anext(items, _END)


async def _wait(close: Callable[[], Any]) -> None:
    await close()
