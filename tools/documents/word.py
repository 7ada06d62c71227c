"""Word documents (docx): paragraphs of the text, tables, headers, footers, notes, comments and boxes.

A paragraph is read over the bounds of its runs: a name of which half is bold is one name. What replaces it stands in
the first of its runs; the others keep what else they have.
"""

from gama.tools.documents.base import Block, Document, Room, Segment
from gama.tools.documents.escapes import xml_segment
from gama.tools.documents.markup import read_marks
from gama.tools.documents.package import Open, Package, is_xml, open_package

_TEXTS = frozenset(("t", "delText"))
_FIELDS = frozenset(("instrText", "delInstrText"))
_MARKS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "softHyphen": ""}


def open_word(data: bytes, kind: str, open_inner: Open, room: Room) -> Document:
    """Open a Word document.

    Raises:
        InputError: it cannot be read.
        LimitReached: there is no room for it.
    """
    return open_package(data, kind, open_inner, _read, room)


def _read(package: Package) -> tuple[list[Block], set[tuple[str, int]]]:
    blocks: list[Block] = []
    taken: set[tuple[str, int]] = set()
    # The text itself first: names are met there in full.
    names = sorted((name for name in package.parts if is_xml(name)), key=lambda name: name != "word/document.xml")
    for name in names:
        if name.startswith("word/") and not name.endswith(".rels"):
            found = paragraphs(name, package.parts[name])
            blocks += found
            taken |= {(name, one.start) for block in found for one in block.segments if isinstance(one, Segment)}
    return blocks, taken


def paragraphs(part: str, raw: str) -> list[Block]:
    """Return the paragraphs of a part, those of boxes inside a paragraph as their own, and the codes of fields."""
    blocks: list[Block] = []
    reading: list[list[Segment | str]] = []
    codes: list[Segment | str] = []
    inside = ""
    for mark in read_marks(raw):
        if mark.kind == "text":
            if inside in _TEXTS and reading:
                reading[-1].append(xml_segment(raw, mark.start, mark.end))
            elif inside in _FIELDS:
                # The code of a field may be cut into several runs as well.
                codes.append(xml_segment(raw, mark.start, mark.end))
        elif mark.kind == "open":
            if mark.name == "p":
                reading.append([])
            elif mark.name in _TEXTS | _FIELDS:
                inside = mark.name
        elif mark.kind == "close":
            if mark.name in _TEXTS | _FIELDS:
                inside = ""
            elif mark.name == "p" and reading:
                blocks += [Block(part, tuple(found)) for found in (reading.pop(), codes) if _has_text(found)]
                codes = []
        elif mark.kind == "empty" and reading and mark.name in _MARKS and reading[-1]:
            reading[-1].append(_MARKS[mark.name])
    return blocks


def _has_text(found: list[Segment | str]) -> bool:
    return any(isinstance(one, Segment) and one.text.strip() for one in found)
