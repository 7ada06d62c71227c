"""What leaves for the public space is checked by the `Egress` of the running task.

The public half knows this interface only; the guard behind it, with the values it searches for,
stays in the private space. The private side sets `EGRESS` in the fresh context in which it steps
the public graph, so that threads and tasks started there inherit it.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from gama.state.errors import LeakError


class Egress(Protocol):
    """Checks a payload before it leaves."""

    def check(self, payload: str | bytes, quoted: Sequence[str] = ()) -> None:
        """Raise `LeakError` when something private is in the payload.

        Args:
            payload: the serialised request.
            quoted: texts in it that came from the public space itself (earlier answers, fixed
                prompts): what the other side already wrote is no leak.
        """


class NoPrivateSpace:
    """The egress of a public graph that runs on a machine of its own: there is nothing to compare with."""

    def check(self, payload: str | bytes, quoted: Sequence[str] = ()) -> None:
        """Let everything pass: what is private never came here."""


EGRESS: ContextVar[Egress | None] = ContextVar("gama_egress", default=None)
_QUOTED: ContextVar[tuple[str, ...]] = ContextVar("gama_quoted", default=())


@contextmanager
def quoting(texts: Sequence[str]) -> Iterator[None]:
    """Name the texts of public origin that the calls inside repeat."""
    token = _QUOTED.set((*_QUOTED.get(), *texts))
    try:
        yield
    finally:
        _QUOTED.reset(token)


def check_egress(payload: str | bytes) -> None:
    """Check a payload with the running task's egress.

    Raises:
        LeakError: something private is in it, or no egress is set (fail closed).
    """
    egress = EGRESS.get()
    if egress is None:
        raise LeakError(
            "A call to the public model was stopped: no guard is set for this task. "
            "Run it through gama.Gama, or through the public graph on its own machine."
        )
    egress.check(payload, _QUOTED.get())
