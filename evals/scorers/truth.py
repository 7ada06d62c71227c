"""Marks of questions that are answered by True or False: LPP and BoolQ (spec 02 §2.2.4)."""

import re

from gama.evals.datasets import boolq, lpp
from gama.evals.scorers.base import Marks


def _says(answer: str, word: bool) -> bool:
    return re.search(rf"\b{word}\b", answer, re.IGNORECASE) is not None


def score(record: lpp.Record | boolq.Record, answer: str) -> Marks:
    """Mark as right what has the right word and not the other one."""
    return Marks(int(_says(answer, record.answer) and not _says(answer, not record.answer)), 1)


def lenient(record: lpp.Record | boolq.Record, answer: str) -> Marks:
    """Mark by the definition of GAMA's code: the right word is there, whether or not the other one is."""
    return Marks(int(_says(answer, record.answer)), 1)
