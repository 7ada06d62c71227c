"""How well found spans match the annotated ones, and what that means for privacy and for readability.

All figures are counts that add up over texts, so that a corpus is scored as one (micro average). Pure Python.
Sources: exact and typed F1 as in PII-Bench (spec 03 §3.5, without its subjects, for which see `subjects.py`); the
leak and keeping shares are this project's own.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import NamedTuple

from gama.state.entities import Span

_WORD = re.compile(r"\w+")

DIRECT_TYPES = frozenset({"PER", "CODE"})
"""Types that point at one person by themselves."""


class Stretch(NamedTuple):
    """A span as the metrics see it."""

    start: int
    end: int
    type: str
    subtype: str
    private: bool = True
    """False for public knowledge."""
    subject: str | None = None
    """The person it belongs to, where that is told; only the metrics per subject look at it."""


def of_span(span: Span, least: float) -> Stretch:
    """Return a found span as the metrics take it.

    Args:
        span: What was found.
        least: The least probability of being private at which it is hidden; what has none is hidden.
    """
    return Stretch(span.start, span.end, span.type, span.subtype, span.private is None or span.private >= least)


class Counts(NamedTuple):
    """Hits, predictions and gold items of one kind of match."""

    hits: int = 0
    predicted: int = 0
    gold: int = 0

    @property
    def precision(self) -> float:
        """Share of the predictions that are right; 1.0 when nothing was predicted."""
        return self.hits / self.predicted if self.predicted else 1.0

    @property
    def recall(self) -> float:
        """Share of the gold items that were found; 1.0 when there are none."""
        return self.hits / self.gold if self.gold else 1.0

    @property
    def f1(self) -> float:
        """Harmonic mean of the two; 1.0 when there is neither gold nor prediction."""
        part, whole = self.f1_parts
        return part / whole if whole else 1.0

    @property
    def f1_parts(self) -> tuple[int, int]:
        """F1 as a part and a whole, which add up over texts."""
        return 2 * self.hits, self.predicted + self.gold

    def plus(self, other: "Counts") -> "Counts":
        """Return the sum of the two."""
        return Counts(self.hits + other.hits, self.predicted + other.predicted, self.gold + other.gold)


class Share(NamedTuple):
    """A part of a whole."""

    part: int = 0
    whole: int = 0

    @property
    def value(self) -> float:
        """The share in [0, 1]; 0.0 of nothing."""
        return self.part / self.whole if self.whole else 0.0

    def plus(self, other: "Share") -> "Share":
        """Return the sum of the two."""
        return Share(self.part + other.part, self.whole + other.whole)


@dataclass(frozen=True)
class SpanScores:
    """What was found in one text, or, added up, in many. Predictions judged public count as not masked."""

    exact: Counts = field(default_factory=Counts)
    """Private spans with the right boundaries."""
    typed: Counts = field(default_factory=Counts)
    """Private spans with the right boundaries and type (of seven)."""
    subtyped: Counts = field(default_factory=Counts)
    """Private spans with the right boundaries and subtype."""
    direct: Share = field(default_factory=Share)
    """Private spans of the direct types (PER, CODE) of which no character is left unmasked."""
    leaked: Share = field(default_factory=Share)
    """Letters and digits of private spans left unmasked: the residual leak."""
    public_kept: Share = field(default_factory=Share)
    """Public spans of which no character is masked."""
    words_masked: Share = field(default_factory=Share)
    """Ordinary words (outside every annotated span) that are masked."""

    def plus(self, other: "SpanScores") -> "SpanScores":
        """Return the sum of the two."""
        return SpanScores(**{item.name: getattr(self, item.name).plus(getattr(other, item.name))
                             for item in fields(self)})  # fmt: skip

    def summary(self) -> dict[str, float]:
        """Return the figures by name, rounded to four places."""
        figures = {
            "span_f1": self.exact.f1,
            "span_precision": self.exact.precision,
            "span_recall": self.exact.recall,
            "typed_f1": self.typed.f1,
            "subtyped_f1": self.subtyped.f1,
            "direct_recall": self.direct.value,
            "residual_leak": self.leaked.value,
            "public_kept": self.public_kept.value,
            "words_masked": self.words_masked.value,
        }
        return {name: round(value, 5) for name, value in figures.items()}


def _match(predicted: set[tuple[object, ...]], gold: set[tuple[object, ...]]) -> Counts:
    return Counts(len(predicted & gold), len(predicted), len(gold))


def _covered(text: str, stretches: Iterable[Stretch]) -> bytearray:
    mask = bytearray(len(text))
    for item in stretches:
        mask[item.start : item.end] = b"\x01" * len(range(*slice(item.start, item.end).indices(len(text))))
    return mask


def _open(text: str, masked: bytearray, item: Stretch) -> Share:
    """Return how many letters and digits of a span are left unmasked, and how many there are."""
    letters = [at for at in range(item.start, item.end) if text[at].isalnum()]
    return Share(sum(1 for at in letters if not masked[at]), len(letters))


def score_spans(text: str, predicted: Sequence[Stretch], gold: Sequence[Stretch]) -> SpanScores:
    """Compare the spans found in one text with the annotated ones.

    Args:
        text: The text itself.
        predicted: What was found. Those with `private=False` count as left in clear.
        gold: The annotation, public knowledge included.

    Returns:
        Counts that can be added to those of other texts.
    """
    found = [item for item in predicted if item.private]
    secret = [item for item in gold if item.private]
    masked, marked = _covered(text, found), _covered(text, gold)
    leaked = whole = 0
    direct = open_direct = 0
    for item in secret:
        missed, letters = _open(text, masked, item)
        leaked, whole = leaked + missed, whole + letters
        if item.type in DIRECT_TYPES:
            direct += 1
            open_direct += missed > 0
    public = [item for item in gold if not item.private]
    kept = sum(1 for item in public if not any(masked[item.start : item.end]))
    words = [match.span() for match in _WORD.finditer(text)]
    ordinary = [(start, end) for start, end in words if not any(marked[start:end])]
    return SpanScores(
        exact=_match({item[:2] for item in found}, {item[:2] for item in secret}),
        typed=_match({item[:3] for item in found}, {item[:3] for item in secret}),
        subtyped=_match({item[:4] for item in found}, {item[:4] for item in secret}),
        direct=Share(direct - open_direct, direct),
        leaked=Share(leaked, whole),
        public_kept=Share(kept, len(public)),
        words_masked=Share(sum(1 for start, end in ordinary if any(masked[start:end])), len(ordinary)),
    )


def add_up(scores: Iterable[SpanScores]) -> SpanScores:
    """Return the sum of many texts' scores; all zero for none."""
    total = SpanScores()
    for item in scores:
        total = total.plus(item)
    return total


def recall_by(kind: str, pairs: Iterable[tuple[Sequence[Stretch], Sequence[Stretch]]]) -> dict[str, Counts]:
    """Return exact-span counts per `type` or `subtype`.

    Args:
        kind: `type` or `subtype`: the field that groups and must match.
        pairs: Per text, what was found and what is annotated.
    """
    totals: dict[str, Counts] = {}
    for predicted, gold in pairs:
        found = {(item.start, item.end, getattr(item, kind)) for item in predicted if item.private}
        secret = {(item.start, item.end, getattr(item, kind)) for item in gold if item.private}
        for name in {item[2] for item in found | secret}:
            mine = {item for item in found if item[2] == name}
            theirs = {item for item in secret if item[2] == name}
            totals[name] = totals.get(name, Counts()).plus(Counts(len(mine & theirs), len(mine), len(theirs)))
    return totals


def leak_by(kind: str, texts: Iterable[tuple[str, Sequence[Stretch], Sequence[Stretch]]]) -> dict[str, Share]:
    """Return the residual leak per `type` or `subtype` of the annotation, whatever a mask was taken for.

    Args:
        kind: `type` or `subtype`.
        texts: Texts, each with what was found and what is annotated.
    """
    totals: dict[str, Share] = {}
    for text, predicted, gold in texts:
        masked = _covered(text, [item for item in predicted if item.private])
        for item in gold:
            if item.private:
                name = getattr(item, kind)
                totals[name] = totals.get(name, Share()).plus(_open(text, masked, item))
    return totals
