"""CSV and TSV: one block for each cell, with the head of its column as context; quotes stay as they are."""

import csv
import re
from collections.abc import Container, Sequence
from functools import partial

from gama.tools.documents.base import Block, Document, Segment, unreadable
from gama.tools.documents.escapes import quoted_segment
from gama.tools.documents.flat import decoded

DELIMITERS = ",;\t|"
# Refuses `12 High Street`, `LS12 4AB` and what has an `@`; accepts `p95_ms`, `q1`, `line2`, `pop_2013`.
_NO_HEAD = re.compile(r"(?<![a-z_\d])\d{2}(?!\d? ?% ?[A-Z])|@")


def open_delimited(data: bytes, kind: str, encoding: str | None = None) -> Document:
    """Open a table.

    Raises:
        InputError: the bytes are not text, or a quote in it is never closed.
    """
    text, encode = decoded(data, kind, encoding)
    rows = cells_of(text, kind, "\t" if kind == "tsv" else delimiter_of(text))
    blocks = _blocks(rows)
    return Document(kind, {"": text}, blocks, lambda parts: encode(parts.get("", text)))


def cells_of(text: str, kind: str, delimiter: str) -> list[list[Segment]]:
    """Return the cells of a table, row by row.

    Raises:
        InputError: a quote in it is never closed.
    """
    # A quoted cell with doubled quotes inside, or a bare one, and what ends it.
    cell = re.compile(
        rf'(?:"((?:[^"]|"")*)"|((?!")[^{re.escape(delimiter)}\r\n]*))({re.escape(delimiter)}|\r\n|\r|\n|\Z)'
    )
    rows: list[list[Segment]] = [[]]
    at = 0
    while at < len(text):
        match = cell.match(text, at)
        if match is None:
            line = text.count("\n", 0, at) + 1
            raise unreadable(kind, f"a quoted cell in line {line} is not closed, or goes on behind its quotes.")
        quoted = match[1] is not None
        # A bare cell is written anew as a whole: what comes in may need quotes.
        rows[-1].append(
            quoted_segment(text, match.start(1), match.end(1))
            if quoted
            else Segment(match.start(2), match.end(2), match[2], partial(_bare, delimiter=delimiter))
        )
        at = match.end()
        if match[3] != delimiter and at < len(text):
            rows.append([])
    return rows


def row_blocks(
    row: list[Segment], heads: Sequence[str], chosen: Container[int] | None = None, *, head: bool = False
) -> list[Block]:
    """Return a block of every cell of a row with a letter or digit in it; they are read together.

    Args:
        row: its cells.
        heads: what the columns are called.
        chosen: the numbers of the columns that are read; all when None.
        head: whether it is the row that names the columns.
    """
    blocks: list[Block] = []
    for n, cell in enumerate(row):
        if (chosen is None or n in chosen) and any(char.isalnum() for char in cell.text):
            label = f"{heads[n]}: " if n < len(heads) and heads[n].strip() else ""
            column = "" if head else str(n)
            blocks.append(Block("", (cell,), label=label, glue="; " if blocks else "\n", column=column))
    return blocks


def _blocks(rows: list[list[Segment]]) -> list[Block]:
    """Make a block of every cell with a letter or digit in it; cells of a row are read together."""
    heads = [cell.text for cell in rows[0]] if len(rows) > 1 and is_head(rows[0]) else []
    if not heads:
        return [block for row in rows for block in row_blocks(row, [])]
    return [*row_blocks(rows[0], [], head=True), *(block for row in rows[1:] for block in row_blocks(row, heads))]


def is_head(row: list[Segment]) -> bool:
    """Return whether a first row names the columns: short words in every cell, no numbers but as in `p95_ms`."""
    return all(cell.text.strip() and len(cell.text) < 40 and not _NO_HEAD.search(cell.text) for cell in row)


def delimiter_of(text: str) -> str:
    """Return what parts the cells of a table."""
    try:
        return csv.Sniffer().sniff(text[:20_000], DELIMITERS).delimiter
    except csv.Error:
        return ","


def _bare(text: str, delimiter: str) -> str:
    """Write a cell, with quotes where it needs them."""
    if delimiter in text or '"' in text or "\n" in text or "\r" in text:
        quoted = text.replace('"', '""')
        return f'"{quoted}"'
    return text
