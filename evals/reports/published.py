"""The papers' published figures, as data: tables with their source, and whether a column can be compared and why.

The files of `evals/reports/figures/` hold them. Figures are facts; all wording there is this project's.
"""

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from gama.state.errors import InputError

FOLDER = Path(__file__).parent / "figures"

Unit = Literal["percent", "share", "count", "seconds", "MB", "GB", "thousands", "rank", "verdict", "none"]
RowsAre = Literal["solvers", "datasets", "attackers", "ranks", "holm", "none"]
"""What the rows are, which says how figures of one's own come in: by `solvers` the method of a row is compared and
further methods are added; `datasets` are rows of one method; `attackers` fill `{row}` of a measure; ranks and Holm's
steps are computed; nothing is added to `none`."""
Value = float | bool | None
"""A figure, a verdict, or nothing where the paper has none."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=False)


class Paper(_Strict):
    """Where figures come from."""

    key: str
    name: str
    version: str
    second_hand: bool = False
    """Whether the paper itself was not at hand."""


class Column(_Strict):
    """A column of a table, and what of one's own logs belongs into it."""

    label: str = Field(min_length=1)
    group: str = ""
    """What it is a part of: columns side by side with the same group share a head."""
    unit: Unit
    places: int = Field(1, ge=0, le=6)
    better: Literal["higher", "lower", "none"]
    comparable: bool
    """Whether a figure of one's own may be held against the published one, under the conditions that `why` names."""
    why: str = Field(min_length=10)
    dataset: tuple[str, ...] = ()
    measure: tuple[str, ...] = ()
    """Names of the measure, see `measures.py`; the first that is known counts."""
    scale: float = 1.0
    """What one's own figure is multiplied by."""
    items: int | None = Field(None, gt=0)
    """Items of the whole data set."""

    @field_validator("dataset", "measure", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @property
    def title(self) -> str:
        """Group and label in one."""
        return f"{self.group} {self.label}".strip()


class Row(_Strict):
    """A row as published."""

    label: str
    values: tuple[Value, ...]


class Table(_Strict):
    """A published table."""

    id: str
    number: str
    """As the paper calls it."""
    caption: str
    head: str
    """What the first column holds."""
    rows_are: RowsAre = "solvers"
    columns: tuple[Column, ...] = Field(min_length=1)
    own: tuple[Column, ...] = ()
    """Columns for one's own figures alone, where the published ones are those of single models."""
    ranked: bool = False
    """Whether its columns are data sets that methods can be ranked over."""
    base: str | None = None
    """The row that relative changes refer to."""
    solver: str | None = None
    """The row's name of the method that a table of data sets is about."""
    solvers: dict[str, tuple[str, ...]] = {}
    """Names that a method of a row has in logs."""
    datasets: dict[str, tuple[str, ...]] = {}
    """Names that a data set of a row has in logs."""
    rows: tuple[Row, ...] = Field(min_length=1)
    notes: tuple[str, ...] = ()
    paper: Paper

    @field_validator("rows", mode="before")
    @classmethod
    def _rows(cls, rows: list[list[Any]]) -> object:
        return [{"label": label, "values": values} for label, *values in rows]

    @model_validator(mode="after")
    def _whole(self) -> Self:
        names = [row.label for row in self.rows]
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise ValueError(f"rows are there twice: {', '.join(sorted(twice))}")
        titles = [column.title for column in (*self.columns, *self.own)]
        if len(set(titles)) < len(titles):
            raise ValueError("two columns have the same group and label")
        for row in self.rows:
            if len(row.values) != len(self.columns):
                raise ValueError(f"row {row.label!r} has {len(row.values)} figures for {len(self.columns)} columns")
            for value, column in zip(row.values, self.columns, strict=True):
                self._fits(row.label, column, value)
        for named in (self.base, *self.datasets):
            if named is not None and named not in names:
                raise ValueError(f"there is no row {named!r}")
        return self

    @staticmethod
    def _fits(row: str, column: Column, value: Value) -> None:
        if value is None:
            return
        if isinstance(value, bool) != (column.unit == "verdict"):
            raise ValueError(f"row {row!r}, {column.title!r}: a verdict is yes or no, any other figure a number")
        relative = "relative" in column.measure or column.better == "none"
        most = {"percent": 100.0, "share": 1.0}.get(column.unit)
        if most is not None and not relative and not -most <= value <= most:
            raise ValueError(f"row {row!r}, {column.title!r}: {value} is no {column.unit}")

    def known_as(self, label: str) -> tuple[str, ...]:
        """Return the names that the method of a row has in logs."""
        return (label, *self.solvers.get(label, ()))


def load(path: Path) -> list[Table]:
    """Read a file of published tables.

    Raises:
        InputError: the file cannot be read, or a table in it is not whole; the message says which and why.
    """
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        paper = Paper.model_validate(content["paper"])
        solvers = content.get("solvers", {})
        unknown = content.keys() - {"paper", "solvers", "tables"}
        rows = list(content["tables"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, yaml.YAMLError) as error:
        raise InputError(f"{path.name}: no file of published figures ({type(error).__name__})") from None
    if unknown:
        raise InputError(f"{path.name}: unknown {', '.join(sorted(map(str, unknown)))}")
    tables = []
    for row in rows:
        name = row.get("id", "?") if isinstance(row, dict) else "?"
        try:
            tables.append(_table(row, paper, solvers))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"]))
            raise InputError(f"{path.name}, table {name!r}: {where} {first['msg']}".strip()) from None
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{path.name}, table {name!r}: not a table ({type(error).__name__})") from None
    return tables


def _table(row: dict[str, Any], paper: Paper, solvers: dict[str, Any]) -> Table:
    given = dict(row)
    defaults = given.pop("defaults", {})
    for kind in ("columns", "own"):
        if kind in given:
            given[kind] = [{**defaults, **column} for column in given[kind]]
    given["solvers"] = {**solvers, **given.get("solvers", {})}
    return Table.model_validate({**given, "paper": paper})


@functools.cache
def tables(folder: Path = FOLDER) -> tuple[Table, ...]:
    """Return all published tables, paper by paper.

    Raises:
        InputError: a file is damaged, or two tables have one id.
    """
    found = [table for path in sorted(folder.glob("*.yaml")) for table in load(path)]
    names = [table.id for table in found]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise InputError(f"published tables are there twice: {', '.join(sorted(twice))}")
    return tuple(found)


def choose(found: Sequence[Table], wanted: Sequence[str]) -> list[Table]:
    """Return the tables with the wanted ids, or whose ids begin so: `gama-v1` means all of that paper.

    Raises:
        OptionError: no table is called so.
    """
    from gama.state.errors import OptionError, known_ones

    chosen: list[Table] = []
    for name in wanted:
        some = [table for table in found if table.id == name]
        some = some or [table for table in found if name == "all" or table.id.startswith(f"{name}-")]
        if not some:
            ids = [table.id for table in found]
            raise OptionError(f"option --table: no table is called {name!r}{known_ones(name, ids)}")
        chosen += [table for table in some if table not in chosen]
    return chosen
