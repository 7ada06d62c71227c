"""What stands around a private node: its time, and errors in a text of ours.

A checkpoint keeps the text of an exception and a tracer shows it: a library's own message may quote the raw text.
"""

import os
import traceback
from collections.abc import Callable
from functools import wraps
from time import perf_counter
from typing import Any, TypeVar

from langgraph.errors import GraphBubbleUp

from gama.state.errors import FaultError, GamaError, Retold

Update = TypeVar("Update")
"""What a node returns."""


def timed(stage: str) -> Callable[[Callable[..., dict[str, Any]]], Callable[..., dict[str, Any]]]:
    """Add the seconds a node took to `timings`, under the name of its stage."""

    def decorate(node: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
        @wraps(node)
        def run(*args: Any, **kwargs: Any) -> dict[str, Any]:
            began = perf_counter()
            update = node(*args, **kwargs)
            return update | {"timings": {stage: perf_counter() - began}}

        return run

    return decorate


def redact_errors(name: str, node: Callable[..., Update]) -> Callable[..., Update]:
    """Return a node whose unexpected errors become a `FaultError` that quotes nothing.

    Args:
        name: name of the node, for the message.
        node: the node; what it raises on purpose passes as it is.
    """

    def told(error: Exception) -> FaultError | None:
        if isinstance(error, GamaError | GraphBubbleUp):
            return None
        if os.environ.get("GAMA_DEBUG") == "1":
            traceback.print_exc()
        return FaultError(
            f"The private side failed in its step {name!r} ({type(error).__name__}). Set GAMA_DEBUG=1 to see the "
            "traceback (it may show private text)."
        )

    @wraps(node)
    def run(*args: Any, **kwargs: Any) -> Update:
        with Retold(told):
            return node(*args, **kwargs)

    return run
