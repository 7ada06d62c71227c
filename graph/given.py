"""What the system is called with, read as one task: a text, a question, or a chat."""

from collections.abc import Iterable
from typing import Any

from langchain_core.messages import BaseMessage, convert_to_messages
from langchain_core.prompt_values import PromptValue

from gama.state.errors import InputError

_WHO = {"human": "user", "ai": "assistant", "developer": "system"}
"""LangChain's names of roles, and OpenAI's newest."""


def question_of(data: Any, *, kept: bool = False, earlier: int | None = None) -> str:
    """Take the task out of what a Runnable is called with.

    Of chat messages the last human one is the task. What was said before it, and what a system message tells, stands
    before it.

    Args:
        data: the input.
        kept: whether the thread has what was said before, so that it is not said again.
        earlier: the most turns that are told with it; None sets no bound.

    Raises:
        InputError: there is none in it, or what is no text: calls of tools, their results, pictures.
    """
    data = _said_in(data)
    if isinstance(data, BaseMessage):
        data = [data]
    if isinstance(data, list) and data and not isinstance(data[0], BaseMessage):
        data = _as_messages(data)
    if isinstance(data, list) and data and all(isinstance(item, BaseMessage) for item in data):
        last = max((place for place, item in enumerate(data) if item.type == "human"), default=len(data) - 1)
        said = [(one.type, one.text) for one in data[: last + 1] if one.type in (*_WHO, "system")]
        if not all(map(_is_text, data[: last + 1])):
            raise InputError(
                "The chat has calls of tools, their results or pictures in it, which the whole graph cannot take up. "
                "Give messages of text, or put an agent behind PrivacyMiddleware."
            )
        told = [one for one in said[:-1] if one[0] == "system"]
        if not kept:
            before = [one for one in said[:-1] if one[0] != "system"]
            told += before if earlier is None else before[max(0, len(before) - 2 * earlier) :]
        data = written([*told, *said[-1:]]) if told else data[last].text
    if not isinstance(data, str):
        raise InputError("Give the task as {'question': text}, as text, or as chat messages.")
    return data


def written(turns: Iterable[tuple[str, str]]) -> str:
    """Write a conversation down as one task: instructions, what was said so far, the last message.

    Args:
        turns: roles, as OpenAI or LangChain name them, and texts.
    """
    named = [(_WHO.get(role, role), text) for role, text in turns if text.strip()]
    parts = [text for role, text in named if role == "system"]
    said = [(role, text) for role, text in named if role != "system"]
    if len(said) > 1:
        earlier = [f"{role.capitalize()}: {text}" for role, text in said[:-1]]
        parts.append("What was said so far:\n\n" + "\n\n".join(earlier) + "\n\nAnswer this now:")
    return "\n\n".join([*parts, *(text for _, text in said[-1:])])


def is_chat(data: Any) -> bool:
    """Return whether an input says what was said before, besides the task."""
    data = _said_in(data)
    return isinstance(data, list) and len(data) > 1


def _said_in(data: Any) -> Any:
    """Return what an input holds: a text, or messages in whatever form."""
    if isinstance(data, dict):
        data = data.get("question", data.get("messages"))
    return data.to_messages() if isinstance(data, PromptValue) else data


def _is_text(message: BaseMessage) -> bool:
    parts = message.content if isinstance(message.content, list) else []
    kinds = {part.get("type") for part in parts if isinstance(part, dict)}
    return message.type not in ("tool", "function") and not getattr(message, "tool_calls", None) and kinds <= {"text"}


def _as_messages(data: list[Any]) -> Any:
    """Read messages as LangChain and OpenAI write them down: pairs of role and text, or objects."""
    try:
        return convert_to_messages(data)
    except (ValueError, NotImplementedError, TypeError, KeyError):
        return None
