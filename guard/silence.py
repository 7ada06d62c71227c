"""`silence_loggers`: silence of the libraries' loggers while private text is under way.

At the level DEBUG the clients of model servers log what they send. A program that has switched that on for its own
purposes must not find the raw text of a private LLM's prompt in its log.
"""

import logging
from contextvars import ContextVar

_HUSHED: ContextVar[bool] = ContextVar("gama_hushed", default=False)


class _Silence(logging.Filter):
    """Drops every record of a context that is hushed."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not _HUSHED.get()


_SILENCE = _Silence()


def silence_loggers() -> None:
    """Silence every logger in the running context, threads and tasks that it starts included."""
    _HUSHED.set(True)
    # Filters of a logger see its own records only, not those of the loggers below it; adding one twice does nothing.
    for logger in [logging.root, *list(logging.root.manager.loggerDict.values())]:
        if isinstance(logger, logging.Logger):
            logger.addFilter(_SILENCE)
