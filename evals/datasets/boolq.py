"""BoolQ: a passage and a question that it settles by yes or no."""

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from gama.evals.datasets.problem import Problem
from gama.evals.datasets.source import SOURCES, digest_text, invalid, is_text, read_lines
from gama.state.errors import InputError


class Record(NamedTuple):
    """A question with its passage."""

    id: str
    """Of the passage's and the question's content, so that what is built of it can be traced."""
    question: str
    title: str
    passage: str
    answer: bool


def load(path: Path | None = None) -> list[Record]:
    """Read a file; the records that ship unless one is given.

    Raises:
        InputError: the file cannot be read, or a record is invalid; names the record.
    """
    found = read_lines(path or SOURCES["boolq"].shipped, "BoolQ")
    return [_record(raw, number) for number, raw in enumerate(found, 1)]


def _record(raw: Any, number: int) -> Record:
    if not isinstance(raw, dict) or not is_text(raw.get("question")) or not is_text(raw.get("passage")):
        raise invalid("BoolQ", number, "its question or its passage holds no text")
    if not isinstance(raw.get("answer"), bool):
        raise invalid("BoolQ", number, "its field 'answer' is neither true nor false")
    question, passage = raw["question"], raw["passage"]
    name = f"boolq-{digest_text(f'{passage} {question}')[:12]}"
    return Record(name, question, str(raw.get("title", "")), passage, raw["answer"])


def balanced(records: Sequence[Record], count: int, seed: int) -> list[Record]:
    """Return a sample with as many true as false ones, in the order of the file.

    Raises:
        InputError: there are too few of one kind.
    """
    chosen: set[str] = set()
    for answer, share in ((True, count - count // 2), (False, count // 2)):
        of_kind = [one.id for one in records if one.answer is answer]
        if len(of_kind) < share:
            raise InputError(f"BoolQ: {share} records with the answer {answer} are wanted, there are {len(of_kind)}")
        chosen.update(Random(f"{seed}-{answer}").sample(of_kind, share))
    return [one for one in records if one.id in chosen]


def problems(records: Sequence[Record]) -> list[Problem]:
    """Return what a solver is asked: True or False, by the passage."""
    return [
        Problem(
            record.id,
            "boolq",
            f"{record.passage}\n\nGoing by this text: {record.question.rstrip('?')}? Reply with the single word True "
            "for yes, with the single word False for no.",
            facts={"questions": (record.question,), "choices": ("True", "False"), "topic": record.title},
        )
        for record in records
    ]
