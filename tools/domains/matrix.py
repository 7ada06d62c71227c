"""The matrices of domain analysis: R_ho (Eq. 7), R_elm (Eq. 8) and their combination D (Eq. 9)."""

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

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


def r_ho(fields: Sequence[str], domains: Sequence[str], vectors: Vectors) -> Matrix:
    """Return R_ho (N×M): the cosine between every high-order and every reference domain (Eq. 7).

    A name of several words counts as its best pair of words. Unknown words and similarities that
    are not positive count zero.
    """
    out = np.zeros((len(fields), len(domains)))
    columns = [[v for w in words_of(name) if (v := vectors.vector(w)) is not None] for name in domains]
    for i, field in enumerate(fields):
        rows = [v for w in words_of(field) if (v := vectors.vector(w)) is not None]
        for j, column in enumerate(columns):
            pairs = [float(np.dot(a, b)) for a in rows for b in column]
            out[i, j] = max(0.0, min(1.0, max(pairs, default=0.0)))
    return out


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
