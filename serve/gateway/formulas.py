"""Formulas before a model of the client's own: whether a request wants them, and how its model is told.

Off unless the request or the operator says so: then `{{ … }}` is a template's, and passes.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from starlette.requests import Request

from gama.privacy.reckoning import braces_in
from gama.serve.gateway.errors import Unanswerable

HEADER = "x-gama-formulas"
"""The header by which a request has formulas evaluated, or not: on, off."""
SUFFIX = "+formulas"
"""What the name of a model ends in that is told of formulas; the upstream gets the name without it."""

Tell = Callable[[dict[str, Any], str], None]
"""Puts lines into the instructions of a body."""


def wants_formulas(request: Request, body: dict[str, Any], default: bool) -> bool:
    """Return whether formulas are evaluated for a request; the name of its model loses its suffix.

    The header decides before the name of the model, and that before the operator.

    Raises:
        Unanswerable: the header has another word than on or off.
    """
    model = body.get("model")
    if isinstance(model, str) and model.endswith(SUFFIX):
        body["model"], default = model.removesuffix(SUFFIX), True
    word = request.headers.get(HEADER)
    if word not in (None, "on", "off"):
        raise Unanswerable(f"The header {HEADER} takes on or off.")
    return default if word is None else word == "on"


def tell_chat(body: dict[str, Any], told: str) -> None:
    """Put lines into the system message of a chat; one is made where there is none."""
    messages = body.get("messages")
    if not isinstance(messages, list):
        return
    for message in messages:
        if isinstance(message, dict) and message.get("role") in ("system", "developer"):
            message["content"] = _joined(message.get("content"), told)
            return
    messages.insert(0, {"role": "system", "content": told})


def tell_response(body: dict[str, Any], told: str) -> None:
    """Put lines into the instructions of a response."""
    given = body.get("instructions")
    body["instructions"] = f"{given}\n\n{told}" if given else told


def tell_message(body: dict[str, Any], told: str) -> None:
    """Put lines into the system prompt of a message."""
    body["system"] = _joined(body.get("system"), told)


def _joined(content: Any, told: str) -> Any:
    if isinstance(content, list):
        return [*content, {"type": "text", "text": told}]
    return f"{content}\n\n{told}" if content else told


def braces_of(body: dict[str, Any]) -> set[str]:
    """Return digests of what stands in double braces in a request and is no formula of the model's own.

    What the model wrote before counts for nothing, nor what a tool repeats of it.
    """
    given, results, written = list[str](), list[str](), list[str]()
    for name, value in body.items():
        for item in value if name in ("messages", "input") and isinstance(value, list) else [value]:
            role, kind = (str(item.get(key)) for key in ("role", "type")) if isinstance(item, dict) else ("", "")
            if role == "assistant" or kind == "reasoning" or kind.endswith("_call"):
                written += _strings(item)
            elif role in ("tool", "function") or kind.endswith("_output"):
                results += _strings(item)
            elif isinstance(item, dict) and isinstance(item.get("content"), list):
                for block in item["content"]:
                    told = isinstance(block, dict) and block.get("type") == "tool_result"
                    (results if told else given).extend(_strings(block))
            else:
                given += _strings(item)
    return _braces(given) | (_braces(results) - _braces(written))


def _braces(texts: Iterable[str]) -> set[str]:
    return set().union(*(braces_in(text) for text in texts if "{{" in text))


def _strings(value: Any) -> Iterator[str]:
    """Yield the strings in a part of a body, however deep they stand."""
    rest = [value]
    while rest:
        one = rest.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict | list):
            rest += one.values() if isinstance(one, dict) else one
