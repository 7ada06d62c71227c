"""The step that runs the public graph: on its own, in a fresh context, with the guard set and nothing inherited."""

import asyncio
import contextvars
from collections.abc import Callable
from copy import deepcopy
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
from gama.state.errors import GamaError, LimitReached, ModelError, Retold
from gama.state.options import Options
from gama.state.private import GamaState
from gama.state.public import PublicOutput
from gama.state.task import PublicTask

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
        withheld: list[str] = []
        try:
            with Quiet(tracer) as quiet, Retold(_told):
                _guarded(quiet, guard, withheld)
                outcome = quiet.run(_run, graph, state, config, writer)
        except (ModelError, LimitReached) as error:
            if not state["task"].faults:
                raise
            outcome = _unmended(state["task"], error)
        return {"outcome": outcome, "warnings": _withheld_notes(withheld)}

    async def aconsult(state: GamaState) -> dict[str, Any]:
        # The vault asks its files, and model libraries read theirs: not on the event loop.
        graph, config, guard, tracer = await asyncio.to_thread(_prepare, state, space, public)
        writer = outside_writer()
        withheld: list[str] = []
        try:
            with Quiet(tracer) as quiet, Retold(_told):
                _guarded(quiet, guard, withheld)
                outcome = await quiet.arun(_arun(graph, state, config, writer))
        except (ModelError, LimitReached) as error:
            if not state["task"].faults:
                raise
            outcome = _unmended(state["task"], error)
        return {"outcome": outcome, "warnings": _withheld_notes(withheld)}

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
    guard = guard_of(space.box(state, options), state, options, state["task"].whole_text)
    return _Prepared(public(options), config, guard, tracer)


def _guarded(quiet: Quiet, guard: Guard, withheld: list[str]) -> None:
    """Set the guard of the public side inside, and the list of the trace records that it withholds."""
    quiet.run(EGRESS.set, guard)
    quiet.run(WITHHELD.set, withheld)


def _withheld_notes(withheld: list[str]) -> list[str]:
    note = f"{len(withheld)} trace record(s) of the public side were withheld: a private value was in them."
    return [note] if withheld else []


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
    kept = graph.get_state(config) if graph.checkpointer else None
    if kept and kept.values and not kept.tasks:
        return _output(kept.values)
    if kept and (again := _from_anew(graph, kept)):
        graph.update_state(config, again.update, as_node=again.node)
    seen = _Seen(writer)
    for part in graph.stream(_input(state, kept), config, **_streamed(graph)):
        seen.take(*part)
    return _output(seen.values)


async def _arun(
    graph: PublicGraph, state: GamaState, config: RunnableConfig, writer: Callable[[Any], None]
) -> PublicOutput:
    kept = await graph.aget_state(config) if graph.checkpointer else None
    if kept and kept.values and not kept.tasks:
        return _output(kept.values)
    if kept and (again := _from_anew(graph, kept)):
        await graph.aupdate_state(config, again.update, as_node=again.node)
    seen = _Seen(writer)
    async for part in graph.astream(_input(state, kept), config, **_streamed(graph)):
        seen.take(*part)
    return _output(seen.values)


def _input(state: GamaState, kept: Any) -> Any:
    """Return what the public graph is given: nothing, where it takes up a run that stopped.

    Who has answered is not asked again. `tasks`, not `next`: that leaves out steps that are done while their outcome
    waits to be put together.
    """
    return None if kept and kept.tasks else {"task": state["task"]}


def _streamed(graph: PublicGraph) -> dict[str, Any]:
    return {
        "stream_mode": ["updates", "values"], "durability": "sync" if graph.checkpointer else None, "subgraphs": True
    }  # fmt: skip


class _Seen:
    """What has come of a run: each step is told as it comes, the last values of the whole are kept."""

    def __init__(self, writer: Callable[[Any], None]) -> None:
        self._writer = writer
        self.values: dict[str, Any] = {}

    def take(self, inside: Any, mode: str, part: Any) -> None:
        if mode == "updates":
            _tell(part, self._writer)
        elif not inside:
            self.values = part


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


_NOTHING = PublicOutput(
    answer="", answers=[], failures=[], contradictions=[], counterfactuals=[], route="both", votes=[], parts=[],
    quality="", rounds=0, verdict="off", usage={}, timings={}, warnings=[],
)  # fmt: skip


def _output(values: dict[str, Any]) -> PublicOutput:
    return cast(PublicOutput, {name: values.get(name, none) for name, none in deepcopy(_NOTHING).items()})


def _unmended(task: PublicTask, error: GamaError) -> PublicOutput:
    """Return what comes of a draft that could not be mended: it stays, since it has been paid for."""
    told = f"The formulas of the answer were not mended ({type(error).__name__}: {error})."
    return _output({"answer": task.draft, "warnings": [told]})


def _told(error: Exception) -> GamaError:
    """Turn what the public side raised into an error whose text is ours."""
    if isinstance(error, GamaError):
        return type(error)(*error.args)
    return ModelError(
        f"The public side failed ({type(error).__name__}). Run `gama doctor --probe` to see which model answers."
    )
