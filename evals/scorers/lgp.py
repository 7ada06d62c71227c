"""Marks of Logic Grid Puzzle: the number of the right house, and of no other (spec 02 §2.2.4)."""

import re

from gama.evals.datasets.lgp import CUE, Record
from gama.evals.scorers.base import Marks, unwrap

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def houses(text: str) -> set[int]:
    """Return the numbers from 1 to 10 that a text names, as digits or as ordinals in words."""
    said = text.lower()
    return {
        number
        for number, word in enumerate(ORDINALS, 1)
        if re.search(rf"\b(?:{number}|{word})\b", said) or re.search(rf"\b{number}(?:st|nd|rd|th)\b", said)
    }


def score(record: Record, answer: str) -> Marks:
    """Mark by SPP's definition: the right house is named after the cue, and no other number."""
    return Marks(int(houses(unwrap(answer, CUE)) == {int(record.house)}), 1)


def lenient(record: Record, answer: str) -> Marks:
    """Mark an answer as right that names the right house after the cue, whatever else it names."""
    return Marks(int(int(record.house) in houses(unwrap(answer, CUE))), 1)
