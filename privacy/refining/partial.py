"""Parts of a rewriting that was refused: those of its changes that take away what is concluded, and cost little.

A part is all that changed within one sentence, or within several that were made one: what is mixed of parts still has
whole sentences.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from gama.privacy.refining.inferences import Inference, quoted, sentence_spans
from gama.privacy.refining.judgement import Remarked, Utility
from gama.privacy.refining.stretches import mixed, runs, stretch, tokens

MOST = 40
"""Parts of which a rewriting is made up at most: each may be looked at by the detector."""
SHARE = 0.5
"""How much of what a rewriting costs may be spent on the parts that are taken of it."""

_WORD = re.compile(r"\w+")


class Part(NamedTuple):
    """What changed within a sentence."""

    changes: frozenset[int]
    """Which of the runs that changed."""
    span: tuple[int, int]
    """From where to where it stands in the old text."""
    after: str
    """What stands there in the new one."""
    cost: float
    """Words that were lost, and one."""


def parts(before: str, after: str) -> list[Part]:
    """Return the parts of a rewriting, in their order."""
    old, new = tokens(before), tokens(after)
    sentences = sentence_spans(before)
    found: list[tuple[set[int], Part]] = []
    for number, run in enumerate(run for run in runs(before, after) if run.changed):
        start = old[run.old[0]][0] if run.old[1] > run.old[0] else (old[run.old[0] - 1][1] if run.old[0] else 0)
        end = old[run.old[1] - 1][1] if run.old[1] > run.old[0] else start
        touched = {at for at, (a, b) in enumerate(sentences) if (a < end and start < b) or a <= start == end <= b}
        was, said = stretch(before, old, *run.old), stretch(after, new, *run.new)
        lost = (Counter(_words(was)) - Counter(_words(said))).total()
        if found and touched & found[-1][0]:
            known, last = found.pop()
            span = last.span[0], end
            found.append(
                (known | touched, Part(last.changes | {number}, span, f"{last.after} {said}", last.cost + lost))
            )
        else:
            found.append((touched, Part(frozenset({number}), (start, end), said, 1.0 + lost)))
    return [part for _, part in found]


def allowed(before: str, after: str, inferences: Sequence[Inference], refused: Callable[[str], str]) -> str | None:
    """Return a rewriting that may not be taken without the parts for which it may not; None where none is left.

    Args:
        before: the text that was rewritten.
        after: the rewriting.
        inferences: what the former gives away: the parts that take most of it are made first.
        refused: returns why a text may not be taken, or an empty string.
    """
    found = parts(before, after)
    if not 1 < len(found) <= MOST:
        return None
    text, taken = None, frozenset[int]()
    for part in _ranked(before, found, inferences):
        new = _with(before, after, taken | part.changes)
        if not refused(new):
            text, taken = new, taken | part.changes
    return text


def cheaper(before: str, after: str, inferences: Sequence[Inference], utility: Utility) -> str | None:
    """Return a rewriting that was judged useless with those parts alone that take much and cost little.

    Where something is invented, and the judge quotes it, that part goes, and all others stay. Else those are taken that
    take most of what is concluded for each word lost, up to half of what all of them cost.

    Args:
        before: the text that was rewritten.
        after: the rewriting.
        inferences: what the former gives away.
        utility: what the judge said of the latter.

    Returns:
        None where there is no such part, or the rewriting has no others.
    """
    found = parts(before, after)
    if not 1 < len(found) <= MOST:
        return None
    if not utility.hallucination and isinstance(utility, Remarked):
        new = _phrases(quoted(utility.remark))
        kept = [part for part in found if not any(one in _phrase(part.after) for one in new)]
        if 0 < len(kept) < len(found):
            return _with(before, after, frozenset[int]().union(*(part.changes for part in kept)))
    left, taken = SHARE * sum(part.cost for part in found), frozenset[int]()
    for part in _ranked(before, found, inferences):
        if _weight(before, part, inferences) and part.cost <= left:
            left, taken = left - part.cost, taken | part.changes
    return _with(before, after, taken) if taken else None


def _ranked(text: str, found: Iterable[Part], inferences: Sequence[Inference]) -> list[Part]:
    """Return parts, those first that take most of what is concluded for each word lost."""
    return sorted(found, key=lambda part: -_weight(text, part, inferences) / part.cost)


def _weight(text: str, part: Part, inferences: Sequence[Inference]) -> float:
    """Return how certain the conclusions are, all together, to whose words a part belongs."""
    return float(sum(max(1, one.certainty) for one in inferences if _touches(text, part.span, one.evidence)))


def _touches(text: str, span: tuple[int, int], evidence: Iterable[str]) -> bool:
    """Return whether words that are quoted stand where something changed."""
    return any(
        match.start() < span[1] and span[0] < match.end()
        for quote in evidence
        if quote.split()
        for match in re.finditer(r"\s+".join(map(re.escape, quote.split())), text, re.IGNORECASE)
    )


def _with(before: str, after: str, taken: frozenset[int]) -> str:
    count = sum(run.changed for run in runs(before, after))
    return mixed(before, after, [number in taken for number in range(count)])


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _phrase(text: str) -> str:
    return f" {' '.join(_words(text))} "


def _phrases(quotes: Iterable[str]) -> list[str]:
    return [phrase for quote in quotes if (phrase := _phrase(quote)).strip()]
