"""What a call carries of tools, and how LangChain's chat models take it: the provider's own tool calling.

The types are plain, so that the public nodes need to know nothing of LangChain's messages.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol


class ToolSpec(NamedTuple):
    """A tool as a model is told of it."""

    name: str
    description: str
    schema: Mapping[str, Any]


class ToolRequest(NamedTuple):
    """A model's wish to have a tool called."""

    id: str
    name: str
    arguments: str
    """What the model wrote, as JSON; it may be broken."""


@dataclass(frozen=True)
class ToolTurn:
    """One round: what a model asked for, and what came of it."""

    requests: tuple[ToolRequest, ...]
    results: tuple[str, ...]
    """One for each request."""
    text: str = ""
    """What it wrote beside its requests."""
    message: object = None
    """The provider's message; it may hold more than the requests."""


class Carrier(Protocol):
    """The part of a call that this module reads."""

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools that are offered."""

    @property
    def turns(self) -> tuple[ToolTurn, ...]:
        """The rounds so far."""

    @property
    def closed(self) -> bool:
        """Whether no further tool may be asked for."""


def with_tools(model: Any, call: Carrier) -> Any:
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


def turns_of(call: Carrier) -> list[Any]:
    """Return the rounds of a call as messages of LangChain's."""
    from langchain_core.messages import AIMessage, ToolMessage

    messages: list[Any] = []
    for turn in call.turns:
        own = turn.message
        known = {request["id"] for request in _wanted(own)} if isinstance(own, AIMessage) else set()
        if isinstance(own, AIMessage) and known == {request.id for request in turn.requests}:
            messages.append(own)
        else:
            sound = [(r, _object(r.arguments)) for r in turn.requests]
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


def requests_of(message: Any, call: Carrier) -> tuple[ToolRequest, ...]:
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


def spoken(call: Carrier) -> str:
    """Return what tools add to a call, for the guard: their words, the model's requests and the results."""
    if not call.tools and not call.turns:
        return ""
    parts = [json.dumps(tool._asdict(), default=dict, ensure_ascii=False) for tool in call.tools]
    for turn in call.turns:
        parts += [turn.text, *(f"{r.name} {r.arguments}" for r in turn.requests), *turn.results]
    return "\n".join(parts)


def _wanted(message: Any) -> list[dict[str, Any]]:
    return [*(getattr(message, "tool_calls", None) or []), *(getattr(message, "invalid_tool_calls", None) or [])]


def _object(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
