"""Records as documents: a line of JSON, a delimited row, the cells of a row; only the chosen ones are read."""

import json
from collections.abc import Callable, Collection, Sequence
from functools import partial

from gama.state.errors import InputError
from gama.tools.documents.base import Block, Document
from gama.tools.documents.delimited import cells_of, row_blocks
from gama.tools.documents.escapes import plain_segment
from gama.tools.documents.flat import decoded, json_blocks

_SPACE = " \t\r\n"


def open_line(data: bytes, fields: Collection[str] | None = None) -> Document:
    """Open a line of JSON Lines; all that is not read keeps its bytes.

    Args:
        data: the line.
        fields: the top-level fields whose values are read; all, and the keys, when None.

    Raises:
        InputError: it is not valid JSON in UTF-8, or no object where fields are chosen.
    """
    text, encode = decoded(data, "jsonl")
    members = _members(text)
    if fields is not None and members is None:
        raise InputError("The line is not an object with fields.")
    stretches = None if fields is None else [place for name, place in members or () if name in fields]
    return Document("jsonl", {"": text}, json_blocks(text, stretches), partial(_encoded, text, encode))


def open_row(data: bytes, delimiter: str, heads: Sequence[str], chosen: Collection[int] | None = None) -> Document:
    """Open a row of a delimited table, with the end of its line; quotes stay as they are.

    Args:
        data: the row.
        delimiter: what parts its cells.
        heads: what the columns are called.
        chosen: the numbers of the columns that are read; all when None.

    Raises:
        InputError: it is not UTF-8, a quote is not closed, or it has more or fewer cells than there are columns.
    """
    text, encode = decoded(data, "csv")
    rows = cells_of(text, "csv", delimiter)
    if len(rows) != 1 or (heads and len(rows[0]) != len(heads)):
        raise InputError(f"The row has {len(rows[0])} cells; the table has {len(heads)} columns.")
    return Document("csv", {"": text}, row_blocks(rows[0], heads, chosen), partial(_encoded, text, encode))


def open_cells(data: bytes, heads: Sequence[str]) -> Document:
    """Open cells: a JSON list of rows, each a list of texts and of null where there is none.

    Args:
        data: the rows.
        heads: what the columns are called.
    """
    rows: list[list[str | None]] = json.loads(data)
    parts: dict[str, str] = {}
    blocks: list[Block] = []
    for number, row in enumerate(rows):
        first = True
        for n, cell in enumerate(row):
            if cell is None:
                continue
            part = f"{number}.{n}"
            parts[part] = cell
            if any(char.isalnum() for char in cell):
                label = f"{heads[n]}: " if n < len(heads) and heads[n].strip() else ""
                segments = (plain_segment(cell, 0, len(cell)),)
                blocks.append(Block(part, segments, label, glue="\n" if first else "; ", column=str(n)))
                first = False

    def pack(changed: dict[str, str]) -> bytes:
        texts = parts | changed
        made = [
            [None if cell is None else texts[f"{n}.{m}"] for m, cell in enumerate(row)] for n, row in enumerate(rows)
        ]
        return pack_cells(made)

    return Document("cells", parts, blocks, pack)


def pack_cells(rows: Sequence[Sequence[str | None]]) -> bytes:
    """Return cells as `open_cells` takes them; halves of characters that stand alone are kept."""
    return json.dumps(rows).encode()


def _encoded(text: str, encode: Callable[[str], bytes], parts: dict[str, str]) -> bytes:
    return encode(parts.get("", text))


def _members(text: str) -> list[tuple[str, tuple[int, int]]] | None:
    """Return the top-level fields of an object with where their values stand; None where it is another thing.

    Raises:
        InputError: it is not valid JSON.
    """
    decoder = json.JSONDecoder()
    try:
        if not isinstance(json.loads(text), dict):
            return None
        found: list[tuple[str, tuple[int, int]]] = []
        at = _past(text, _past(text, 0) + 1)
        while text[at] != "}":
            name, at = decoder.raw_decode(text, at)
            start = _past(text, _past(text, at) + 1)
            _, end = decoder.raw_decode(text, start)
            found.append((name, (start, end)))
            at = _past(text, end)
            at = _past(text, at + 1) if text[at] == "," else at
    except (ValueError, RecursionError):
        problem = True
    else:
        problem = False
    if problem:
        raise InputError("The line is not valid JSON.")
    return found


def _past(text: str, at: int) -> int:
    """Return where the spaces that begin at a place end."""
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at
