"""Restoring of answers: whole bodies, and streams piece by piece.

Private values put into a JSON text are escaped as JSON; what is an identifier, an opaque string or
a log probability is left alone.
"""

import json
from collections.abc import Hashable
from typing import Any, Literal

from gama.serve.gateway.masking import Masked
from gama.serve.gateway.vocabulary import OPAQUE
from gama.state.box import PrivacyBox
from gama.tools.placeholders.remapping import remap_text
from gama.tools.placeholders.stream import StreamRestorer

Mode = Literal["tolerant", "strict"]

_LEFT_ALONE = OPAQUE | {
    "id", "object", "model", "type", "role", "status", "finish_reason", "stop_reason", "system_fingerprint",
    "service_tier", "logprobs", "item_id", "response_id", "call_id", "tool_call_id", "tool_use_id", "usage",
    "previous_response_id", "created", "created_at", "b64_json", "embedding", "error", "incomplete_details",
}  # fmt: skip
_JSON_FIELDS = frozenset({"arguments", "partial_json"})
_DATA_FIELDS = frozenset(
    {"input", "metadata", "variables", "parsed", "properties", "parameters", "schema", "input_schema"}
)
_PROSE = frozenset({"summary_text", "reasoning_text", "thinking"})


class Restorer:
    """Restores what answers one request.

    Args:
        masked: the request as it left.
        structured: whether the answer's text is itself JSON, as the request asked for.
        mode: see `remap_text`.
    """

    def __init__(self, masked: Masked, *, structured: bool = False, mode: Mode = "tolerant") -> None:
        """Take the box."""
        self._names = masked.names
        self._plain = masked.box
        self._escaped = json_box(masked.box)
        self.structured = structured
        """Whether the answer's text is itself JSON."""
        self._mode: Mode = mode
        self._streams: dict[Hashable, StreamRestorer] = {}
        self.idle = not masked.box.entries
        """Whether there is nothing to restore."""

    def text(self, text: str, *, as_json: bool = False) -> str:
        """Restore a whole text."""
        return remap_text(text, self._escaped if as_json else self._plain, self._mode).text

    def name(self, name: str) -> str:
        """Restore the name of a tool or property."""
        return self._names.get(name, name)

    def value(self, value: Any, key: str = "", *, data: bool = False, prose: bool = False) -> Any:
        """Restore a part of a body, all that is in it included.

        Args:
            value: the part.
            key: the field it stands in.
            data: whether it is the user's data, in which no field is the protocol's.
            prose: whether its text is no JSON even where the answer is.
        """
        if isinstance(value, str):
            if not data and key in _LEFT_ALONE:
                return value
            if key == "name" and value in self._names:
                return self._names[value]
            structured = self.structured and not prose and key in ("text", "content")
            return self.text(value, as_json=not data and (key in _JSON_FIELDS or structured))
        if isinstance(value, list):
            return [self.value(item, key, data=data, prose=prose) for item in value]
        if not isinstance(value, dict) or value.get("type") == "redacted_thinking":
            return value
        data = data or key in _DATA_FIELDS
        prose = prose or value.get("type") in _PROSE
        return {
            self._key(name): item
            if name in _LEFT_ALONE and not data
            else self.value(item, name, data=data, prose=prose)
            for name, item in value.items()
        }

    def feed(self, key: Hashable, piece: str, *, as_json: bool = False) -> str:
        """Take a piece of a stream in and return what can be given out of it now.

        Args:
            key: which of the streams side by side.
            piece: the piece.
            as_json: whether it is a piece of a JSON text.
        """
        if self.idle:
            return piece
        stream = self._streams.get(key)
        if stream is None:
            stream = self._streams[key] = StreamRestorer(self._escaped if as_json else self._plain, self._mode)
        return stream.feed(piece)

    def close(self, key: Hashable) -> str:
        """End one of the streams and return what was held back."""
        stream = self._streams.pop(key, None)
        return stream.close() if stream is not None else ""

    def open_streams(self) -> list[Hashable]:
        """List the streams that have begun and not ended."""
        return list(self._streams)

    def _key(self, key: str) -> str:
        return self._names.get(key) or (self.text(key) if "-" in key or "<" in key else key)


def json_box(box: PrivacyBox) -> PrivacyBox:
    """Return a box whose surfaces are escaped as they stand inside strings of JSON."""
    if not any(_needs_escape(entry.surface) for entry in box.entries):
        return box
    entries = [
        entry.model_copy(update={"surface": json.dumps(entry.surface, ensure_ascii=_odd(entry.surface))[1:-1]})
        for entry in box.entries
    ]
    return PrivacyBox(style=box.style, order=box.order, seed=box.seed, entries=entries, reserved=box.reserved)


def _needs_escape(text: str) -> bool:
    return any(char in '"\\' or ord(char) < 0x20 for char in text) or _odd(text)


def _odd(text: str) -> bool:
    """Tell whether a text has halves of characters in it, which no encoding takes."""
    return any(0xD800 <= ord(char) < 0xE000 for char in text)


def asks_for_json(body: Any) -> bool:
    """Tell whether a request, or the echo of it in a response, asks for an answer that is JSON; in any protocol."""
    if not isinstance(body, dict):
        return False
    places = [
        body.get("response_format"),
        _inside(body.get("text"), "format"),
        body.get("output_format"),
        _inside(body.get("output_config"), "format"),
    ]
    return any(str(_inside(place, "type")).startswith("json") for place in places)


def _inside(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None
