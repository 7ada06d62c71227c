"""Streams of Anthropic's /v1/messages: blocks that start, grow by deltas, and stop."""

from collections.abc import Iterator
from typing import Any

from gama.serve.gateway.base import Fields
from gama.serve.gateway.events import Event, write_event
from gama.serve.gateway.restoring import Restorer
from gama.serve.http.errors import Told, body_of

_PIECES = {"text_delta": "text", "input_json_delta": "partial_json", "thinking_delta": "thinking"}
"""Which field of a delta is a piece."""


class MessagesStream:
    """Restores the events of one message.

    Args:
        restorer: what restores.
    """

    def __init__(self, restorer: Restorer) -> None:
        """Take what restores."""
        self._restorer = restorer

    def step(self, event: Event) -> Iterator[bytes]:
        """Yield what takes the place of an event."""
        data = event.json()
        kind = data.get("type") if isinstance(data, dict) else None
        delta = data.get("delta") if kind == "content_block_delta" else None
        if self._restorer.idle or not isinstance(kind, str) or kind in ("error", "ping"):
            yield event.raw
            return
        fields = Fields(self._restorer)
        if isinstance(delta, dict):
            if delta.get("type") == "signature_delta":
                yield from self._rest(data.get("index"))
            self._delta(data.get("index"), delta, fields)
        elif kind == "content_block_stop":
            yield from self._rest(data.get("index"))
        elif kind in ("message_start", "content_block_start"):
            fields.whole(data, "message" if kind == "message_start" else "content_block")
        elif kind == "message_delta":
            yield from self.end()
            fields.whole(data, "delta")
        yield fields.written(event, data)

    def end(self) -> Iterator[bytes]:
        """Yield what was held back of blocks that never stopped."""
        for index in sorted({key[0] for key in self._keys()}, key=str):
            yield from self._rest(index)

    def broken(self, problem: Told) -> bytes:
        """Return the event that tells of an error."""
        return write_event(body_of(problem, "anthropic"), "error")

    def _delta(self, index: Any, delta: dict[str, Any], fields: Fields) -> None:
        kind = delta.get("type")
        name = _PIECES.get(str(kind))
        if name is not None and isinstance(delta.get(name), str):
            as_json = kind == "input_json_delta" or (kind == "text_delta" and self._restorer.structured)
            fields.feed(delta, name, (index, kind), as_json=as_json)
        else:
            for name, value in delta.items():
                if isinstance(value, dict | list):
                    fields.whole(delta, name)

    def _rest(self, index: Any) -> Iterator[bytes]:
        for key in self._keys():
            if key[0] == index and (rest := self._restorer.close(key)):
                delta = {"type": key[1], _PIECES[key[1]]: rest}
                yield write_event(
                    {"type": "content_block_delta", "index": index, "delta": delta}, "content_block_delta"
                )

    def _keys(self) -> list[Any]:
        return self._restorer.open_streams()
