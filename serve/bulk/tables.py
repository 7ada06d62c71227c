"""Parquet files and tables of SQL databases: their text columns are read, everything else is copied as it is."""

import json
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gama.serve.bulk.objects import Place, Remote, is_object, told_of, writing
from gama.serve.bulk.records import Format
from gama.serve.bulk.sources import UNIT, Dest, Piece, Source, Unit, check_columns
from gama.state.errors import InputError, OptionError, Retold, StoreError
from gama.tools.documents.records import pack_cells

if TYPE_CHECKING:
    import pyarrow as pa
    import sqlalchemy as sa


GROUP, GROUP_BYTES = 10_000, 2**25
"""Rows and bytes that a Parquet file's group is written with: each group costs room in the file's end and in memory."""


def _need(package: str, what: str) -> None:
    if find_spec(package) is None:
        raise InputError(f'Reading {what} needs {package}: install it with pip install "gama-privacy[bulk]".')


def _chosen(columns: Sequence[str] | None, texts: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that are read.

    Raises:
        OptionError: one is not there, or holds no text.
    """
    if columns is None:
        return tuple(texts)
    check_columns(columns, names)
    for name in columns:
        if name not in texts:
            raise OptionError(f"option --columns: column {name!r} holds no text. Columns of text: {', '.join(texts)}.")
    return tuple(name for name in names if name in columns)


def _cells(record: bytes) -> list[str | None]:
    """Return the cells of one row."""
    found: list[list[str | None]] = json.loads(record)
    return found[0]


class Parquet(Source):
    """A Parquet file."""

    def __init__(self, path: Place, columns: Sequence[str] | None = None, known: Format | None = None) -> None:
        """Open the file, and look which columns are read."""
        _need("pyarrow", "Parquet")
        import pyarrow as pa
        from pyarrow import parquet

        self.path = path
        try:
            self._file = parquet.ParquetFile(path.open() if isinstance(path, Remote) else path)
        except pa.ArrowException:
            problem = True
        else:
            problem = False
        if problem:
            raise InputError(f"{path.name!r} cannot be read as Parquet: it is damaged, encrypted or another format.")
        schema = self._file.schema_arrow
        texts = [field.name for field in schema if _is_text(field.type)]
        heads = known.heads if known else _chosen(columns, texts, schema.names)
        check_columns(heads, schema.names)
        self.format = known or Format("cells", heads)
        self.copied = tuple(name for name in schema.names if name not in heads)
        self.total = float(self._file.metadata.num_rows)

    def fingerprint(self) -> str:
        """Return the file's name, size and time."""
        return told_of(self.path)

    def units(self) -> Iterator[Unit]:
        """Read the columns of text, a batch at a time."""
        first = 1
        for number, batch in enumerate(self._file.iter_batches(UNIT, columns=list(self.format.heads))):
            columns = [batch.column(batch.schema.get_field_index(name)).to_pylist() for name in self.format.heads]
            rows = zip(*columns, strict=True) if columns else [()] * batch.num_rows
            records: list[bytes | str] = [pack_cells([row]) for row in rows]
            yield Unit(number, first, float(len(records)), records)
            first += len(records)

    def write(self, dest: Dest, pieces: Iterable[tuple[Unit, Piece]], within: Path) -> None:
        """Write the file anew, its columns in their order and types."""
        import pyarrow as pa
        from pyarrow import parquet

        # What else a file says of itself may be private, and is nobody's column.
        whole = self._file.schema_arrow
        said = {name: value for name, value in (whole.metadata or {}).items() if name == b"pandas"}
        schema = pa.schema([field.remove_metadata() for field in whole], said)
        waiting: list[pa.RecordBatch] = []
        with writing(dest.place, within) as out, parquet.ParquetWriter(out, schema) as writer:
            for batch, (_, piece) in zip(self._file.iter_batches(UNIT), pieces, strict=True):
                kept = pa.array([record is not None for record in piece.records])
                rows = [_cells(record) for record in piece.records if record is not None]
                columns = []
                for field, column in zip(schema, batch.filter(kept).columns, strict=True):
                    if field.name in self.format.heads:
                        at = self.format.heads.index(field.name)
                        column = pa.array([row[at] for row in rows], pa.string()).cast(field.type)
                    columns.append(column)
                waiting.append(pa.record_batch(columns, schema=schema))
                if sum(len(one) for one in waiting) >= GROUP or sum(one.nbytes for one in waiting) >= GROUP_BYTES:
                    writer.write_table(pa.Table.from_batches(waiting, schema))
                    waiting.clear()
            if waiting:
                writer.write_table(pa.Table.from_batches(waiting, schema))


def _is_text(kind: "pa.DataType") -> bool:
    import pyarrow as pa

    inner = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(inner) or pa.types.is_large_string(inner) or pa.types.is_string_view(inner))


class SqlTable(Source):
    """A table of a database."""

    def __init__(
        self, url: str, table: str | None, columns: Sequence[str] | None = None, known: Format | None = None
    ) -> None:
        """Open the database, and look which columns are read.

        Raises:
            InputError: the database cannot be opened, or the table has no primary key.
            OptionError: there is no such table or column.
        """
        self._engine = _engine(url)
        import sqlalchemy as sa

        if table is None:
            raise OptionError("option --table: name the table of the database")
        with _telling("read"):
            names = sa.inspect(self._engine).get_table_names()
            if table not in names:
                raise OptionError(
                    f"option --table: there is no table {table!r}. Tables: {', '.join(map(repr, names)) or 'none'}."
                )
            self.table = sa.Table(table, sa.MetaData(), autoload_with=self._engine)
            if not self.table.primary_key.columns:
                raise InputError(f"The table {table!r} has no primary key, so its rows have no order. Give it one.")
            with self._engine.connect() as connection:
                counted = connection.execute(sa.select(sa.func.count()).select_from(self.table)).scalar_one()
        every = [column.name for column in self.table.columns]
        if at_key := [
            one.name for one in self.table.primary_key.columns if columns is not None and one.name in columns
        ]:
            raise OptionError(f"option --columns: {at_key[0]!r} is of the primary key, which orders the rows.")
        keys = {column.name for column in self.table.primary_key.columns}
        texts = [column.name for column in self.table.columns if isinstance(column.type, sa.String)]
        if columns is None:
            texts = [name for name in texts if name not in keys]
        heads = known.heads if known else _chosen(columns, texts, every)
        check_columns(heads, every)
        self.format = known or Format("cells", heads)
        self.copied = tuple(name for name in every if name not in heads)
        self.total = float(counted)

    def fingerprint(self) -> str:
        """Return which database and table it is, and how many rows there are; a password is not in it."""
        return f"{self._engine.url.render_as_string(hide_password=True)} {self.table.name} {self.total}"

    def units(self) -> Iterator[Unit]:
        """Read the columns of text in the order of the primary key."""
        first = 1
        for number, rows in enumerate(self._rows([self.table.c[name] for name in self.format.heads])):
            records: list[bytes | str] = [pack_cells([list(row)]) for row in rows]
            yield Unit(number, first, float(len(records)), records)
            first += len(records)

    def _rows(self, columns: "Sequence[sa.Column[Any]]") -> Iterator[Sequence[Any]]:
        import sqlalchemy as sa

        keys = list(self.table.primary_key.columns)
        query = sa.select(*columns, *(key.label(f"gama_key_{n}") for n, key in enumerate(keys))).order_by(*keys)
        with _telling("read"), self._engine.connect() as connection:
            found = connection.execution_options(yield_per=UNIT).execute(query)
            for rows in found.partitions(UNIT):
                yield [row[: len(columns)] for row in rows]

    def write(self, dest: Dest, pieces: Iterable[tuple[Unit, Piece]], within: Path) -> None:
        """Make the table and fill it, in one transaction. What a killed run left of it goes first.

        Raises:
            InputError: the database cannot be written.
        """
        import sqlalchemy as sa

        engine = _engine(dest.place)
        name = dest.table or self.table.name
        columns = [
            # A placeholder may be longer than the value.
            sa.Column(one.name, sa.Text() if one.name in self.format.heads and not one.primary_key else one.type,
                      primary_key=one.primary_key, nullable=one.nullable, autoincrement=False)
            for one in self.table.columns
        ]  # fmt: skip
        made = sa.Table(name, sa.MetaData(), *columns)
        every = [column.name for column in self.table.columns]
        with _telling("written"), engine.begin() as connection:
            made.drop(connection, checkfirst=True)
            made.create(connection)
            for rows, (_, piece) in zip(self._rows(list(self.table.columns)), pieces, strict=True):
                done = []
                for row, record in zip(rows, piece.records, strict=True):
                    if record is not None:
                        new = dict(zip(self.format.heads, _cells(record), strict=True))
                        done.append(dict(zip(every, row, strict=True)) | new)
                if done:
                    connection.execute(sa.insert(made), done)


def has_table(dest: Dest, name: str) -> bool:
    """Return whether a database has a table already."""
    import sqlalchemy as sa

    engine = _engine(dest.place)
    with _telling("read"):
        return bool(sa.inspect(engine).has_table(name))


def is_url(place: str) -> bool:
    """Return whether a place is the URL of a database."""
    return "://" in place and not is_object(place)


def same_database(one: str, other: str) -> bool:
    """Return whether two URLs name one database."""
    return bool(_engine(one).url == _engine(other).url)


def _engine(url: str) -> "sa.Engine":
    _need("sqlalchemy", "SQL tables")
    import sqlalchemy as sa

    try:
        return sa.create_engine(url, hide_parameters=True)
    except (sa.exc.ArgumentError, sa.exc.NoSuchModuleError, ModuleNotFoundError):
        pass
    raise InputError("The database cannot be opened: its URL is not understood, or its driver is not installed.")


def _telling(done: str) -> Retold:
    """Return what turns errors of the database, which may quote rows, into ones that do not."""
    import sqlalchemy as sa

    def told(error: Exception) -> Exception | None:
        if not isinstance(error, sa.exc.SQLAlchemyError):
            return None
        return StoreError(f"The database cannot be {done} ({type(getattr(error, 'orig', None) or error).__name__}).")

    return Retold(told)
