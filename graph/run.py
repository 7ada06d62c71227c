"""`TaskGraph`: a compiled graph whose nodes can find what belongs to the run they are part of."""

import uuid
from collections.abc import AsyncIterator, Iterator
from typing import Any, Self

from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph

from gama.guard.connections import shared_connections
from gama.nodes.public.sessions import session_of


class TaskGraph(CompiledStateGraph[Any, Any, Any, Any]):
    """The public graph as its callers meet it: every run has an id, and a session while it is stepped."""

    @classmethod
    def adopt(cls, graph: CompiledStateGraph[Any, Any, Any, Any]) -> Self:
        """Return a compiled graph as one of these."""
        made = cls.__new__(cls)
        made.__dict__.update(graph.__dict__)
        return made

    def copy(self, update: dict[str, Any] | None = None) -> Self:
        """Return a copy with some attributes changed, as servers make one."""
        plain = CompiledStateGraph.__new__(CompiledStateGraph)
        plain.__dict__.update(self.__dict__ | (update or {}))
        return self.adopt(plain)

    def stream(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> Iterator[Any]:
        """Stream a run; see `CompiledStateGraph.stream`."""
        config = _with_id(config)
        with session_of(config["run_id"]):
            yield from super().stream(input, config, **options)

    async def astream(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> AsyncIterator[Any]:
        """Stream a run; see `CompiledStateGraph.astream`."""
        config = _with_id(config)
        with session_of(config["run_id"]):
            async with shared_connections():
                async for item in super().astream(input, config, **options):
                    yield item


def _with_id(config: RunnableConfig | None) -> RunnableConfig:
    """Return the configuration with an id of the run: the caller's, or a new one."""
    given: RunnableConfig = config or {}
    return {**given, "run_id": given.get("run_id") or uuid.uuid4()}
