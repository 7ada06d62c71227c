"""What in a request is the user's: texts, data, names; and what is the protocol's own.

What is not known to be the protocol's counts as the user's: an unknown field is read and anonymized
like a message, and where nothing private is in it, it passes as it is.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from gama.serve.gateway.errors import MediaRefused
from gama.serve.gateway.vocabulary import CONTROL, MEDIA, NAMES, NUMBERS, OPAQUE, SCHEMA_WORDS, SCHEMAS, STRUCTURE

Media = Literal["refuse", "pass"]

# Accepts identifiers of protocols (`gpt-4o`, `call_a1`, `text/plain`); refuses whatever has a space in it.
_IDENTIFIER = re.compile(r"[\w.:/@+=,;-]{1,256}")
_MEDIA_FIELDS = frozenset({"url", "data", "file_data", "image_url", "file_url", "file_id", "result"})
_PLACES = frozenset({"content", "output", "parts", "document", "input"})
"""Fields in which pictures, sounds and files stand."""
_MCP_FIELDS = frozenset(
    {"headers", "authorization", "authorization_token", "server_url", "url", "server_label", "name"}
)
_FIRST = ("instructions", "system", "tools", "functions", "response_format", "text")
_HISTORY = ("messages", "input")
_SCHEMA_NAMES = frozenset({"properties", "$defs", "definitions", "patternProperties", "dependentSchemas"})
_SCHEMA_DATA = frozenset({"default", "const", "examples", "example", "enum"})
_LARGE = 100_000
"""From this size on a number of an unknown field is read: it may be somebody's."""
_LONG = 64
"""From this length on what is opaque is left out of the search on the wire; shorter strings cost nothing to search."""


class Leaf(NamedTuple):
    """A value of the user's, and where it stands."""

    holder: Any
    """The dict or list it is in."""
    key: str | int
    kind: Literal["text", "data", "extra", "person"] = "text"
    """A string; data as a whole; the same, whose numbers are settings and stay; the name of who speaks."""


class Keys(NamedTuple):
    """A dict whose keys are the user's names (properties of a schema)."""

    holder: dict[str, Any]


@dataclass
class Leaves:
    """What a walk found, in the order in which a conversation is read."""

    values: list[Leaf] = field(default_factory=list)
    names: list[Leaf] = field(default_factory=list)
    """Names of tools and schemas: letters, digits, hyphens and underscores only."""
    keys: list[Keys] = field(default_factory=list)
    refs: list[Leaf] = field(default_factory=list)
    """References inside schemas, which name keys."""
    opaque: list[str] = field(default_factory=list)
    """Long strings that pass unread: pictures and sounds, and what the other side made for itself."""
    quoted: list[str] = field(default_factory=list)
    """What the other side wrote and gets back to the letter."""


def walk(body: dict[str, Any], media: Media, signed: Callable[[str], str | None] = lambda signature: None) -> Leaves:
    """Find what is the user's in the body of a request.

    Args:
        body: the body; its parts are replaced in place later.
        media: whether pictures, sounds and files pass unread.
        signed: gives the thinking behind a signature as the upstream wrote it, where it is remembered.

    Raises:
        MediaRefused: there is one, and the policy is to refuse.
    """
    walker = _Walker(media, signed)
    order = [*_FIRST, *(key for key in body if key not in (*_FIRST, *_HISTORY)), *_HISTORY]
    for key in order:
        if key in body:
            walker.look(body, key)
            if isinstance(body[key], int) and abs(body[key]) >= _LARGE and key not in NUMBERS:
                # Read only: a setting cannot become a word. One that is private stops the request on the wire.
                walker.found.values.append(Leaf({"": {key: body[key]}}, "", "extra"))
    return walker.found


class _Walker:
    def __init__(self, media: Media, signed: Callable[[str], str | None]) -> None:
        self._media = media
        self._signed = signed
        self.found = Leaves()

    def look(self, holder: dict[str, Any], key: str) -> None:
        """Look at one field of a protocol object."""
        value = holder[key]
        if isinstance(value, str):
            self._string(holder, key, value)
        elif isinstance(value, dict | list):
            if key in OPAQUE or key == "logit_bias":
                return
            if key in SCHEMAS:
                self._schema(value)
            elif key == "input" and isinstance(value, dict):
                # The arguments of a tool call, as an object.
                self.found.values.append(Leaf(holder, key, "data"))
            elif key in STRUCTURE:
                self._structure(value, key)
            elif key in CONTROL and _identifiers(value):
                return
            else:
                self.found.values.append(Leaf(holder, key, "extra"))

    def _string(self, holder: dict[str, Any], key: str, value: str) -> None:
        if key in OPAQUE or (key == "data" and holder.get("type") == "redacted_thinking"):
            self._pass(value)
        elif key in NAMES and _IDENTIFIER.fullmatch(value):
            if "role" in holder and holder["role"] != "tool":
                self.found.values.append(Leaf(holder, key, "person"))
            else:
                self.found.names.append(Leaf(holder, key))
        elif key in CONTROL and _IDENTIFIER.fullmatch(value):
            return
        else:
            self.found.values.append(Leaf(holder, key))

    def _structure(self, value: dict[str, Any] | list[Any], key: str) -> None:
        if isinstance(value, list):
            for at, item in enumerate(value):
                if isinstance(item, str):
                    self.found.values.append(Leaf(value, at))
                elif isinstance(item, dict | list):
                    self._structure(item, key)
            return
        kind = value.get("type")
        if kind == "mcp" or key == "mcp_servers":
            self._only(value, {name for name in value if name not in _MCP_FIELDS})
        elif kind == "thinking" and (written := self._signed(str(value.get("signature")))) is not None:
            value["thinking"] = written
            self.found.quoted.append(written)
            self._only(value, set(value) - {"thinking"})
        elif isinstance(kind, str) and kind in MEDIA and key in _PLACES:
            self._medium(value, kind)
        else:
            self._only(value, set(value))

    def _only(self, value: dict[str, Any], names: set[str]) -> None:
        for name in list(value):
            if name in names:
                self.look(value, name)

    def _medium(self, part: dict[str, Any], kind: str) -> None:
        """Look at a picture, a sound or a file; a document of plain text is text."""
        source = part.get("source")
        if isinstance(source, dict) and source.get("type") in ("text", "content"):
            if isinstance(source.get("data"), str):
                self.found.values.append(Leaf(source, "data"))
            if isinstance(source.get("content"), str | list):
                self.look(source, "content")
            self._only(part, set(part) - {"source"})
            return
        if self._media == "refuse":
            raise MediaRefused(kind)
        for holder in (part, *(inner for inner in part.values() if isinstance(inner, dict))):
            for name, value in holder.items():
                if name in _MEDIA_FIELDS and isinstance(value, str):
                    self._pass(value)
                elif not isinstance(value, dict):
                    self.look(holder, name)

    def _pass(self, value: str) -> None:
        if len(value) >= _LONG and not any(char.isspace() for char in value):
            self.found.opaque.append(value)

    def _schema(self, schema: Any) -> None:
        """Look at a JSON schema: descriptions and values are texts, properties are names."""
        if isinstance(schema, list):
            for item in schema:
                self._schema(item)
        if not isinstance(schema, dict):
            return
        for key, value in schema.items():
            if key in _SCHEMA_NAMES and isinstance(value, dict):
                self.found.keys.append(Keys(value))
                for inner in value.values():
                    self._schema(inner)
            elif key == "required" and isinstance(value, list):
                self.found.names.extend(Leaf(value, at) for at, item in enumerate(value) if _is_text(item))
            elif key in _SCHEMA_DATA:
                if isinstance(value, str):
                    self.found.values.append(Leaf(schema, key))
                elif isinstance(value, dict | list):
                    self.found.values.extend(_strings(value))
            elif isinstance(value, str):
                if key == "$ref":
                    self.found.refs.append(Leaf(schema, key))
                elif key not in SCHEMA_WORDS:
                    self.found.values.append(Leaf(schema, key))
            else:
                self._schema(value)


def _strings(value: dict[str, Any] | list[Any]) -> Iterator[Leaf]:
    """Yield the strings of data whose numbers must stay numbers."""
    items: Any = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        if isinstance(item, str):
            yield Leaf(value, key)
        elif isinstance(item, dict | list):
            yield from _strings(item)


def _identifiers(value: dict[str, Any] | list[Any]) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) and _IDENTIFIER.fullmatch(item) for item in value)


def _is_text(value: object) -> bool:
    return isinstance(value, str)
