"""What the system is called with, read as one task: a text, a question, or a chat."""

from collections.abc import Iterable
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.prompt_values import PromptValue

from gama.state.errors import InputError

_WHO = {"human": "user", "ai": "assistant", "developer": "system"}
"""LangChain's names of roles, and OpenAI's newest."""


def question_of(data: Any, *, kept: bool = False) -> str:
    """Take the task out of what a Runnable is called with.

    Of chat messages the last human one is the task. What was said before it, and what a system message tells, stands
    before it.

    Args:
        data: the input.
        kept: whether the thread has what was said before, so that it is not said again.

    Raises:
        InputError: there is none in it.
    """
    if isinstance(data, dict):
        data = data.get("question")
    if isinstance(data, PromptValue):
        data = data.to_messages()
    if isinstance(data, BaseMessage):
        data = [data]
    if isinstance(data, list) and data and all(isinstance(item, BaseMessage) for item in data):
        last = max((place for place, item in enumerate(data) if item.type == "human"), default=len(data) - 1)
        said = [(one.type, one.text) for one in data[: last + 1] if one.type in (*_WHO, "system")]
        told = [one for one in said[:-1] if one[0] == "system"] if kept else said[:-1]
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
