"""Streamed answers of the three protocols: events in, restored events out."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator
from typing import Any

from gama.serve.gateway.events import Event, write_event
from gama.serve.gateway.restoring import Restorer, asks_for_json
from gama.serve.http.errors import Told, body_of

_NO_PIECES = frozenset({"role", "id", "type"})
"""Strings of a chunk's delta that are no pieces of a text."""
_DELTAS = {"text_delta": "text", "input_json_delta": "partial_json", "thinking_delta": "thinking"}
"""Which field of a message's delta is a piece."""
_UNREAD = ("response.audio.delta", "response.image_generation_call")
"""Events of a response whose pieces are sound or pictures."""
_PLACE = ("item_id", "output_index", "content_index", "summary_index")
"""What tells the pieces of one string of a response from those of another."""


class Fields:
    """Restores strings inside events, and tells whether any has changed."""

    def __init__(self, restorer: Restorer) -> None:
        """Start unchanged."""
        self._restorer = restorer
        self.changed = False

    def feed(self, holder: dict[str, Any], name: str, key: Hashable, *, as_json: bool = False) -> None:
        """Restore a field that is a piece of a stream."""
        self.put(holder, name, self._restorer.feed(key, holder[name], as_json=as_json))

    def whole(self, holder: dict[str, Any], name: str) -> None:
        """Restore a field that is whole."""
        self.put(holder, name, self._restorer.value(holder[name], name))

    def put(self, holder: dict[str, Any], name: str, new: Any) -> None:
        """Put another value into a field."""
        if new != holder[name]:
            holder[name] = new
            self.changed = True


class EventStream(ABC):
    """Restores the events of one streamed answer."""

    def __init__(self, restorer: Restorer) -> None:
        """Take what restores."""
        self._restorer = restorer

    def step(self, event: Event) -> Iterator[bytes]:
        """Yield what takes the place of an event; it keeps its bytes where nothing has changed."""
        data = event.json()
        if self._restorer.idle or not isinstance(data, dict) or not self._is_read(data):
            yield event.raw
            return
        fields = Fields(self._restorer)
        yield from self._restore(event, data, fields)
        yield write_event(data, event.name) if fields.changed else event.raw

    def end(self) -> Iterator[bytes]:
        """Yield what was held back of strings that never got whole."""
        for index in sorted({key[0] for key in self._held()}, key=str):
            yield from self._rest(index)

    @abstractmethod
    def broken(self, problem: Told) -> bytes:
        """Return the event that tells, in the protocol's form, that the upstream broke off."""

    @abstractmethod
    def _is_read(self, data: dict[str, Any]) -> bool:
        """Return whether an event may hold something to restore."""

    @abstractmethod
    def _restore(self, event: Event, data: dict[str, Any], fields: Fields) -> Iterator[bytes]:
        """Restore the data of an event in place, and yield what must come before it."""

    @abstractmethod
    def _rest(self, index: Any) -> Iterator[bytes]:
        """Yield what was held back of the strings with an index."""

    def _held(self) -> list[Any]:
        return self._restorer.open_streams()


class ChatStream(EventStream):
    """Streams of /v1/chat/completions: choices side by side, each with text, thinking, refusal and tool calls."""

    _chunk: dict[str, Any] = {}
    """What all chunks have in common."""

    def step(self, event: Event) -> Iterator[bytes]:
        """Yield what takes the place of a chunk."""
        if event.data.strip() == "[DONE]":
            yield from self.end()
        yield from super().step(event)

    def broken(self, problem: Told) -> bytes:
        """Return the event that tells of an error."""
        return write_event(body_of(problem, "openai"))

    def _is_read(self, data: dict[str, Any]) -> bool:
        return isinstance(data.get("choices"), list)

    def _restore(self, event: Event, data: dict[str, Any], fields: Fields) -> Iterator[bytes]:
        self._chunk = {key: value for key, value in data.items() if key not in ("choices", "usage", "obfuscation")}
        for choice in data["choices"]:
            if not isinstance(choice, dict):
                continue
            index = choice.get("index", 0)
            delta = choice.get("delta")
            if isinstance(delta, dict):
                self._delta(index, delta, fields)
            if isinstance(choice.get("text"), str):
                fields.feed(choice, "text", (index, "text"))
            if choice.get("finish_reason"):
                yield from self._finish(index, delta if isinstance(delta, dict) else {}, fields)

    def _delta(self, index: Any, delta: dict[str, Any], fields: Fields) -> None:
        for name, value in delta.items():
            if isinstance(value, str) and name not in _NO_PIECES:
                fields.feed(delta, name, (index, name), as_json=name == "content" and self._restorer.structured)
            elif name == "tool_calls" and isinstance(value, list):
                for call in value:
                    for kind in ("function", "custom") if isinstance(call, dict) else ():
                        if isinstance(call.get(kind), dict):
                            self._arguments((index, name, call.get("index", 0), kind), call[kind], fields)
            elif name == "function_call" and isinstance(value, dict):
                self._arguments((index, name), value, fields)
            elif isinstance(value, dict | list):
                fields.whole(delta, name)

    def _arguments(self, key: tuple[Hashable, ...], holder: dict[str, Any], fields: Fields) -> None:
        if isinstance(holder.get("name"), str):
            self._restorer.call(key, holder["name"])
            fields.whole(holder, "name")
        if self._restorer.keeps_call(key):
            return
        for name in ("arguments", "input"):
            if isinstance(holder.get(name), str):
                fields.feed(holder, name, (*key, name), as_json=name == "arguments")

    def _rest(self, index: Any) -> Iterator[bytes]:
        return self._finish(index, {}, Fields(self._restorer))

    def _finish(self, index: Any, delta: dict[str, Any], fields: Fields) -> Iterator[bytes]:
        """Give out what was held back of a choice: in its last chunk where the field is there, else before it."""
        for key in self._held():
            if key[0] != index or not (rest := self._restorer.close(key)):
                continue
            name = key[1]
            if len(key) == 2 and isinstance(delta.get(name), str):
                fields.put(delta, name, delta[name] + rest)
            else:
                choice = {"index": index, "delta": _place(key, rest), "finish_reason": None}
                yield write_event({**self._chunk, "choices": [choice]})


def _place(key: tuple[Any, ...], rest: str) -> dict[str, Any]:
    """Return the delta that a held-back piece belongs into."""
    if key[1] == "tool_calls":
        _, _, at, kind, name = key
        return {"tool_calls": [{"index": at, kind: {name: rest}}]}
    if key[1] == "function_call":
        return {"function_call": {key[2]: rest}}
    return {key[1]: rest}


class MessagesStream(EventStream):
    """Streams of Anthropic's /v1/messages: blocks that start, grow by deltas, and stop."""

    def broken(self, problem: Told) -> bytes:
        """Return the event that tells of an error."""
        return write_event(body_of(problem, "anthropic"), "error")

    def _is_read(self, data: dict[str, Any]) -> bool:
        return isinstance(data.get("type"), str) and data["type"] not in ("error", "ping")

    def _restore(self, event: Event, data: dict[str, Any], fields: Fields) -> Iterator[bytes]:
        kind, index, delta = data["type"], data.get("index"), data.get("delta")
        if kind == "content_block_delta" and isinstance(delta, dict):
            if delta.get("type") == "signature_delta":
                yield from self._rest(index)
            self._delta(index, delta, fields)
        elif kind == "content_block_stop":
            yield from self._rest(index)
        elif kind in ("message_start", "content_block_start"):
            block = data.get("content_block")
            if isinstance(block, dict) and isinstance(block.get("name"), str):
                self._restorer.call((index, "input_json_delta"), block["name"])
            fields.whole(data, "message" if kind == "message_start" else "content_block")
        elif kind == "message_delta":
            yield from self.end()
            fields.whole(data, "delta")

    def _delta(self, index: Any, delta: dict[str, Any], fields: Fields) -> None:
        kind = delta.get("type")
        name = _DELTAS.get(str(kind))
        if kind == "input_json_delta" and self._restorer.keeps_call((index, kind)):
            return
        if name is not None and isinstance(delta.get(name), str):
            as_json = kind == "input_json_delta" or (kind == "text_delta" and self._restorer.structured)
            fields.feed(delta, name, (index, kind), as_json=as_json)
            return
        for name, value in delta.items():
            if isinstance(value, dict | list):
                fields.whole(delta, name)

    def _rest(self, index: Any) -> Iterator[bytes]:
        for key in self._held():
            if key[0] == index and (rest := self._restorer.close(key)):
                delta = {"type": key[1], _DELTAS[key[1]]: rest}
                event = {"type": "content_block_delta", "index": index, "delta": delta}
                yield write_event(event, event["type"])


class ResponsesStream(EventStream):
    """Streams of /v1/responses: typed events; pieces end in `.delta`, and `.done` tells the whole."""

    def __init__(self, restorer: Restorer) -> None:
        """Take what restores."""
        super().__init__(restorer)
        self._last: dict[Any, tuple[str, dict[str, Any]]] = {}
        """For each stream of pieces its last event."""
        self._number = 0

    def step(self, event: Event) -> Iterator[bytes]:
        """Yield what takes the place of an event."""
        data = event.json()
        if isinstance(data, dict) and isinstance(data.get("sequence_number"), int):
            self._number = data["sequence_number"]
        yield from super().step(event)

    def end(self) -> Iterator[bytes]:
        """Yield what was held back of pieces that never got whole."""
        for key in list(self._last):
            yield from self._rest(key)

    def broken(self, problem: Told) -> bytes:
        """Return the event that tells of an error."""
        error = {"type": "error", "code": problem.code, "message": problem.message, "param": None}
        return write_event(error | {"sequence_number": self._number + 1}, "error")

    def _is_read(self, data: dict[str, Any]) -> bool:
        kind = data.get("type")
        return isinstance(kind, str) and kind != "error" and not kind.startswith(_UNREAD)

    def _restore(self, event: Event, data: dict[str, Any], fields: Fields) -> Iterator[bytes]:
        kind: str = data["type"]
        item, place = data.get("item"), data.get("output_index")
        if isinstance(item, dict) and isinstance(item.get("name"), str):
            for key in (("item", item.get("id")), ("output", place)) if kind.endswith(".added") else ():
                self._restorer.call(key, item["name"])
        called = "arguments" in kind or "tool_call_input" in kind
        kept = called and self._restorer.keeps_call(("item", data.get("item_id")), ("output", place))
        if kept and kind.endswith((".delta", ".done")):
            return
        if asks_for_json(data.get("response")):
            self._restorer.structured = True
        if kind.endswith(".delta") and isinstance(data.get("delta"), str):
            key = _stream_of(kind.removesuffix(".delta"), data)
            self._last[key] = (event.name, data)
            structured = self._restorer.structured and kind == "response.output_text.delta"
            fields.feed(data, "delta", key, as_json="arguments" in kind or structured)
            return
        if kind.endswith(".done"):
            yield from self._rest(_stream_of(kind.removesuffix(".done"), data))
        for name, value in data.items():
            if name == "text" and not kind.startswith("response.output_text"):
                # Thinking is prose even where the answer is JSON.
                fields.put(data, name, self._restorer.text(value) if isinstance(value, str) else value)
            elif name in ("code", "message", "param", "error") or not isinstance(value, str | dict | list):
                continue
            elif name == "name" or isinstance(value, dict | list) or name not in _PLACE:
                fields.whole(data, name)

    def _rest(self, index: Any) -> Iterator[bytes]:
        """Yield what was held back as one more piece; it has the number of the piece that it belongs to."""
        name, data = self._last.pop(index, ("", {}))
        if rest := self._restorer.close(index):
            yield write_event({**data, "delta": rest}, name)


def _stream_of(base: str, data: dict[str, Any]) -> Any:
    return (base, *(data.get(name) for name in _PLACE))
