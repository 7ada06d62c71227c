"""`Quiet`: a fresh context in which nothing is traced and nothing is inherited.

A fresh `contextvars.Context` has no parent run, no callbacks and no tags of the caller's; tracing
is switched off in it whatever the environment says. Threads and tasks that LangGraph starts there
inherit it.
"""

import asyncio
import contextvars
import logging
import os
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from functools import cache
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar

T = TypeVar("T")
P = ParamSpec("P")

_END: Any = object()
_ending: set["asyncio.Task[Any]"] = set()
"""Tasks that have been cancelled and are not yet done: the event loop alone would not hold them."""


def _ended(task: "asyncio.Task[Any]") -> None:
    _ending.discard(task)
    if not task.cancelled():
        task.exception()


_OLD_TRACING = ("LANGCHAIN_TRACING", "LANGCHAIN_HANDLER")
"""Variables that LangChain refuses to run with unless tracing is on; a quiet run has a tracer that does nothing."""


class Quiet:
    """A fresh, untraced context; use it in a `with` statement.

    Args:
        tracer: a LangSmith client that what runs inside is traced with, as the first of its kind; by default nothing
            is traced.
        project: the project its traces go to.
    """

    def __init__(self, tracer: Any = None, project: str | None = None) -> None:
        """Make the context."""
        from langsmith import tracing_context

        self._context = contextvars.Context()
        self.run = self._context.run
        """Calls a function inside."""
        self._traced = tracer is not None
        self._tracing = tracing_context(
            enabled=self._traced, parent=False, client=tracer, project_name=project if self._traced else None
        )

    def __enter__(self) -> Self:
        """Switch tracing off inside, or on for the given tracer."""
        self._context.run(self._tracing.__enter__)
        if not self._traced and any(os.environ.get(name) for name in _OLD_TRACING):
            from langchain_core.tracers.context import tracing_v2_callback_var

            self._context.run(tracing_v2_callback_var.set, _mute_tracer())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the context."""
        self._context.run(self._tracing.__exit__, None, None, None)

    async def arun(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Await a coroutine inside; cancelling the caller cancels it."""
        task = asyncio.create_task(coroutine, context=self._context)
        try:
            # A scope of anyio cancels its tasks again and again. What runs inside is cancelled once, so that it can
            # clean up behind itself: end what it has started, close what it has opened.
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if not task.done():
                _ending.add(task)
                task.add_done_callback(_ended)
                task.cancel()
                await asyncio.wait([task])
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


@cache
def _mute_tracer() -> Any:
    """Return a tracer that LangChain takes for its own and that listens to nothing."""
    from langchain_core.tracers.langchain import LangChainTracer

    class MuteTracer(LangChainTracer):
        ignore_llm = ignore_chain = ignore_agent = ignore_retriever = True
        ignore_chat_model = ignore_retry = ignore_custom_event = True

        def __init__(self) -> None:
            # Not the parent's: it would start a client of LangSmith's.
            self.run_map, self.order_map = {}, {}

        def copy_with_metadata_defaults(self, **defaults: Any) -> "MuteTracer":
            return self

    return MuteTracer()


_HUSHED: contextvars.ContextVar[bool] = contextvars.ContextVar("gama_hushed", default=False)


class _Silence(logging.Filter):
    """Drops every record of a context that is hushed."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not _HUSHED.get()


_SILENCE = _Silence()


def silence_loggers() -> None:
    """Silence every logger in the running context, threads and tasks that it starts included.

    At the level DEBUG the clients of model servers log what they send: a program that has switched that on for its own
    purposes must not find the raw text of a private LLM's prompt in its log.
    """
    _HUSHED.set(True)
    # Filters of a logger see its own records only, not those of the loggers below it; adding one twice does nothing.
    for logger in [logging.root, *list(logging.root.manager.loggerDict.values())]:
        if isinstance(logger, logging.Logger):
            logger.addFilter(_SILENCE)
