"""How much a text belongs to each domain: R_ho (Eq. 7), R_elm (Eq. 8), their combination D (Eq. 9), Top-K.

The six linguistic terms of a membership are the IF-part of a rule (Eq. 10; spec 01 §1.5 and §1.7).
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from gama.state.task import Term

Matrix = NDArray[np.float64]

# Words as the spec counts them: letters only, after lower-casing.
_WORD = re.compile(r"[^\W\d_]+")
TOKEN_PATTERN = r"(?u)\b[^\W\d_]{2,}\b"
"""Tokens of the TF-IDF: letters only, two at least."""


class Vectors(Protocol):
    """Word vectors of unit length."""

    def vector(self, word: str) -> NDArray[np.float32] | None:
        """Return a word's vector, or None for an unknown word."""


def words_of(name: str) -> list[str]:
    """Split a name into lower-case alphabetic words."""
    return _WORD.findall(name.lower())


def r_elm(text: str, keywords: Sequence[Sequence[str]]) -> Matrix:
    """Return R_elm (1×M): the share of a text's TF-IDF weight that lies on each domain's keywords (Eq. 8).

    The TF-IDF is fitted on the text and every keyword as a document of its own, on alphabetic
    lower-case tokens without English stop words. Keywords of several words count by their words.

    Returns:
        Values in [0, 1]; zero for a domain without keywords, and for a text without words.
    """
    analyzer, frequency, documents, own = _keyword_documents(tuple(tuple(words) for words in keywords))
    counts = Counter(analyzer(text))
    # scikit-learn's smooth idf over the keywords' documents and the text itself; its norm cancels out.
    weights = {
        token: count * (math.log((2 + documents) / (2 + frequency[token])) + 1) for token, count in counts.items()
    }
    whole = sum(weights.values())
    if not whole:
        return np.zeros((1, len(keywords)))
    return np.array([[sum(weights[token] for token in tokens & weights.keys()) / whole for tokens in own]])


def combine(ho: Matrix, elm: Matrix, alpha: float = 0.95) -> Matrix:
    """Return D = alpha · R_ho + (1 − alpha) · B(R_elm), with the row R_elm broadcast to all N rows (Eq. 9).

    Raises:
        ValueError: the numbers of reference domains differ.
    """
    if ho.shape[1] != elm.shape[-1]:
        raise ValueError(f"R_ho has {ho.shape[1]} reference domains and R_elm {elm.shape[-1]}")
    return np.asarray(alpha * ho + (1 - alpha) * np.broadcast_to(elm, ho.shape), dtype=np.float64)


@lru_cache(maxsize=8)
def _keyword_documents(
    keywords: tuple[tuple[str, ...], ...],
) -> tuple[Callable[[str], list[str]], Counter[str], int, list[frozenset[str]]]:
    """Return the analyzer, the document frequencies of the keywords, their number, and each domain's tokens.

    The keywords are the same for every text, so their part of the TF-IDF is fitted once.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    analyzer: Callable[[str], list[str]] = TfidfVectorizer(
        lowercase=True, token_pattern=TOKEN_PATTERN, stop_words="english"
    ).build_analyzer()
    frequency = Counter(token for words in keywords for keyword in words for token in set(analyzer(keyword)))
    own = [frozenset(token for keyword in words for token in analyzer(keyword)) for words in keywords]
    return analyzer, frequency, sum(len(words) for words in keywords), own


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
    """Read a term that a model wrote ("Highly relevant", "moderately high."); any other text counts as Medium."""
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


Mode = Literal["paper", "code", "threshold"]
Collapse = Literal["max", "mean"]
Chosen = list[tuple[int, float]]
"""Indices of reference domains with their membership, strongest first (`code`: in the order of the rows)."""


def top_k(
    d: NDArray[np.float64],
    k: int,
    mode: Mode = "paper",
    *,
    collapse: Collapse = "max",
    row_terms: Sequence[Term] | None = None,
    threshold: float = 0.4,
) -> Chosen:
    """Choose the target domains.

    Args:
        d: memberships, one row per high-order domain, one column per reference domain (N×M).
        k: how many to keep at the most; `code` keeps whatever remains.
        mode: `paper`: rows collapsed, the K largest strictly positive columns, ties by reference
            order; `code`: each row's best column, rows with a low term or of zeros dropped,
            duplicates merged keeping the first; `threshold`: all columns of at least `threshold`,
            the K largest.
        collapse: how `paper` and `threshold` join the rows.
        row_terms: the linguistic terms of the rows, for `code`.
        threshold: the smallest membership that `threshold` keeps.

    Returns:
        The choice; empty when nothing is positive.
    """
    if d.size == 0:
        return []
    if mode == "code":
        chosen: Chosen = []
        for n, row in enumerate(d):
            best = int(np.argmax(row))
            low = row_terms is not None and row_terms[n] in WEAK
            if row[best] > 0 and not low and best not in [index for index, _ in chosen]:
                chosen.append((best, float(row[best])))
        return chosen
    joined = d.max(axis=0) if collapse == "max" else d.mean(axis=0)
    least = threshold if mode == "threshold" else 0.0
    # A stable sort of the negated values keeps the reference order among equals.
    order = np.argsort(-joined, kind="stable")
    fits = [(int(i), float(joined[i])) for i in order if joined[i] > 0 and joined[i] >= least]
    return fits[:k]
