"""The three roles without an LLM: the embedded attacker infers, rules rewrite and judge. Nothing is ever invented.

Of the ways to make a sentence wider or shorter, or to leave it out, the one is taken that takes most of what the
attacker hears per word lost. Sentences with placeholders lose no placeholder, and what must stay stays.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from gama.models.shipped import word_vectors
from gama.privacy.refining.attacker import Attacker, is_english, words_of
from gama.privacy.refining.attributes import Attribute
from gama.privacy.refining.inferences import Inference, sentence_spans
from gama.privacy.refining.judgement import Utility
from gama.privacy.refining.loop import Refusal, privacy_of
from gama.privacy.refining.widening import LOOSE, edits, wider_words

SPENT = 0.1
"""Share of a text's words that one rewriting may cost."""
TOLD = 0.05
"""A change that takes less of what is told is not worth a word."""
TRIED = 8
"""Changes of which one is made, the most telling ones."""


@dataclass(frozen=True)
class EmbeddedRoles:
    """The roles of SEAL without an LLM; English only.

    Args:
        attributes: what is asked for; those that the attacker has no head for are never inferred.
        attacker: infers, and tells the rewriter which sentences are responsible.
        drop: whether the rewriter may leave something out; else it only makes words wider.
    """

    attributes: Sequence[Attribute]
    attacker: Attacker
    drop: bool = True
    learns: ClassVar[bool] = False

    def infer(self, text: str) -> list[Inference] | None:
        """Return what the attacker concludes from a text, or None where it is not English."""
        return self.attacker.infer(text, self.attributes) if is_english(text) else None

    def rewrite(
        self, text: str, inferences: Sequence[Inference], keep: Sequence[str], refusal: Refusal | None = None
    ) -> str | None:
        """Return the text with its most telling words made wider or left out; None where nothing may be.

        Each rewriting spends a share of the words, on the changes that take most of what is told per word; more until
        the text is more private than before: a rewriting that is no gain would come back the same in each round. No
        change is made that leaves the text less private.
        """
        attacker = self.attacker.remembering()
        now, spent, budget, before = text, 0.0, SPENT * len(words_of(text)), privacy_of(inferences)
        while inferences:
            most = budget - spent if privacy_of(inferences) > before else float("inf")
            names = [one.attribute for one in inferences]
            for new, cost in _changed(attacker, now, names, keep, most, self.drop):
                left = attacker.infer(new, self.attributes)
                if privacy_of(left) >= privacy_of(inferences):
                    now, spent, inferences = new, spent + cost, left
                    break
            else:
                break
        return now if now != text else None

    def judge(self, original: str, text: str) -> Utility | None:
        """Return how useful a text still is, by rules.

        Meaning is the mean of the likeness of both texts' word vectors and the share of words that stayed; readability
        falls with the share of sentences that are broken; words that are neither the original's nor wider ones of its
        own are invented.
        """
        old, new = Counter(words_of(original)), Counter(words_of(text))
        likeness = max(0.0, word_vectors().similarity(" ".join(old.elements()), " ".join(new.elements())))
        kept = (old & new).total() / max(1, old.total())
        broken = _broken(text) - _broken(original)
        readability = 1 + 9 * (1 - max(0, broken) / max(1, len(sentence_spans(text))))
        known = old.keys() | set(words_of(" ".join(wider_words(original))))
        return Utility(readability, 1 + 9 * (likeness + kept) / 2, int(new.keys() <= known))


def _changed(
    attacker: Attacker, text: str, names: Sequence[str], keep: Sequence[str], most: float, drop: bool
) -> Iterator[tuple[str, float]]:
    """Yield the text with one affordable change, and its cost; the change that takes most per word first."""
    spans = [(a, b) for a, b in sentence_spans(text) if not _stays(text, a, b, keep)]
    tried = [(span, edit) for span in spans for edit in edits(text[span[0] : span[1]], drop=drop) if edit.cost <= most]
    if not tried:
        return
    before = dict(zip(spans, _told(attacker, [text[a:b] for a, b in spans]), strict=True))
    after = _told(attacker, [edit.text for _, edit in tried])
    falls = [_fall(before[span], left, names) for (span, _), left in zip(tried, after, strict=True)]
    worth = [fall / (edit.cost + 0.5) for fall, (_, edit) in zip(falls, tried, strict=True)]
    for at in sorted((at for at, fall in enumerate(falls) if fall > TOLD), key=lambda at: -worth[at])[:TRIED]:
        (start, end), edit = tried[at]
        new = _joined(text[:start], edit.text, text[end:])
        if all(one in new for one in keep if one in text):
            yield new, edit.cost


def _told(attacker: Attacker, sentences: Sequence[str]) -> list[dict[str, float]]:
    """Return for each sentence how much it tells for the likeliest value of each attribute."""
    told = {name: scored.told.max(axis=1) for name, scored in attacker.scores(sentences).items()}
    # An empty sentence tells nothing, whatever the heads' offsets say.
    return [
        {name: float(one[at]) if text.strip() else 0.0 for name, one in told.items()}
        for at, text in enumerate(sentences)
    ]


def _fall(before: Mapping[str, float], after: Mapping[str, float], names: Sequence[str]) -> float:
    """Return how much less is told of what was inferred, less what is told more of anything else."""
    falls = {name: told - after[name] for name, told in before.items()}
    return sum(fall if name in names else min(0.0, fall) for name, fall in falls.items())


def _broken(text: str) -> int:
    """Return how many sentences begin small, or end with a word that asks for another."""
    found = [text[a:b] for a, b in sentence_spans(text)]
    return sum(one[:1].islower() or (words_of(one) or [""])[-1] in LOOSE for one in found)


def _stays(text: str, start: int, end: int, keep: Sequence[str]) -> bool:
    """Return whether a stretch touches what must stay."""
    return any(
        match.start() < end and start < match.end() for one in keep for match in re.finditer(re.escape(one), text)
    )


def _joined(before: str, middle: str, after: str) -> str:
    """Return the parts as one text; where nothing is left between them, neither is the white space."""
    if middle:
        return before + middle + after
    gap = before[len(before.rstrip()) :], after[: len(after) - len(after.lstrip())]
    before, after = before.rstrip(), after.lstrip()
    if not before or not after:
        return before + after
    return before + max(gap, key=lambda space: (space.count("\n"), len(space))) + after
