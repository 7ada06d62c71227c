"""Walking what an agent's state is made of: messages, tool calls, lists, mappings, models; string by string."""

import copy
import dataclasses
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.runnables import Runnable
from langgraph.types import Command, Interrupt, Overwrite
from pydantic import BaseModel

from gama.state.errors import InputError

Leaf = Callable[[str], str]
"""Changes one string."""

STRUCTURE = frozenset(
    "type id index name role tool_call_id mime_type media_type source_type status format detail phase "
    "finish_reason object encrypted_content signature".split()
)
"""Keys in the blocks of a message whose values say how it is built, not what it says."""

MEDIA = frozenset("image image_url audio input_audio video file document media input_image input_file".split())
"""Blocks of a message that are no text."""

OWN = "privacy_"
"""How the keys of the middleware's own state begin."""


def map_value(value: Any, leaf: Leaf, *, drop_own: bool = False) -> Any:
    """Return a copy with every string changed; what holds no strings comes back as it is.

    Args:
        value: anything that may be in a state, an update, an event or a snapshot.
        leaf: changes a string.
        drop_own: whether the middleware's own keys are left out.
    """

    def inner(item: Any) -> Any:
        return map_value(item, leaf, drop_own=drop_own)

    if isinstance(value, str):
        return leaf(value)
    if isinstance(value, BaseMessage):
        return map_message(value, leaf)
    if isinstance(value, Mapping):
        return {
            key: inner(item)
            for key, item in value.items()
            if not (drop_own and isinstance(key, str) and key.startswith(OWN))
        }
    if isinstance(value, tuple):
        parts = [inner(one) for one in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, list):
        return [inner(one) for one in value]
    if isinstance(value, set | frozenset):
        return type(value)(inner(one) for one in value)
    if isinstance(value, Interrupt):
        return Interrupt(inner(value.value), value.id, response_schema=value.response_schema)
    if isinstance(value, BaseModel) and not isinstance(value, Runnable):
        return value.model_copy(update={name: inner(getattr(value, name)) for name in type(value).model_fields})
    if dataclasses.is_dataclass(value) and not isinstance(value, type) and _is_data(value):
        made = copy.copy(value)
        for item in dataclasses.fields(value):
            object.__setattr__(made, item.name, inner(getattr(value, item.name)))
        return made
    return value


# Accepts what a tool may be called.
_TOOL = re.compile(r"[A-Za-z_][\w.-]{0,63}")


def map_answer(value: Any, leaf: Leaf) -> Any:
    """Return a copy of an answer to an interrupt with every string changed, but the names of tools in edited calls.

    A person who edits a call answers with `{"name": …, "args": {…}}`: the name is the tool's, whatever it looks like.
    """
    if isinstance(value, Mapping):
        if value.keys() == {"name", "args"} and isinstance(value["args"], Mapping) and _is_tool(value["name"]):
            return {**value, "args": map_answer(value["args"], leaf)}
        return {key: map_answer(item, leaf) for key, item in value.items()}
    if isinstance(value, list):
        return [map_answer(one, leaf) for one in value]
    return map_value(value, leaf)


def _is_tool(name: Any) -> bool:
    return isinstance(name, str) and _TOOL.fullmatch(name) is not None


def _is_data(value: Any) -> bool:
    """Return whether a dataclass is data, not a piece of the machinery that runs the graph."""
    return isinstance(value, Command | Overwrite) or not type(value).__module__.startswith(("langgraph.", "langchain"))


def map_message(message: BaseMessage, leaf: Leaf, *, artifacts: bool = True) -> BaseMessage:
    """Return a copy of a message with every text in it changed.

    Args:
        message: a message of any role.
        leaf: changes a string.
        artifacts: whether what a tool hands over beside its answer is changed too.
    """
    update: dict[str, Any] = {
        "content": map_content(message.content, leaf),
        "additional_kwargs": {
            name: [_map_call(call, leaf) for call in value]
            if name == "tool_calls" and isinstance(value, list)
            else _map_call(value, leaf)
            if name == "function_call"
            else map_value(value, leaf)
            for name, value in message.additional_kwargs.items()
        },
    }
    # The name of a tool or agent is no person's.
    if message.name and message.type in ("human", "system"):
        update["name"] = leaf(message.name)
    if isinstance(message, AIMessage):
        update["tool_calls"] = [{**call, "args": map_value(call["args"], leaf)} for call in message.tool_calls]
        update["invalid_tool_calls"] = [
            {**call, "args": leaf(call["args"]) if call["args"] else call["args"]}
            for call in message.invalid_tool_calls
        ]
    if isinstance(message, ToolMessage):
        update["artifact"] = map_value(message.artifact, leaf) if artifacts else message.artifact
    return message.model_copy(update=update)


def map_content(content: Any, leaf: Leaf) -> Any:
    """Return the content of a message with its texts changed; pictures, sounds and files stay."""
    if isinstance(content, str):
        return leaf(content)
    return [
        leaf(block) if isinstance(block, str) else block if is_media(block) else _map_block(block, leaf)
        for block in content
    ]


def _map_block(block: Any, leaf: Leaf) -> Any:
    if not isinstance(block, Mapping):
        return map_value(block, leaf)
    return {
        key: item if key in STRUCTURE and isinstance(item, str) else map_value(item, leaf)
        for key, item in block.items()
    }


def _map_call(call: Any, leaf: Leaf) -> Any:
    """Change the arguments of a tool call in a provider's own form."""
    if isinstance(call, Mapping) and isinstance(call.get("function"), Mapping):
        return {**call, "function": _map_block(call["function"], leaf)}
    return _map_block(call, leaf)


def is_media(block: Any) -> bool:
    """Return whether a block of a message is no text."""
    return isinstance(block, Mapping) and block.get("type") in MEDIA


def refuse_media(message: BaseMessage) -> None:
    """Refuse a message with pictures, sounds or files in it.

    Raises:
        InputError: it has some.
    """
    if isinstance(message.content, list) and any(is_media(block) for block in message.content):
        raise InputError(
            "A message holds a picture, sound or file, which cannot be looked into. Take it out, or let such blocks "
            'pass as they are: PrivacyMiddleware(media="pass").'
        )


def strings(value: Any, *, artifacts: bool = True) -> Iterator[str]:
    """Yield every string in a value; of messages what they say, with what tools hand over beside it or without."""
    found: list[str] = []

    def note(text: str) -> str:
        found.append(text)
        return text

    if isinstance(value, BaseMessage):
        map_message(value, note, artifacts=artifacts)
    else:
        map_value(value, note)
    yield from found
