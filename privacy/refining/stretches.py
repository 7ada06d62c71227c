"""Two versions of a text side by side: which stretches stayed and which changed, and texts with some of the changes."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

# A placeholder, a word, or a sign.
_TOKEN = re.compile(r"<[^<>\s]+>|\w+|[^\w\s]")


class Run(NamedTuple):
    """A run of tokens of the old text, and what stands for it in the new one."""

    changed: bool
    old: tuple[int, int]
    new: tuple[int, int]


def tokens(text: str) -> list[tuple[int, int]]:
    """Return where the placeholders, words and signs of a text stand."""
    return [match.span() for match in _TOKEN.finditer(text)]


def runs(before: str, after: str) -> Iterator[Run]:
    """Yield runs that stayed and runs that changed, in their order, all tokens of both texts together.

    Changes with one token between them that stayed are one.
    """
    was, now = ([text[a:b] for a, b in tokens(text)] for text in (before, after))
    joined: list[Run] = []
    for kind, a, b, c, d in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        changed = kind != "equal"
        short = len(joined) > 1 and not joined[-1].changed and joined[-1].old[1] - joined[-1].old[0] <= 1
        if changed and short:
            joined.pop()
            joined[-1] = Run(True, (joined[-1].old[0], b), (joined[-1].new[0], d))
        else:
            joined.append(Run(changed, (a, b), (c, d)))
    yield from joined


def stretch(text: str, places: Sequence[tuple[int, int]], first: int, last: int) -> str:
    """Return the text of tokens, with the white space before them."""
    return text[places[first - 1][1] if first else 0 : places[last - 1][1]] if last > first else ""


def mixed(before: str, after: str, taken: Sequence[bool]) -> str:
    """Return the text with some of the changes; with all of them it is the new text, with none the old one.

    Args:
        before: the old text.
        after: the new one.
        taken: for each of the runs that changed whether it is taken.
    """
    old, new = tokens(before), tokens(after)
    left = iter(taken)
    out, made = [], bool(taken and taken[0])
    for run in runs(before, after):
        if run.changed:
            made = next(left)
        # What stayed follows the stretch before it, in its white space too.
        out.append(stretch(after, new, *run.new) if made else stretch(before, old, *run.old))
    text, places = (after, new) if made else (before, old)
    return "".join([*out, text[places[-1][1] if places else 0 :]])
