"""What all scorers share: marks, and taking an answer out of what a method wrote around it."""

from collections.abc import Callable
from typing import Any, NamedTuple


class Marks(NamedTuple):
    """How many of an item's questions were answered rightly."""

    right: int
    questions: int


Scorer = Callable[[Any, str], Marks]
"""Gives marks to an answer to a record of its data set."""


def unwrap(text: str, cue: str) -> str:
    """Return what follows the cue, whatever its case; the whole text where there is no cue, or nothing after it.

    Of several cues the last counts: methods name it in their plans.
    """
    at = text.casefold().rfind(cue.casefold()) if cue else -1
    # Case folding may change the length: then the cue is looked for as it is written.
    if at >= 0 and len(text.casefold()) != len(text):
        at = text.rfind(cue)
    after = text[at + len(cue) :].strip() if at >= 0 else ""
    return after or text.strip()
