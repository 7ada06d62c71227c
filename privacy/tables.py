"""Tables, records and bills in a text: where they stand, and what in them is somebody's.

What a table is about is seldom its figures' owner: a timetable, a price list, a log are nobody's, and where
something is asked of a table of people its figures are what is reckoned with, the names hidden beside them.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product
from typing import TYPE_CHECKING

import regex

from gama.privacy.columns import (
    CODED,
    DIRECT,
    FIGURE,
    NAMED,
    Cell,
    by_column,
    columns_in,
    declared,
    phrases,
    settle_columns,
    stems,
    words_of,
)
from gama.privacy.decide import by_person, cut, value_key
from gama.privacy.identify import patterns_in
from gama.privacy.relations import SOMEBODY
from gama.privacy.request import find_request
from gama.privacy.select import Need, Query, marked
from gama.state.entities import Entity
from gama.state.errors import InputError
from gama.state.options import Options
from gama.tools.tables import late

if TYPE_CHECKING:
    from gama.tools.documents.base import Segment

_REACHED = frozenset(("street_address", "postcode", "coordinates", "date_of_birth"))
"""What else leads to somebody."""
# Accepts a number of a house, in a name of a street.
_HOUSE = regex.compile(r"(?<!\p{L})\p{N}|\p{N}\s*$")
# Accepts what stands between two cells of a line whose columns are aligned by gaps.
_GAPS = regex.compile(r" {2,}|\t\s*|\s+\|\s+")
# Accepts a kind of booking at an end of a name of the tagger's, or several.
_BOOKING = late(
    re.compile,
    rf"(?:(?<!\w)(?:{patterns_in('shorthand.txt')['booking']})(?!\w)\s*)+",
    re.IGNORECASE,
)
# Accepts when a machine wrote a line, to the second: `2024-07-02T03:14:07Z`, `12/Mar/2024:06:41:08 +0000`,
# `Thu Apr 11 17:02:39 2024`, and a clock at the start of a line, `[03:14:07.221]`.
_STAMP = re.compile(
    r"(?<!\d)\d{4}[-/]\d\d[-/]\d\d(?:T|T? |, )\d\d:\d\d(?::\d\d(?:[.,]\d+)?|(?=Z))(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?"
    r"|(?<!\d)\d{1,2}/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d(?: [+-]\d{4})?"
    r"|\b(?:[A-Z][a-z]{2},? )?(?:[A-Z][a-z]{2} {1,2}\d{1,2}|\d{1,2} [A-Z][a-z]{2}(?: \d{4})?),? \d\d:\d\d:\d\d"
    r"(?: [A-Z]{3,4})?(?: \d{4})?(?: [+-]\d{4})?"
    r"|^[\[(]?\d\d:\d\d:\d\d(?:[.,]\d+)?(?!\w)",
    re.MULTILINE,
)
_BILLED = frozenset(("amount", "expenses", "tax_payment", "social_security_payment", "roi", "time", "result"))
"""What is counted in the lines of an account or a bill; what somebody earns, has or owes is not."""
_KEY = regex.compile(r"""(?:["']?(?P<key>\w[\w .-]{0,30}?)["']?\s*[:=]\s*["']?)$""")

TABLE = 4
"""Lines with as many delimiters one after the other that make a table: a head and three rows."""

ALIGNED = "  "
"""The delimiter of a table whose columns are aligned by gaps."""
GAP = re.compile(r"(?<=\S)(?: {2,}| *\t\s*)(?=\S)")


def tables_in(text: str) -> list[tuple[int, int, str]]:
    """Return where tables stand in a text, as begin, end and delimiter; two spaces where gaps align the columns."""
    if text.count("\n") < TABLE - 1:
        return []
    lines: list[tuple[int, int]] = []
    at = 0
    for line in text.splitlines(keepends=True):
        lines.append((at, at + len(line.rstrip("\r\n"))))
        at += len(line)
    found: list[tuple[int, int, str]] = []
    for delimiter, least in (("\t", 1), ("|", 2), (";", 2), (",", 2), (ALIGNED, 2)):
        if delimiter not in text:
            continue
        if delimiter == ALIGNED:
            counts = [sum(1 for _ in GAP.finditer(text, start, end)) for start, end in lines]
        else:
            counts = [text.count(delimiter, start, end) for start, end in lines]
        first = 0
        for number in range(1, len(counts) + 1):
            if number < len(counts) and counts[number] == counts[first]:
                continue
            start, end = lines[first][0], lines[number - 1][1]
            apart_from = all(end <= begin or stop <= start for begin, stop, _ in found)
            if counts[first] >= least and number - first >= TABLE and apart_from:
                found.append((start, end, delimiter))
            first = number
        if delimiter == ALIGNED:
            found += _uneven(lines, counts, found)
    return sorted(found)


def _uneven(
    lines: Sequence[tuple[int, int]], counts: Sequence[int], found: Sequence[tuple[int, int, str]]
) -> list[tuple[int, int, str]]:
    """Return where lines with gaps follow each other, in most of which there are several, and some cells are empty."""
    tables, first = [], 0
    for number in range(len(counts) + 1):
        if number < len(counts) and counts[number]:
            continue
        start, end = lines[first][0] if first < number else 0, lines[number - 1][1]
        several = sum(count > 1 for count in counts[first:number])
        if number - first >= TABLE and 2 * several >= number - first:
            if all(end <= begin or stop <= start for begin, stop, _ in found):
                tables.append((start, end, ALIGNED))
        first = number + 1
    return tables


# Accepts a field of a record before its value: `"qty": `, `status=`, `hours="`, and at the start of a line `price: `.
FIELD = r"""(?:["']\w[\w .-]{0,30}["']\s*:|(?<![\w?&/])\w[\w.-]{0,30}=(?!=)|^[ \t-]*[a-z]\w{0,30}:)\s*(?=\S)"""
_FIELD = re.compile(FIELD, re.MULTILINE)
# Accepts a field with its value, if that is short.
_FIELDS = regex.compile(FIELD + r"""(?:"[^"\n]{0,80}"|'[^'\n]{0,80}'|[^\s,;}\]]{1,80})""", regex.MULTILINE)
VALUES = "VALUES"
"""What an SQL statement says before the rows of a table."""
# Accepts a line of an account or a bill: words and a sum with two decimals, or several.
BOOKED = re.compile(
    r"^(?=.*[^\W\d_]{2}).{2,120}?(?<![\d.,])[-+£$€]{0,2}\d{1,3}(?:[.,]?\d{3})*[.,]\d{2}(?![\d.,]*\d).{0,40}$",
    re.MULTILINE,
)


LEAST = 3
"""Fields that make a record, and lines that make an account."""


def is_record(text: str) -> bool:
    """Return whether a text holds a record of fields, the lines of an account, three of them, or rows of a table."""
    several = any(len(list(islice(pattern.finditer(text), LEAST))) == LEAST for pattern in (_FIELD, BOOKED))
    return several or VALUES in text


def settle_tables(text: str, found: Sequence[Entity], options: Options) -> list[Entity]:
    """Return the mentions of a text with tables, records or lines of bills in it, those in them decided by column.

    Where nobody is named nor spoken of, facts there are nobody's; where the text asks something of a table, its figures
    stay, those of the columns that it names if there are such, but under a level that somebody has chosen.

    Args:
        text: of a prompt.
        found: its mentions.
        options: say the level.
    """
    cells = cells_in(text)
    if not (cells or is_record(text)):
        return without_stamps(text, found)
    out = settle_fields(text, _without_bookings(text, _cut_at_gaps(text, without_stamps(text, found))))
    if cells:
        (out,) = settle_columns([(text, out)], cells)
        out = without_heads(text, out)
    inside = _stretches(text, cells)
    outside = _without(text, inside)
    asked = find_request(outside).text if options.privacy == "auto" else ""
    public = {id(one) for one in out if any(start <= one.start and one.end <= end for start, end in inside)}
    named = any(one.private and (one.type in DIRECT or _is_reached(one)) for one in out)
    if not named and (asked or not SOMEBODY.search(outside)):
        public = {id(one) for one in out if id(one) in public and not _is_reached(one)}
    elif asked:
        public &= _asked_about(text, out, cells, asked)
    else:
        return out
    return [
        one.model_copy(update={"private": False}) if id(one) in public and one.private and not by_person(one) else one
        for one in out
    ]


def _stretches(text: str, cells: Sequence[Cell]) -> list[tuple[int, int]]:
    """Return where tables, records and lines of bills stand."""
    found = [(cell.start, cell.end) for cell in cells]
    for pattern in (_FIELDS, BOOKED):
        lines = [line.span() for line in pattern.finditer(text)]
        found += lines if len(lines) >= LEAST else []
    return sorted(found)


def _is_reached(one: Entity) -> bool:
    """Return whether a place or a date leads to somebody: a street does with a number of a house."""
    return one.subtype in _REACHED and (one.subtype != "street_address" or _HOUSE.search(one.text) is not None)


def without_stamps(text: str, found: Sequence[Entity]) -> list[Entity]:
    """Return the mentions of a text, those public that are the stamps of machines: `2024-07-02 03:14:07,221`."""
    stamps = [stamp.span() for stamp in _STAMP.finditer(text)]
    return [
        one.model_copy(update={"private": False})
        if one.private
        and one.type == "DATETIME"
        and not by_person(one)
        and any(start <= one.start and one.end <= end for start, end in stamps)
        else one
        for one in found
    ]


def _without_bookings(text: str, found: Sequence[Entity]) -> list[Entity]:
    """Return mentions without the words that say what kind of booking a line is: `Lastschrift Stadtwerke Abschlag`."""
    out: list[Entity] = []
    for one in found:
        words = [] if by_person(one) or one.type == "CODE" else [word.span() for word in _BOOKING.finditer(one.text)]
        out += cut(one, [(one.start + a, one.start + b) for a, b in words]) if words else [one]
    return out


def _without(text: str, stretches: Sequence[tuple[int, int]]) -> str:
    parts, at = [], 0
    for start, end in stretches:
        parts.append(text[at : max(at, start)])
        at = max(at, end)
    return "\n".join([*parts, text[at:]])


def _asked_about(text: str, found: Sequence[Entity], cells: Sequence[Cell], asked: str) -> set[int]:
    """Return which mentions what is asked is about: the columns that it names, or else all figures; nobody's names."""
    wanted = stems(asked)
    columns = columns_in([(text, found)], cells)
    told = [(column, declared(column.head) != "head" and bool(stems(column.head) & wanted)) for column in columns]
    named = {id(one) for column, is_named in told if is_named for _, inside in column.cells for one in inside}
    listed = {id(one) for column in columns for _, inside in column.cells for one in inside}
    asked_for = {
        id(one)
        for column in columns
        if declared(column.head) == "asked"
        for _, inside in column.cells
        for one in inside
    }
    facts = [one for one in found if one.type not in DIRECT and one.subtype not in _REACHED]
    figures = {id(one) for one in facts if one.type in ("DATETIME", "QUANTITY") or FIGURE.fullmatch(one.text.strip())}
    if any(id(one) in named and id(one) in figures for one in facts):
        figures = {one for one in figures if one in named or one not in listed}
    return figures | {id(one) for one in facts if id(one) in named | asked_for}


def _cut_at_gaps(text: str, found: Sequence[Entity]) -> list[Entity]:
    """Return mentions none of which reaches over the gap between two columns."""
    out: list[Entity] = []
    for one in found:
        gaps = [] if by_person(one) else [gap.span() for gap in _GAPS.finditer(text, one.start, one.end)]
        out += cut(one, gaps) if gaps else [one]
    return out


def settle_fields(text: str, found: Sequence[Entity]) -> list[Entity]:
    """Return the mentions of a text in which those are public that fields of records, and lines of bills, say are.

    Args:
        text: of a prompt, with JSON, YAML, log lines, an invoice.
        found: its mentions.
    """
    lines = [line.span() for line in BOOKED.finditer(text)]
    booked = lines if len(lines) >= LEAST else []
    return [
        one.model_copy(update={"private": False})
        if one.private and not by_person(one) and (_is_kept(text, one) or _is_booked(one, booked))
        else one
        for one in found
    ]


def _is_kept(text: str, one: Entity) -> bool:
    """Return whether the field before a mention says that it is public: `"qty": 2`, `status=shipped`."""
    before = text[max(0, one.start - 40) : one.start].rsplit("\n", 1)[-1]
    key = _KEY.search(before)
    if key is None or one.type in NAMED or declared(key["key"]) != "public":
        return False
    return one.type == "QUANTITY" or CODED.fullmatch(one.text.strip()) is not None


def _is_booked(one: Entity, lines: Sequence[tuple[int, int]]) -> bool:
    return one.subtype in _BILLED and any(start <= one.start and one.end <= end for start, end in lines)


def without_heads(text: str, found: Sequence[Entity]) -> list[Entity]:
    """Return the mentions of a text, those public that are words of a table's head: `Menge` is no surname."""
    heads = [(start, text.find("\n", start)) for start, _, _ in tables_in(text)]
    return [
        one.model_copy(update={"private": False})
        if not by_person(one) and _is_head(one) and any(a <= one.start and one.end <= b for a, b in heads)
        else one
        for one in found
    ]


def _is_head(one: Entity) -> bool:
    return words_of(one.text) in phrases() or (one.type not in DIRECT and bool(declared(one.text)))


def select_columns(text: str, entities: Sequence[Entity], query: Query, options: Options) -> list[Entity]:
    """Return the mentions of a text whose tables are needed, or not, by whole columns; see `by_column`."""
    spans = [(query, len(text))] if isinstance(query, int) else query
    asked = spans if isinstance(spans, str) else "\n".join(text[start:end] for start, end in spans)
    shown = frozenset(value_key(one.text) for one in entities if one.needed)
    roughly = frozenset(value_key(one.text) for one in entities if one.generalised)
    return marked(entities, by_column(Need(shown, roughly), [(text, entities)], cells_in(text), asked, options))


def cells_in(text: str) -> list[Cell]:
    """Return the cells of the tables in a text: lines one after the other with as many delimiters, from the fourth on.

    Args:
        text: of a mail, a chat, a prompt.
    """
    from gama.tools.documents.delimited import cells_of, is_head

    cells: list[Cell] = []
    for number, (start, end, delimiter) in enumerate(tables_in(text)):
        try:
            rows = _aligned(text[start:end]) if delimiter == ALIGNED else cells_of(text[start:end], "csv", delimiter)
        except InputError:  # a quote that is none
            continue
        named = [cell for cell in rows[0] if cell.text.strip()]
        heads = [cell.text for cell in rows[0]] if is_head(named) else []
        for row in rows[1:] if heads else rows:
            for n, cell in enumerate(row):
                head = heads[n].strip() if n < len(heads) else ""
                cells.append(Cell(0, start + cell.start, start + cell.end, f"{number}:{n}", head))
    cells += _cells_of_list(text, cells)
    return [*cells, *_cells_of_sql(text)] if VALUES in text else cells


# Accepts a line with a name and a figure, `Aoife M. 17`, `2. Jun-ho: 8.5`.
_ENTRY = regex.compile(
    r"[ \t]*(?:\d{1,2}[.)] +|[-*•] +)?(?P<name>\p{Lu}[^\n\d:,;|\t]{1,30}?)[ :–-]+(?P<figure>\d[\d.,]{0,8}%?)[ \t]*"
)


def _cells_of_list(text: str, cells: Sequence[Cell]) -> Iterator[Cell]:
    """Yield the names and figures of lines one after the other that have nothing else, where no other table is."""
    run: list[regex.Match[str]] = []
    at = 0
    for line in [*text.split("\n"), ""]:
        entry = _ENTRY.fullmatch(text, at, at + len(line)) if at < len(text) else None
        if entry and not any(cell.start < entry.end() and entry.start() < cell.end for cell in cells):
            run.append(entry)
        else:
            if len(run) >= TABLE:
                for one, kind in product(run, ("name", "figure")):
                    yield Cell(0, *one.span(kind), f"list{run[0].start()}:{kind}", "")
            run = []
        at += len(line) + 1


# Accepts what stands before the rows of an SQL statement, `INSERT INTO t (a, b) VALUES`, a row, and a value of a row.
_INSERT = regex.compile(r"(?i)\binsert into [^\s(]+\s*\(([^()]*)\)\s*values\b")
_TUPLE = regex.compile(r"\s*,?\s*\(((?:[^()']|'(?:[^']|'')*')*)\)")
_VALUE = regex.compile(r"\s*(?:'(?P<v>(?:[^']|'')*)'|(?P<v>[^,'\s][^,']*))\s*(?:,|$)")


def _cells_of_sql(text: str) -> Iterator[Cell]:
    """Yield the values of the rows of SQL statements, by column."""
    for statement in _INSERT.finditer(text):
        heads = [head.strip(' `"[]\n') for head in statement[1].split(",")]
        row = _TUPLE.match(text, statement.end())
        while row:
            at, n = row.start(1), 0
            while at < row.end(1) and (value := _VALUE.match(text, at, row.end(1))):
                yield Cell(0, *value.span("v"), f"sql{statement.start()}:{n}", heads[n] if n < len(heads) else "")
                at, n = max(value.end(), at + 1), n + 1
            row = _TUPLE.match(text, row.end())


def _aligned(table: str) -> "list[list[Segment]]":
    """Return the cells of a table whose columns are aligned by gaps, by row."""
    from gama.tools.documents.base import Segment

    lines: list[tuple[int, list[tuple[int, int]]]] = []
    at = 0
    for line in table.splitlines(keepends=True):
        bare = line.rstrip()
        gaps = [found.span() for found in GAP.finditer(bare)]
        starts, ends = [len(bare) - len(bare.lstrip()), *(b for _, b in gaps)], [*(a for a, _ in gaps), len(bare)]
        lines.append((at, list(zip(starts, ends, strict=True))))
        at += len(line)
    if len({len(cells) for _, cells in lines}) > 1:
        columns = _columns_below(cell for _, cells in lines for cell in cells)
        lines = [(at, [_joined(cells, column) for column in columns]) for at, cells in lines]
    return [[Segment(at + a, at + b, table[at + a : at + b], str) for a, b in cells] for at, cells in lines]


def _columns_below(cells: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return from where to where columns reach: cells that stand one below the other in part are of one."""
    columns: list[tuple[int, int]] = []
    for start, end in sorted(cells):
        if columns and start < columns[-1][1]:
            columns[-1] = columns[-1][0], max(end, columns[-1][1])
        else:
            columns.append((start, end))
    return columns


def _joined(cells: Sequence[tuple[int, int]], column: tuple[int, int]) -> tuple[int, int]:
    """Return what a line has in a column; a place without characters where it has nothing there."""
    inside = [cell for cell in cells if column[0] <= cell[0] < column[1]]
    return (inside[0][0], inside[-1][1]) if inside else (column[0], column[0])
