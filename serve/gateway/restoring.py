"""Restoring of answers: whole bodies, and streams piece by piece.

Private values put into a JSON text are escaped as JSON; what is an identifier, an opaque string or
a log probability is left alone.
"""

import re
import threading
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from typing import Any, get_args

from gama.serve.gateway.masking import Masked
from gama.serve.gateway.vocabulary import OPAQUE
from gama.serve.http.relay import ClientGone
from gama.state.errors import ModelReplyError
from gama.state.restoring import Restoring, ToolPolicy
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
_SPEAKERS = frozenset({"user", "system", "developer"})
_TEXTS = frozenset({"text", "input_text"})
_CALLED = frozenset({"arguments", "input"})
"""Fields of a call with what the tool gets."""
_STRICTNESS: tuple[ToolPolicy, ...] = get_args(ToolPolicy)
WITHHELD, KEPT, ASKS, UNRECKONED = "x-gama-withheld", "x-gama-kept", "x-gama-asks", "x-gama-unreckoned"
"""Headers that tell what was not restored: values in addresses, by kind; tools by their policies; how many formulas."""
_MOST_NAMES = 20
MOST_PIECES = 200_000
"""Placeholders of one answer that may be so changed, or stand in such places, that each must be read by itself."""
# Accepts what a tool may be called; refuses what could end a header.
_TOOL = re.compile(r"[\w.-]{1,64}", re.ASCII)
_PROSE = frozenset({"summary_text", "reasoning_text", "thinking"})


class Restorer:
    """Restores what answers one request.

    Args:
        masked: the request as it left.
        structured: whether the answer's text is itself JSON, as the request asked for.
        how: how placeholders are turned back.
        note: called with how many placeholders the answer has that are none of the box's, as they are met.
        tools: what tools get, by name.
        other_tools: what those get that are not named.
        stop: set when nobody waits for the answer any more.
        remember: is told each text in which results of formulas stand, these results, and whether it is JSON.
    """

    def __init__(
        self,
        masked: Masked,
        *,
        structured: bool = False,
        how: Restoring | None = None,
        note: Callable[[int], object] | None = None,
        tools: Mapping[str, ToolPolicy] | None = None,
        other_tools: ToolPolicy = "real",
        stop: threading.Event | None = None,
        remember: Callable[[str, Collection[str], bool], object] | None = None,
    ) -> None:
        """Take the box."""
        self._names = masked.names
        self._box = masked.box
        self._reckoner = masked.box.reckoner()
        self._lines = masked.told
        self._remember = remember
        self._given: dict[Hashable, tuple[bool, list[str]]] = {}
        """What was given out of streams in which formulas are evaluated, and whether it is JSON."""
        self.unreckoned: set[str] = set()
        """Formulas that gave nothing."""
        self._how = how or Restoring()
        self._note = note
        self._told: set[str] = set()
        self._tools, self._other_tools = dict(tools or {}), other_tools
        self._calls: dict[Hashable, tuple[str, ToolPolicy]] = {}
        self._stop = stop or threading.Event()
        self._pieces = 0
        self._in_pieces = False
        self.withheld: Counter[str] = Counter()
        """How many values of each kind were not put into addresses that lead where they must not."""
        self.kept: dict[str, ToolPolicy] = {}
        """Tools whose calls keep placeholders, and by which policy."""
        self.structured = structured
        """Whether the answer's text is itself JSON."""
        self._streams: dict[Hashable, StreamRestorer] = {}
        self.idle = not masked.box.entries
        """Whether there is nothing to restore."""

    def text(self, text: str, *, as_json: bool = False, formulas: bool = True) -> str:
        """Restore a whole text; its formulas are evaluated where the request says so, unless they are to stay."""
        if formulas and self._reckoner is not None and "{{" in text:
            restored = self._reckoner.restore(text, self._in(as_json), self._watch)
            self.unreckoned.update(restored.unreckoned)
            self._note_results(restored.text, as_json)
        else:
            restored = remap_text(text, self._box, self._in(as_json), traced=False, watch=self._watch)
        self._tell(restored.unresolved)
        if not self._in_pieces:
            # What a stream has said in pieces it says again as a whole.
            self.withheld.update(restored.withheld)
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
            if not data and key == "instructions":
                # What a response says that it was told: the lines on formulas are none of the client's.
                own = value.removesuffix(self._lines).rstrip("\n") if self._lines else value
                return self.text(own, formulas=False) or None
            if key == "name" and value in self._names:
                return self._names[value]
            structured = self.structured and not prose and key in ("text", "content")
            return self.text(value, as_json=not data and (key in _JSON_FIELDS or structured))
        if isinstance(value, list):
            return [self.value(item, key, data=data, prose=prose) for item in value]
        if not isinstance(value, dict) or value.get("type") == "redacted_thinking":
            return value
        kept = isinstance(value.get("name"), str) and not _CALLED.isdisjoint(value) and self.keeps(value["name"])
        data = data or key in _DATA_FIELDS
        prose = prose or value.get("type") in _PROSE
        return {
            self._key(name): item
            if (name in _LEFT_ALONE and not data) or (kept and name in _CALLED)
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
        self._in_pieces = True
        stream = self._streams.get(key)
        if stream is None:
            stream = self._streams[key] = self._restorer(self._in(as_json))
        told, failed = len(stream.withheld), len(stream.unreckoned)
        out = stream.feed(piece)
        self.withheld.update(stream.withheld[told:])
        if self._reckoner is not None:
            self.unreckoned.update(stream.unreckoned[failed:])
            self._given.setdefault(key, (as_json, []))[1].append(out)
        return out

    def close(self, key: Hashable) -> str:
        """End one of the streams and return what was held back."""
        stream = self._streams.get(key)
        if stream is None:
            return ""
        told = len(stream.withheld)
        rest = stream.close()
        self.withheld.update(stream.withheld[told:])
        del self._streams[key]
        self._tell(stream.unresolved)
        self.unreckoned.update(stream.unreckoned)
        if given := self._given.pop(key, None):
            self._note_results("".join([*given[1], rest]), given[0])
        return rest

    def _restorer(self, how: Restoring) -> StreamRestorer:
        if self._reckoner is not None:
            return self._reckoner.restorer(how, self._watch)
        return StreamRestorer(self._box, how, self._watch)

    def _note_results(self, text: str, as_json: bool) -> None:
        if self._reckoner is not None and self._reckoner.lasting and self._remember:
            self._remember(text, self._reckoner.lasting, as_json)

    def open_streams(self) -> list[Hashable]:
        """List the streams that have begun and not ended."""
        return list(self._streams)

    def call(self, key: Hashable, name: str) -> None:
        """Take in the name of a tool, or a piece of it, whose call comes in a stream.

        Args:
            key: which of the calls side by side.
            name: the name; the strictest policy counts of what the pieces say by themselves and together.
        """
        before, policy = self._calls.get(key, ("", _STRICTNESS[0]))
        whole = before + name
        found = [policy, self._policy(whole), *([self._policy(name)] if before else [])]
        self._calls[key] = (whole, "placeholders" if "placeholders" in found else max(found, key=_STRICTNESS.index))
        self._keep(whole, self._calls[key][1])

    def keeps_call(self, *keys: Hashable) -> bool:
        """Return whether a call in a stream keeps its placeholders; one without a name does where any may."""
        known = [self._calls[key][1] for key in keys if key in self._calls]
        if not known:
            return self._other_tools != "real" or any(policy != "real" for policy in self._tools.values())
        return any(policy != "real" for policy in known)

    def keeps(self, name: str) -> bool:
        """Return whether the calls of a tool keep their placeholders."""
        policy = self._policy(name)
        self._keep(name, policy)
        return policy != "real"

    def told(self) -> dict[str, str]:
        """Return what was not restored, as headers of the answer: kinds and numbers of values, names of tools."""
        kinds = ", ".join(f"{kind}={number}" for kind, number in sorted(self.withheld.items()))
        out = {WITHHELD: kinds} if kinds else {}
        if self.unreckoned:
            out[UNRECKONED] = str(len(self.unreckoned))
        for header, policy in ((KEPT, "placeholders"), (ASKS, "ask")):
            names = sorted(name for name, one in self.kept.items() if one == policy and _TOOL.fullmatch(name))
            if names:
                out[header] = ", ".join(names[:_MOST_NAMES])
        return out

    def _policy(self, name: str) -> ToolPolicy:
        return self._tools.get(self._names.get(name, name), self._other_tools)

    def _keep(self, name: str, policy: ToolPolicy) -> None:
        if policy != "real" and len(self.kept) < _MOST_NAMES:
            self.kept[self._names.get(name, name)] = policy

    def _watch(self) -> None:
        """Stop where nobody waits any more, or where an answer takes more work than an honest one."""
        self._pieces += 1
        if self._stop.is_set():
            raise ClientGone
        if self._pieces > MOST_PIECES:
            raise ModelReplyError(
                f"The upstream's answer has more than {MOST_PIECES:,} placeholders that must be read one by one. "
                "It was not restored. Ask for a shorter answer."
            )

    def _tell(self, unresolved: Iterable[str]) -> None:
        # Some events say again what others have said: each counts once for an answer.
        if self._note and (fresh := set(unresolved) - self._told):
            self._told |= fresh
            self._note(len(fresh))

    def _in(self, as_json: bool) -> Restoring:
        return self._how._replace(place="json") if as_json else self._how

    def _key(self, key: str) -> str:
        return self._names.get(key) or (self.text(key, formulas=False) if "-" in key or "<" in key else key)


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


def said(body: Mapping[str, Any], speakers: Collection[str] = _SPEAKERS) -> Iterator[str]:
    """Yield what user and system say in a request of any protocol; what the model and its tools say is left out."""
    for key in ("system", "instructions", "input", "messages") if "system" in speakers else ("input", "messages"):
        items = body.get(key)
        for item in items if isinstance(items, list) else [items]:
            if isinstance(item, str):
                yield item
            elif isinstance(item, dict) and ("role" not in item or item["role"] in speakers):
                parts = item.get("content") if "role" in item else [item]
                for part in parts if isinstance(parts, list) else [parts]:
                    text = part.get("text") if isinstance(part, dict) and part.get("type") in _TEXTS else part
                    if isinstance(text, str):
                        yield text


def _inside(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None
