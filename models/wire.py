"""How a call is put to LangChain's chat models, beyond its text: the object that is asked for, and the tools.

An object is asked for by the provider's schema mode, by a tool call, or in words. The ways are tried in this order;
`gama.models.chat` remembers which a server refuses. Whatever the way, the object is read by
`gama.models.json_replies`, since servers accept a schema and ignore it.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.runnables import Runnable

from gama.guard.egress import check_egress
from gama.models.calls import PublicCall, ToolRequest
from gama.models.faults import Fault
from gama.models.json_replies import strict_object

Way = Literal["schema", "tool", "words"]

LOCAL_KEYWORDS = frozenset({"default", "x-aliases"})
"""Keywords of a schema that are for reading only."""

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


def words_of(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names in a schema: they are the program's own, and no part of the task."""
    return (name_of(schema), *schema.get("properties", ()))


def _is_strict(schema: Mapping[str, Any]) -> bool:
    """Return whether the schema has the form that OpenAI's strict mode asks for: closed, flat, every key required."""
    properties = schema.get("properties", {})
    flat = all(about.get("type") in ("boolean", "string") for about in properties.values())
    return flat and schema.get("additionalProperties") is False and set(schema.get("required", ())) == set(properties)


def wire_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema as it is sent: without the keywords that are for reading only."""
    properties = {
        name: {key: value for key, value in about.items() if key not in LOCAL_KEYWORDS}
        for name, about in schema.get("properties", {}).items()
    }
    return {**schema, "properties": properties}


def with_tools(model: Any, call: PublicCall) -> Any:
    """Return a chat model that knows the tools of a call."""
    of_openai = type(model).__module__.startswith("langchain_openai")
    if not call.tools or (call.closed and not call.turns and not of_openai):
        return model
    wire = [
        {"type": "function", "function": {"name": t.name, "description": t.description, "parameters": dict(t.schema)}}
        for t in call.tools
    ]
    # The tools stay named where results of theirs are in the conversation: some providers refuse it otherwise.
    if call.closed and of_openai:
        return model.bind_tools(wire, tool_choice="none")
    return model.bind_tools(wire)


def turns_of(call: PublicCall) -> list[Any]:
    """Return the rounds of a call as messages of LangChain's."""
    messages: list[Any] = []
    for turn in call.turns:
        own = turn.message
        known = {request["id"] for request in _wanted(own)} if isinstance(own, AIMessage) else set()
        if isinstance(own, AIMessage) and known == {request.id for request in turn.requests}:
            messages.append(own)
        else:
            sound = [(r, strict_object(r.arguments)) for r in turn.requests]
            messages.append(
                AIMessage(
                    content=turn.text,
                    tool_calls=[{"name": r.name, "args": args, "id": r.id} for r, args in sound if args is not None],
                    invalid_tool_calls=[
                        {"name": r.name, "args": r.arguments, "id": r.id, "error": None, "type": "invalid_tool_call"}
                        for r, args in sound
                        if args is None
                    ],
                )
            )
        messages += [
            ToolMessage(content=result, tool_call_id=request.id, name=request.name)
            for request, result in zip(turn.requests, turn.results, strict=True)
        ]
    return messages


def requests_of(message: Any, call: PublicCall) -> tuple[ToolRequest, ...]:
    """Return what a model asks for, even where it should call no further tool; nothing where none was offered."""
    if not call.tools:
        return ()
    used = sum(len(turn.requests) for turn in call.turns)
    return tuple(
        ToolRequest(
            str(wanted.get("id") or f"call_{used + n}"),
            str(wanted.get("name") or ""),
            wanted["args"] if isinstance(wanted.get("args"), str) else json.dumps(wanted.get("args") or {}),
        )
        for n, wanted in enumerate(_wanted(message))
    )


def _wanted(message: Any) -> list[dict[str, Any]]:
    return [*(getattr(message, "tool_calls", None) or []), *(getattr(message, "invalid_tool_calls", None) or [])]


_CARRIED = ("default_headers", "default_query", "additional_headers", "metadata", "tags")
"""Fields of chat models that go with a request and that LangChain does not count among its parameters."""


class LastLook(BaseCallbackHandler):
    """Checks a call as LangChain hands it to the provider's library: messages, tools, parameters, settings.

    A model that was handed over ready-made has settings that no option of ours names; they travel with each request.
    """

    raise_error = True
    run_inline = True

    def __init__(self, model: BaseChatModel) -> None:
        """Take the model, for what it carries along."""
        self._carried = [value for name in _CARRIED if (value := getattr(model, name, None))]

    def on_chat_model_start(self, serialized: dict[str, Any], messages: list[list[BaseMessage]], **kwargs: Any) -> None:
        """Look at a call.

        Raises:
            LeakError: something private is in it; nothing was sent.
        """
        given = kwargs.get("invocation_params") or {}
        # The kind of the model is LangChain's own word, and numbers are settings.
        params = {key: value for key, value in given.items() if key != "_type" and not isinstance(value, int | float)}
        for part in _texts([messages, params, self._carried]):
            check_egress(part)


def _texts(parts: list[Any]) -> Iterator[str]:
    for part in parts:
        if part:
            yield json.dumps(part, default=_plain, ensure_ascii=False)


def _plain(value: Any) -> Any:
    if isinstance(value, BaseMessage):
        return [value.content, value.additional_kwargs, value.name]
    return str(value)
