"""How much a text belongs to each domain: R_ho (Eq. 7), R_elm (Eq. 8), their combination D (Eq. 9), Top-K.

Beside the equations stands a membership that was learned from tasks of our own (`Learned`): the probability that the
expert of a domain is one of the right ones, so that its terms mean something in absolute terms, and with it the
probability that none is. The six linguistic terms of a membership are the IF-part of a rule (Eq. 10; spec 01 §1.5 and
§1.7).
"""

import math
import re
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from gama.state.task import Collapse, Term, TopKMode
from gama.tools.domains.packs import DOMAINS
from gama.tools.tables import lines

Matrix = NDArray[np.float64]

# Words as the spec counts them: letters only, after lower-casing.
_WORD = re.compile(r"[^\W\d_]+")
TOKEN_PATTERN = r"(?u)\b[^\W\d_]{2,}\b"
"""Tokens of the TF-IDF: letters only, two at least."""


class Vectors(Protocol):
    """Word vectors of unit length."""

    def vector(self, word: str) -> NDArray[np.float32] | None:
        """Return a word's vector, or None for an unknown word."""


class Words(Vectors, Protocol):
    """Word vectors that also embed texts, as vectors of unit length; zeros for a text without known words."""

    def embed(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a text."""


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


BUCKETS: Final = 4096
"""Rows that the words of a text are spread over by their hash."""
WEIGHTS: Final = Path(__file__).parent / "data" / "learned.npz"
"""The weights of the learned memberships; `gama train domains` makes them."""
_SHARES: Final = (1.5, 0.7, 0.5, 6.0)
"""How much the words, the vectors, the stems and the keywords of a text count beside each other."""

# A placeholder in angle brackets: its kind tells something, "<medical_condition-1>" as much as a word.
_PLACEHOLDER = re.compile(r"<([A-Za-z]+(?:_[A-Za-z]+)*)-\d+[a-z]*>")
_LETTERS = re.compile(r"[^\W\d_]{2,}")
# A word as a stem meets it: "co2" has a digit, "e-mail" is two.
_TOKEN = re.compile(r"\w+")


class _Stems(NamedTuple):
    """What finds the words of the reference domains in texts of other languages; see `data/foreign.txt`."""

    whole: dict[str, frozenset[str]]
    """Words, and whose they are."""
    beginnings: dict[str, frozenset[str]]
    """Beginnings of words, and whose they are."""
    inside: dict[str, re.Pattern[str]]
    """For each domain what stands within its words."""


@lru_cache(maxsize=1)
def _stems() -> _Stems:
    whole: dict[str, set[str]] = {}
    beginnings: dict[str, set[str]] = {}
    inside: dict[str, set[str]] = {}
    for row in lines("domains", "foreign.txt"):
        name, _, stems = row.partition(":")
        for stem in stems.split():
            word = stem.strip("*")
            if stem.startswith("*"):
                inside.setdefault(name, set()).add(word if len(word) >= 5 else rf"\A{word}|\w{word}\Z")
            elif stem.endswith("*") or len(word) >= 5:
                beginnings.setdefault(word, set()).add(name)
            else:
                whole.setdefault(word, set()).add(name)
    return _Stems(
        {word: frozenset(names) for word, names in whole.items()},
        {word: frozenset(names) for word, names in beginnings.items()},
        {name: re.compile("|".join(sorted(words))) for name, words in inside.items()},
    )


def stem_hits(text: str) -> dict[str, int]:
    """Return how many different words of each reference domain stand in a text of another language than English."""
    stems = _stems()
    hits = dict.fromkeys((domain.name for domain in DOMAINS), 0)
    for word in set(_TOKEN.findall(text.lower())):
        found = set(stems.whole.get(word, ()))
        for length in range(1, len(word) + 1):
            found |= stems.beginnings.get(word[:length], frozenset())
        found.update(name for name, pattern in stems.inside.items() if pattern.search(word))
        for name in found:
            hits[name] += 1
    return hits


def without_placeholders(text: str) -> str:
    """Return a text with a space in the place of each placeholder in angle brackets."""
    return _PLACEHOLDER.sub(" ", text)


def features(text: str, words: Words) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what the learned memberships go by: how often the words fall into each bucket, and everything else.

    What is asked counts twice: a letter tells of many things, and its questions say which of them matter.

    Args:
        text: the task; the kinds of its placeholders are read as words.
        words: the word vectors.
    """
    from gama.models.reading import sentences

    told = " ".join(_PLACEHOLDER.sub(lambda match: f" {match[1].replace('_', ' ')} ", text).split())
    asked = " ".join(sentence.text for sentence in sentences(told) if sentence.asks) or told
    counts = np.zeros(BUCKETS)
    for part in (told, asked):
        for token in {token for word in _LETTERS.findall(part.lower()) for token in _tokens(word)}:
            counts[zlib.crc32(token.encode()) % BUCKETS] += 1
    _, near, stems, keywords = _SHARES
    hits = np.log1p(list(stem_hits(told).values()))
    elm = r_elm(told, [domain.keywords for domain in DOMAINS])[0]
    rest = [near * words.embed(told), near * words.embed(asked), stems * hits, stems * keywords * elm]
    return counts, np.concatenate(rest).astype(np.float64)


def _tokens(word: str) -> list[str]:
    """Return a word, its beginnings and its end: inflections and compounds of one stem share some of them."""
    ends = [(5, word[:5] + "*"), (8, word[:7] + "*"), (9, "*" + word[-5:])]
    return [word, *(part for least, part in ends if len(word) >= least)]


def row_of(counts: NDArray[np.float64], rest: NDArray[np.float64], rarity: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the row that is multiplied by the weights: the counts by their rarity, of one length, then the rest."""
    weighed = counts * rarity
    return np.concatenate([_SHARES[0] * weighed / (float(np.linalg.norm(weighed)) or 1.0), rest])


class Membership(NamedTuple):
    """How probably the experts of the reference domains are right for a task."""

    domains: NDArray[np.float64]
    """One probability for each, in their order."""
    none: float
    """The probability that no domain fits."""

    @property
    def fits(self) -> bool:
        """Return whether the domains together are likelier than none of them, all as odds."""
        return float((self.domains / (1 - self.domains)).sum()) > self.none / (1 - self.none)


class Learned:
    """A linear model over words, stems, keywords and vectors of a task. Immutable, and safe to share."""

    def __init__(self, weights: NDArray[np.float64], bias: NDArray[np.float64], rarity: NDArray[np.float64]) -> None:
        """Take the weights: one column for each reference domain, the last one for none."""
        self._weights, self._bias, self._rarity = weights, bias, rarity

    @classmethod
    def load(cls, file: Path = WEIGHTS) -> "Learned":
        """Read the weights that `training/domains.py` wrote: small integers.

        A column has a scale for its words and one for the rest.
        """
        with np.load(file, allow_pickle=False) as stored:
            weights = stored["weights"].astype(np.float64)
            for part, scale in zip((slice(BUCKETS), slice(BUCKETS, None)), stored["scales"], strict=True):
                weights[part] *= scale
            return cls(weights, stored["bias"].astype(np.float64), stored["rarity"].astype(np.float64))

    def membership(self, text: str, words: Words) -> Membership:
        """Return how probably each domain fits a text; see `features`."""
        counts, rest = features(text, words)
        scores = row_of(counts, rest, self._rarity) @ self._weights + self._bias
        found = 1.0 / (1.0 + np.exp(-np.clip(scores, -30.0, 30.0)))
        return Membership(found[:-1], float(found[-1]))


@lru_cache(maxsize=1)
def learned() -> Learned:
    """Return the shipped weights, read once."""
    return Learned.load()


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


Chosen = list[tuple[int, float]]
"""Indices of reference domains with their membership, strongest first (`code`: in the order of the rows)."""


def top_k(
    d: NDArray[np.float64],
    k: int,
    mode: TopKMode = "paper",
    *,
    collapse: Collapse = "max",
    row_terms: Sequence[Term] | None = None,
    threshold: float = 0.4,
) -> Chosen:
    """Choose the target domains.

    Args:
        d: memberships, one row per high-order domain, one column per reference domain (N×M).
        k: how many to keep at the most; `code` keeps whatever remains.
        mode: `paper` and, over learned memberships, `learned`: rows collapsed, the K largest strictly positive
            columns, ties by reference order; `code`: each row's best column, rows with a low term or of zeros dropped,
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
