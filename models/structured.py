"""How a model is asked for a JSON object: by the provider's schema mode, by a tool call, or in words.

The ways are tried in this order; `gama.models.chat` remembers which a server refuses. Whatever the
way, the object is read by `gama.models.objects`, since servers accept a schema and ignore it.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable

from gama.models.faults import Fault
from gama.models.objects import wire_schema

Way = Literal["schema", "tool", "words"]

_NAMED_BY: dict[Way, tuple[str, ...]] = {
    # Ollama's older servers: "cannot unmarshal object into Go struct field ChatRequest.format".
    "schema": ("response_format", "json_schema", "structured output", "chatrequest.format", "invalid format"),
    "tool": ("tool", "function call"),
    "words": (),
}
"""Words by which a server's error names what it does not take."""

_REFUSALS = frozenset({400, 404, 422, 500, 501})
"""Statuses of such an error: 404 comes from routers that find no provider with tools, 500 from llama.cpp's servers."""

PROTOCOL = (
    "response_format json_schema strict schema type object properties required additionalProperties boolean string "
    "integer number array items enum tools tool_choice tool_calls tool_call_id auto none function arguments parameters "
    "description name json only reply with"
)
"""Words of the wire format of these ways: they stand in every such request, whatever the task is."""


def ways_of(model: BaseChatModel) -> tuple[Way, ...]:
    """Return the ways to ask a model, best first."""
    kinds = {base.__name__ for base in type(model).__mro__}
    if kinds & {"BaseChatOpenAI", "ChatOllama"}:
        return ("schema", "tool", "words")
    if type(model).bind_tools is not BaseChatModel.bind_tools:
        return ("tool", "words")
    return ("words",)


def bound(model: Any, way: Way, schema: Mapping[str, Any]) -> Runnable[Any, Any]:
    """Return the chat model, told to write an object of the schema in this way; `words` are for its prompt."""
    assert way != "words"
    sent, name = wire_schema(schema), name_of(schema)
    if way == "schema":
        if any(base.__name__ == "ChatOllama" for base in type(model).__mro__):
            constrained: Runnable[Any, Any] = model.bind(format=sent)
            return constrained
        described = {"name": name, "schema": sent, "strict": _is_strict(sent)}
        constrained = model.bind(response_format={"type": "json_schema", "json_schema": described})
        return constrained
    tool = {"type": "function", "function": {"name": name, "description": f"Give the {name}.", "parameters": sent}}
    with_tool: Runnable[Any, Any] = model.bind_tools([tool], tool_choice=name)
    return with_tool


def instruction(schema: Mapping[str, Any]) -> str:
    """Return the sentence that asks for the object in words."""
    return f"Reply with one JSON object of this JSON schema and nothing else:\n{json.dumps(wire_schema(schema))}"


def is_refused(way: Way, fault: Fault) -> bool:
    """Return whether a server's error means that it does not take this way."""
    if isinstance(fault.error, NotImplementedError) and way == "tool":
        return True
    # A text that is too long, a wrong key or a quota has another cause, whatever words its message has.
    passing = fault.kind in ("refused", "failed", "unknown") and fault.status in _REFUSALS
    return passing and fault.names(*_NAMED_BY[way])


def written(message: BaseMessage) -> str:
    """Return what was written: the arguments of a tool call where there is one, else the text."""
    if isinstance(message, AIMessage):
        if message.tool_calls:
            return json.dumps(message.tool_calls[0]["args"])
        for broken in message.invalid_tool_calls:
            if broken.get("args"):
                return str(broken["args"])
    return message.text


def name_of(schema: Mapping[str, Any]) -> str:
    """Return the name of the object, as providers take it."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", str(schema.get("title") or "reply"))[:64]


def words_of(schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names in a schema: they are the program's own, and no part of the task."""
    yield name_of(schema)
    for name, inner in schema.get("properties", {}).items():
        yield str(name)
        yield from words_of(inner) if isinstance(inner, Mapping) else ()
    if isinstance(items := schema.get("items"), Mapping):
        yield from words_of(items)


def _is_strict(schema: Mapping[str, Any]) -> bool:
    """Return whether the schema has the form that OpenAI's strict mode asks for: closed objects, every key required."""
    inner = list(schema.get("properties", {}).values())
    if isinstance(items := schema.get("items"), Mapping):
        inner.append(items)
    if schema.get("type") == "object":
        closed = schema.get("additionalProperties") is False
        if not closed or set(schema.get("required", ())) != set(schema.get("properties", {})):
            return False
    return all(_is_strict(item) for item in inner)
