"""Streams of /v1/responses: typed events; pieces end in `.delta`, and `.done` tells the whole."""

from collections.abc import Iterator
from typing import Any

from gama.serve.gateway.base import Fields
from gama.serve.gateway.events import Event, write_event
from gama.serve.gateway.restoring import Restorer, asks_for_json
from gama.serve.http.errors import Told

_UNREAD = ("response.audio.delta", "response.image_generation_call")
"""Events whose pieces are sound or pictures."""

_PLACE = ("item_id", "output_index", "content_index", "summary_index")


class ResponsesStream:
    """Restores the events of one response."""

    def __init__(self, restorer: Restorer) -> None:
        """Take what restores."""
        self._restorer = restorer
        self._last: dict[Any, tuple[str, dict[str, Any]]] = {}
        """For each stream of pieces its last event."""
        self._number = 0

    def step(self, event: Event) -> Iterator[bytes]:
        """Yield what takes the place of an event."""
        data = event.json()
        if isinstance(data, dict) and isinstance(data.get("sequence_number"), int):
            self._number = data["sequence_number"]
        kind = data.get("type") if isinstance(data, dict) else None
        if self._restorer.idle or not isinstance(kind, str) or kind == "error" or kind.startswith(_UNREAD):
            yield event.raw
            return
        if asks_for_json(data.get("response")):
            self._restorer.structured = True
        fields = Fields(self._restorer)
        if kind.endswith(".delta") and isinstance(data.get("delta"), str):
            key = _key(kind.removesuffix(".delta"), data)
            self._last[key] = (event.name, data)
            fields.feed(data, "delta", key, as_json=self._is_json(kind))
        else:
            if kind.endswith(".done"):
                yield from self._rest(_key(kind.removesuffix(".done"), data))
            self._whole(kind, data, fields)
        yield fields.written(event, data)

    def end(self) -> Iterator[bytes]:
        """Yield what was held back of pieces that never got whole."""
        for key in list(self._last):
            yield from self._rest(key)

    def broken(self, problem: Told) -> bytes:
        """Return the event that tells of an error."""
        error = {"type": "error", "code": problem.code, "message": problem.message, "param": None}
        return write_event(error | {"sequence_number": self._number + 1}, "error")

    def _rest(self, key: Any) -> Iterator[bytes]:
        """Yield what was held back as one more piece; it has the number of the piece that it belongs to."""
        name, data = self._last.pop(key, ("", {}))
        if rest := self._restorer.close(key):
            yield write_event({**data, "delta": rest}, name)

    def _whole(self, kind: str, data: dict[str, Any], fields: Fields) -> None:
        for name, value in data.items():
            if name == "text" and not kind.startswith("response.output_text"):
                # Thinking is prose even where the answer is JSON.
                new = self._restorer.text(value) if isinstance(value, str) else value
                fields.changed = fields.changed or new != value
                data[name] = new
            elif name in ("code", "message", "param", "error") or not isinstance(value, str | dict | list):
                continue
            elif name == "name" or isinstance(value, dict | list) or name not in _PLACE:
                fields.whole(data, name)

    def _is_json(self, kind: str) -> bool:
        return "arguments" in kind or (self._restorer.structured and kind == "response.output_text.delta")


def _key(base: str, data: dict[str, Any]) -> Any:
    return (base, *(data.get(name) for name in _PLACE))
