"""Reading markup with the place of everything: tags, attributes and texts of XML and HTML."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple
from xml.parsers import expat

from gama.tools.documents.base import Segment, unreadable
from gama.tools.documents.escapes import escape_attribute, xml_segment

# A comment, a CDATA section, an instruction, a declaration, or a tag, whose quoted values may hold any sign.
_MARK = re.compile(
    r"<!--(?P<comment>.*?)-->|<!\[CDATA\[(?P<cdata>.*?)\]\]>|<\?.*?\?>|<![^>]*>"
    r"|<(?P<close>/?)(?P<name>[A-Za-z_][\w:.\-]*)(?P<rest>(?:[^<>\"']|\"[^\"]*\"|'[^']*')*?)(?P<empty>/?)>",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(
    r"(?P<name>[\w:.\-]+)\s*=\s*(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|(?P<bare>[^\s\"'>]+))"
)


class Mark(NamedTuple):
    """A tag, a text, or something else of a document with markup."""

    kind: Literal["open", "close", "empty", "text", "comment", "cdata"]
    name: str
    """Local name of a tag, without its prefix."""
    start: int
    end: int


class Attribute(NamedTuple):
    """An attribute and its value."""

    name: str
    """Local name."""
    segment: Segment


def read_marks(raw: str) -> Iterator[Mark]:
    """Yield tags, texts, comments and CDATA sections in order."""
    at = 0
    for match in _MARK.finditer(raw):
        if at < match.start():
            yield Mark("text", "", at, match.start())
        at = match.end()
        if match["comment"] is not None:
            yield Mark("comment", "", match.start("comment"), match.end("comment"))
        elif match["cdata"] is not None:
            yield Mark("cdata", "", match.start("cdata"), match.end("cdata"))
        elif match["name"]:
            kind: Literal["open", "close", "empty"] = (
                "close" if match["close"] else "empty" if match["empty"] else "open"
            )
            yield Mark(kind, match["name"].rpartition(":")[2], match.start(), match.end())
    if at < len(raw):
        yield Mark("text", "", at, len(raw))


def read_attributes(raw: str, mark: Mark) -> Iterator[Attribute]:
    """Yield the attributes of a tag."""
    name = re.compile(r"<[\w:.\-]+").match(raw, mark.start)
    for match in _ATTRIBUTE.finditer(raw, name.end() if name else mark.start, mark.end):
        group = next(one for one in ("double", "single", "bare") if match[one] is not None)
        local = match["name"]
        if not local.startswith("xmlns"):
            yield Attribute(
                local.rpartition(":")[2],
                xml_segment(raw, match.start(group), match.end(group), escape_attribute),
            )


def everything_said(raw: str) -> str:
    """Return all texts, comments and values of attributes, one a line; runs of a paragraph follow each other."""
    said: list[str] = []
    values: list[str] = []
    for mark in read_marks(raw):
        if mark.kind in ("open", "empty"):
            values += [attribute.segment.text for attribute in read_attributes(raw, mark)]
            if mark.name in ("p", "si", "c", "td", "div", "li"):
                said.append("\n")
        elif mark.kind != "close":
            said.append(xml_segment(raw, mark.start, mark.end).text)
    return "".join(said) + "\n" + "\n".join(values)


def check_xml(data: bytes, kind: str, part: str) -> None:
    """Refuse XML that is not well-formed or declares entities.

    Raises:
        InputError: the part is not well-formed, or declares a document type.
    """

    def refuse(*declaration: object) -> None:
        raise unreadable(kind, f"its part {part!r} declares a document type, which such documents never do.")

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse
    problem = ""
    try:
        parser.Parse(data, True)
    except expat.ExpatError:
        problem = f"its part {part!r} is no well-formed XML."
    if problem:
        raise unreadable(kind, problem)
