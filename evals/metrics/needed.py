"""PII-Bench's scores of query-related detection and query-unrelated masking (spec 03 §3.5, §3.6): T2 and T3.

A text's private surfaces E fall into those that the query needs as they stand, E_q, and the rest. A method keeps some
of what is private and masks the rest; both sets are compared with the annotation's. Surfaces are compared as strings
(NFKC, trimmed), mentions of one collapse; both sides empty score 1, one empty 0. Figures of a set of texts are means
over its texts, except those called micro, for which the counts here add up.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from gama.evals.metrics.spans import Counts, Share
from gama.evals.metrics.subjects import Score, fuzzy_scores, normal, set_scores
from gama.tools.placeholders.boundaries import boundary

Place = tuple[int, int]
"""First character of a stretch, and one past its last."""

BLANK = "\0"
"""Stands for each character that is masked: no letter, no digit, in no surface."""


class NeededScores(NamedTuple):
    """What one text's choice scores."""

    kept: Score
    """What is kept against what the query needs: T2 where the private spans were given, T3 where they were found."""
    kept_fuzzy: Score
    """The same by RougeL: parts of strings count."""
    kept_counts: Counts
    """For the micro average."""
    masked: Score
    """What is masked against what is private and not needed (`t3_target=masked`)."""
    masked_counts: Counts


def distinct(surfaces: Iterable[str]) -> frozenset[str]:
    """Return surfaces as they are compared, each once; what is only space is left out."""
    return frozenset(normal(surface) for surface in surfaces) - {""}


def score_needed(
    kept: Iterable[str], masked: Iterable[str], needed: Iterable[str], private: Iterable[str]
) -> NeededScores:
    """Score one text.

    Args:
        kept: Private surfaces that the method leaves in clear. One with a mention in clear is kept, whatever happens
            to its other mentions.
        masked: Private surfaces that it hides.
        needed: Those that the query needs: E_q.
        private: All that are private: E.
    """
    left, wanted = distinct(kept), distinct(needed)
    hidden, rest = distinct(masked) - left, distinct(private) - wanted
    return NeededScores(
        set_scores(left, wanted),
        fuzzy_scores(sorted(left), sorted(wanted)),
        _counts(left, wanted),
        set_scores(hidden, rest),
        _counts(hidden, rest),
    )


def _counts(found: Collection[str], wanted: Collection[str]) -> Counts:
    return Counts(len(set(found) & set(wanted)), len(found), len(wanted))


def left_in_clear(original: str, masked: str, private: Iterable[str]) -> Share:
    """Count the mentions of private surfaces in a masked text, and in the original.

    The privacy score is what the share leaves of one. A text without such mentions has none: 0 of 0.
    """
    surfaces = set(private)
    whole = len(occurrences(original, surfaces))
    # Where half a long surface is masked, several short ones may come to light in it: no text leaks more than it has.
    return Share(min(len(occurrences(masked, surfaces)), whole), whole)


def occurrences(text: str, surfaces: Iterable[str]) -> list[Place]:
    """Return where surfaces stand in a text as whole words, sorted: longest first, none overlapping another."""
    taken = bytearray(len(text))
    found: list[Place] = []
    for surface in sorted({one.strip() for one in surfaces} - {""}, key=lambda one: (-len(one), one)):
        at = text.find(surface)
        while at >= 0:
            end = at + len(surface)
            if boundary(text, at) and boundary(text, end) and not any(taken[at:end]):
                taken[at:end] = b"\x01" * len(surface)
                found.append((at, end))
                at = text.find(surface, end)
            else:
                at = text.find(surface, at + 1)
    return sorted(found)


def blanked(text: str, hidden: Sequence[Place], kept: Sequence[Place]) -> str:
    """Return a text with what is hidden blanked out, of the same length.

    Further mentions of a hidden surface go too, as in Map, unless they touch what is kept or are kept elsewhere.
    """
    signs = list(text)
    clear = {text[start:end].strip() for start, end in kept}
    values = {text[start:end].strip() for start, end in hidden} - clear
    more = [
        (start, end)
        for start, end in occurrences(text, values | clear)
        if text[start:end] in values and not any(start < last and first < end for first, last in kept)
    ]
    for start, end in (*hidden, *more):
        signs[start:end] = BLANK * (end - start)
    return "".join(signs)
