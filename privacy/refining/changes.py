"""What a refinement changed, stretch by stretch: to be shown, taken or left, and looked for in an answer."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from gama.privacy.refining.loop import Refinement

# A placeholder, a word, or a sign.
_TOKEN = re.compile(r"<[^<>\s]+>|\w+|[^\w\s]")


class Change(NamedTuple):
    """A stretch that a rewriting replaced."""

    before: str
    after: str
    """Empty where the stretch was left out."""


class _Run(NamedTuple):
    """A run of tokens of the old text, and what stands for it in the new one."""

    changed: bool
    old: tuple[int, int]
    new: tuple[int, int]


def changes(refinement: Refinement) -> list[Change]:
    """Return what was changed, stretch by stretch; stretches with one word between them that stayed are one."""
    before, after = refinement.before.text, refinement.after.text
    old, new = _tokens(before), _tokens(after)
    runs = (run for run in _runs(before, after) if run.changed)
    return [Change(_stretch(before, old, *run.old).strip(), _stretch(after, new, *run.new).strip()) for run in runs]


def with_changes(refinement: Refinement, taken: Sequence[bool]) -> str:
    """Return the text with some of the changes; with all of them it is the refined text, with none the original.

    Args:
        refinement: it.
        taken: for each of `changes` whether it is made.
    """
    before, after = refinement.before.text, refinement.after.text
    old, new = _tokens(before), _tokens(after)
    left = iter(taken)
    out, made = [], bool(taken and taken[0])
    for run in _runs(before, after):
        if run.changed:
            made = next(left)
        # What stayed follows the stretch before it, in its white space too.
        out.append(_stretch(after, new, *run.new) if made else _stretch(before, old, *run.old))
    text, tokens = (after, new) if made else (before, old)
    return "".join([*out, text[tokens[-1][1] if tokens else 0 :]])


def _tokens(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in _TOKEN.finditer(text)]


def _runs(before: str, after: str) -> Iterator[_Run]:
    """Yield runs that stayed and runs that changed, in their order, all tokens of both texts together."""
    was, now = ([text[a:b] for a, b in _tokens(text)] for text in (before, after))
    joined: list[_Run] = []
    for kind, a, b, c, d in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        changed = kind != "equal"
        short = len(joined) > 1 and not joined[-1].changed and joined[-1].old[1] - joined[-1].old[0] <= 1
        if changed and short:
            joined.pop()
            joined[-1] = _Run(True, (joined[-1].old[0], b), (joined[-1].new[0], d))
        else:
            joined.append(_Run(changed, (a, b), (c, d)))
    yield from joined


def _stretch(text: str, tokens: Sequence[tuple[int, int]], first: int, last: int) -> str:
    """Return the text of tokens, with the white space before them."""
    return text[tokens[first - 1][1] if first else 0 : tokens[last - 1][1]] if last > first else ""


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
