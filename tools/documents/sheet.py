"""Excel workbooks (xlsx): cells of all sheets, hidden ones too, shared strings, formulas, comments, drawings, names.

A cell is read with the head of its column. A number that is private becomes a text; so does a date, which a
workbook keeps as a number of days. In formulas the texts in quotes and the names of sheets are changed.
"""

import re
from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

from gama.tools.documents.base import Block, Document, Room, Segment
from gama.tools.documents.escapes import escape_text, xml_segment
from gama.tools.documents.markup import Mark, read_attributes, read_marks
from gama.tools.documents.package import Open, Package, is_xml, open_package
from gama.tools.documents.word import paragraphs

_STRINGS = "xl/sharedStrings.xml"
# In a formula: a text in quotes, the name of a sheet in apostrophes, or a bare name of a sheet before its "!".
_IN_FORMULA = re.compile(r'"((?:[^"]|"")*)"|\'((?:[^\']|\'\')*)\'(?=!)|(?<![\w.\'])([^\W\d][\w.]*)(?=!)')

# A code in a header or footer: a place (&L &C &R), a field (&P &D &A …), a font, size or colour.
_HEADER_CODE = re.compile(r'&(?:K[0-9A-Fa-f]{6}|"[^"]*"|\d{1,3}|[A-Z&])')


class _Cell(NamedTuple):
    """A cell as its sheet writes it."""

    start: int
    end: int
    reference: str
    kind: str
    style: int
    value: Mark | None
    formula: Mark | None
    inline: tuple[Mark, ...]


def open_sheet(data: bytes, kind: str, open_inner: Open, room: Room) -> Document:
    """Open a workbook.

    Raises:
        InputError: it cannot be read.
        LimitReached: there is no room for it.
    """
    return open_package(data, kind, open_inner, _read, room)


def _read(package: Package) -> tuple[list[Block], set[tuple[str, int]]]:
    shared = _strings(_STRINGS, package.parts.get(_STRINGS, ""), "si")
    dates = _Dates(package)
    blocks: list[Block] = []
    used: set[int] = set()
    # Cells first: names are met there with the heads of their columns.
    for name in sorted(package.parts, key=lambda name: (not name.startswith("xl/worksheets/"), name)):
        if re.fullmatch(r"xl/worksheets/[^/]+\.xml", name):
            blocks += _sheet(name, package.parts[name], shared, used, dates)
        elif name.startswith("xl/") and is_xml(name) and not name.endswith(".rels") and name != _STRINGS:
            raw = package.parts[name]
            blocks += paragraphs(name, raw)
            blocks += [block for block in _strings(name, raw, "text") if block.segments]
            blocks += _formulas(name, raw)
            blocks += _cached(name, raw)
    blocks += [block for n, block in enumerate(shared) if n not in used and block.segments]
    taken = {(block.part, one.start) for block in blocks for one in block.segments if isinstance(one, Segment)}
    for name, raw in package.parts.items():
        if name.startswith("xl/worksheets/") and is_xml(name):
            # Values and formulas of cells are read above, as far as they say something.
            taken |= {(name, mark.start) for mark in read_marks(raw) if mark.kind == "text"}
        elif is_xml(name):
            taken |= _formula_places(name, raw)
    return blocks, taken


def _strings(part: str, raw: str, element: str) -> list[Block]:
    """Return the texts of all elements of a name, the runs of each read as one; phonetic readings too."""
    found: list[Block] = []
    reading: list[Segment | str] = []
    inside = begun = False
    for mark in read_marks(raw):
        if mark.name == element and mark.kind in ("open", "empty"):
            reading, begun = [], mark.kind == "open"
            if mark.kind == "empty":
                found.append(Block(part, ()))
        elif mark.name == element:
            found.append(Block(part, tuple(reading)))
            begun = False
        elif mark.name == "t":
            inside = mark.kind == "open"
        elif mark.kind == "text" and (inside or (element == "text" and begun and raw[mark.start : mark.end].strip())):
            reading.append(xml_segment(raw, mark.start, mark.end))
    return found


def _sheet(part: str, raw: str, shared: list[Block], used: set[int], dates: "_Dates") -> Iterable[Block]:
    heads: dict[str, str] = {}
    first_row = ""
    row_before = ""
    for cell in _cells(raw):
        column, row = re.sub(r"\d", "", cell.reference), re.sub(r"\D", "", cell.reference)
        first_row = first_row or row
        label = heads.get(column, "") if row != first_row else ""
        glue = "; " if row == row_before else "\n"
        block = _cell_block(part, raw, cell, shared, dates)
        if cell.formula is not None:
            yield from formula_blocks(part, raw, cell.formula)
        if block is None or not block.text.strip():
            continue
        if row == first_row and cell.kind in ("s", "inlineStr") and not re.search(r"(?<![a-z_])\d{2}|@", block.text):
            heads[column] = f"{block.text}: "
        if cell.kind == "s":
            number = int(raw[cell.value.start : cell.value.end]) if cell.value else -1
            if number in used:
                continue
            used.add(number)
        row_before = row
        yield Block(block.part, block.segments, label=label, glue=glue, column=f"{part}:{column}" if label else "")
    yield from _rest(part, raw)


def _cell_block(part: str, raw: str, cell: _Cell, shared: list[Block], dates: "_Dates") -> Block | None:
    if cell.kind == "inlineStr":
        return Block(part, tuple(xml_segment(raw, mark.start, mark.end) for mark in cell.inline))
    if cell.value is None:
        return None
    value = raw[cell.value.start : cell.value.end]
    if cell.kind == "s":
        return shared[int(value)] if value.strip().isdigit() and int(value) < len(shared) else None
    if cell.kind == "str":
        return Block(part, (xml_segment(raw, cell.value.start, cell.value.end),))
    if cell.kind in ("b", "e"):
        return None
    shown = dates.shown(value, cell.style) or value
    return Block(part, (Segment(cell.start, cell.end, shown, partial(_text_cell, raw[cell.start : cell.end], shown)),))


def _text_cell(old: str, shown: str, text: str) -> str:
    """Write a cell that held a number as one that holds a text."""
    if text == shown:
        return old
    opening = re.match(r"<[^>]*>", old)
    assert opening is not None
    prefix = re.match(r"<([\w]+:)?", old)
    ns = (prefix[1] if prefix else None) or ""
    head = re.sub(r"\st=(?:\"[^\"]*\"|'[^']*')", "", opening[0])[:-1]
    formula = re.search(rf"<{ns}f[ >/].*(?:</{ns}f>|/>)", old, re.DOTALL)
    if formula:
        return f'{head} t="str">{formula[0]}<{ns}v>{escape_text(text)}</{ns}v></{ns}c>'
    return f'{head} t="inlineStr"><{ns}is><{ns}t>{escape_text(text)}</{ns}t></{ns}is></{ns}c>'


def _cells(raw: str) -> Iterable[_Cell]:
    start, reference, kind, style = 0, "", "n", 0
    value = formula = None
    inline: list[Mark] = []
    inside: list[str] = []
    for mark in read_marks(raw):
        if mark.kind == "open":
            inside.append(mark.name)
            if mark.name == "c":
                named = {one.name: one.segment.text for one in read_attributes(raw, mark)}
                start, reference, kind = mark.start, named.get("r", ""), named.get("t", "n")
                style = int(named.get("s", "0"))
                value, formula, inline = None, None, []
        elif mark.kind == "close":
            while inside and inside.pop() != mark.name:
                pass
            if mark.name == "c":
                yield _Cell(start, mark.end, reference, kind, style, value, formula, tuple(inline))
        elif mark.kind == "text" and "c" in inside:
            if inside[-1] == "v":
                value = mark
            elif inside[-1] == "f":
                formula = mark
            elif inside[-1] == "t":
                inline.append(mark)


def formula_blocks(part: str, raw: str, mark: Mark) -> Iterable[Block]:
    """Return the texts and names of sheets in a formula."""
    whole = xml_segment(raw, mark.start, mark.end)
    assert whole.offsets is not None
    for match in _IN_FORMULA.finditer(whole.text):
        group = next(n for n in (1, 2, 3) if match[n] is not None)
        start, end = whole.offsets[match.start(group)], whole.offsets[match.end(group)]
        doubled = '"' if group == 1 else "'"
        if any(char.isalnum() for char in match[group]):
            escape = partial(_in_formula, sign=doubled, quote=group == 3)
            yield Block(part, (Segment(start, end, match[group].replace(doubled * 2, doubled), escape),))


def _in_formula(text: str, sign: str, quote: bool) -> str:
    """Write a text into a formula; a bare name of a sheet gets apostrophes if it needs them."""
    inner = escape_text(text.replace(sign, sign * 2))
    return f"'{inner}'" if quote and not re.fullmatch(r"[^\W\d][\w.]*", text) else inner


def _rest(part: str, raw: str) -> Iterable[Block]:
    """Return what a sheet says besides its cells: header and footer, lists of allowed values, conditions."""
    inside = ""
    for mark in read_marks(raw):
        if mark.kind == "open":
            inside = mark.name
        elif mark.kind == "close":
            inside = ""
        elif mark.kind == "text" and inside.endswith(("Header", "Footer")):
            yield from _header_blocks(part, raw, mark)
        elif mark.kind == "text" and inside in ("formula", "formula1", "formula2"):
            yield from formula_blocks(part, raw, mark)


def _header_blocks(part: str, raw: str, mark: Mark) -> Iterable[Block]:
    """Return the texts between the codes of a header: `&CThe title` is `The title`, centred."""
    whole = xml_segment(raw, mark.start, mark.end)
    assert whole.offsets is not None
    at = 0
    for match in [*_HEADER_CODE.finditer(whole.text), None]:
        stop = match.start() if match else len(whole.text)
        if any(char.isalnum() for char in whole.text[at:stop]):
            yield Block(part, (xml_segment(raw, whole.offsets[at], whole.offsets[stop]),))
        at = match.end() if match else stop


def _formulas(part: str, raw: str) -> Iterable[Block]:
    """Return the texts in formulas of other parts: names of ranges, references of charts."""
    for mark in _within(raw, ("definedName", "f")):
        yield from formula_blocks(part, raw, mark)


def _cached(part: str, raw: str) -> Iterable[Block]:
    """Return values that charts and other parts keep a copy of."""
    for mark in _within(raw, ("v",)):
        yield Block(part, (xml_segment(raw, mark.start, mark.end),))


def _within(raw: str, names: tuple[str, ...]) -> Iterable[Mark]:
    inside: list[str] = []
    for mark in read_marks(raw):
        if mark.kind == "open":
            inside.append(mark.name)
        elif mark.kind == "close" and inside:
            inside.pop()
        elif mark.kind == "text" and inside and inside[-1] in names and raw[mark.start : mark.end].strip():
            # Texts inside a paragraph of a drawing are read with it.
            if "p" not in inside:
                yield mark


def _formula_places(part: str, raw: str) -> set[tuple[str, int]]:
    return {(part, mark.start) for mark in _within(raw, ("definedName", "f"))} if part.startswith("xl/") else set()


class _Dates:
    """Tells which numbers are dates, and which date they are."""

    def __init__(self, package: Package) -> None:
        raw = package.parts.get("xl/styles.xml", "")
        custom: dict[int, str] = {}
        self._formats: list[int] = []
        within = ""
        for mark in read_marks(raw):
            if mark.kind == "close":
                within = "" if mark.name == within else within
            elif mark.kind in ("open", "empty"):
                named = {one.name: one.segment.text for one in read_attributes(raw, mark)}
                if mark.name == "cellXfs":
                    within = "cellXfs"
                elif mark.name == "numFmt":
                    custom[int(named.get("numFmtId", "0"))] = named.get("formatCode", "")
                elif mark.name == "xf" and within == "cellXfs":
                    self._formats.append(int(named.get("numFmtId", "0")))
        self._custom = custom
        self._late = bool(re.search(r"date1904=[\"'](?:1|true)[\"']", package.parts.get("xl/workbook.xml", "")))

    def shown(self, value: str, style: int) -> str | None:
        """Return a number as the date it is shown as, in ISO form; None where it is not shown as a date."""
        number = self._formats[style] if style < len(self._formats) else 0
        code = re.sub(r'"[^"]*"|\[[^\]]*\]|\\.', "", self._custom.get(number, "")).casefold()
        is_date = 14 <= number <= 22 or bool(re.search(r"[dy]", code))
        if not is_date or not re.fullmatch(r"\d{1,7}(?:\.\d+)?", value):
            return None
        from datetime import date, timedelta

        days = int(float(value)) + (1462 if self._late else 0)
        # The day zero of Excel, with its leap day of 1900 that never was.
        return (date(1899, 12, 30) + timedelta(days=days)).isoformat() if 60 < days < 2_958_466 else None
