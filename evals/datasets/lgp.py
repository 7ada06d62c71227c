"""Logic Grid Puzzle: in which of two to five houses somebody lives (spec 02 §2.1)."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gama.evals.datasets.problem import Problem
from gama.evals.datasets.source import SOURCES, invalid, is_text, read_lines

CUE = "Answer:"
"""What the number is announced by."""

_CHOICE = re.compile(r"^\s*choice:\s*(\d+)\s*$", re.MULTILINE)
# Accepts `  choice: 2`, a line each; refuses a choice that is not a number.


class Record(NamedTuple):
    """A puzzle."""

    id: str
    puzzle: str
    """The clues and the question, without choices and cue."""
    choices: tuple[str, ...]
    """House numbers, in the file's order."""
    house: str
    """The right one."""


def load(path: Path | None = None) -> list[Record]:
    """Read a file; the items that ship unless one is given.

    Raises:
        InputError: the file cannot be read, or a record is invalid; names the record.
    """
    return [_record(raw, number) for number, raw in enumerate(read_lines(path or SOURCES["lgp"].shipped, "LGP"), 1)]


def _record(raw: Any, number: int) -> Record:
    if not isinstance(raw, dict) or not is_text(raw.get("inputs")):
        raise invalid("LGP", number, "its field 'inputs' holds no text")
    whole = raw["inputs"]
    choices = tuple(_CHOICE.findall(whole))
    puzzle = _CHOICE.split(whole)[0].strip().removeprefix("Q:").strip()
    targets = raw.get("targets")
    if not choices or not puzzle:
        raise invalid("LGP", number, "its text does not end with choices")
    if not isinstance(targets, list) or len(targets) != 1 or targets[0] not in choices:
        raise invalid("LGP", number, "its target is not one of the choices")
    return Record(f"lgp-{raw.get('idx', number - 1)}", puzzle, choices, targets[0])


def problems(records: Sequence[Record]) -> list[Problem]:
    """Return what a solver is asked: the number of the house."""
    return [
        Problem(
            record.id,
            "lgp",
            f"Solve this puzzle.\n\n{record.puzzle}\n\nIt is one of these houses: {', '.join(record.choices)}. "
            f"End with a line that holds nothing but `{CUE}` and the number of the house.",
            CUE,
            {"puzzle": record.puzzle, "choices": record.choices},
        )
        for record in records
    ]
