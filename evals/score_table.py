"""A table of scores as CSV: a head line with the names of data sets, then a line for each method, its name first."""

import csv
import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from gama.state.errors import InputError

EMPTY = frozenset({"", "-", "–", "—", "nan", "n/a"})
"""What stands in a cell without a score."""


class ScoreTable(NamedTuple):
    """Scores of methods on data sets."""

    datasets: list[str]
    rows: dict[str, list[float | None]]
    """By method, a score for each data set."""


def read_table(path: Path) -> ScoreTable:
    """Read a table.

    Raises:
        InputError: the file cannot be read, or a line is not as it must be; names the line.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = [(number, line) for number, line in enumerate(csv.reader(file), 1) if any(map(str.strip, line))]
    except (OSError, UnicodeError, csv.Error):
        raise InputError(f"the table {path.name!r} cannot be read: give a CSV file in UTF-8") from None
    if len(lines) < 2:
        raise InputError(f"the table {path.name!r} needs a head line and a line for each method")
    datasets = [name.strip() for name in lines[0][1][1:]]
    if not all(datasets) or len(set(datasets)) != len(datasets):
        raise InputError(f"the head line of {path.name!r} needs a different name for each data set")
    rows: dict[str, list[float | None]] = {}
    for number, (name, *cells) in lines[1:]:
        if len(cells) != len(datasets) or not name.strip() or name.strip() in rows:
            raise InputError(
                f"line {number} of {path.name!r} needs a method's name of its own and {len(datasets)} scores"
            )
        rows[name.strip()] = [_score(cell, number, path.name) for cell in cells]
    return ScoreTable(datasets, rows)


def _score(cell: str, number: int, name: str) -> float | None:
    text = cell.strip()
    if text.lower() in EMPTY:
        return None
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise InputError(
            f"line {number} of {name!r} has a score that is not a number: leave the cell empty, or write -"
        )
    return score


def columns_of(table: ScoreTable, methods: Sequence[str]) -> list[str]:
    """Return the data sets on which all of some methods have a score."""
    return [
        name for at, name in enumerate(table.datasets) if all(table.rows[method][at] is not None for method in methods)
    ]
