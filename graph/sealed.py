"""`SealedGraph`: a compiled graph that seals its input at the door and runs where nothing is traced.

LangGraph writes a run's input into the first checkpoint and into its streams before any node has
run, and hands the caller's metadata, tags and callbacks to every step. So the question is sealed
before the graph sees it, and of the caller's configuration only what steers the run goes in.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any, Self

from langchain_core.runnables import RunnableConfig, ensure_config
from langgraph.graph.state import CompiledStateGraph

from gama.nodes.private.seal import thread_of
from gama.state.quiet import Quiet
from gama.state.seal import Vault
from gama.tools.experts.toolbox import Toolbox

_STEERING = ("thread_id", "checkpoint_ns", "checkpoint_id", "checkpoint_map", "assistant_id", "graph_id", "run_id")


class SealedGraph(CompiledStateGraph[Any, Any, Any, Any]):
    """The whole graph as its users meet it."""

    vault: Vault
    tools: Toolbox | None = None
    """What its experts may call."""

    @classmethod
    def adopt(cls, graph: CompiledStateGraph[Any, Any, Any, Any], vault: Vault, tools: Toolbox | None = None) -> Self:
        """Return a compiled graph as a sealed one."""
        sealed = cls.__new__(cls)
        sealed.__dict__.update(graph.__dict__)
        sealed.vault = vault
        sealed.tools = tools
        return sealed

    def copy(self, update: dict[str, Any] | None = None) -> Self:
        """Return a copy with some attributes changed, as servers make one."""
        vault, tools = self.vault, self.tools
        attributes = {key: value for key, value in self.__dict__.items() if key not in ("vault", "tools")}
        attributes.update(update or {})
        plain = CompiledStateGraph.__new__(CompiledStateGraph)
        plain.__dict__.update(attributes)
        return self.adopt(plain, vault, tools)

    def stream(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> Iterator[Any]:
        """Stream a run; see `CompiledStateGraph.stream`."""
        config = clean_config(config)
        sealed = self._seal(input, config)
        with Quiet() as quiet:
            yield from quiet.iterate(iter(super().stream(sealed, config, **options)))

    async def astream(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> AsyncIterator[Any]:
        """Stream a run; see `CompiledStateGraph.astream`."""
        config = clean_config(config)
        # The vault asks its files: not on the event loop.
        sealed = await asyncio.to_thread(self._seal, input, config)
        with Quiet() as quiet:
            async for item in quiet.aiterate(super().astream(sealed, config, **options)):
                yield item

    def _seal(self, data: Any, config: RunnableConfig) -> Any:
        """Seal the question of an input; an input that only resumes passes as it is."""
        if not isinstance(data, dict) or not isinstance(data.get("question"), str):
            return data
        text = data["question"].encode("utf-8", "surrogatepass")
        thread = thread_of(config)
        # What an earlier turn left is emptied: the box alone is kept over turns.
        return {"question": self.vault.seal(thread, text), "thread": thread}


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
