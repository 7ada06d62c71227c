"""`PrivateAgent`: an agent as its callers meet it. At its door input is sealed, and what comes out is restored."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, NamedTuple, Self

from langchain_core.messages import BaseMessage, convert_to_messages
from langchain_core.runnables import RunnableConfig, ensure_config
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, StateSnapshot

from gama.middleware.chunks import EventOutlet, Outlet, Shape
from gama.middleware.session import Session
from gama.middleware.values import map_answer, refuse_media
from gama.privacy.anonymizer import Anonymizer
from gama.vault.seal import Vault

RUN = "__privacy_run"
"""Key of a run's configuration that names its session; with two underscores it stays out of checkpoints."""
_STEERING = ("thread_id", "checkpoint_ns", "checkpoint_id", "checkpoint_map", "assistant_id", "graph_id", "run_id", RUN)
_RAW = "__privacy_raw"
"""Key of a run's configuration: its stream is restored by whoever started it."""


class _Run(NamedTuple):
    """A run that is about to start."""

    session: Session
    config: RunnableConfig
    input: Any
    name: str
    """Its name among the sessions; empty for a run inside another one, which owns the session."""


@dataclass
class Door:
    """What an agent and its middleware share: how input is sealed, and the sessions of runs under way."""

    anonymizer: Anonymizer
    vault: Vault
    media: Literal["refuse", "pass"] = "refuse"
    """What becomes of pictures, sounds and files in messages."""
    sessions: dict[str, Session] = field(default_factory=dict)
    """The sessions of runs under way, by the name of the run."""


class PrivateAgent(CompiledStateGraph[Any, Any, Any, Any]):
    """A sealed agent.

    A subclass, since servers and `add_node` take a `Pregel`; made and copied by the constructor, as `Pregel.copy` does.
    """

    def __init__(self, *, door: Door, **attributes: Any) -> None:
        """Take the attributes of a compiled agent, and what it shares with its middleware."""
        super().__init__(**attributes)
        self.door = door

    @classmethod
    def adopt(cls, agent: CompiledStateGraph[Any, Any, Any, Any], door: Door) -> Self:
        """Return a compiled agent as a sealed one."""
        return cls(door=door, **vars(agent))

    def stream(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> Iterator[Any]:
        """Stream a run with the real values; see `CompiledStateGraph.stream`."""
        run = self._start(input, config)
        try:
            items = super().stream(run.input, run.config, **options)
            if _RAW in run.config["configurable"]:
                yield from items
                return
            outlet = Outlet(run.session, self._shape(run.config, options))
            for item in items:
                yield from outlet.feed(item)
            yield from outlet.close()
        finally:
            self.door.sessions.pop(run.name, None)

    async def astream(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> AsyncIterator[Any]:
        """Stream a run with the real values; see `CompiledStateGraph.astream`."""
        run = await asyncio.to_thread(self._start, input, config)
        try:
            items = super().astream(run.input, run.config, **options)
            if _RAW in run.config["configurable"]:
                async for item in items:
                    yield item
                return
            outlet = Outlet(run.session, self._shape(run.config, options))
            async for item in items:
                for shown in outlet.feed(item):
                    yield shown
            for shown in outlet.close():
                yield shown
        finally:
            self.door.sessions.pop(run.name, None)

    def astream_events(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> Any:
        """Stream events with the real values; see `CompiledStateGraph.astream_events`.

        What callbacks and tracers see of the same run has placeholders.
        """
        if options.get("version") == "v3":
            return super().astream_events(input, config, **options)
        return self._events(input, config, options)

    async def _events(self, input: Any, config: RunnableConfig | None, options: dict[str, Any]) -> AsyncIterator[Any]:
        run = await asyncio.to_thread(self._start, input, config)
        run.config["configurable"][_RAW] = True
        outlet = EventOutlet(run.session)
        try:
            async for event in super().astream_events(run.input, run.config, **options):
                for shown in outlet.feed(event):
                    yield shown
        finally:
            self.door.sessions.pop(run.name, None)

    def get_state(self, config: RunnableConfig, **options: Any) -> StateSnapshot:
        """Return a state with the real values; see `CompiledStateGraph.get_state`."""
        return self._shown(super().get_state(config, **options))

    async def aget_state(self, config: RunnableConfig, **options: Any) -> StateSnapshot:
        """Return a state with the real values; see `CompiledStateGraph.aget_state`."""
        snapshot = await super().aget_state(config, **options)
        return await asyncio.to_thread(self._shown, snapshot)

    def get_state_history(self, config: RunnableConfig, **options: Any) -> Iterator[StateSnapshot]:
        """Yield states with the real values; see `CompiledStateGraph.get_state_history`."""
        for snapshot in super().get_state_history(config, **options):
            yield self._shown(snapshot)

    async def aget_state_history(self, config: RunnableConfig, **options: Any) -> AsyncIterator[StateSnapshot]:
        """Yield states with the real values; see `CompiledStateGraph.aget_state_history`."""
        async for snapshot in super().aget_state_history(config, **options):
            yield await asyncio.to_thread(self._shown, snapshot)

    def bulk_update_state(self, config: RunnableConfig, supersteps: Sequence[Sequence[Any]]) -> RunnableConfig:
        """Update a state: what is given is sealed; see `CompiledStateGraph.bulk_update_state`."""
        return super().bulk_update_state(config, self._sealed_updates(config, supersteps))

    async def abulk_update_state(self, config: RunnableConfig, supersteps: Sequence[Sequence[Any]]) -> RunnableConfig:
        """Update a state: what is given is sealed; see `CompiledStateGraph.abulk_update_state`."""
        sealed = await asyncio.to_thread(self._sealed_updates, config, supersteps)
        return await super().abulk_update_state(config, sealed)

    def _start(self, data: Any, config: RunnableConfig | None) -> _Run:
        """Open the session of a run and seal its input."""
        given = ensure_config(config)
        configurable = dict(given.get("configurable") or {})
        nested = "__pregel_task_id" in configurable
        if (known := self.door.sessions.get(configurable.get(RUN, ""))) is not None and not nested:
            return _Run(known, given, self._sealed(data, known), "")
        session = self._session(configurable)
        name = uuid.uuid4().hex
        clean: dict[str, Any] = {
            key: value
            for key, value in configurable.items()
            if (key in _STEERING or key.startswith("__pregel_")) and not (nested and key == "__pregel_stream")
        }
        clean[RUN] = name
        own: RunnableConfig = {"configurable": clean, "metadata": {}, "tags": []}
        # A graph that this agent is a node of listens by callbacks; it gets the outcome, not the placeholders.
        own["callbacks"] = [] if nested else given.get("callbacks")
        for key in ("recursion_limit", "max_concurrency", "run_id"):
            if key in given and given[key] is not None:
                own[key] = given[key]
        if self._keeps(configurable) and not nested:
            session.take(super().get_state(own).values.get("privacy_box"))
        sealed = self._sealed(data, session)
        self.door.sessions[name] = session
        return _Run(session, own, sealed, name)

    def _session(self, configurable: dict[str, Any]) -> Session:
        thread = configurable.get("thread_id")
        kept = thread is not None and self._keeps(configurable)
        # What no checkpointer keeps is sealed by a key that dies with the run.
        vault = self.door.vault if kept else Vault.ephemeral()
        own = {key: value for key, value in configurable.items() if key not in _STEERING and not key.startswith("__")}
        session = Session(self.door.anonymizer, vault, str(thread or uuid.uuid4().hex), own)
        session.channels = self.channels
        return session

    def _keeps(self, configurable: dict[str, Any]) -> bool:
        return bool(self.checkpointer) or "__pregel_checkpointer" in configurable

    def _sealed(self, data: Any, session: Session) -> Any:
        if isinstance(data, Command):
            # An answer to an interrupt is read at once, not by a hook: it needs its placeholders now.
            resume = map_answer(data.resume, partial(session.hide, named=True))
            saved = session.save()
            update = _with_box(session.seal_value(data.update), saved)
            return Command(graph=data.graph, update=update, resume=resume, goto=data.goto)
        if isinstance(data, dict):
            return {key: self._sealed_key(key, value, session) for key, value in data.items()}
        return session.seal_value(data)

    def _sealed_key(self, key: str, value: Any, session: Session) -> Any:
        if key == "messages":
            messages = convert_to_messages(value if isinstance(value, list | tuple) else [value])
            return [self._sealed_message(message, session) for message in messages]
        session.name_hosts(value)
        return session.seal_value(value)

    def _sealed_message(self, message: BaseMessage, session: Session) -> BaseMessage:
        if self.door.media == "refuse":
            refuse_media(message)
        sealed: BaseMessage = session.seal_value(message)
        return sealed if sealed.id else sealed.model_copy(update={"id": str(uuid.uuid4())})

    def _sealed_updates(self, config: RunnableConfig, supersteps: Sequence[Sequence[Any]]) -> list[list[Any]]:
        session = self._session(dict(ensure_config(config).get("configurable") or {}))
        return [[one._replace(values=self._sealed(one.values, session)) for one in step] for step in supersteps]

    def _shown(self, snapshot: StateSnapshot) -> StateSnapshot:
        session = self._session(dict(snapshot.config.get("configurable") or {}))
        values = snapshot.values
        session.take(values.get("privacy_box") if isinstance(values, dict) else None)
        return snapshot._replace(
            values=session.show_value(values),
            tasks=session.show_value(snapshot.tasks),
            interrupts=session.show_value(snapshot.interrupts),
        )

    def _shape(self, config: RunnableConfig, options: dict[str, Any]) -> Shape:
        mode = options.get("stream_mode")
        if mode is None:
            mode = "values" if "__pregel_task_id" in config["configurable"] else self.stream_mode
        modes = (mode,) if isinstance(mode, str) else tuple(mode)
        return Shape(modes, isinstance(mode, str), bool(options.get("subgraphs")), options.get("version") or "v1")


def _with_box(update: Any, saved: str | None) -> Any:
    if saved is None:
        return update
    if update is None or isinstance(update, dict):
        return {**(update or {}), "privacy_box": saved}
    return [*update, ("privacy_box", saved)]
