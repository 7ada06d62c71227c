"""JSON and lines of JSON: one block for each string and number, with its key as context; spacing and order stay."""

import json
import re

from gama.tools.documents.base import Block, Document, Segment, unreadable
from gama.tools.documents.escapes import json_segment
from gama.tools.documents.flat import decoded

# A string, or a number with enough digits to mean somebody.
_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|(?<![\w.+-])(-?[0-9]+(?:\.[0-9]+)?)(?![\w.])')
_KEY = re.compile(r"\s*:")


def open_json(data: bytes, kind: str, encoding: str | None = None) -> Document:
    """Open JSON or lines of JSON.

    Raises:
        InputError: the text is not valid JSON.
    """
    text, encode = decoded(data, kind, encoding)
    _check(text, kind)
    ascii_only = text.isascii() and "\\u" in text
    blocks: list[Block] = []
    label = ""
    for match in _TOKEN.finditer(text):
        start, end = match.span(1) if match[1] is not None else match.span(2)
        if match[1] is None:
            segment = Segment(start, end, match[2], _number)
        else:
            segment = json_segment(text, start, end, ascii_only=ascii_only)
        is_key = match[1] is not None and bool(_KEY.match(text, match.end()))
        if is_key:
            label = f"{segment.text}: "
        if any(char.isalnum() for char in segment.text):
            blocks.append(Block("", (segment,), label="" if is_key else label))
    return Document(kind, {"": text}, blocks, lambda parts: encode(parts.get("", text)))


def _check(text: str, kind: str) -> None:
    pieces = (
        [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()] if kind == "jsonl" else [(0, text)]
    )
    for number, piece in pieces:
        try:
            json.loads(piece)
        except (ValueError, RecursionError) as error:
            line = number or getattr(error, "lineno", 0)
            where = f"line {line}" if line else "it"
            raise unreadable(kind, f"{where} is not valid JSON. As a plain text it is read by --format txt.") from None


def _number(text: str) -> str:
    """Write a number, or the placeholder in its place, which is a string."""
    return text if re.fullmatch(r"-?[0-9]+(?:\.[0-9]+)?", text) else json.dumps(text)
