"""Marks of KPP: questions whose answer is mentioned in the reply (spec 02 §2.2.4)."""

from gama.evals.datasets.kpp import Record
from gama.evals.scorers.aliases import by_substring, by_words
from gama.evals.scorers.base import Marks


def score(record: Record, answer: str) -> Marks:
    """Mark by the definition of GAMA's code: all words of an alias are there."""
    return by_words(record.answers, answer)


def exact(record: Record, answer: str) -> Marks:
    """Mark by SPP's definition: an alias is a substring of the reply."""
    return by_substring(record.answers, answer)
