"""Where records come from and go to: lines, delimited tables and files; tables that are no text are in `tables.py`."""

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from gama.serve.bulk.objects import Place, Remote, size_of, told_of, writing
from gama.serve.bulk.records import Format
from gama.state.errors import InputError, OptionError
from gama.tools.documents.delimited import DELIMITERS, cells_of, delimiter_of, is_head
from gama.tools.documents.kinds import KINDS, kind_of

UNIT = 100
"""Records that are done together, and again where a run was killed among them."""
ROWS = {"csv", "tsv"}
LINES = {"jsonl"}
HIDDEN = "renamed"
"""Folder for files whose names show a private value."""


class Unit(NamedTuple):
    """Records that are done together."""

    number: int
    first: int
    """The number of its first record, from 1."""
    weight: float
    """Its share of the source's total."""
    records: list[bytes | str]


class Piece(NamedTuple):
    """What became of a unit: an outcome for each record, None where it was rejected."""

    records: list[bytes | None]


class Source(ABC):
    """A dataset that is read record by record, always in the same order."""

    format: Format
    total: float
    """What the weights of all units come to."""
    copied: tuple[str, ...] = ()
    """Columns that are copied as they are."""

    @abstractmethod
    def fingerprint(self) -> str:
        """Return what tells this dataset, as it is now, from others."""

    @abstractmethod
    def units(self) -> Iterator[Unit]:
        """Read the dataset."""

    @abstractmethod
    def write(self, dest: "Dest", pieces: Iterable[tuple[Unit, Piece]], within: Path) -> None:
        """Put the outcome together, at once: it is there whole or not at all.

        Args:
            dest: where it goes.
            pieces: what became of each unit, in their order.
            within: a folder on the same disk for what is not yet whole.
        """


class Dest(NamedTuple):
    """Where the outcome goes."""

    place: str
    """A path, or the URL of a file or a database."""
    table: str | None = None


class _Text(Source):
    """A file of records that are stretches of text."""

    def __init__(self, path: Place) -> None:
        """Take the file."""
        self.path = path
        self.total = float(size_of(path))
        self.lead = b""
        """What stands before the first record and is copied: a byte order mark, the heads of columns."""

    def fingerprint(self) -> str:
        """Return the file's name, size and time."""
        return told_of(self.path)

    def units(self) -> Iterator[Unit]:
        """Read the file."""
        number, first, records = 0, 1, list[bytes | str]()
        for record in self._records():
            records.append(record)
            if len(records) == UNIT:
                yield Unit(number, first, float(sum(map(len, records))), records)
                number, first, records = number + 1, first + UNIT, []
        if records:
            yield Unit(number, first, float(sum(map(len, records))), records)

    @abstractmethod
    def _records(self) -> Iterator[bytes]:
        """Yield the records with the ends of their lines."""

    def write(self, dest: Dest, pieces: Iterable[tuple[Unit, Piece]], within: Path) -> None:
        """Write the records one after another."""
        with writing(dest.place, within) as file:
            file.write(self.lead)
            for _, piece in pieces:
                file.writelines(record for record in piece.records if record is not None)


class Lines(_Text):
    """JSON Lines."""

    def __init__(self, path: Place, columns: Sequence[str] | None = None, known: Format | None = None) -> None:
        """Take the file, and which fields are read."""
        super().__init__(path)
        self.format = known or Format("lines", chosen=None if columns is None else tuple(columns))
        if columns is not None and known is None:
            self._check_fields(columns)

    def _check_fields(self, columns: Sequence[str]) -> None:
        """Refuse fields that none of the first lines has, and note the others of theirs."""
        seen: dict[str, None] = {}
        for _, line in zip(range(1000), self._records(), strict=False):
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                continue
            seen.update(dict.fromkeys(record if isinstance(record, dict) else ()))
        check_columns(columns, list(seen))
        self.copied = tuple(name for name in seen if name not in columns)

    def _records(self) -> Iterator[bytes]:
        with self.path.open("rb") as file:
            yield from file


class Delimited(_Text):
    """A delimited table: CSV or TSV."""

    def __init__(
        self, path: Place, kind: str, columns: Sequence[str] | None = None, known: Format | None = None
    ) -> None:
        """Take the file, and which columns are read."""
        super().__init__(path)
        with path.open("rb") as file:
            sample = _text(file.read(20_000), kind)
        delimiter = known.delimiter if known else "\t" if kind == "tsv" else delimiter_of(sample)
        assert delimiter in DELIMITERS
        with path.open("rb") as file:
            head = next(iter(_rows(file)), b"")
            more = file.tell() < self.total or file.read(1) != b""
        cells = [cell.text for cell in cells_of(_text(head, kind).removeprefix("\ufeff"), kind, delimiter)[0]]
        row = cells_of(_text(head, kind).removeprefix("\ufeff"), kind, delimiter)[0]
        headed = bool(known.heads) if known else columns is not None or (more and is_head(row))
        self.lead = head if headed else b""
        heads = tuple(cells) if headed else ()
        if columns is not None:
            check_columns(columns, heads)
            self.copied = tuple(name for name in heads if name not in columns)
        chosen = None if columns is None else tuple(columns)
        self.format = known or Format("rows", heads, chosen, delimiter)

    def _records(self) -> Iterator[bytes]:
        with self.path.open("rb") as file:
            file.seek(len(self.lead))
            yield from _rows(file)


class Files(Source):
    """A file that is one document, or a folder of them, each of which is a record."""

    def __init__(self, root: Path, encoding: str | None = None) -> None:
        """Take the file or folder."""
        self.root = root
        self.single = root.is_file()
        self.format = Format("files", encoding=encoding)
        self.paths = [root] if self.single else sorted(_walk(root))
        self.total = float(sum(path.lstat().st_size for path in self.paths))
        names = [self.name(path) for path in self.paths]
        self.hidden = HIDDEN
        while any(name == self.hidden or name.startswith(f"{self.hidden}/") for name in names):
            self.hidden += "_"

    def name(self, path: Path) -> str:
        """Return where a file stands in the folder."""
        return path.name if self.single else path.relative_to(self.root).as_posix()

    def fingerprint(self) -> str:
        """Return the names, sizes and times of all files."""
        return "\n".join(map(told_of, self.paths))

    def units(self) -> Iterator[Unit]:
        """Name the files; workers read them."""
        for number, path in enumerate(self.paths):
            yield Unit(number, number + 1, float(path.lstat().st_size), [str(path)])

    def write(self, dest: Dest, pieces: Iterable[tuple[Unit, Piece]], within: Path) -> None:
        """See that there is a folder, also where no file of it could be read: workers have put the others there."""
        if not self.single:
            Path(dest.place).mkdir(exist_ok=True)


def check_columns(columns: Sequence[str], there: Sequence[str]) -> None:
    """Refuse columns that are not there.

    Raises:
        OptionError: names the first, and what there is.
    """
    for name in columns:
        if name not in there:
            known = ", ".join(map(repr, there[:20])) or "none, for the first row does not name them"
            raise OptionError(f"option --columns: there is no column {name!r}. Columns: {known}.")


def file_source(
    path: Place, columns: Sequence[str] | None, encoding: str | None = None, known: Format | None = None
) -> Source:
    """Return the source that a path is.

    Raises:
        InputError: there is nothing there, or its kind is not read.
        OptionError: there are columns only in tables.
    """
    if not path.exists():
        raise InputError(f"There is no file or folder {str(path)!r}.")
    kind = None if path.is_dir() else "parquet" if path.suffix.casefold() == ".parquet" else kind_of(path.name)
    table = kind in (*ROWS, *LINES, "parquet") and size_of(path) > 0
    if isinstance(path, Remote) and not table:
        raise InputError(f"Of an object store lines and tables are read (jsonl, csv, tsv, parquet): not {path.name!r}.")
    if columns is not None and not table:
        raise OptionError("option --columns: it is for CSV, TSV, JSON Lines, Parquet and SQL tables")
    if table and encoding is not None:
        raise OptionError("option --encoding: tables and lines are read in UTF-8. Convert the file first.")
    if table and kind in LINES:
        return Lines(path, columns, known)
    if table and kind in ROWS:
        return Delimited(path, str(kind), columns, known)
    if table:
        from gama.serve.bulk.tables import Parquet

        return Parquet(path, columns, known)
    assert isinstance(path, Path)
    if kind is None and path.is_file():
        raise InputError(f"The kind of {path.name!r} is not read. Known: {', '.join((*KINDS, 'parquet'))}.")
    return Files(path, encoding)


def _walk(root: Path) -> Iterator[Path]:
    for folder, inner, names in os.walk(root):
        inner.sort()
        yield from (Path(folder, name) for name in names)
        # Links to folders are not followed: they are rejected as links to files are.
        yield from (Path(folder, name) for name in inner if Path(folder, name).is_symlink())


def _text(data: bytes, kind: str) -> str:
    """Return the text of the first bytes of a table; half a character at their end is no mistake.

    Raises:
        InputError: they are not UTF-8.
    """
    for end in range(len(data), max(len(data) - 4, -1), -1):
        try:
            return data[:end].decode("utf-8")
        except UnicodeDecodeError:
            continue
    raise InputError(f"The {kind} table is not in UTF-8. Convert it first: iconv -f latin1 -t utf-8 FILE.")


def _rows(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the rows of a table, which go on over line ends inside quotes."""
    row = b""
    for line in iter(file.readline, b""):
        row += line
        if row.count(b'"') % 2 == 0:
            yield row
            row = b""
        elif len(row) > 2**24:
            raise InputError("A quoted cell of the table goes on for more than 16 MiB: a quote is not closed.")
    if row:
        yield row
