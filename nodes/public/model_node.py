"""A node that makes at most one call to the public model, sync or async, and records what came of it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from langchain_core.runnables import Runnable, RunnableLambda

from gama.models.calls import PublicCall, PublicClient
from gama.models.replies import shown_answer
from gama.nodes.public.asking import Clients, aask, ask, check_budget, know_limits
from gama.state.task import PublicTask
from gama.tools.domains.kind import asks_short


def _closed(update: dict[str, Any], task: PublicTask) -> dict[str, Any]:
    """Return an update whose answer, if it has the last one, is what the reader sees of it."""
    if task.kind == "open" or "answer" not in update:
        return update
    shown = shown_answer(update["answer"], task.kind, task.options, asks_short(task.text))
    return update | {"answer": shown}


class Manner(NamedTuple):
    """How a node asks: given the state's client, its call and the state, makes the call and says what came of it."""

    ask: Callable[[PublicClient, PublicCall, Any], Any]
    aask: Callable[[PublicClient, PublicCall, Any], Awaitable[Any]]


PLAIN = Manner(lambda client, call, state: ask(client, call), lambda client, call, state: aask(client, call))
"""One call, and what came of it as an `Outcome`."""


@dataclass(frozen=True)
class ModelNode:
    """What a node asks the model, and what it makes of the outcome."""

    call: Callable[[Any], PublicCall | None]
    """Builds the call of a state; None where the node needs none this time."""
    record: Callable[[Any, PublicCall, Any], dict[str, Any]]
    """Turns what came of the call, an `Outcome` unless it is asked in another manner, into the update of the state."""
    skip: Callable[[Any], dict[str, Any]] = lambda state: {}
    """Makes the update of the state where no call is needed."""
    budgeted: bool = True
    """Whether the state counts all calls of the task, so that `max_calls` is checked before one is made."""

    def runnable(self, name: str, clients: Clients, manner: Manner = PLAIN) -> Runnable[Any, Any]:
        """Return the node for a graph.

        Args:
            name: its name in traces.
            clients: gives the client for the state's task.
            manner: how it asks; an expert with tools makes further calls.
        """

        def prepared(state: Any) -> tuple[PublicCall, PublicClient] | None:
            know_limits(state["task"])
            call = self.call(state)
            if call is None:
                return None
            if self.budgeted:
                check_budget(state, 1)
            return call, clients(state["task"])

        def step(state: Any) -> dict[str, Any]:
            ready = prepared(state)
            if ready is None:
                return _closed(self.skip(state), state["task"])
            call, client = ready
            return _closed(self.record(state, call, manner.ask(client, call, state)), state["task"])

        async def astep(state: Any) -> dict[str, Any]:
            # Templates and a model's library are files, read on first use: not on the event loop.
            ready = await asyncio.to_thread(prepared, state)
            if ready is None:
                return _closed(self.skip(state), state["task"])
            call, client = ready
            return _closed(self.record(state, call, await manner.aask(client, call, state)), state["task"])

        return RunnableLambda(step, afunc=astep, name=name)
