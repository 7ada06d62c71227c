"""CSV and TSV: one block for each cell, with the head of its column as context; quotes stay as they are."""

import csv
import re
from functools import partial

from gama.tools.documents.base import Block, Document, Segment, unreadable
from gama.tools.documents.escapes import quoted_segment
from gama.tools.documents.flat import decoded

DELIMITERS = ",;\t|"


def open_delimited(data: bytes, kind: str, encoding: str | None = None) -> Document:
    """Open a table.

    Raises:
        InputError: the bytes are not text, or a quote in it is never closed.
    """
    text, encode = decoded(data, kind, encoding)
    delimiter = "\t" if kind == "tsv" else _delimiter(text)
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
    blocks = _blocks(rows)
    return Document(kind, {"": text}, blocks, lambda parts: encode(parts.get("", text)))


def _blocks(rows: list[list[Segment]]) -> list[Block]:
    """Make a block of every cell with a letter or digit in it; cells of a row are read together."""
    heads = [cell.text for cell in rows[0]] if len(rows) > 1 and _is_head(rows[0]) else []
    blocks = []
    for number, row in enumerate(rows):
        glue = "\n"
        for n, cell in enumerate(row):
            if any(char.isalnum() for char in cell.text):
                label = f"{heads[n]}: " if number and n < len(heads) and heads[n].strip() else ""
                blocks.append(Block("", (cell,), label=label, glue=glue))
                glue = "; "
    return blocks


def _is_head(row: list[Segment]) -> bool:
    """Return whether a first row names the columns: short words in every cell, no digits."""
    return all(cell.text.strip() and len(cell.text) < 40 and not re.search(r"\d{2}|@", cell.text) for cell in row)


def _delimiter(text: str) -> str:
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
