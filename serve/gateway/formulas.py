"""Formulas before a model of the client's own: whether a request wants them, and how its model is told.

Off unless the request or the operator says so: then `{{ … }}` is a template's, and passes.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from starlette.requests import Request

from gama.privacy.pipeline import Read
from gama.privacy.reckoning import braces_in
from gama.serve.gateway.errors import Unanswerable
from gama.serve.gateway.json_text import Layout, is_json, pieces
from gama.serve.gateway.memory import SpanMemory
from gama.state.entities import Entity, meets

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


class Results:
    """What formulas gave in the texts that callers got: it is hidden when they come back. No text is kept."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._memory = SpanMemory()

    def remember(self, caller: str, text: str, results: Collection[str], as_json: bool) -> None:
        """Remember where results stand in a text that a caller gets."""
        for one in [piece.value for piece in pieces(text)] if as_json and is_json(text) else [text]:
            spans = [
                Entity.at(one, match.start(), match.end(), "result")
                for match in re.finditer("|".join(map(re.escape, sorted(results, key=len, reverse=True))), one)
            ]
            if spans:
                self._memory.put(caller, one, Read(spans, []))

    def added(self, found: list[Entity], caller: str, text: str, layout: Layout | None, raw: str) -> list[Entity]:
        """Return the mentions of a text with those of results that the caller was given in it.

        Args:
            found: the mentions.
            caller: whose text it is.
            text: the text, or the lines of its JSON.
            layout: where the pieces of JSON stand in these lines.
            raw: the JSON.
        """
        if not len(self._memory):
            return found
        texts = [(0, text)]
        if layout is not None:
            texts = [(place[0], piece.value) for place, piece in zip(layout.places, pieces(raw), strict=True)]
        for at, one in texts:
            known = self._memory.get(caller, one)
            for mention in known.found if known else ():
                result = mention.model_copy(update={"start": mention.start + at, "end": mention.end + at})
                if not any(e.hidden and e.start <= result.start and result.end <= e.end for e in found):
                    found = [*(e for e in found if not meets(e, result)), result]
        return sorted(found, key=lambda one: one.start)
