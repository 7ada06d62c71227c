"""What a refinement changed, stretch by stretch: to be shown, taken or left, and looked for in an answer."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from gama.privacy.refining.loop import Refinement
from gama.privacy.refining.stretches import mixed, runs, stretch, tokens


class Change(NamedTuple):
    """A stretch that a rewriting replaced."""

    before: str
    after: str
    """Empty where the stretch was left out."""


def changes(refinement: Refinement) -> list[Change]:
    """Return what was changed, stretch by stretch; stretches with one word between them that stayed are one."""
    before, after = refinement.before.text, refinement.after.text
    old, new = tokens(before), tokens(after)
    changed = (run for run in runs(before, after) if run.changed)
    return [Change(stretch(before, old, *run.old).strip(), stretch(after, new, *run.new).strip()) for run in changed]


def with_changes(refinement: Refinement, taken: Sequence[bool]) -> str:
    """Return the text with some of the changes; with all of them it is the refined text, with none the original.

    Args:
        refinement: it.
        taken: for each of `changes` whether it is made.
    """
    return mixed(refinement.before.text, refinement.after.text, taken)


def referred(answer: str, refinement: Refinement) -> list[Change]:
    """Return the changed stretches to whose new words an answer refers, letter for letter.

    A rewriting has no inverse: words that were made more general are not put back, but what stood there is told.
    """
    said = " ".join(answer.casefold().split())
    found = []
    for change in changes(refinement):
        words = " ".join(change.after.casefold().split()).strip(" .,;:!?")
        if len(words) > 3 and re.search(rf"(?<!\w){re.escape(words)}(?!\w)", said):
            found.append(change)
    return found
