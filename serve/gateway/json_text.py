"""JSON texts: tool arguments, tool results, structured answers. Read as lines, changed string by string.

A detector reads `name: Thessaly` better than `{"name":"Thessaly"}`, and an escaped value is not the
value. So the strings of a JSON text are unescaped and laid out as lines for reading, and put back
one by one: all else in the text stays as it is, to the byte.
"""

import json
import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

DEEPEST = 3
"""How deep JSON inside strings of JSON is read."""

# Strings and numbers of a text that is known to be JSON; between them stand only signs, spaces and three words.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?', re.DOTALL)
_COLON = re.compile(r"\s*:")


class Piece(NamedTuple):
    """A string or number of a JSON text, unescaped."""

    value: str
    kind: Literal["key", "text", "number"]


class Layout(NamedTuple):
    """The pieces of a JSON text as lines, and where each stands."""

    text: str
    places: tuple[tuple[int, int], ...]


def is_json(text: str) -> bool:
    """Return whether a text is a JSON object or list."""
    start = text.lstrip()[:1]
    if start not in ("{", "["):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def pieces(text: str, depth: int = 0) -> Iterator[Piece]:
    """Yield the pieces of a JSON text in order; a string that is JSON itself gives its own pieces."""
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token[0] != '"':
            yield Piece(token, "number")
            continue
        value = json.loads(token, strict=False)
        if _COLON.match(text, match.end()):
            yield Piece(value, "key")
        elif depth < DEEPEST and is_json(value):
            yield from pieces(value, depth + 1)
        else:
            yield Piece(value, "text")


def lay_out(found: list[Piece]) -> Layout:
    """Write pieces as lines: `key: value`."""
    out: list[str] = []
    places: list[tuple[int, int]] = []
    at = 0
    for value, kind in found:
        places.append((at, at + len(value)))
        line = value + (": " if kind == "key" else "\n")
        out.append(line)
        at += len(line)
    return Layout("".join(out), tuple(places))


def rebuild(text: str, values: Iterator[str], depth: int = 0) -> str:
    """Return a JSON text with new values for its pieces, in order; what is unchanged keeps its form.

    A number that is changed becomes a string.
    """
    out: list[str] = []
    at = 0
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token[0] != '"':
            new = next(values)
            changed = token if new == token else json.dumps(new, ensure_ascii=False)
        else:
            old = json.loads(token, strict=False)
            nested = depth < DEEPEST and not _COLON.match(text, match.end()) and is_json(old)
            new = rebuild(old, values, depth + 1) if nested else next(values)
            changed = token if new == old else json.dumps(new, ensure_ascii=False)
        out += [text[at : match.start()], changed]
        at = match.end()
    return "".join([*out, text[at:]])
