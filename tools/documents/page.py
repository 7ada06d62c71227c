"""HTML: one block for each paragraph, and for each attribute and comment that says something."""

import json
import re

from gama.tools.documents.base import Block, Document, Segment
from gama.tools.documents.escapes import plain_segment, xml_segment
from gama.tools.documents.flat import decoded, json_blocks
from gama.tools.documents.markup import Mark, read_attributes, read_marks

INLINE = frozenset(
    "a abbr b bdi bdo cite code data del dfn em font i ins kbd label mark q s samp small span strike strong sub sup "
    "time tt u var wbr".split()
)
"""Elements inside a paragraph: what they hold is read on with what stands beside them."""

MARKED = frozenset(("",))
"""The only part is markup."""

TELLING = frozenset(
    "alt title content value placeholder label summary caption href src action cite data-name data-email data-user "
    "aria-label aria-description datetime download".split()
)
"""Attributes that may say something of somebody."""

_CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)


def open_page(data: bytes, kind: str, encoding: str | None = None) -> Document:
    """Open an HTML page.

    Raises:
        InputError: the bytes are not text in the encoding of the page.
    """
    named = _CHARSET.search(data[:4096])
    if encoding is None and named and not data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        encoding = named[1].decode("ascii")
    text, encode = decoded(data, kind, encoding)
    blocks, others = page_blocks(text)
    return Document(kind, {"": text}, blocks, lambda parts: encode(parts.get("", text)), others=others, marked=MARKED)


def page_blocks(text: str, part: str = "") -> tuple[list[Block], list[Block]]:
    """Return the blocks of a page, and the places that hold no readable text."""
    blocks: list[Block] = []
    others: list[Block] = []
    reading: list[Segment | str] = []
    inside = ""

    def close() -> None:
        if any(isinstance(one, Segment) and one.text.strip() for one in reading):
            blocks.append(Block(part, tuple(reading)))
        reading.clear()

    for mark in read_marks(text):
        if mark.kind == "text" and inside:
            read = _of_code(text, mark, part)
            blocks += read
            others += _apart(text, mark, read, part)
        elif mark.kind == "text":
            reading.append(xml_segment(text, mark.start, mark.end))
        elif mark.kind in ("comment", "cdata"):
            blocks.append(Block(part, (plain_segment(text, mark.start, mark.end),)))
        else:
            name = mark.name.casefold()
            inside = _raw_text(name, mark, inside)
            if name == "br":
                reading.append("\n")
            elif name not in INLINE:
                close()
            found, more = _attributes(text, mark, part)
            blocks += found
            others += more
    close()
    return blocks, others


# Accepts, in a script or a style, a comment, and a string that says something: it has a space, an `@` or six digits.
_SAID = re.compile(
    r"/\*(?P<comment>.{1,2000}?)\*/|(?<![:\w/])//(?P<line>[^\n]{1,400})"
    r"|(?P<quote>[\"'`])(?P<string>(?:(?!(?P=quote))[^\\\n]|\\.){3,400})(?P=quote)",
    re.DOTALL,
)
_TELLS = re.compile(r"[^\W\d_]{2} \S|@|(?:\d[ -]?){6}")


def _of_code(text: str, mark: Mark, part: str) -> list[Block]:
    """Return the blocks of a script or a style: data in JSON as a whole, of code its comments and telling strings."""
    try:
        json.loads(text[mark.start : mark.end])
        return json_blocks(text, part=part, within=(mark.start, mark.end))
    except (ValueError, RecursionError):
        found = []
    for said in _SAID.finditer(text, mark.start, mark.end):
        name = next(one for one in ("comment", "line", "string") if said[one] is not None)
        if name != "string" or _TELLS.search(said[name]):
            found.append(Block(part, (plain_segment(text, *said.span(name)),)))
    return found


def _apart(text: str, mark: Mark, read: list[Block], part: str) -> list[Block]:
    """Return what of a script or a style is not read; what is known of a text is looked for there."""
    places = sorted((one.start, one.end) for block in read for one in block.segments if isinstance(one, Segment))
    bounds = [mark.start, *(place for pair in places for place in pair), mark.end]
    return [
        Block(part, (plain_segment(text, start, end),))
        for start, end in zip(bounds[::2], bounds[1::2], strict=True)
        if any(char.isalnum() for char in text[start:end])
    ]


def _raw_text(name: str, mark: Mark, inside: str) -> str:
    """Return the element whose content is no reading (a script, a style) and in which we are now."""
    if name in ("script", "style") and mark.kind == "open":
        return name
    return "" if name == inside and mark.kind == "close" else inside


def _attributes(text: str, mark: Mark, part: str) -> tuple[list[Block], list[Block]]:
    blocks: list[Block] = []
    others: list[Block] = []
    if mark.kind != "close":
        for attribute in read_attributes(text, mark):
            if any(char.isalpha() or char.isdigit() for char in attribute.segment.text):
                block = Block(part, (attribute.segment,))
                (blocks if attribute.name.casefold() in TELLING else others).append(block)
    return blocks, others
