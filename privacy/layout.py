"""Where tables, records and lists stand in a text, by how its lines are laid out."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product
from string import ascii_uppercase
from typing import TYPE_CHECKING

import regex

from gama.privacy.columns import Cell
from gama.privacy.heads import declared
from gama.state.errors import InputError

if TYPE_CHECKING:
    from gama.tools.documents.base import Segment

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
            quoted = '"' in text and delimiter in ",;"
            counts = [_unquoted(text[a:b], delimiter) if quoted else text.count(delimiter, a, b) for a, b in lines]
        if delimiter in ("|", ALIGNED):
            _pass_rules(text, lines, counts)
        if delimiter == ALIGNED:
            found += _uneven(lines, counts, found)
        first = 0
        for number in range(1, len(counts) + 1):
            if number < len(counts) and counts[number] == counts[first]:
                continue
            start, end = lines[first][0], lines[number - 1][1]
            apart_from = all(end <= begin or stop <= start for begin, stop, _ in found)
            if counts[first] >= least and number - first >= TABLE and apart_from:
                found.append((start, end, delimiter))
            first = number
    # The commas of JSON part no columns.
    return sorted(one for one in found if not text[one[0] : one[0] + 40].lstrip(" \t[,").startswith("{"))


_QUOTED = re.compile(r'"(?:[^"\n]|"")*+"')


def _unquoted(line: str, delimiter: str) -> int:
    """Return how often a delimiter stands in a line outside of quotes."""
    return _QUOTED.sub("", line).count(delimiter)


def _pass_rules(text: str, lines: Sequence[tuple[int, int]], counts: list[int]) -> None:
    """Count lines that only rule a table, `+----+`, as those beside them."""
    for number, (start, end) in enumerate(lines):
        if text[start:end].strip() and not text[start:end].strip("+-=|: _─━═┼—–"):
            counts[number] = counts[number - 1] if number and counts[number - 1] else max(counts[number : number + 2])


def _uneven(
    lines: Sequence[tuple[int, int]], counts: Sequence[int], found: Sequence[tuple[int, int, str]]
) -> list[tuple[int, int, str]]:
    """Return where lines with gaps follow each other, in one of which there are several, and some cells are empty."""
    tables, first = [], 0
    for number in range(len(counts) + 1):
        if number < len(counts) and counts[number]:
            continue
        start, end = lines[first][0] if first < number else 0, lines[number - 1][1]
        several = sum(count > 1 for count in counts[first:number])
        if number - first >= TABLE and several:
            if all(end <= begin or stop <= start for begin, stop, _ in found):
                tables.append((start, end, ALIGNED))
        first = number + 1
    return tables


# Accepts a field of a record before its value: `"qty": `, `status=`, `hours="`, and at the start of a line `price: `.
FIELD = r"""(?:["']\w[\w .-]{0,30}["']\s*:|(?<![\w?&/])\w[\w.-]{0,30}=(?!=)|^[ \t-]*[a-z]\w{0,30}:)\s*(?=\S)"""
_FIELD = re.compile(FIELD, re.MULTILINE)
# Accepts a field with its value, if that is short.
FIELDS = regex.compile(FIELD + r"""(?P<at>)(?:"[^"\n]{0,80}"|'[^'\n]{0,80}'|[^\s,;}\]]{1,80})""", regex.MULTILINE)
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


# Accepts a line of a list with a figure in it: `Feb paid 650`, `anna 12.50 taxi`. Refuses what somebody says in a chat.
_ITEM = re.compile(
    r"(?=[^\n]*[^\W\d_]{2})(?![^\n]*[.?!] )(?!\w+: )[^\n]{0,50}?(?<![\w.,:/-])-?\d[\d.,]{0,9}(?![\w:/-])[^\n]{0,30}"
)


def entries_in(text: str) -> list[tuple[int, int]]:
    """Return where lines one after the other have words and a figure, one line in between aside."""
    found: list[tuple[int, int]] = []
    run: list[tuple[int, int]] = []
    at = missed = 0
    for line in [*text.split("\n"), ""]:
        if _ITEM.fullmatch(line):
            run, missed = [*run, (at, at + len(line))], 0
        elif not line.strip() or missed or not run:
            found += run if len(run) >= TABLE else []
            run = []
        else:
            missed = 1
        at += len(line) + 1
    return found


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
        rows = [row for row in rows if any(char.isalnum() for cell in row for char in cell.text)]
        if [cell.text.strip() for cell in rows[0]] == list(ascii_uppercase[: len(rows[0])]):
            del rows[0]  # The columns of a spreadsheet, above its heads.
        if len(rows) > TABLE and _heads(rows[1]) > max(1, 2 * _heads(rows[0])):
            del rows[0]  # A sentence with as many commas: `csv, by kg, no text`.
        named = [cell for cell in rows[0] if cell.text.strip()] if rows else []
        heads = [cell.text for cell in rows[0]] if named and is_head(named) else []
        for row in rows[1:] if heads else rows:
            for n, cell in enumerate(row):
                head = heads[n].strip() if n < len(heads) else ""
                cells.append(Cell(0, start + cell.start, start + cell.end, f"{number}:{n}", head))
    cells += [*_cells_of_list(text, cells), *_cells_of_objects(text)]
    return [*cells, *_cells_of_sql(text)] if VALUES in text else cells


def _heads(row: "Sequence[Segment]") -> int:
    """Return how many cells of a row are heads of columns that are known."""
    return sum(declared(cell.text.strip()) != "" for cell in row)


# Accepts a line with a name and a figure, `Aoife M. 17`, `2. Jun-ho: 8.5`.
_ENTRY = regex.compile(
    r"[ \t]*(?:\d{1,2}[.)] +|[-*•] +)?(?P<name>\p{L}[^\n\d:,;|\t]{0,30}?)[ :,;=–-]+(?P<figure>\d[\d.,]{0,8}%?)[ \t]*"
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


# Accepts an object of JSON without others in it, and a field of one with a string or a number.
_OBJECT = regex.compile(r"\{(?:[^{}\"]|\"(?:[^\"\\\n]|\\.)*+\")*+\}")
_PAIR = regex.compile(r"\"(?P<key>[^\"\n]{1,40})\"\s*:\s*(?:\"(?P<v>(?:[^\"\\\n]|\\.)*+)\"|(?P<v>-?\d[\d.]*))")


# Accepts the field that an object is kept in, before it: `"relationship": [ `.
_KEPT_IN = regex.compile(r"\"(?P<key>[^\"\n]{1,40})\"\s*:\s*\[?\s*$")
_ANYTHING = frozenset(("text", "value", "display", "code", "system", "use", "type", "label", "title"))
"""Names of fields that hold something else in each kind of object."""


def _cells_of_objects(text: str) -> Iterator[Cell]:
    """Yield the values of objects of JSON, one after the other, with fields of the same names, by their names."""
    columns: dict[str, list[Cell]] = {}
    for whole in _OBJECT.finditer(text) if text.count("{") >= LEAST else ():
        for pair in _PAIR.finditer(text, *whole.span()):
            key = pair["key"]
            above = _KEPT_IN.search(text, max(0, whole.start() - 80), whole.start()) if key in _ANYTHING else None
            column = f"{above['key']}.{key}" if above else key
            columns.setdefault(column, []).append(Cell(0, *pair.span("v"), f"json:{column}", key))
    for cells in columns.values():
        if len(cells) >= LEAST:
            yield from cells


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
        heads = lines[0][1]
        if len(heads) >= HEADS and all(len(cells) <= len(heads) for _, cells in lines):
            lines = [(at, _below(heads, cells)) for at, cells in lines]
        else:
            columns = _columns_below(cell for _, cells in lines for cell in cells)
            lines = [(at, [_joined(cells, column) for column in columns]) for at, cells in lines]
    return [[Segment(at + a, at + b, table[at + a : at + b], str) for a, b in cells] for at, cells in lines]


HEADS = 3
"""Cells that a first line has at least to say which columns there are."""


def _below(heads: Sequence[tuple[int, int]], cells: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return what a line has below each head, in their order: each cell below the one whose begin or end is nearest."""
    if len(cells) == len(heads):
        return list(cells)
    out, first = [(begin, begin) for begin, _ in heads], 0
    for number, (start, end) in enumerate(cells):
        last = len(heads) - (len(cells) - number) + 1
        nearest = min(range(first, last), key=lambda n: min(abs(start - heads[n][0]), abs(end - heads[n][1])))
        out[nearest] = start, end
        first = nearest + 1
    return out


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
