"""Entity-level scores of masked letters: which of the listed private values are hidden (spec 02 §2.2.1 a).

True positives are listed values that were found, false positives found values that are not listed, false negatives
listed values that were missed; values agree when their normalised surfaces do, whatever their type (GAMA Eqs. 11 to
13). Counts add up over letters. A value that does not occur in its letter cannot be hidden, and is left out.
"""

import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

from gama.evals.metrics.spans import Counts, Share

Value = tuple[str, str]
"""A surface and its kind; the kind is empty everywhere where types are ignored."""


class EntityScores(NamedTuple):
    """What was hidden of one letter, or, added up, of many."""

    entities: Counts
    """Values found, values predicted, values listed."""
    left: Share
    """Listed values that can still be read in the masked letter: the residual leak."""


def surface(value: str) -> str:
    """Return a value as it is compared: compatibility forms, case and spacing are levelled."""
    return " ".join(unicodedata.normalize("NFKC", value).casefold().split())


def readable(value: str, text: str) -> bool:
    """Return whether a value stands in a text as words of its own, in whatever case and spacing."""
    wanted, whole = surface(value), surface(text)
    if not wanted or wanted not in whole:
        return False
    # A value is not part of a longer word: "Lee" is not in "Leeds".
    left, right = (r"(?<!\w)" if wanted[0].isalnum() else ""), (r"(?!\w)" if wanted[-1].isalnum() else "")
    return re.search(left + re.escape(wanted) + right, whole) is not None


def score_entities(found: Iterable[Value], listed: Iterable[Value], masked: str) -> EntityScores:
    """Score one letter.

    Args:
        found: What was hidden.
        listed: The private values that occur in the letter, see `readable`.
        masked: The letter as it would leave.
    """
    mine = {(surface(value), kind) for value, kind in found if surface(value)}
    theirs = {(surface(value), kind) for value, kind in listed if surface(value)}
    left = sum(readable(value, masked) for value, _ in theirs)
    return EntityScores(Counts(len(mine & theirs), len(mine), len(theirs)), Share(left, len(theirs)))
