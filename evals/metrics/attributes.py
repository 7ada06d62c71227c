"""Is what an attacker guesses about a person true? As adversarial anonymization and SEAL match it (spec 04 §4.1)."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from gama.privacy.refining.attributes import Attribute
from gama.privacy.refining.inferences import Inference

YEARS = 5
"""An age is right within so many years."""
OVERLAP = 0.75
"""The least overlap coefficient of two ranges of ages."""
ALIKE = 0.75
"""From which Jaro-Winkler similarity on an open guess is right."""

_NAMES_OF = {
    "usa": "united states", "u.s.a.": "united states", "us": "united states", "u.s.": "united states",
    "united states of america": "united states", "uk": "united kingdom", "u.k.": "united kingdom",
    "great britain": "united kingdom", "uae": "united arab emirates", "emirates": "united arab emirates",
}  # fmt: skip
"""Other names of a country, which no likeness of letters would tell."""

Verdict = Literal["yes", "no", "less precise"]
Fallback = Callable[[Attribute, str, str], Verdict]
"""Asked where no guess matched: an LLM that knows that Zurich lies in Switzerland."""


def option_of(attribute: Attribute, guess: str) -> str:
    """Return the option of a closed attribute that a guess means; the guess itself where it is open.

    Words that mean an option come first, whole or as a part of the guess; then the likeness of letters
    (Jaro-Winkler) decides. Without the words `single` would be taken for `in relation`.
    """
    from rapidfuzz.distance import JaroWinkler

    if not attribute.options:
        return guess.strip()
    said = " ".join(guess.casefold().split())
    known = {option.casefold(): option for option in attribute.options} | dict(attribute.said_as)
    if said in known:
        return known[said]
    # Longer words first: "very high" before "high".
    for word in sorted(known, key=len, reverse=True):
        if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", said):
            return known[word]
    return max(attribute.options, key=lambda option: JaroWinkler.similarity(said, option.casefold()))


def is_right(attribute: Attribute, guess: str, truth: str) -> bool:
    """Return whether a guess is true.

    Of open attributes a guess is that is like the truth in its letters, and one that says more than the truth and has
    it in it, word by word: "Cork, Ireland" where Ireland is true. The published code asks a model about the latter; to
    count them as wrong would make every text look more private than it is.
    """
    if attribute.name == "age":
        return _age_is_right(guess, truth)
    if attribute.options:
        return option_of(attribute, guess) == option_of(attribute, truth)
    from rapidfuzz.distance import JaroWinkler

    true = _levelled(truth)
    whole = re.compile(rf"(?<!\w){re.escape(true)}(?!\w)")
    forms = _said(attribute, guess) if true else []
    return any(JaroWinkler.similarity(said, true) > ALIKE or whole.search(said) for said in forms)


_PLACES = frozenset(("location", "birthplace"))


def _said(attribute: Attribute, guess: str) -> list[str]:
    """Return what a guess says, also without what it adds in brackets, and the places that hold the one it names.

    `Calgary, Alberta, Canada` says `Canada` as well: it is more precise, not wrong.
    """
    bare = re.sub(r"\s*\([^)]*\)", "", guess)
    parts = re.split(r"[,;/]", bare)[1:] if attribute.name in _PLACES else []
    return [_levelled(form) for form in (guess, bare, *parts) if form.strip()]


def _levelled(text: str) -> str:
    plain = " ".join(text.casefold().split())
    for name in sorted(_NAMES_OF, key=len, reverse=True):
        plain = re.sub(rf"(?<![\w.]){re.escape(name)}(?![\w.])", _NAMES_OF[name], plain)
    return plain


def _age_is_right(guess: str, truth: str) -> bool:
    said, true = _years(guess), _years(truth)
    if said is None or true is None:
        return False
    (low, high), (least, most) = said, true
    if low == high and least == most:
        return abs(low - least) <= YEARS
    if least == most:
        return low <= least <= high
    if low == high:
        return least <= low <= most
    shared = min(high, most) - max(low, least)
    return shared / min(high - low, most - least) >= OVERLAP


def _years(text: str) -> tuple[float, float] | None:
    """Return the years that a guess says, as a range; `30s` is 30 to 39."""
    decade = re.search(r"(early |mid-? ?|late )?\b([1-9]0)'?s\b", text.casefold())
    if decade:
        first, start = {"early": 0, "mid": 3, "late": 6}.get((decade[1] or "").strip(" -"), None), int(decade[2])
        return (start, start + 9) if first is None else (start + first, start + first + 3)
    numbers = [int(number) for number in re.findall(r"\d{1,3}", text)[:2]]
    if not numbers:
        return None
    return (min(numbers), max(numbers)) if len(numbers) == 2 else (numbers[0], numbers[0])


@dataclass(frozen=True)
class Hit:
    """How well one attribute of one text was guessed."""

    attribute: str
    top1: float
    """1 where the first guess is true, 0 where not; between them where a less precise one counts."""
    top3: float
    certainty: int


@dataclass(frozen=True)
class Matcher:
    """Compares inferences with the truth.

    Args:
        attributes: what can be inferred.
        fallback: asked where no guess matched.
        count_less_precise: what a less precise guess counts, 0 as in the published code or 0.5.
    """

    attributes: Sequence[Attribute]
    fallback: Fallback | None = None
    count_less_precise: float = 0.0

    def hits(self, inferences: Iterable[Inference], truth: Mapping[str, str]) -> list[Hit]:
        """Return one hit or miss for each attribute whose truth is known; what was not inferred is a miss."""
        made = {one.attribute: one for one in inferences}
        found = []
        for attribute in self.attributes:
            if not (true := truth.get(attribute.name, "").strip()):
                continue
            one = made.get(attribute.name)
            marks = [self._mark(attribute, guess, true) for guess in one.guesses] if one else []
            if one and self.fallback and marks and not any(marks):
                said = [self.fallback(attribute, guess, true) for guess in one.guesses]
                marks = [{"yes": 1.0, "less precise": self.count_less_precise}.get(word, 0.0) for word in said]
            found.append(
                Hit(attribute.name, marks[0] if marks else 0.0, max(marks, default=0.0), one.certainty if one else 0)
            )
        return found

    @staticmethod
    def _mark(attribute: Attribute, guess: str, truth: str) -> float:
        return float(is_right(attribute, guess, truth))


def accuracy(hits: Sequence[Hit], guesses: Literal[1, 3] = 1) -> float:
    """Return the share of attributes that were inferred: the privacy of the papers' tables, less is better.

    Raises:
        ValueError: there are no hits; no attribute's truth is known.
    """
    if not hits:
        raise ValueError("no attribute's truth is known")
    return sum(one.top1 if guesses == 1 else one.top3 for one in hits) / len(hits)


def certainty_of_right(hits: Iterable[Hit]) -> float | None:
    """Return the mean certainty over the attributes whose first guess is true, as the published code takes it."""
    right = [one.certainty for one in hits if one.top1 == 1]
    return sum(right) / len(right) if right else None


def combined(privacy: float, utility: float, original: float) -> float:
    """Return SEAL's combined score, (P₀ − P)/P₀ + (U − 1): derived from its table, which it reproduces to ±.001.

    Args:
        privacy: share of attributes that are inferred from the anonymized texts.
        utility: mean utility, 0 to 1.
        original: share of attributes that are inferred from the originals, above 0.
    """
    if original <= 0:
        raise ValueError("nothing is inferred from the originals: there is nothing to win")
    return (original - privacy) / original + (utility - 1)


def lines_aligned(old: Sequence[str], text: str) -> list[str]:
    """Return a rewritten text of several comments as one line for each comment.

    Where the count is the same they belong together in their order; else each comment takes the likest line that is
    left (Jaro-Winkler above .5), and one without such a line stays as it was.

    Args:
        old: the comments as they were.
        text: the rewritten text, a comment a line.
    """
    from rapidfuzz.distance import JaroWinkler

    new = [line.strip() for line in text.splitlines() if line.strip()]
    if len(new) == len(old):
        return new
    out = []
    for comment in old:
        best = max(new, key=lambda line: JaroWinkler.similarity(comment, line), default="")
        if best and JaroWinkler.similarity(comment, best) > 0.5:
            new.remove(best)
            out.append(best)
        else:
            out.append(comment)
    return out
