"""Restoring of answers: whole bodies, and streams piece by piece.

Private values put into a JSON text are escaped as JSON; what is an identifier, an opaque string or
a log probability is left alone.
"""

from collections.abc import Callable, Hashable, Iterable
from typing import Any

from gama.serve.gateway.masking import Masked
from gama.serve.gateway.vocabulary import OPAQUE
from gama.state.restoring import Restoring
from gama.tools.placeholders.remapping import remap_text
from gama.tools.placeholders.stream import StreamRestorer

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
        how: how placeholders are turned back.
        note: called with how many placeholders the answer has that are none of the box's, as they are met.
    """

    def __init__(
        self,
        masked: Masked,
        *,
        structured: bool = False,
        how: Restoring | None = None,
        note: Callable[[int], object] | None = None,
    ) -> None:
        """Take the box."""
        self._names = masked.names
        self._box = masked.box
        self._how = how or Restoring()
        self._note = note
        self._told: set[str] = set()
        self.structured = structured
        """Whether the answer's text is itself JSON."""
        self._streams: dict[Hashable, StreamRestorer] = {}
        self.idle = not masked.box.entries
        """Whether there is nothing to restore."""

    def text(self, text: str, *, as_json: bool = False) -> str:
        """Restore a whole text."""
        restored = remap_text(text, self._box, self._in(as_json))
        self._tell(restored.unresolved)
        return restored.text

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
            stream = self._streams[key] = StreamRestorer(self._box, self._in(as_json))
        return stream.feed(piece)

    def close(self, key: Hashable) -> str:
        """End one of the streams and return what was held back."""
        stream = self._streams.pop(key, None)
        if stream is None:
            return ""
        rest = stream.close()
        self._tell(stream.unresolved)
        return rest

    def open_streams(self) -> list[Hashable]:
        """List the streams that have begun and not ended."""
        return list(self._streams)

    def _tell(self, unresolved: Iterable[str]) -> None:
        # Some events say again what others have said: each counts once for an answer.
        if self._note and (fresh := set(unresolved) - self._told):
            self._told |= fresh
            self._note(len(fresh))

    def _in(self, as_json: bool) -> Restoring:
        return self._how._replace(place="json") if as_json else self._how

    def _key(self, key: str) -> str:
        return self._names.get(key) or (self.text(key) if "-" in key or "<" in key else key)


def asks_for_json(body: Any) -> bool:
    """Return whether a request, or the echo of it in a response, asks for an answer that is JSON; in any protocol."""
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
