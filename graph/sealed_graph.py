"""`SealedGraph`: a compiled graph that seals its input at the door and runs where nothing is traced.

LangGraph writes a run's input into the first checkpoint and into its streams before any node has
run, and hands the caller's metadata, tags and callbacks to every step. So the question is sealed
before the graph sees it, and of the caller's configuration only what steers the run goes in. The
reply travels through the graph sealed, and is opened here for the caller alone.
"""

import asyncio
import json
import re
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

from langchain_core.runnables import RunnableConfig, ensure_config
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, StateUpdate

from gama.guard.quiet import Quiet
from gama.nodes.private.engine_steps import thread_of
from gama.privacy.question import query_of
from gama.state.decisions import plain_decisions
from gama.state.errors import InputError
from gama.state.private_text import PrivateText, Sealed
from gama.tools.experts.toolbox import Toolbox
from gama.vault.seal import Vault

_STEERING = ("thread_id", "checkpoint_ns", "checkpoint_id", "checkpoint_map", "assistant_id", "graph_id", "run_id")

_INSIDE = frozenset({"payload", "result", "values"})
"""Keys of the stream modes `debug`, `tasks` and `checkpoints` that show the state: the reply stays sealed there."""


class SealedGraph(CompiledStateGraph[Any, Any, Any, Any]):
    """The whole graph as its users meet it.

    A subclass, since servers and `add_node` take a `Pregel`; made and copied by the constructor, as `Pregel.copy` does.
    """

    def __init__(self, *, vault: Vault, tools: Toolbox | None = None, **attributes: Any) -> None:
        """Take the attributes of a compiled graph.

        Args:
            vault: seals what goes in.
            tools: what its experts may call.
            attributes: see `CompiledStateGraph`.
        """
        super().__init__(**attributes)
        self.vault = vault
        self.tools = tools

    @classmethod
    def adopt(cls, graph: CompiledStateGraph[Any, Any, Any, Any], vault: Vault, tools: Toolbox | None = None) -> Self:
        """Return a compiled graph as a sealed one."""
        return cls(vault=vault, tools=tools, **vars(graph))

    def stream(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> Iterator[Any]:
        """Stream a run; see `CompiledStateGraph.stream`.

        Raises:
            InputError: the input is none that this graph takes; nothing of it is kept.
        """
        config = clean_config(config)
        waits = _answers(input) and self.checkpointer and bool(self.get_state(config).interrupts)
        sealed = self._sealed_input(input, config, waits=bool(waits))
        with Quiet() as quiet:
            for item in quiet.iterate(iter(super().stream(sealed, config, **options))):
                yield self._opened(item, config)

    async def astream(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> AsyncIterator[Any]:
        """Stream a run; see `CompiledStateGraph.astream`."""
        config = clean_config(config)
        waits = _answers(input) and self.checkpointer and bool((await self.aget_state(config)).interrupts)
        sealed = await asyncio.to_thread(self._sealed_input, input, config, waits=bool(waits))
        with Quiet() as quiet:
            async for item in quiet.aiterate(super().astream(sealed, config, **options)):
                # The vault asks its files: not on the event loop.
                yield await asyncio.to_thread(self._opened, item, config) if _has_reply(item) else item

    def bulk_update_state(self, config: RunnableConfig, supersteps: Sequence[Sequence[StateUpdate]]) -> RunnableConfig:
        """Change a thread's state; a question in it is sealed, and nothing of it is traced."""
        config = clean_config(config)
        sealed = self._sealed_updates(supersteps, config)
        with Quiet() as quiet:
            return quiet.run(super().bulk_update_state, config, sealed)

    async def abulk_update_state(
        self, config: RunnableConfig, supersteps: Sequence[Sequence[StateUpdate]]
    ) -> RunnableConfig:
        """Change a thread's state; see `bulk_update_state`."""
        config = clean_config(config)
        sealed = await asyncio.to_thread(self._sealed_updates, supersteps, config)
        with Quiet() as quiet:
            return await quiet.arun(super().abulk_update_state(config, sealed))

    def astream_events(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> Any:
        """Stream events of a run: its start, its updates and its end; see `CompiledStateGraph.astream_events`.

        Callbacks are cut off from what happens inside, so nothing else is told.
        """
        if options.get("version") == "v3":
            return super().astream_events(input, config, **options)
        filters = {name: options.pop(name) for name in FILTERS if name in options}
        options.pop("version", None)
        output: dict[str, Any] = {}

        async def chunks() -> AsyncIterator[Any]:
            async for mode, part in self.astream(input, config, **options | {"stream_mode": ["updates", "values"]}):
                if mode == "updates":
                    yield part
                else:
                    output.update(part)

        def outcome() -> dict[str, Any]:
            return {name: output[name] for name in self.output_channels if name in output}

        return run_events(self.get_name(), input, chunks(), outcome, filters)

    def _opened(self, item: Any, config: RunnableConfig) -> Any:
        """Return an item of a stream as the caller gets it: with the reply opened, but where it shows the inside."""
        if type(item) is tuple:
            return tuple(self._opened(part, config) for part in item)
        if not isinstance(item, dict):
            return item
        return {
            key: value if key in _INSIDE else self._reply(value, config) if _is_reply(key, value)
            else self._opened(value, config)
            for key, value in item.items()
        }  # fmt: skip

    def _reply(self, sealed: Sealed, config: RunnableConfig) -> Any:
        return json.loads(self.vault.open(thread_of(config), sealed))

    def _sealed_input(self, data: Any, config: RunnableConfig, *, waits: bool) -> Any:
        """Seal the question of an input; of what only resumes there is nothing to seal.

        LangGraph keeps an input before any node can refuse it: what is no question is refused here.

        Args:
            data: the input.
            config: the run's configuration.
            waits: whether the thread waits for an answer.
        """
        if data is None:
            return None
        if not isinstance(data, Command):
            return self._sealed_question(data, config)
        if _answers(data) and not waits:
            raise InputError("The run waits for no answer: start it with {'question': '...'}, or resume it with None.")
        if data.resume is not None:
            data = replace(data, resume=self._sealed_answer(data.resume, thread_of(config)))
        return data if data.update is None else replace(data, update=self._sealed_question(data.update, config))

    def _sealed_updates(self, supersteps: Sequence[Sequence[StateUpdate]], config: RunnableConfig) -> Any:
        def seal(update: StateUpdate) -> StateUpdate:
            values = update.values
            if isinstance(values, dict) and ("question" in values or "query" in values):
                values = {**values, **self._sealed_question(values, config)}
            return update._replace(values=values)

        return [[seal(StateUpdate(*update)) for update in step] for step in supersteps]

    def _sealed_question(self, data: Any, config: RunnableConfig) -> dict[str, Any]:
        question = data.get("question") if isinstance(data, dict) else None
        thread = thread_of(config)
        if isinstance(question, PrivateText):
            question = question.reveal()
        if isinstance(question, str):
            question = self.vault.seal(thread, question.encode("utf-8", "surrogatepass"))
        if not isinstance(question, Sealed):
            raise InputError("The question must be text: send {'question': '...'}.")
        # What an earlier turn left is emptied: the box alone is kept over turns.
        return {
            "question": question,
            "query": self._sealed_query(data, thread),
            "thread": thread,
            "decisions": plain_decisions(data.get("decisions")),
            "reviewed": data.get("reviewed"),
            "refinement": self._sealed_refinement(data.get("refinement"), thread),
        }

    def _sealed_query(self, data: Any, thread: str) -> Sealed | None:
        query = data.get("query")
        if isinstance(query, Sealed):
            return query
        told = query_of(data)
        return self.vault.seal(thread, told.encode("utf-8", "surrogatepass")) if told else None

    def _sealed_refinement(self, given: Any, thread: str) -> Sealed | None:
        if not given or isinstance(given, Sealed):
            return given or None
        if not isinstance(given, str):
            raise InputError("The refinement must be text, as a look at the task gives it.")
        return self.vault.seal(thread, given.encode("utf-8", "surrogatepass"))

    def _sealed_answer(self, answer: Any, thread: str) -> Any:
        """Seal the answer to an interrupt: it may name what must not leave, and every answer is kept."""
        if isinstance(answer, dict) and answer and all(_INTERRUPT.fullmatch(str(key)) for key in answer):
            return {key: self._sealed_answer(one, thread) for key, one in answer.items()}
        if isinstance(answer, Sealed):
            return answer
        return self.vault.seal(thread, json.dumps(answer, default=str).encode("utf-8", "surrogatepass"))


def _answers(data: Any) -> bool:
    return isinstance(data, Command) and data.resume is not None


def _has_reply(item: Any) -> bool:
    """Tell whether an item of a stream holds the reply, where the caller asked for values."""
    if type(item) is tuple:
        return any(map(_has_reply, item))
    return isinstance(item, dict) and any(
        _is_reply(key, value) or _has_reply(value) for key, value in item.items() if key not in _INSIDE
    )


def _is_reply(key: Any, value: Any) -> bool:
    return key == "reply" and isinstance(value, Sealed)


# Accepts the id of an interrupt, by which LangGraph lets several be answered at once.
_INTERRUPT = re.compile(r"[0-9a-f]{32}")


async def run_events(
    name: str, given: Any, chunks: AsyncIterator[Any], output: Callable[[], Any], options: Mapping[str, Any]
) -> AsyncIterator[dict[str, Any]]:
    """Yield the events of a run as LangChain's `astream_events` names them: its start, its chunks, its end.

    Callbacks are cut off from a run, so its own stream tells them.

    Args:
        name: the name of the runnable.
        given: its input, for its caller to see again.
        chunks: what it streams.
        output: gives the outcome once all chunks are there.
        options: LangChain's `include_names`, `include_types`, `include_tags` (events of these only) and `exclude_…`
            (all but those); a run has the type `chain`, and no tag.
    """
    named, left_out = (
        name in (options.get(f"{way}_names") or ()) or "chain" in (options.get(f"{way}_types") or ())
        for way in ("include", "exclude")
    )
    everything = all(options.get(f"include_{what}") is None for what in ("names", "types", "tags"))
    base = {"run_id": str(uuid.uuid4()), "name": name, "tags": [], "metadata": {}, "parent_ids": []}
    wanted = (everything or named) and not left_out
    if wanted:
        yield {"event": "on_chain_start", "data": {"input": given}, **base}
    async for chunk in chunks:
        if wanted:
            yield {"event": "on_chain_stream", "data": {"chunk": chunk}, **base}
    if wanted:
        yield {"event": "on_chain_end", "data": {"output": output()}, **base}


FILTERS = tuple(f"{way}_{what}" for way in ("include", "exclude") for what in ("names", "types", "tags"))
"""Options of `astream_events` that choose among events."""


def clean_config(config: RunnableConfig | None) -> RunnableConfig:
    """Keep of a configuration what steers the run: thread, limits, LangGraph's own keys.

    Metadata, tags, run names, callbacks and free keys are the caller's; they would enter
    checkpoints, streams and traces.
    """
    given = ensure_config(config)
    configurable = {
        key: value
        for key, value in (given.get("configurable") or {}).items()
        if key in _STEERING or key.startswith("__pregel_")
    }
    clean: RunnableConfig = {"configurable": configurable, "callbacks": [], "metadata": {}, "tags": []}
    if "recursion_limit" in given:
        clean["recursion_limit"] = given["recursion_limit"]
    if given.get("max_concurrency") is not None:
        clean["max_concurrency"] = given["max_concurrency"]
    return clean
