"""How the public nodes call the model: the client of a run, the call budget, and the update it leaves."""

from collections.abc import Callable
from time import perf_counter
from typing import Any, NamedTuple

from gama.models.calls import PublicCall, PublicClient, PublicReply, total
from gama.state.errors import GamaError, LeakError, LimitReached
from gama.state.public import PublicState
from gama.state.task import PublicTask

Clients = Callable[[PublicTask], PublicClient]
"""Gives the client for a task."""


class Outcome(NamedTuple):
    """What a call led to: a reply, or a failure that can be lived with."""

    reply: PublicReply | None
    error: str
    reason: str
    seconds: float

    def update(self, stage: str, call: PublicCall) -> dict[str, Any]:
        """Return the part of the state's update that every call leaves."""
        counts = total([self.reply] if self.reply else [], call.role)
        if self.reply is None:
            counts |= {"calls": 1, f"{call.role}.calls": 1}
        warnings = []
        if self.reply is not None and self.reply.cut:
            warnings.append(f"An answer of the public model was longer than {call.max_chars:,} characters and was cut.")
        return {"usage": counts, "timings": {stage: self.seconds}, "warnings": warnings}


def ask(client: PublicClient, call: PublicCall) -> Outcome:
    """Make a call.

    Raises:
        LeakError: something private was in it. Everything else is an outcome.
    """
    began = perf_counter()
    leak: LeakError | None = None
    try:
        reply = client.complete(call)
        return Outcome(reply, "", "", perf_counter() - began)
    except LeakError as error:
        leak = error
    except Exception as error:
        return _failed(error, began)
    raise LeakError(*leak.args)


async def aask(client: PublicClient, call: PublicCall) -> Outcome:
    """Make a call; see `ask`."""
    began = perf_counter()
    leak: LeakError | None = None
    try:
        reply = await client.acomplete(call)
        return Outcome(reply, "", "", perf_counter() - began)
    except LeakError as error:
        leak = error
    except Exception as error:
        return _failed(error, began)
    raise LeakError(*leak.args)


def _failed(error: Exception, began: float) -> Outcome:
    # Only texts of our own go on: a provider's message may echo what was sent.
    reason = str(error) if isinstance(error, GamaError) else "the model's library failed"
    return Outcome(None, type(error).__name__, reason, perf_counter() - began)


def check_budget(state: PublicState, coming: int) -> None:
    """Refuse calls beyond the task's limit.

    Raises:
        LimitReached: the calls made and those about to be made are more than `max_calls`.
    """
    made = (state.get("usage") or {}).get("calls", 0)
    most = state["task"].limits.max_calls
    if made + coming > most:
        raise LimitReached(
            f"The task would need more than {most} calls to the public model ({made} made, {coming} coming). "
            "Raise max_calls, or ask fewer experts (k) or rounds (max_rounds)."
        )
