"""The public graph on another machine: a hard boundary, since no code over there shares this process.

It is reached through LangGraph's own protocol (`langgraph dev`, or any LangGraph server that offers the graph
`public`), over the guarded HTTP transport: the serialised request is checked like one to a model. What comes back is
untrusted JSON: it is read into the types of the public state, cleaned, or refused.
"""

import json
import os
import uuid
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any, NamedTuple, cast

import httpx
from langchain_core.runnables import RunnableConfig
from pydantic import TypeAdapter, ValidationError

from gama.guard.egress import quoting
from gama.guard.transports import AsyncGuardedTransport, GuardedTransport
from gama.models.calls import without_controls
from gama.models.names import check_base_url
from gama.state import errors
from gama.state.errors import GamaError, ModelReplyError, ModelUnreachable, Retold
from gama.state.options import Options
from gama.state.public import PublicOutput
from gama.state.task import PublicTask

NAME = "public"
"""What the graph is called over there."""
KEY = "GAMA_PUBLIC_GRAPH_KEY"
"""Environment variable with the key of the other machine, if it asks for one."""

_PROTOCOL = f"{NAME} updates values create reject assistant_id stream_mode stream_subgraphs if_not_exists config input"
_LONGEST = 40_000
"""Characters of a text from over there that are kept."""
_TOLD = frozenset(
    "ExpertsFailed LimitReached ModelDenied ModelUnknown ModelUnreachable ModelTimeout InputError".split()
)
"""Errors of ours that the other machine may name; what it says about them is not repeated."""


class Snapshot(NamedTuple):
    """The state of a thread over there."""

    values: dict[str, Any]
    tasks: tuple[str, ...]
    """Steps that are to be done, or are done and not yet in a checkpoint."""


class RemotePublicGraph:
    """The public graph as the private side steps it, on another machine. Safe to share between threads.

    Args:
        url: address of the LangGraph server.
        timeout_s: seconds without a sign of life after which a run is given up.
        longest_s: seconds that a run may take.
    """

    checkpointer = True
    """The server keeps threads: a resumed run asks no expert twice."""

    def __init__(self, url: str, *, timeout_s: float = 120.0, longest_s: float = 3600.0) -> None:
        """Set it up; connections are opened when used."""
        from langgraph.pregel.remote import RemoteGraph
        from langgraph_sdk.client import LangGraphClient, SyncLangGraphClient

        check_base_url(url)
        self._url = url
        key = os.environ.get(KEY)
        # Never LangSmith's key, which the library would take from the environment by itself.
        headers = {"x-api-key": key} if key else {}
        waits = httpx.Timeout(timeout_s)
        plain = httpx.Client(
            base_url=url, headers=headers, timeout=waits, transport=GuardedTransport(timeout_s=longest_s)
        )
        async_ = httpx.AsyncClient(
            base_url=url, headers=headers, timeout=waits, transport=AsyncGuardedTransport(timeout_s=longest_s)
        )
        self._client, self._aclient = SyncLangGraphClient(plain), LangGraphClient(async_)
        self._graph = RemoteGraph(NAME, client=self._aclient, sync_client=self._client, distributed_tracing=False)

    def get_state(self, config: RunnableConfig) -> Snapshot:
        """Return the state of a thread over there; an empty one where it has none."""
        config = _dashed(config)
        with quoting(self._own_words(config)), Retold(self._told):
            try:
                return _snapshot(self._client.threads.get_state(config["configurable"]["thread_id"]))
            except httpx.HTTPStatusError as error:
                return _none_there(error)

    async def aget_state(self, config: RunnableConfig) -> Snapshot:
        """Return the state of a thread over there; see `get_state`."""
        config = _dashed(config)
        with quoting(self._own_words(config)), Retold(self._told):
            try:
                return _snapshot(await self._aclient.threads.get_state(config["configurable"]["thread_id"]))
            except httpx.HTTPStatusError as error:
                return _none_there(error)

    def stream(self, input: Any, config: RunnableConfig, *, stream_mode: Sequence[str], **_: Any) -> Iterator[Any]:
        """Run the graph over there and yield its steps as the local graph would.

        Raises:
            LeakError: something private was in the request; nothing was sent.
            ModelError: the machine cannot be reached, or what it says cannot be read.
        """
        config, modes = _dashed(config), cast(Any, list(stream_mode))
        with quoting(self._own_words(config, input)), Retold(self._told):
            steps = self._graph.stream(_as_json(input), config, stream_mode=modes, subgraphs=True)
            for inside, mode, part in steps:
                yield inside, mode, _read(mode, part)

    async def astream(
        self, input: Any, config: RunnableConfig, *, stream_mode: Sequence[str], **_: Any
    ) -> AsyncIterator[Any]:
        """Run the graph over there; see `stream`."""
        config, modes = _dashed(config), cast(Any, list(stream_mode))
        with quoting(self._own_words(config, input)), Retold(self._told):
            steps = self._graph.astream(_as_json(input), config, stream_mode=modes, subgraphs=True)
            async for inside, mode, part in steps:
                yield inside, mode, _read(mode, part)

    def _own_words(self, config: RunnableConfig, data: Any = None) -> tuple[str, ...]:
        """Return what a request contains because of its form: it does not belong to the task."""
        words = (_PROTOCOL, self._url, str(config["configurable"]["thread_id"]))
        task = (data or {}).get("task")
        if not isinstance(task, PublicTask):
            return words
        return (*words, *task.own_words)

    def _told(self, error: Exception) -> GamaError:
        """Return an error with a text of ours: what the other machine says may echo anything."""
        if isinstance(error, GamaError):
            return type(error)(*error.args)
        if isinstance(error, httpx.TransportError):
            return ModelUnreachable(
                f"The machine of the public graph does not answer at {self._url!r} ({type(error).__name__}). "
                "Start it there: `langgraph dev`, with the graph `public` in langgraph.json."
            )
        told = error.args[0].get("error") if error.args and isinstance(error.args[0], dict) else None
        if told in _TOLD:
            kind: type[GamaError] = getattr(errors, told)
            return kind(f"The machine of the public graph stopped with {told}. Its own log says why.")
        return ModelReplyError(
            f"The machine of the public graph failed ({type(error).__name__}). Its own log says why."
        )


def remote_public_graph(options: Options) -> Any:
    """Return the public graph on the machine that the options name."""
    assert options.public_graph
    longest = min(options.timeout_s * options.max_calls, 24 * 3600.0)
    return RemotePublicGraph(options.public_graph, timeout_s=options.timeout_s, longest_s=longest)


def _dashed(config: RunnableConfig) -> RunnableConfig:
    """Return a configuration whose thread is written as servers keep it: they find a state by the dashed form only."""
    return {"configurable": {"thread_id": str(uuid.UUID(str(config["configurable"]["thread_id"])))}}


def _as_json(data: Any) -> Any:
    """Return an input field by field, as plain JSON: nothing else of an object goes along."""
    if data is None:
        return None
    return {"task": json.loads(data["task"].model_dump_json())}


_ADAPTERS = {name: TypeAdapter(kind) for name, kind in PublicOutput.__annotations__.items()}


def _read(mode: str, part: Any) -> Any:
    """Return a step's content in the types of the public state.

    Raises:
        ModelReplyError: it cannot be read.
    """
    if not isinstance(part, dict):
        return {}
    if mode == "values":
        return _typed(part)
    return {str(node)[:100]: _typed(change) for node, change in part.items() if isinstance(change, dict)}


def _typed(values: dict[str, Any]) -> dict[str, Any]:
    problem = ""
    typed: dict[str, Any] = {}
    for name, adapter in _ADAPTERS.items():
        if name in values:
            try:
                typed[name] = adapter.validate_json(json.dumps(_cleaned(values[name])))
            except (ValidationError, ValueError, TypeError, RecursionError):
                problem = name
    if problem:
        raise ModelReplyError(f"The machine of the public graph sent something for {problem!r} that cannot be read.")
    return typed


def _cleaned(value: Any) -> Any:
    """Return JSON without control characters, its texts cut to a length that any answer has."""
    if isinstance(value, str):
        return without_controls(value[: 4 * _LONGEST])[:_LONGEST]
    if isinstance(value, list):
        return [_cleaned(part) for part in value]
    return {key: _cleaned(part) for key, part in value.items()} if isinstance(value, dict) else value


def _snapshot(state: Any) -> Snapshot:
    tasks = state.get("tasks")
    found = [task.get("name") if isinstance(task, dict) else task for task in tasks or state.get("next") or ()]
    return Snapshot(_read("values", state.get("values")), tuple(map(str, found)))


def _none_there(error: httpx.HTTPStatusError) -> Snapshot:
    """Return the state of a thread that is not there, if that is what a reply says."""
    if error.response.status_code != 404:
        raise error
    return Snapshot({}, ())
