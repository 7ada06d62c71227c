"""The graph's reply in the forms of the protocols: whole, and as events."""

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from gama.serve.gateway.events import write_event


class Answer(NamedTuple):
    """A reply, and what the protocols want to know beside it."""

    id: str
    created: int
    model: str
    reply: dict[str, Any]

    @property
    def text(self) -> str:
        """The restored answer."""
        return str(self.reply["answer"])

    @property
    def tokens(self) -> tuple[int, int]:
        """Tokens of the public model, input and output."""
        usage = self.reply.get("usage", {})
        return usage.get("input_tokens", 0), usage.get("output_tokens", 0)

    @property
    def extra(self) -> dict[str, Any]:
        """How the answer came about: parts of the reply that have crossed."""
        return {
            key: self.reply[key] for key in ("route", "rounds", "verdict", "domains", "warnings") if key in self.reply
        }


def chat(answer: Answer) -> dict[str, Any]:
    """Return a chat completion."""
    message = {"role": "assistant", "content": answer.text, "refusal": None}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
    return {
        **_chat_head(answer, "chat.completion"),
        "choices": [choice],
        "usage": _chat_usage(answer),
        "gama": answer.extra,
    }


def chat_events(answer: Answer, usage: bool) -> list[bytes]:
    """Return a chat completion as chunks."""
    head = _chat_head(answer, "chat.completion.chunk")

    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        return write_event({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    out = [chunk({"role": "assistant", "content": ""})]
    out += [chunk({"content": piece}) for piece in _pieces(answer.text)]
    out.append(chunk({}, "stop"))
    if usage:
        out.append(write_event({**head, "choices": [], "usage": _chat_usage(answer)}))
    return [*out, b"data: [DONE]\n\n"]


def response(answer: Answer) -> dict[str, Any]:
    """Return a response."""
    return _response(answer, "completed", [_item(answer, "completed", [_part(answer.text)])]) | {"gama": answer.extra}


def response_events(answer: Answer, usage: bool) -> list[bytes]:
    """Return a response as events."""
    place = {"item_id": f"msg_{answer.id}", "output_index": 0, "content_index": 0}
    whole = response(answer)
    begun = _response(answer, "in_progress", [])
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": begun},
        {"type": "response.in_progress", "response": begun},
        {"type": "response.output_item.added", "output_index": 0, "item": _item(answer, "in_progress", [])},
        {"type": "response.content_part.added", **place, "part": _part("")},
    ]
    for piece in _pieces(answer.text):
        events.append({"type": "response.output_text.delta", **place, "delta": piece, "logprobs": []})
    events += [
        {"type": "response.output_text.done", **place, "text": answer.text, "logprobs": []},
        {"type": "response.content_part.done", **place, "part": _part(answer.text)},
        {"type": "response.output_item.done", "output_index": 0, "item": whole["output"][0]},
        {"type": "response.completed", "response": whole},
    ]
    return [write_event({**event, "sequence_number": at}, event["type"]) for at, event in enumerate(events)]


def message(answer: Answer) -> dict[str, Any]:
    """Return a message of Anthropic's protocol."""
    return {**_message_head(answer), "content": [{"type": "text", "text": answer.text}], "stop_reason": "end_turn",
            "usage": _message_usage(answer), "gama": answer.extra}  # fmt: skip


def message_events(answer: Answer, usage: bool) -> list[bytes]:
    """Return a message of Anthropic's protocol as events."""
    start = {
        **_message_head(answer),
        "content": [],
        "stop_reason": None,
        "usage": _message_usage(answer) | {"output_tokens": 0},
    }
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    ]
    for piece in _pieces(answer.text):
        events.append({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}})
    events += [
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None},
         "usage": {"output_tokens": answer.tokens[1]}},
        {"type": "message_stop"},
    ]  # fmt: skip
    return [write_event(event, event["type"]) for event in events]


def _chat_head(answer: Answer, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{answer.id}", "object": kind, "created": answer.created, "model": answer.model}


def _chat_usage(answer: Answer) -> dict[str, int]:
    given, made = answer.tokens
    return {"prompt_tokens": given, "completion_tokens": made, "total_tokens": given + made}


def _message_head(answer: Answer) -> dict[str, Any]:
    return {
        "id": f"msg_{answer.id}",
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "stop_sequence": None,
    }


def _message_usage(answer: Answer) -> dict[str, int]:
    given, made = answer.tokens
    return {"input_tokens": given, "output_tokens": made}


def _response(answer: Answer, status: str, output: list[dict[str, Any]]) -> dict[str, Any]:
    given, made = answer.tokens
    usage = {
        "input_tokens": given, "output_tokens": made, "total_tokens": given + made,
        "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0},
    }  # fmt: skip
    return {
        "id": f"resp_{answer.id}", "object": "response", "created_at": answer.created, "status": status,
        "model": answer.model, "output": output, "error": None, "incomplete_details": None, "instructions": None,
        "metadata": {}, "parallel_tool_calls": False, "temperature": None, "tool_choice": "auto", "tools": [],
        "top_p": None, "usage": usage if status == "completed" else None,
    }  # fmt: skip


def _item(answer: Answer, status: str, content: list[dict[str, Any]]) -> dict[str, Any]:
    return {"id": f"msg_{answer.id}", "type": "message", "role": "assistant", "status": status, "content": content}


def _part(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _pieces(text: str) -> Iterator[str]:
    """Cut a text into its lines and sentences."""
    yield from (piece for piece in re.split(r"(?<=[.!?\n])(?=\s|\S)", text) if piece)


class Form(NamedTuple):
    """How a protocol asks and is answered."""

    provider: str
    said: str
    """The field of a request with the conversation."""
    told: str
    """The field with the instructions; empty where they stand in the conversation."""
    whole: Callable[[Answer], dict[str, Any]]
    events: Callable[[Answer, bool], list[bytes]]
    """Takes whether to tell the tokens at the end."""


CHAT = Form("openai", "messages", "", chat, chat_events)
RESPONSES = Form("openai", "input", "instructions", response, response_events)
MESSAGES = Form("anthropic", "messages", "system", message, message_events)
