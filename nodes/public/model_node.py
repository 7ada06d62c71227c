"""A node that makes at most one call to the public model, sync or async, and records what came of it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

from langchain_core.runnables import Runnable, RunnableLambda

from gama.models.calls import PublicCall, PublicClient, Role
from gama.nodes.public.calling import Clients, Outcome, aask, ask, know_limits
from gama.state.task import PublicTask

Make = Callable[[Any], PublicCall | None]
"""Builds the call of a state; None where the node needs none this time."""
Record = Callable[[Any, PublicCall, Any], dict[str, Any]]
"""Turns what came of the call, an `Outcome` unless the node asks in another way, into the update of the state."""
Skip = Callable[[Any], dict[str, Any]]
"""Makes the update of the state where no call is needed."""


class Manner(NamedTuple):
    """How a node asks: given the state's client, its call and the state, makes the call and says what came of it."""

    ask: Callable[[PublicClient, PublicCall, Any], Any]
    aask: Callable[[PublicClient, PublicCall, Any], Awaitable[Any]]


PLAIN = Manner(lambda client, call, state: ask(client, call), lambda client, call, state: aask(client, call))
"""One call, and what came of it as an `Outcome`."""


def turn(
    name: str, clients: Clients, make: Make, record: Record, skip: Skip | None = None, manner: Manner = PLAIN
) -> Runnable[Any, Any]:
    """Return the node.

    Args:
        name: its name in traces.
        clients: gives the client for the state's task.
        make: builds the call.
        record: reads the outcome.
        skip: for a node that does not always call.
        manner: how it asks; an expert with tools makes further calls.
    """

    def prepared(state: Any) -> tuple[PublicCall, PublicClient] | None:
        know_limits(state["task"])
        call = make(state)
        return None if call is None else (call, clients(state["task"]))

    def step(state: Any) -> dict[str, Any]:
        ready = prepared(state)
        if ready is None:
            return skip(state) if skip else {}
        call, client = ready
        return record(state, call, manner.ask(client, call, state))

    async def astep(state: Any) -> dict[str, Any]:
        # Templates and a model's library are files, read on first use: not on the event loop.
        ready = await asyncio.to_thread(prepared, state)
        if ready is None:
            return skip(state) if skip else {}
        call, client = ready
        return record(state, call, await manner.aask(client, call, state))

    return RunnableLambda(step, afunc=astep, name=name)


def call_of(task: PublicTask, role: Role, system: str, blocks: Sequence[str], **more: Any) -> PublicCall:
    """Build a call: its prompt, the quoted material, and the task's fields and limits.

    Args:
        task: the task.
        role: who is asked.
        system: the prompt from a template.
        blocks: the material, each piece quoted.
        more: further fields of `PublicCall`; they take the place of the task's.
    """
    fields: dict[str, Any] = {
        "task": task.text,
        "kind": task.kind,
        "options": task.options,
        "max_chars": task.limits.max_answer_chars,
        "timeout_s": task.limits.timeout_s,
    }
    return PublicCall(role=role, system=system, user="\n\n".join(blocks), **(fields | more))


def why(outcome: Outcome | None) -> str:
    """Say why there is no reply."""
    return f"{outcome.error}: {outcome.reason}" if outcome else "no call was made"


def noting(update: dict[str, Any], note: str) -> dict[str, Any]:
    """Return an update with one more note for the user."""
    return update | {"warnings": [*update.get("warnings", ()), note]}
