"""The class-weighted metric behind GAMA's published identification figures, for reproduction only.

Rebuilt from the authors' code (spec 02 §2.2.1 b). It is not fit for ranking: the parts of a hidden name ("Emma",
"Williams") count as ordinary words wrongly hidden, and nothing counts against a text that was left as it is, so that
*no masking at all* scores higher than masking exactly what is private. Use `entities.py` for conclusions.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

WARNING = (
    "The published metric is shown for reproduction only: it scores no masking at all above masking exactly the "
    "private values (see the rows `nothing` and `gold`)."
)
"""What is said wherever the metric is shown."""

# Accepts runs of letters, digits and underscores, as the figures of the authors' files need; the hyphen splits.
_WORD = re.compile(r"\w+")


class Tally(NamedTuple):
    """What the metric counts in one letter, or, added up, in many."""

    hidden: int = 0
    """h: listed values that no longer occur."""
    listed: int = 0
    """T: listed values, those that never occurred included."""
    lost: int = 0
    """f: different ordinary words of the letter that no longer occur."""
    words: int = 0
    """n: words of the masked letter that are not a listed value."""

    def plus(self, other: "Tally") -> "Tally":
        """Return the sum of the two."""
        return Tally(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


class Weighted(NamedTuple):
    """The metric's figures."""

    precision: float
    recall: float
    f1: float


def count(original: str, masked: str, listed: Sequence[str]) -> Tally:
    """Count one letter. Listed values are searched case-insensitively as substrings, as the authors do."""
    values = [value.lower() for value in listed]
    whole = set(values)
    before, after = _WORD.findall(original.lower()), _WORD.findall(masked.lower())
    return Tally(
        hidden=sum(value not in masked.lower() for value in values),
        listed=len(values),
        lost=len(set(before) - whole - set(after)),
        words=sum(word not in whole for word in after),
    )


def weighted(tally: Tally) -> Weighted:
    """Return the figures of the counts; all zero where there is nothing to weigh."""
    hidden, listed, lost, words = tally
    total = listed + words
    if not total:
        return Weighted(0.0, 0.0, 0.0)
    kept = (words - lost) / words if words else 0.0
    private = hidden / (hidden + lost) if hidden + lost else 0.0
    found = hidden / listed if listed else 0.0
    precision = (listed * private + words * kept) / total
    recall = (listed * found + words * kept) / total
    both = precision + recall
    return Weighted(precision, recall, 2 * precision * recall / both if both else 0.0)
