"""PUPA: what users asked of a chat model, with the personal values in it (spec 06)."""

import csv
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from gama.evals.datasets.problem import Problem
from gama.evals.datasets.source import SOURCES, invalid
from gama.state.errors import InputError

TRAIN = 150
"""The first so many records are for training, as many after them for validation, the rest for tests."""

COLUMNS = ("conversation_hash", "predicted_category", "user_query", "target_response", "pii_units", "redacted_query")


class Record(NamedTuple):
    """A user's message."""

    id: str
    category: str
    query: str
    reply: str
    """Of the model that was asked: what an answer is compared with."""
    units: tuple[str, ...]
    """Personal values in the message."""
    redacted: str


def load(path: Path | None = None) -> list[Record]:
    """Read a file; the records that ship unless one is given.

    Raises:
        InputError: the file cannot be read, or lacks a column.
    """
    source = path or SOURCES["pupa"].shipped
    try:
        with source.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeError, csv.Error) as error:
        problem = getattr(error, "strerror", None) or "it is not a CSV file in UTF-8"
        raise InputError(f"the PUPA file {str(source)!r} cannot be used: {problem}") from None
    if not rows or (missing := [name for name in COLUMNS if name not in rows[0]]):
        lacking = f"it lacks the column {missing[0]!r}" if rows else "it has no record"
        raise InputError(f"the PUPA file {str(source)!r} cannot be used: {lacking}")
    return [_record(row, number) for number, row in enumerate(rows, 1)]


def _record(row: dict[str, str], number: int) -> Record:
    name, category, query, reply, units, redacted = (row[column] or "" for column in COLUMNS)
    if not query.strip():
        raise invalid("PUPA", number, "its user_query holds no text")
    # The file writes None for a message without personal values.
    found = [unit.strip() for unit in re.split(r"\|\|", units) if unit.strip() and unit.strip() != "None"]
    return Record(f"pupa-{number}-{name[:8]}", category, query, reply, tuple(dict.fromkeys(found)), redacted)


def split(records: Sequence[Record], part: str) -> list[Record]:
    """Return the published part of the records: `train`, `validation` or `test`."""
    ends = {"train": (0, TRAIN), "validation": (TRAIN, 2 * TRAIN), "test": (2 * TRAIN, len(records))}
    start, end = ends[part]
    return list(records[start:end])


def problems(records: Sequence[Record]) -> list[Problem]:
    """Return what a solver is asked: what the user asked."""
    return [
        Problem(
            record.id,
            "pupa",
            record.query,
            facts={"private": {"units": list(record.units)}, "reply": record.reply, "topic": record.category},
        )
        for record in records
    ]
