"""The step that runs the public graph: on its own, in a fresh context, with the guard set and nothing inherited."""

import asyncio
import contextvars
from collections.abc import Callable
from typing import Any, NamedTuple, cast

from langchain_core.runnables import RunnableConfig, RunnableLambda
from langgraph.config import get_stream_writer
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import get_runtime
from langgraph.types import Overwrite
from pydantic import BaseModel

from gama.guard.egress import EGRESS
from gama.guard.quiet import Quiet
from gama.guard.search import Guard
from gama.guard.tracing import WITHHELD, public_tracer
from gama.nodes.private.airlock import guard_of
from gama.nodes.private.space import PrivateSpace
from gama.state.errors import GamaError, ModelError
from gama.state.options import Options
from gama.state.private import GamaState
from gama.state.public import PublicOutput

PublicGraph = CompiledStateGraph[Any, Any, Any, Any]


def call_public_graph(space: PrivateSpace, public: Callable[[Options], PublicGraph]) -> RunnableLambda[Any, Any]:
    """Return the node that sends the task to the experts, sync and async.

    Args:
        space: the private space.
        public: gives the public graph for the options of a run.
    """

    def consult(state: GamaState) -> dict[str, Any]:
        graph, config, guard, tracer = _prepare(state, space, public)
        writer = outside_writer()
        with Quiet(tracer) as quiet:
            withheld = _guarded(quiet, guard)
            try:
                outcome: PublicOutput | GamaError = quiet.run(_run, graph, state, config, writer)
            except Exception as error:
                outcome = _fixed(error)
        return _update(outcome, withheld)

    async def aconsult(state: GamaState) -> dict[str, Any]:
        # The vault asks its files, and model libraries read theirs: not on the event loop.
        graph, config, guard, tracer = await asyncio.to_thread(_prepare, state, space, public)
        writer = outside_writer()
        with Quiet(tracer) as quiet:
            withheld = _guarded(quiet, guard)
            try:
                outcome: PublicOutput | GamaError = await quiet.arun(_arun(graph, state, config, writer))
            except Exception as error:
                outcome = _fixed(error)
        return _update(outcome, withheld)

    return RunnableLambda(consult, afunc=aconsult, name="call_public_graph")


def outside_writer() -> Callable[[Any], None]:
    """Return the run's stream writer, bound to the context it needs: it looks up its run each time it is called."""
    writer, context = get_stream_writer(), contextvars.copy_context()
    return lambda item: context.run(writer, item)


class _Prepared(NamedTuple):
    """What the public run needs."""

    graph: PublicGraph
    config: RunnableConfig
    guard: Guard
    tracer: Any
    """The checked LangSmith client, or None where nothing is traced."""


def _prepare(state: GamaState, space: PrivateSpace, public: Callable[[Options], PublicGraph]) -> _Prepared:
    options = space.settings(get_runtime(Options))
    tracer: Any = None
    if options.trace:
        tracer = public_tracer()
    # Nothing of the private run's configuration goes along: no metadata, tags, callbacks, keys.
    config: RunnableConfig = {"configurable": {"thread_id": state["public_thread"]}}
    return _Prepared(public(options), config, guard_of(space.box(state, options), state, options), tracer)


def _guarded(quiet: Quiet, guard: Guard) -> list[str]:
    """Set the guard of the public side inside; returns the list of trace records that it withholds."""
    withheld: list[str] = []
    quiet.run(EGRESS.set, guard)
    quiet.run(WITHHELD.set, withheld)
    return withheld


def _update(outcome: PublicOutput | GamaError, withheld: list[str]) -> dict[str, Any]:
    """Return what the node writes.

    Raises:
        GamaError: the run failed; not in the except block: a checkpoint keeps an exception's text and its context's.
    """
    if isinstance(outcome, GamaError):
        raise outcome
    note = f"{len(withheld)} trace record(s) of the public side were withheld: a private value was in them."
    return {"outcome": outcome, "warnings": [note] if withheld else []}


class _Anew(NamedTuple):
    """What lets a public run ask its experts once more."""

    node: str
    """The node behind which it goes on."""
    update: dict[str, Any]


def _from_anew(graph: PublicGraph, snapshot: Any) -> _Anew | None:
    """Return how a run goes on whose experts have all failed: nobody was paid, so all are asked again.

    The cause (a refused key, a server that was down) may have gone meanwhile; what failed stands in the state, so that
    merely going on would fail as before.
    """
    if not isinstance(graph, CompiledStateGraph):
        # A machine of its own keeps its threads itself.
        return None
    waits, values = {task.name for task in snapshot.tasks}, snapshot.values
    if waits == {"fuse"} and not values.get("answers") and values.get("failures"):
        return _Anew("receive", {"failures": Overwrite([])})
    parts = values.get("parts", ())
    if waits == {"assemble"} and parts and not any(part.answer for part in parts):
        return _Anew("split", {"parts": Overwrite([])})
    return None


def _run(graph: PublicGraph, state: GamaState, config: RunnableConfig, writer: Callable[[Any], None]) -> PublicOutput:
    graph_input: Any = {"task": state["task"]}
    values: Any = {}
    if graph.checkpointer:
        # A resumed run takes up the public thread where it stopped: who has answered is not asked again.
        # `tasks`, not `next`: that leaves out steps that are done while their outcome waits to be put together.
        snapshot = graph.get_state(config)
        if snapshot.values and not snapshot.tasks:
            return _output(snapshot.values)
        if again := _from_anew(graph, snapshot):
            graph.update_state(config, again.update, as_node=again.node)
        graph_input = None if snapshot.tasks else graph_input
    for item in graph.stream(graph_input, config, **_streaming(graph)):
        values = _seen(item, values, writer)
    return _output(values)


async def _arun(
    graph: PublicGraph, state: GamaState, config: RunnableConfig, writer: Callable[[Any], None]
) -> PublicOutput:
    graph_input: Any = {"task": state["task"]}
    values: Any = {}
    if graph.checkpointer:
        snapshot = await graph.aget_state(config)
        if snapshot.values and not snapshot.tasks:
            return _output(snapshot.values)
        if again := _from_anew(graph, snapshot):
            await graph.aupdate_state(config, again.update, as_node=again.node)
        graph_input = None if snapshot.tasks else graph_input
    async for item in graph.astream(graph_input, config, **_streaming(graph)):
        values = _seen(item, values, writer)
    return _output(values)


def _streaming(graph: PublicGraph) -> dict[str, Any]:
    durability = "sync" if graph.checkpointer else None
    return {"stream_mode": ["updates", "values"], "durability": durability, "subgraphs": True}


def _seen(item: Any, values: Any, writer: Callable[[Any], None]) -> Any:
    """Report what an item of the stream tells of a step; return the state of the public graph behind it."""
    inside, mode, part = item
    if mode == "updates":
        _tell(part, writer)
    return part if mode == "values" and not inside else values


def _tell(update: Any, writer: Callable[[Any], None]) -> None:
    """Report a step of the public graph; all of it has crossed, so it may be shown."""
    for node, change in update.items():
        if not node.startswith("__"):
            found = [a.domain for a in (change or {}).get("answers", [])]
            writer({"stage": node, "domains": found, "news": _news(change or {})})


_TOLD = ("answers", "failures", "contradictions", "counterfactuals", "route", "votes", "questions", "parts", "rounds",
         "verdict", "quality")  # fmt: skip
"""What a step of the public graph may report."""


def _news(change: dict[str, Any]) -> dict[str, Any]:
    return {
        name: [one.model_dump(mode="json") if isinstance(one, BaseModel) else one for one in value]
        if isinstance(value, list)
        else value
        for name, value in change.items()
        if name in _TOLD
    }


_EMPTY: dict[str, Any] = {
    "answer": "", "route": "both", "quality": "", "rounds": 0, "verdict": "off", "usage": {}, "timings": {},
}  # fmt: skip
"""What stands in the output where the state has nothing; else no items."""


def _output(values: dict[str, Any]) -> PublicOutput:
    return cast(PublicOutput, {n: values.get(n, _EMPTY.get(n, [])) for n in PublicOutput.__annotations__})


def _fixed(error: Exception) -> GamaError:
    """Turn what the public side raised into an error whose text is ours."""
    if isinstance(error, GamaError):
        return type(error)(*error.args)
    return ModelError(
        f"The public side failed ({type(error).__name__}). Run `gama doctor --probe` to see which model answers."
    )
