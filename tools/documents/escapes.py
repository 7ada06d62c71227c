"""Escaped text with the place of every character: XML and HTML entities, JSON strings, quoted CSV cells."""

import html
import json
import re
from collections.abc import Callable, Sequence
from functools import partial

from gama.tools.documents.base import Segment

# One character reference: &amp; &#39; &#x27; or a named one; else one character.
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});|[^&]+|&")
# One escape of JSON, a pair of them for characters beyond the basic plane; else characters without a backslash.
_JSON = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\[^u]|[^\\]+", re.DOTALL
)
_QUOTES = re.compile(r'""|[^"]+|"')


def xml_segment(raw: str, start: int, end: int, escape: Callable[[str], str] | None = None) -> Segment:
    """Return the segment of a stretch of XML or HTML text."""
    text, offsets = _read(raw, start, end, _ENTITY, html.unescape, "&")
    return Segment(start, end, text, escape or escape_text, offsets)


def json_segment(raw: str, start: int, end: int, *, ascii_only: bool) -> Segment:
    """Return the segment of what stands between the quotes of a JSON string."""
    text, offsets = _read(raw, start, end, _JSON, _from_json, "\\")
    return Segment(start, end, text, partial(_to_json, ascii_only=ascii_only), offsets)


def quoted_segment(raw: str, start: int, end: int) -> Segment:
    """Return the segment of what stands between the quotes of a CSV cell."""
    text, offsets = _read(raw, start, end, _QUOTES, lambda unit: '"' if unit == '""' else unit, '"')
    return Segment(start, end, text, lambda new: new.replace('"', '""'), offsets)


def plain_segment(raw: str, start: int, end: int, escape: Callable[[str], str] = str) -> Segment:
    """Return the segment of a stretch without escapes."""
    return Segment(start, end, raw[start:end], escape, range(start, end + 1))


def escape_text(text: str) -> str:
    """Write a text as XML text."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def escape_attribute(text: str) -> str:
    """Write a text as the value of an XML attribute, whichever quotes stand around it."""
    return escape_text(text).replace('"', "&quot;").replace("'", "&apos;").replace("\n", "&#10;")


def _read(
    raw: str, start: int, end: int, units: "re.Pattern[str]", undo: Callable[[str], str], sign: str
) -> tuple[str, Sequence[int]]:
    stretch = raw[start:end]
    if sign not in stretch:
        return stretch, range(start, end + 1)
    text: list[str] = []
    offsets: list[int] = []
    for match in units.finditer(raw, start, end):
        unit = match.group()
        plain = undo(unit) if unit.startswith(sign) else unit
        if len(plain) == len(unit):
            offsets += range(match.start(), match.end())
        else:
            # Whatever an escape stands for begins where the escape begins.
            offsets += [match.start()] * len(plain)
        text.append(plain)
    return "".join(text), [*offsets, end]


def _from_json(unit: str) -> str:
    return str(json.loads(f'"{unit}"'))


def _to_json(text: str, *, ascii_only: bool) -> str:
    return json.dumps(text, ensure_ascii=ascii_only)[1:-1]
