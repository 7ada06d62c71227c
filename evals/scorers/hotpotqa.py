"""Marks of HotpotQA: the answer after the cue, levelled as its own evaluation does."""

import re
import string

from gama.evals.datasets.hotpotqa import CUE, Record
from gama.evals.scorers.base import Marks, unwrap

_MARKS = str.maketrans("", "", string.punctuation)


def levelled(text: str) -> str:
    """Return a text in lower case, without articles and marks, with single spaces."""
    return " ".join(re.sub(r"\b(?:a|an|the)\b", " ", text.lower().translate(_MARKS)).split())


def score(record: Record, answer: str) -> Marks:
    """Mark as right what is the answer, levelled (exact match)."""
    return Marks(int(levelled(unwrap(answer, CUE)) == levelled(record.answer)), 1)


def lenient(record: Record, answer: str) -> Marks:
    """Mark as right what holds the answer as whole words, anywhere."""
    return Marks(int(f" {levelled(record.answer)} " in f" {levelled(answer)} "), 1)
