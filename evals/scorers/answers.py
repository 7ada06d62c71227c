"""Marks of our own texts with questions (`evals/data/answers`): the strings that a right answer has, and has not."""

from gama.evals.answers import Record, is_right
from gama.evals.scorers.base import Marks


def score(record: Record, answer: str) -> Marks:
    """Mark as right what has a string of each group, and none that only a wrong answer has."""
    return Marks(int(is_right(record, answer)), 1)
