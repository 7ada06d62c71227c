"""Trivia Creative Writing: stories that must weave in the answers to five or ten trivia questions (spec 02 §2.1)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from gama.evals.datasets.problem import Problem
from gama.evals.datasets.source import SOURCES, are_texts, invalid, is_text, read_lines

CUE = "Story:"
"""What a plan is divided from the story by, where a method makes one."""


class Record(NamedTuple):
    """A topic with its questions."""

    id: str
    topic: str
    questions: tuple[str, ...]
    answers: tuple[tuple[str, ...], ...]
    """For each question the accepted answers."""


def load(path: Path | None = None, questions: Literal[5, 10] = 5) -> list[Record]:
    """Read a file; the items that ship unless one is given.

    Args:
        path: the file.
        questions: how many questions each record has.

    Raises:
        InputError: the file cannot be read, or a record is invalid; names the record.
    """
    source = path or SOURCES[f"tcw{questions}"].shipped
    return [_record(raw, number, questions) for number, raw in enumerate(read_lines(source, "TCW"), 1)]


def _record(raw: Any, number: int, count: int) -> Record:
    if not isinstance(raw, dict) or not is_text(raw.get("topic")):
        raise invalid("TCW", number, "it has no topic")
    asked, answers = raw.get("questions"), raw.get("answers")
    if not are_texts(asked) or len(asked) != count:
        raise invalid("TCW", number, f"its questions are not {count} texts")
    if not isinstance(answers, list) or len(answers) != count or not all(map(are_texts, answers)):
        raise invalid("TCW", number, f"its answers are not {count} lists of texts")
    return Record(f"tcw{count}-{number}", raw["topic"], tuple(asked), tuple(map(tuple, answers)))


def problems(records: Sequence[Record]) -> list[Problem]:
    """Return what a solver is asked: the story."""
    return [
        Problem(
            record.id,
            f"tcw{len(record.questions)}",
            f"Write a short story about {record.topic} that hangs together. Somewhere in it, the answer to each of "
            f"these {len(record.questions)} questions must be mentioned: {' '.join(record.questions)}",
            CUE,
            {"topic": record.topic, "questions": record.questions},
        )
        for record in records
    ]
