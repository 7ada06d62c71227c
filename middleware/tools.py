"""Tools of an agent: what the model reads of them, and how they run on real values out of everybody's sight."""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, cast

from langchain_core.messages import ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, ToolException
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.errors import GraphBubbleUp, GraphInterrupt
from langgraph.prebuilt.tool_node import ToolRuntime
from langgraph.types import Command, Interrupt
from pydantic import PrivateAttr, TypeAdapter, ValidationError
from pydantic.errors import PydanticSchemaGenerationError

from gama.guard.quiet import Quiet
from gama.middleware.session import Session
from gama.middleware.values import Leaf, map_value
from gama.state.errors import GamaError

_SAID = frozenset(("description", "title", "default", "const", "examples", "enum", "$comment"))
"""Keys of a schema that say something in words."""


class ToolFailed(GamaError):
    """A tool failed. Its own words may hold private values and are not repeated."""


class ShieldedTool(BaseTool):
    """A tool that runs unseen: callbacks and checkpoints get placeholders and sealed results only.

    Its arguments come with placeholders. A tool that is trusted gets the real values, also in the state that is
    injected; another one gets the placeholders.
    """

    args_schema: Any = {"type": "object", "properties": {}}
    """Open: the real tool checks the real arguments."""

    _tool: BaseTool = PrivateAttr()
    _session: Session = PrivateAttr()
    _call: Mapping[str, Any] = PrivateAttr()
    _trusted: bool = PrivateAttr()

    @classmethod
    def around(cls, tool: BaseTool, call: Mapping[str, Any], session: Session, *, trusted: bool) -> "ShieldedTool":
        """Return a tool as the agent runs it for one call."""
        made = cls(name=tool.name, description=f"Runs {tool.name}.", return_direct=tool.return_direct)
        made._tool, made._session, made._call, made._trusted = tool, session, call, trusted
        return made

    def _filter_injected_args(self, tool_input: dict[str, Any]) -> dict[str, Any]:
        # What is injected (state, store, runtime) is nothing that callbacks need to see.
        return {name: value for name, value in tool_input.items() if name in self._call["args"]}

    def _run(self, *args: Any, config: RunnableConfig, **kwargs: Any) -> Any:
        problem: Exception
        with Quiet() as quiet:
            try:
                return self._sealed(quiet.run(self._tool.invoke, self._real_call(kwargs), self._quiet_config(config)))
            except Exception as error:
                problem = error
        return self._failed(problem)

    async def _arun(self, *args: Any, config: RunnableConfig, **kwargs: Any) -> Any:
        problem: Exception
        with Quiet() as quiet:
            try:
                call = self._real_call(kwargs)
                return self._sealed(await quiet.arun(self._tool.ainvoke(call, self._quiet_config(config))))
            except Exception as error:
                problem = error
        return self._failed(problem)

    def _real_call(self, given: Mapping[str, Any]) -> Any:
        args = {name: self._real(value) for name, value in given.items()}
        return {"name": self._tool.name, "id": self._call["id"], "type": "tool_call", "args": args}

    def _real(self, value: Any) -> Any:
        if not self._trusted:
            return value
        if isinstance(value, ToolRuntime):
            configurable = {**value.config.get("configurable", {}), **self._session.configurable}
            config = cast(RunnableConfig, {**value.config, "configurable": configurable, "callbacks": None})
            return dataclasses.replace(value, state=self._revealed(value.state), config=config)
        return self._session.show_value(value)

    def _revealed(self, state: Any) -> Any:
        return map_value(state, self._session.in_full, drop_own=True)

    def _quiet_config(self, config: RunnableConfig) -> RunnableConfig:
        quiet: RunnableConfig = {**config, "callbacks": None, "metadata": {}, "tags": []}
        if self._trusted:
            quiet["configurable"] = {**config.get("configurable", {}), **self._session.configurable}
        return quiet

    def _sealed(self, result: Any) -> Any:
        return seal_result(result, self._session, raw=self._trusted)

    def _failed(self, error: Exception) -> Any:
        """Turn a failure into what may be seen: the model gets the words of a refusal, sealed; others are kept back.

        Raises:
            ToolFailed: the tool broke; names it and the kind of error.
        """
        if isinstance(error, GraphInterrupt):
            asked = tuple(
                Interrupt(self._session.seal_value(one.value), one.id, response_schema=one.response_schema)
                for one in (error.args[0] if error.args else ())
            )
            raise GraphInterrupt(asked)
        if isinstance(error, GraphBubbleUp):
            raise error
        if isinstance(error, ValidationError | ToolException):
            told = f"Error: the tool {self._tool.name!r} refused its arguments or failed: {error}"
            return ToolMessage(
                self._session.seal_text(told),
                name=self._tool.name, tool_call_id=self._call["id"], status="error",
            )  # fmt: skip
        told = f"The tool {self._tool.name!r} failed ({type(error).__name__})."
        raise _alike(error, told)


def _alike(error: Exception, told: str) -> Exception:
    """Return an error with other words; a built-in one keeps its class, so that whoever retries knows it."""
    if type(error).__module__ == "builtins":
        try:
            return type(error)(told)
        except TypeError:
            pass
    return ToolFailed(told)


def seal_result(result: Any, session: Session, *, raw: bool = False) -> Any:
    """Seal what a tool gave: a message, a command, or a list of them.

    Args:
        result: what the tool gave.
        session: whose values they are.
        raw: whether the tool worked on real values: what looks like a placeholder in its answer is none of ours.
    """
    if isinstance(result, list):
        return [seal_result(one, session, raw=raw) for one in result]
    if isinstance(result, Command):
        return dataclasses.replace(result, update=seal_result(result.update, session, raw=raw))
    return map_value(result, lambda text: session.seal_text(text if raw else session.unsealed(text)))


def describe(tool: Any, hide: Leaf) -> Any:
    """Return a tool as the model may read it: itself, or its schema with placeholders in the words.

    Args:
        tool: a tool, or the schema of one.
        hide: puts placeholders into a raw string.
    """
    schema = tool if isinstance(tool, dict) else convert_to_openai_tool(tool)
    hidden = _described(schema, hide)
    return tool if hidden == schema else hidden


def _described(value: Any, hide: Leaf, *, said: bool = False) -> Any:
    if isinstance(value, dict):
        return {key: _described(item, hide, said=key in _SAID and _is_words(item)) for key, item in value.items()}
    if isinstance(value, list):
        return [_described(item, hide, said=said) for item in value]
    return map_value(value, hide) if said else value


def _is_words(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(not isinstance(one, dict) for one in value))


def schema_of(response_format: Any) -> Any:
    """Return the JSON schema of what the model is asked to answer with; an empty one where there is none."""
    asked = getattr(response_format, "schema", response_format)
    if asked is None or isinstance(asked, dict):
        return asked or {}
    try:
        return TypeAdapter(asked).json_schema()
    except PydanticSchemaGenerationError:
        return {}


def words_of(schema: Any, *, said: bool = False) -> Iterator[str]:
    """Yield what a schema says in words."""
    if isinstance(schema, dict):
        for key, item in schema.items():
            yield from words_of(item, said=key in _SAID and key != "title" and _is_words(item))
    elif isinstance(schema, list):
        for item in schema:
            yield from words_of(item, said=said)
    elif said and isinstance(schema, str):
        yield schema
