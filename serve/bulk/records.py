"""What a record of each format is, how it is opened as a document, and what is kept of it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from gama.serve.document_io import MOST_BYTES
from gama.state.errors import InputError, LimitReached
from gama.state.options import Options
from gama.tools.documents.base import Document, Room
from gama.tools.documents.kinds import kind_of, open_document
from gama.tools.documents.records import open_cells, open_line, open_row

Opener = Callable[[bytes], Document]


class Opened(NamedTuple):
    """A record that is open, its bytes, and what opens what was made of it."""

    document: Document
    data: bytes
    reopen: Opener


@dataclass(frozen=True)
class Format:
    """How the records of a dataset are read; it goes to the workers, and into the box file for restoring."""

    kind: str
    """`lines`, `rows` (of a delimited text), `cells` (of a table that is no text), or `files`."""
    heads: tuple[str, ...] = ()
    """What the columns are called; of cells, of those that are read only."""
    chosen: tuple[str, ...] | None = None
    """The columns or fields that are read; all when None."""
    delimiter: str = ","
    encoding: str | None = None
    """Of files, where they are not UTF-8."""

    def open(self, record: bytes | str, options: Options, kind: str | None = None) -> Opened:
        """Open a record.

        Args:
            record: its bytes; of files, the path.
            options: what reading may take.
            kind: of a file, where its name does not say it.

        Raises:
            InputError: it cannot be read.
            LimitReached: it would take more than may be.
        """
        if self.kind == "files":
            return self._open_file(Path(str(record)), options, kind)
        assert isinstance(record, bytes)
        opener = self._opener()
        Room.of(options).take(self.kind, sum(record.count(sign) for sign in (b",", b":", b"[")))
        return Opened(opener(record), record, opener)

    def _opener(self) -> Opener:
        if self.kind == "lines":
            return partial(open_line, fields=self.chosen)
        if self.kind == "cells":
            return partial(open_cells, heads=self.heads)
        chosen = None if self.chosen is None else [self.heads.index(name) for name in self.chosen]
        return partial(open_row, delimiter=self.delimiter, heads=self.heads, chosen=chosen)

    def _open_file(self, path: Path, options: Options, kind: str | None) -> Opened:
        if path.is_symlink():
            raise InputError("It is a link, which is not followed.")
        kind = kind or kind_of(path.name)
        if kind is None:
            raise InputError("Files of its kind are not read.")
        if path.stat().st_size > MOST_BYTES:
            raise LimitReached("It is larger than 512 MiB.")
        data = path.read_bytes()
        document = open_document(data, kind, encoding=self.encoding, room=Room.of(options))
        room = Room(2**62, 2**62)
        reopen = partial(open_document, kind=document.kind, encoding=self.encoding, room=room)
        return Opened(document, data, reopen)

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {name: getattr(self, name) for name in ("kind", "heads", "chosen", "delimiter", "encoding")}

    @classmethod
    def from_json(cls, told: dict[str, Any]) -> "Format":
        """Return what `as_json` gave."""
        chosen = told["chosen"]
        return cls(
            told["kind"], tuple(told["heads"]), None if chosen is None else tuple(chosen), told["delimiter"],
            told["encoding"],
        )  # fmt: skip


def says_nothing(document: Document) -> bool:
    """Return whether nothing in a document could be read, so that it stays as it is."""
    return not any(block.text.strip() for block in [*document.all_blocks(), *document.all_others()]) and not (
        document.all_unread() or document.covered
    )
