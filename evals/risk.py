"""How easily anonymized texts are told apart: ARX's risks of texts as records, and an attack that links them.

A text is a record whose quasi-identifiers are, by type of value, what can still be read and how much is hidden; the
papers do not say what theirs are (spec 02 §2.5). Lines that hold a `record` of cells are taken as they are.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from gama.evals.datasets.corpus import Dataset, gold
from gama.evals.methods.base import Hidden, mask
from gama.evals.metrics.entities import readable, surface
from gama.evals.metrics.linkage import Attacks, Row, attack, hidden_counts
from gama.evals.metrics.risk import Record, Risks, risks
from gama.evals.runs import Run
from gama.state.entities import SUBTYPES, EntityType
from gama.state.errors import InputError

Cells = Literal["both", "counts", "values"]
"""What a cell of a text's record holds: the values of a type that can be read, how many are hidden, or both.

Where cells are values alone, one without any is suppressed.
"""

TYPES: tuple[EntityType, ...] = get_args(EntityType)
assert set(TYPES) == set(SUBTYPES)


class MethodRisk(NamedTuple):
    """How easily the texts are told apart that a method anonymized."""

    method: str
    alone: Risks
    """With the sample being all there is."""
    within: Risks
    """With the whole set as its population."""
    attacks: dict[str, Attacks]
    """By what the attacker looks at: the values that can be read, or the counts of hidden ones too."""


def record_of(text: str, values: Iterable[tuple[str, str]], cells: Cells = "values") -> Record:
    """Return the record of an anonymized text.

    Args:
        text: as it left, with placeholders as the package writes them.
        values: private values, each with its type; those count that can still be read.
        cells: what its cells hold.
    """
    hidden = hidden_counts(text)
    left: dict[str, set[str]] = {}
    for value, kind in values:
        if readable(value, text):
            left.setdefault(kind, set()).add(surface(value))
    return tuple(_cell(sorted(left.get(kind, ())), hidden[kind], cells) for kind in TYPES)


def _cell(values: list[str], hidden: int, cells: Cells) -> str | None:
    shown = " | ".join(values)
    if cells == "counts":
        return str(hidden)
    return f"{shown} +{hidden}" if cells == "both" else shown or None


def read_records(path: Path, cells: Cells = "values") -> list[Record]:
    """Read anonymized records: lines with `anonymized`, as `gama anonymize --jsonl` writes them, or with `record`.

    With `--with-values` a line has `entities`, whose private values count where they can still be read; without them
    placeholders alone are counted. A `record` is an object of cells; null and `*` are suppressed ones.

    Raises:
        InputError: the file cannot be read, or a line is none of these; names the line.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeError) as error:
        problem = getattr(error, "strerror", None) or "it is not UTF-8"
    else:
        rows = [_row(line, number) for number, line in enumerate(lines, 1) if line.strip()]
        if not rows:
            raise InputError(f"there is no record in {path.name!r}")
        kinds = {"record" in row for row in rows}
        if len(kinds) > 1:
            raise InputError(f"{path.name!r} mixes lines with 'record' and with 'anonymized': give one file for each")
        return _tabular(rows) if kinds == {True} else [_of_text(row, cells) for row in rows]
    raise InputError(f"the file {str(path)!r} cannot be read: {problem}")


def _row(line: str, number: int) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    if isinstance(row, dict):
        cells, entities = row.get("record"), row.get("entities") or []
        if isinstance(cells, dict) and all(one is None or isinstance(one, str | int | float) for one in cells.values()):
            return row
        if cells is None and isinstance(row.get("anonymized"), str) and isinstance(entities, list):
            if all(isinstance(one, dict) and {"text", "type"} <= one.keys() for one in entities):
                return row
    raise InputError(
        f"line {number} is no anonymized record: it needs the text `anonymized`, or an object `record` of plain cells"
    )


def _tabular(rows: Sequence[Mapping[str, Any]]) -> list[Record]:
    names = sorted({name for row in rows for name in row["record"]})
    cells = [[row["record"].get(name) for name in names] for row in rows]
    return [tuple(None if cell in (None, "*") else str(cell) for cell in row) for row in cells]


def _of_text(row: Mapping[str, Any], cells: Cells) -> Record:
    private = [one for one in row.get("entities") or [] if one.get("private") is not False]
    return record_of(row["anonymized"], [(str(one["text"]), str(one["type"])) for one in private], cells)


def reference(dataset: Dataset) -> Run:
    """Return an outcome to compare with: exactly the annotated values hidden."""
    hidden = []
    for record in dataset.records:
        stretches = gold(record.example)
        hidden.append(Hidden(stretches, mask(record.example.text, stretches)))
    return Run("gold", "exactly the annotated values", False, {}, hidden, [0.0] * len(hidden))


def rows_of(dataset: Dataset) -> list[Row]:
    """Return the table that the attack by linkage holds: the private values of each original, by type."""
    rows: list[Row] = []
    for values in _private(dataset):
        kinds: dict[str, set[str]] = {}
        for value, kind in values:
            kinds.setdefault(kind, set()).add(surface(value))
        rows.append({kind: frozenset(some) for kind, some in kinds.items()})
    return rows


def _private(dataset: Dataset) -> list[list[tuple[str, str]]]:
    return [
        [(record.example.text[one.start : one.end], one.type) for one in gold(record.example) if one.private]
        for record in dataset.records
    ]


def evaluate(
    dataset: Dataset,
    runs: Sequence[Run],
    sample: Sequence[int],
    *,
    cells: Cells = "values",
    threshold: float,
    wildcard: bool = False,
) -> list[MethodRisk]:
    """Measure what methods did to the texts of a data set.

    Args:
        dataset: the population.
        runs: what methods did to its texts.
        sample: which of them are published, by their places.
        cells: see `record_of`.
        threshold: risk above which a record is at risk.
        wildcard: whether a suppressed cell matches anything.
    """
    private, rows = _private(dataset), rows_of(dataset)
    found = []
    for run in runs:
        texts = [hidden.masked for hidden in run.hidden]
        whole = [record_of(text, values, cells) for text, values in zip(texts, private, strict=True)]
        some = [whole[at] for at in sample]
        alone = risks(some, threshold=threshold, wildcard=wildcard)
        within = risks(some, whole, threshold=threshold, wildcard=wildcard)
        attacks = {
            "values": attack(texts, rows, sample, counts=False),
            "values and counts": attack(texts, rows, sample),
        }
        found.append(MethodRisk(run.name, alone, within, attacks))
    return found
