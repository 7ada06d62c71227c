"""What in a request is the user's: texts, data, names; and what is the protocol's own.

What is not known to be the protocol's counts as the user's: an unknown field is read and anonymized
like a message, and where nothing private is in it, it passes as it is.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from gama.serve.gateway.errors import FieldRefused, MediaRefused, OpaqueRefused
from gama.serve.gateway.vocabulary import (
    CONTROL,
    KNOWN,
    LINKS,
    MADE_THERE,
    MEDIA,
    NAMES,
    NUMBERS,
    POINTERS,
    SCHEMA_WORDS,
    SCHEMAS,
    STRUCTURE,
    USERS,
)

Media = Literal["refuse", "pass"]
Level = Literal["name", "word", "code"]
"""What is looked for in a word: names and codes; codes and whole names of people; codes alone."""

# Accepts identifiers of protocols (`gpt-4o`, `call_a1`, `text/plain`); refuses whatever has a space in it.
_IDENTIFIER = re.compile(r"[\w.:/@+=,;-]{1,256}")
_MEDIA_FIELDS = frozenset({"url", "data", "file_data", "image_url", "file_url", "file_id", "result"})
_PLACES = frozenset({"content", "output", "parts", "document", "input"})
"""Fields in which pictures, sounds and files stand."""
_MCP_KEYS = frozenset({"headers", "authorization", "authorization_token"})
"""The user's keys for a remote server of tools: they go where the user sends them."""
_MCP_FIELDS: dict[str, Level] = {"server_url": "word", "url": "word", "server_label": "name", "name": "name"}
_FIRST = ("instructions", "system", "tools", "functions", "response_format", "text")
_HISTORY = ("messages", "input")
_SCHEMA_NAMES = frozenset(
    {"properties", "$defs", "definitions", "patternProperties", "dependentSchemas", "dependentRequired"}
)
_SCHEMA_DATA = frozenset({"default", "const", "examples", "example", "enum"})
_SCHEMA_SITES = ("http://json-schema.org/", "https://json-schema.org/")
_BIAS = re.compile(r"\d{1,7}")
_LARGE = 100_000
"""From this size on a number of an unknown field is read: it may be somebody's."""
_SHORTEST_NUMBER = 5
_TIMES = frozenset({"created", "created_at", "completed_at", "expires_at"})
"""Fields of what a client sends back, whose numbers are seconds since 1970."""
_LONG = 64
"""From this length on what is opaque is left out of the search on the wire; shorter strings cost nothing to search."""


class Leaf(NamedTuple):
    """A value of the user's, and where it stands."""

    holder: Any
    """The dict or list it is in."""
    key: str | int
    kind: Literal["text", "data", "extra", "person", "id"] = "text"
    """A string; data as a whole; the same, whose numbers are settings and stay; the name of who speaks; an identifier
    of a user, which is replaced as a whole."""
    system: bool = False
    """Whether it stands in a system prompt."""


class Keys(NamedTuple):
    """A dict whose keys are the user's names (properties of a schema)."""

    holder: dict[str, Any]


class Word(NamedTuple):
    """A name, an identifier or a setting that is read beside the texts."""

    field: str
    """Where it stands, without anything of the user's."""
    text: str
    level: Level
    fixed: bool
    """Whether the protocol lets nothing else stand there: then what is private in it stops the request."""


@dataclass
class Leaves:
    """What a walk found, in the order in which a conversation is read."""

    values: list[Leaf] = field(default_factory=list)
    names: list[Leaf] = field(default_factory=list)
    """Names of tools and schemas: letters, digits, hyphens and underscores only."""
    keys: list[Keys] = field(default_factory=list)
    refs: list[Leaf] = field(default_factory=list)
    """References inside schemas, which name keys."""
    words: dict[str, list[Word]] = field(default_factory=dict)
    """What is read beside the texts, in groups that recur in the next turn of the conversation."""
    opaque: list[str] = field(default_factory=list)
    """Long strings that pass unread: pictures and sounds, and what the other side made for itself."""
    quoted: list[str] = field(default_factory=list)
    """What the other side wrote and gets back to the letter."""


def walk(body: dict[str, Any], media: Media, made: Callable[[str], str | None] = lambda opaque: None) -> Leaves:
    """Find what is the user's in the body of a request.

    Args:
        body: the body; its parts are replaced in place later.
        media: whether pictures, sounds and files pass unread.
        made: gives, for an opaque string that the upstream has made, the thinking that it signs (empty where it signs
            none); None for any other string.

    Raises:
        MediaRefused: there is one, and the policy is to refuse.
        OpaqueRefused: a string that cannot be read did not come from the upstream.
        FieldRefused: a field holds what its protocol does not know there.
    """
    walker = _Walker(media, made)
    order = [*_FIRST, *(key for key in body if key not in (*_FIRST, *_HISTORY)), *_HISTORY]
    for key in order:
        if key in body:
            walker.enter(body, key)
    return walker.found


class _Walker:
    def __init__(self, media: Media, made: Callable[[str], str | None]) -> None:
        self._media = media
        self._made = made
        self._at: list[str] = []
        self._group = ""
        self._system = False
        self.found = Leaves()

    def enter(self, body: dict[str, Any], key: str) -> None:
        """Look at a field of the body."""
        self._group = "" if key not in KNOWN else key
        self._system = key in ("instructions", "system")
        self._key(key)
        self.look(body, key)
        self._system = False

    def look(self, holder: dict[str, Any], key: str) -> None:
        """Look at one field of a protocol object."""
        value = holder[key]
        self._at.append(f".{key}" if key in KNOWN else ".(a field of its own)")
        if isinstance(value, str):
            self._string(holder, key, value)
        elif isinstance(value, dict | list):
            self._held(holder, key, value)
        elif isinstance(value, int | float) and abs(value) >= _LARGE and key not in NUMBERS and key not in _TIMES:
            # Read only: a setting cannot become a word. One that is private stops the request on the wire.
            self._leaf({"": {key: value}}, "", "extra")
        self._at.pop()

    def _leaf(self, holder: Any, key: str | int, kind: Literal["text", "data", "extra", "person", "id"]) -> None:
        self.found.values.append(Leaf(holder, key, kind, self._system))

    def _word(self, text: str, level: Level, *, fixed: bool, where: str = "") -> None:
        """Have a word read; what is the protocol's own is not."""
        if len(text) > _SHORTEST_NUMBER if text.isdigit() else text not in KNOWN:
            field_name = "".join(self._at).lstrip(".") + where
            self.found.words.setdefault(self._group, []).append(Word(field_name, text, level, fixed))

    def _key(self, name: str) -> None:
        if name not in KNOWN:
            self._word(name, "name", fixed=True, where=" (the name of a field)")

    def _held(self, holder: dict[str, Any], key: str, value: dict[str, Any] | list[Any]) -> None:
        if key == "logit_bias" and isinstance(value, dict):
            if not all(_BIAS.fullmatch(token) and isinstance(bias, int | float) for token, bias in value.items()):
                raise FieldRefused("logit_bias", "holds something else than numbers of tokens")
        elif key in SCHEMAS:
            self._schema(value)
        elif key == "input" and isinstance(value, dict):
            # The arguments of a tool call, as an object.
            self._leaf(holder, key, "data")
        elif key in STRUCTURE:
            self._structure(value, key)
        elif key in CONTROL and _identifiers(value):
            for item in value:
                self._word(item, "name" if key in POINTERS else "word", fixed=True)
        else:
            self._leaf(holder, key, "extra")

    def _string(self, holder: dict[str, Any], key: str, value: str) -> None:
        if key in MADE_THERE or (key == "data" and holder.get("type") == "redacted_thinking"):
            self._opaque(value)
        elif key in NAMES and _IDENTIFIER.fullmatch(value):
            if "role" in holder and holder["role"] != "tool":
                self._leaf(holder, key, "person")
            else:
                self._name(holder, key)
        elif key in LINKS and _IDENTIFIER.fullmatch(value):
            self._name(holder, key)
        elif key in CONTROL and _IDENTIFIER.fullmatch(value):
            level: Level = "code" if key == "model" else "name" if key in POINTERS else "word"
            self._word(value, level, fixed=True)
        elif key in USERS and _IDENTIFIER.fullmatch(value):
            self._leaf(holder, key, "id")
        else:
            self._leaf(holder, key, "text")

    def _name(self, holder: Any, key: str | int) -> None:
        self.found.names.append(Leaf(holder, key))
        self._word(holder[key], "name", fixed=False)

    def _keys(self, holder: dict[str, Any]) -> None:
        self.found.keys.append(Keys(holder))
        for name in holder:
            self._word(name, "name", fixed=False)

    def _opaque(self, value: str) -> None:
        if value and self._made(value) is None:
            raise OpaqueRefused("".join(self._at).lstrip("."))
        self._pass(value)

    def _structure(self, value: dict[str, Any] | list[Any], key: str) -> None:
        if isinstance(value, list):
            for at, item in enumerate(value):
                self._at.append(f"[{at}]")
                if key in _HISTORY and len(self._at) == 2:
                    self._group = "".join(self._at)
                if isinstance(item, str):
                    self._leaf(value, at, "text")
                elif isinstance(item, dict | list):
                    self._structure(item, key)
                self._at.pop()
            return
        outside, self._system = self._system, self._system or value.get("role") in ("system", "developer")
        kind = value.get("type")
        if kind == "mcp" or key == "mcp_servers":
            self._remote(value)
        elif kind == "thinking" and (written := self._made(str(value.get("signature") or ""))) is not None:
            value["thinking"] = written
            self.found.quoted.append(written)
            self._only(value, set(value) - {"thinking"})
        elif isinstance(kind, str) and kind in MEDIA and key in _PLACES:
            self._medium(value, kind)
        else:
            self._only(value, set(value))
        self._system = outside

    def _only(self, value: dict[str, Any], names: set[str]) -> None:
        for name in list(value):
            self._key(name)
            if name in names:
                self.look(value, name)

    def _remote(self, value: dict[str, Any]) -> None:
        """Look at a remote server of tools: its keys pass."""
        self._only(value, set(value) - _MCP_KEYS - set(_MCP_FIELDS))
        for name, level in _MCP_FIELDS.items():
            if isinstance(text := value.get(name), str):
                self._word(text, level, fixed=True, where=f".{name}")

    def _medium(self, part: dict[str, Any], kind: str) -> None:
        """Look at a picture, a sound or a file; a document of plain text is text."""
        source = part.get("source")
        if isinstance(source, dict) and source.get("type") in ("text", "content"):
            if isinstance(source.get("data"), str):
                self._leaf(source, "data", "text")
            if isinstance(source.get("content"), str | list):
                self.look(source, "content")
            self._only(part, set(part) - {"source"})
            return
        if self._media == "refuse":
            raise MediaRefused(kind)
        for holder in (part, *(inner for inner in part.values() if isinstance(inner, dict))):
            for name, value in holder.items():
                if name in _MEDIA_FIELDS and isinstance(value, str):
                    if value.startswith(("http://", "https://")):
                        self._word(value, "word", fixed=True, where=f".{name}")
                    else:
                        self._pass(value)
                elif not isinstance(value, dict):
                    self.look(holder, name)

    def _pass(self, value: str) -> None:
        if len(value) >= _LONG and not any(char.isspace() for char in value):
            self.found.opaque.append(value)

    def _schema(self, schema: Any) -> None:
        """Look at a JSON schema: descriptions and values are texts, properties are names."""
        if isinstance(schema, list):
            for at, item in enumerate(schema):
                if isinstance(item, str) and item not in KNOWN:
                    self._leaf(schema, at, "text")
                self._schema(item)
        if not isinstance(schema, dict):
            return
        for key, value in schema.items():
            self._key(key)
            if key in _SCHEMA_NAMES and isinstance(value, dict):
                self._keys(value)
                for inner in value.values():
                    if key == "dependentRequired":
                        self._names(inner)
                    else:
                        self._schema(inner)
            elif key == "required" and isinstance(value, list):
                self._names(value)
            elif key in _SCHEMA_DATA:
                self._data(schema, key)
            elif isinstance(value, str):
                self._schema_string(schema, key, value)
            else:
                self._schema(value)

    def _schema_string(self, schema: dict[str, Any], key: str, value: str) -> None:
        if key == "$ref" and value.startswith("#"):
            self.found.refs.append(Leaf(schema, key))
        elif key in SCHEMA_WORDS:
            if not value.startswith(_SCHEMA_SITES):
                # The signs of a regular expression are no letters: `emma\.williams`.
                text = re.sub(r"\\([^\w\s])", r"\1", value) if key == "pattern" else value
                self._word(re.sub(r"\\\w", " ", text), "name", fixed=True, where=f" ({key})")
        else:
            self._leaf(schema, key, "text")

    def _names(self, value: Any) -> None:
        for at, item in enumerate(value if isinstance(value, list) else ()):
            if isinstance(item, str):
                self._name(value, at)

    def _data(self, holder: Any, key: str | int) -> None:
        """Look at data whose numbers must stay numbers: its strings are texts, the keys of its objects are names."""
        value = holder[key]
        if isinstance(value, str):
            self._leaf(holder, key, "text")
        elif isinstance(value, dict | list):
            if isinstance(value, dict):
                self._keys(value)
            for inner in list(value) if isinstance(value, dict) else range(len(value)):
                self._data(value, inner)
        elif isinstance(value, int | float) and abs(value) >= _LARGE:
            self._word(f"{value:.0f}", "code", fixed=True, where=" (a number)")


def _identifiers(value: dict[str, Any] | list[Any]) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) and _IDENTIFIER.fullmatch(item) for item in value)
