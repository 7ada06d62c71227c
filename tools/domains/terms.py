"""The six linguistic terms of a membership (IF-part of a rule, GAMA Eq. 10; spec 01 §1.7)."""

import re
from collections.abc import Sequence
from typing import Final, TypeVar

from gama.state.task import Term

CENTRES: Final[dict[float, Term]] = {
    0.1: "Extremely Low",
    0.2: "Low",
    0.4: "Medium",
    0.5: "Moderately High",
    0.6: "High",
    0.8: "Extremely High",
}
"""Scores at which the terms are centred; a score takes the term of the nearest."""

WEAK: Final[frozenset[Term]] = frozenset({"Extremely Low", "Low"})
"""Terms whose rules do not fire, unless none would."""

T = TypeVar("T")


def term_of_score(score: float) -> Term:
    """Return the term of the nearest centre; of two equally near, the higher."""
    return CENTRES[min(CENTRES, key=lambda centre: (round(abs(score - centre), 9), -centre))]


def read_term(text: str) -> Term:
    """Read a term that a model wrote ("Highly relevant", "moderately high."); what is none of the six is Medium."""
    words = re.sub(r"[^a-z]+", " ", text.lower()).split()
    strength = next((w for w in words if w in ("high", "highly", "low", "lowly", "medium", "middle")), "")
    degree = " ".join(words)
    if strength.startswith("high"):
        if re.search(r"\b(?:extreme|extremely|very)\b", degree):
            return "Extremely High"
        return "Moderately High" if re.search(r"\b(?:moderate|moderately|fairly)\b", degree) else "High"
    if strength.startswith("low"):
        if re.search(r"\b(?:extreme|extremely|very)\b", degree):
            return "Extremely Low"
        # The authors' code has a seventh term, Moderately Low: of the six, Low is the nearest.
        return "Low"
    return "Medium"


def firing(rules: Sequence[tuple[T, Term]]) -> list[tuple[T, Term]]:
    """Return the rules that fire: those with a weak term are dropped unless none would be left."""
    strong = [rule for rule in rules if rule[1] not in WEAK]
    return strong or list(rules)
