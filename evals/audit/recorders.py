"""Recorders: what callbacks, tracers of other makers, loggers and the standard streams are told."""

import contextlib
import logging
import os
import sys
import threading
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler

VARIABLE = "GAMA_AUDIT_TRACER"
"""Environment variable that switches the registered tracer on; set for the time of an audit."""


class CallbackRecorder(BaseCallbackHandler):
    """Keeps everything that a callback handler can be told, with the event and the name of its run."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._kept: list[tuple[str, bytes]] = []
        self._names: dict[Any, str] = {}
        self._lock = threading.Lock()

    def __getattribute__(self, name: str) -> Any:
        """Answer for every event, known or to come."""
        if name.startswith("on_"):
            return lambda *args, **kwargs: self._note(name, args, kwargs)
        return super().__getattribute__(name)

    def _note(self, event: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        run = kwargs.get("run_id")
        serialized = args[0] if args and isinstance(args[0], dict) else {}
        name = kwargs.get("name") or serialized.get("name")
        with self._lock:
            if name:
                self._names[run] = str(name)
            place = f"{event}:{self._names.get(run, '')}".rstrip(":")
            self._kept.append((place, repr((args, kwargs)).encode("utf-8", "surrogatepass")))

    def taken(self) -> list[tuple[str, bytes]]:
        """Return place and content of what was told so far, and forget it."""
        with self._lock:
            kept, self._kept = self._kept, []
        return kept


class ProcessTracer(CallbackRecorder):
    """A tracer as other makers register them: told of every run in the process, whoever starts it."""

    shared: "CallbackRecorder | None" = None

    def _note(self, event: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if ProcessTracer.shared is not None:
            ProcessTracer.shared._note(event, args, kwargs)


_context: ContextVar[Any] = ContextVar("gama_audit_tracer", default=None)
_registered = False


@contextlib.contextmanager
def process_tracer() -> Iterator[CallbackRecorder]:
    """Record what a tracer registered for the whole process sees of the runs inside."""
    global _registered
    from langchain_core.tracers.context import register_configure_hook

    if not _registered:
        register_configure_hook(_context, True, ProcessTracer, VARIABLE)
        _registered = True
    recorder = ProcessTracer.shared = CallbackRecorder()
    os.environ[VARIABLE] = "true"
    try:
        yield recorder
    finally:
        del os.environ[VARIABLE]
        ProcessTracer.shared = None


class LogRecorder(logging.Handler):
    """Keeps every record of every logger, at every level."""

    def __init__(self) -> None:
        """Start with nothing."""
        super().__init__(logging.DEBUG)
        self._kept: list[tuple[str, bytes]] = []
        self.levels: list[str] = []
        """Level of each record so far."""

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record as it would be written."""
        self._kept.append((record.name, self.format(record).encode("utf-8", "surrogatepass")))
        self.levels.append(record.levelname)

    def taken(self) -> list[tuple[str, bytes]]:
        """Return logger and line of what was logged so far, and forget it."""
        kept, self._kept = self._kept, []
        return kept


@contextlib.contextmanager
def logged() -> Iterator[LogRecorder]:
    """Record what is logged inside; nothing of it is shown."""
    recorder, root = LogRecorder(), logging.getLogger()
    level, handlers = root.level, root.handlers[:]
    root.handlers[:] = [recorder]
    root.setLevel(logging.DEBUG)
    try:
        yield recorder
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)


def show(line: str) -> None:
    """Write a line about the progress of an audit to the real standard error."""
    print(line, file=sys.__stderr__, flush=True)
