"""Marks of Trivia Creative Writing: questions whose answer is mentioned in the story (spec 02 §2.2.4)."""

from gama.evals.datasets.tcw import CUE, Record
from gama.evals.scorers.aliases import by_substring, by_words
from gama.evals.scorers.base import Marks, unwrap


def score(record: Record, answer: str) -> Marks:
    """Mark by SPP's definition: an alias is a substring of the story."""
    return by_substring(record.answers, unwrap(answer, CUE))


def gama(record: Record, answer: str) -> Marks:
    """Mark by the definition of GAMA's code, which gives 1.6 to 3.5 points more on the same stories."""
    return by_words(record.answers, unwrap(answer, CUE))
