"""How the public nodes call the model: the client of a run, structured replies, budgets, the update a call leaves."""

import json
from collections.abc import Callable, Generator
from dataclasses import replace
from time import perf_counter
from typing import Any, NamedTuple

from gama.models.calls import PublicCall, PublicClient, PublicReply, total
from gama.models.objects import Reading, read_object
from gama.models.session import TaskClient
from gama.nodes.public.sessions import running_session
from gama.state.errors import GamaError, LeakError, LimitReached, OptionError
from gama.state.public import PublicState
from gama.state.task import PublicTask
from gama.tools.domains.prompts import quote

Clients = Callable[[PublicTask], PublicClient]
"""Gives the client for a task."""

LONGEST_QUOTED = 2_000
"""Characters of an unreadable reply that are shown to the model again."""


class Outcome(NamedTuple):
    """What a call led to: a reply, or a failure that can be lived with."""

    reply: PublicReply | None
    error: str
    reason: str
    seconds: float
    data: dict[str, Any] | None = None
    """The object, where the call has a schema and one could be read; `reply.text` is then its JSON, unless reasoning
    goes before it."""

    def update(self, stage: str, call: PublicCall) -> dict[str, Any]:
        """Return the part of the state's update that every call leaves."""
        counts = total([self.reply] if self.reply else [], call.role)
        if self.reply is None and self.error != LimitReached.__name__:
            counts |= {"calls": 1, f"{call.role}.calls": 1}
        warnings = []
        if self.reply is not None and self.reply.cut:
            warnings.append(f"An answer of the public model was longer than {call.max_chars:,} characters and was cut.")
        if self.reply is not None and self.reply.unfinished:
            warnings.append(
                f"The public model stopped at its limit of tokens (finish_reason: length): the {call.role} answer may "
                "lack its end."
            )
        return {"usage": counts, "timings": {stage: self.seconds}, "warnings": warnings}


_Asking = Generator[PublicCall, PublicReply | Exception, Outcome]


def ask(client: PublicClient, call: PublicCall) -> Outcome:
    """Make a call. A reply that should be an object of a schema and cannot be read is asked for once more.

    Raises:
        LeakError: something private was in it.
        OptionError: the task cannot be run as it is configured.
        LimitReached: the task's budget leaves no room for its very first call.
        Everything else is an outcome.
    """
    asking = _asking(client, call)
    step = next(asking)
    while True:
        answer: PublicReply | Exception
        try:
            answer = client.complete(step)
        except Exception as error:
            answer = error
        try:
            step = asking.send(answer)
        except StopIteration as done:
            outcome: Outcome = done.value
            break
    return outcome


async def aask(client: PublicClient, call: PublicCall) -> Outcome:
    """Make a call; see `ask`."""
    asking = _asking(client, call)
    step = next(asking)
    while True:
        answer: PublicReply | Exception
        try:
            answer = await client.acomplete(step)
        except Exception as error:
            answer = error
        try:
            step = asking.send(answer)
        except StopIteration as done:
            outcome: Outcome = done.value
            break
    return outcome


def _asking(client: PublicClient, call: PublicCall) -> _Asking:
    """Yield the calls to be made, one or two, take what came of each, and return the outcome."""
    began = perf_counter()
    first = _checked((yield call), client)
    if isinstance(first, Exception):
        return _failed(first, began)
    if call.schema is None:
        return Outcome(first, "", "", perf_counter() - began)
    reading = read_object(first.text, call.schema)
    if reading.data is None and call.attempts > 1:
        second = _checked((yield _once_more(call, first, reading)), client)
        if isinstance(second, Exception):
            refused = isinstance(second, LimitReached)
            return Outcome(replace(first, calls=first.calls + (not refused)), "", "", perf_counter() - began)
        first, reading = _both(first, second), read_object(second.text, call.schema)
    if reading.data is not None and not call.reasoned:
        first = replace(first, text=json.dumps(reading.data, ensure_ascii=False))
    return Outcome(first, "", "", perf_counter() - began, reading.data)


def _checked(answer: PublicReply | Exception, client: PublicClient) -> PublicReply | Exception:
    """Pass on what can be lived with; raise the rest, without what led to it."""
    fatal = isinstance(answer, LeakError | OptionError) or (
        isinstance(answer, LimitReached) and isinstance(client, TaskClient) and client.untouched
    )
    if fatal:
        assert isinstance(answer, Exception)
        raise type(answer)(*answer.args)
    return answer


def _once_more(call: PublicCall, reply: PublicReply, reading: Reading) -> PublicCall:
    """Return the call that asks again: the same request, then what came of it and what was wrong with that."""
    shown = reply.text[:LONGEST_QUOTED]
    told = (
        f"{quote('YOUR LAST REPLY', shown)}\n\nThat reply cannot be used: {reading.problem}. Reply again, with the "
        "JSON object alone."
    )
    return replace(call, user=f"{call.user}\n\n{told}", said=(*call.said, shown))


def _both(first: PublicReply, second: PublicReply) -> PublicReply:
    """Return the second reply with what both cost."""
    costs = [reply.cost for reply in (first, second) if reply.cost is not None]
    return replace(
        second,
        calls=first.calls + second.calls,
        input_tokens=first.input_tokens + second.input_tokens,
        output_tokens=first.output_tokens + second.output_tokens,
        estimated=first.estimated or second.estimated,
        cost=sum(costs) if costs else None,
    )


def _failed(error: Exception, began: float) -> Outcome:
    # Only texts of our own go on: a provider's message may echo what was sent.
    reason = str(error) if isinstance(error, GamaError) else "the model's library failed"
    return Outcome(None, type(error).__name__, reason, perf_counter() - began)


def know_limits(task: PublicTask) -> None:
    """Tell the running task's account its bounds; a node that checks no budget calls it before it calls the model."""
    running_session().bind(task.limits)


def check_budget(state: PublicState, coming: int) -> None:
    """Refuse calls beyond the task's limit, and bring the account of the run up to date.

    Raises:
        LimitReached: the calls made and those about to be made are more than `max_calls`.
    """
    usage = state.get("usage") or {}
    session = running_session()
    session.bind(state["task"].limits)
    session.ledger.note(usage)
    made = usage.get("calls", 0)
    most = state["task"].limits.max_calls
    if made + coming > most:
        raise LimitReached(
            f"The task would need more than {most} calls to the public model ({made} made, {coming} coming). "
            "Raise max_calls, or ask fewer experts (k) or rounds (max_rounds)."
        )
