"""Where the domains lie in the space of the word vectors: the reference domains and those of packs, in one index.

FAISS holds the vectors; where it is not installed, numpy does, with the same results.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from gama.state.task import DomainSet
from gama.tools.domains.memberships import Matrix, Words, r_elm, words_of
from gama.tools.domains.packs import DOMAINS, NAMES, SETS

_MARGIN = 64
"""How many more than asked for FAISS gives: among equally near ones the first of all must be."""


class AnyDomain(Protocol):
    """A reference domain or one of a pack."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def description(self) -> str:
        """One sentence: what it covers."""

    @property
    def keywords(self) -> tuple[str, ...]:
        """Its vocabulary, lower-case."""


class Near(NamedTuple):
    """What is near to some vectors: one row for each, the nearest first."""

    scores: NDArray[np.float32]
    """Cosines."""
    rows: NDArray[np.intp]
    """Places in the index."""


class VectorIndex:
    """Exact search by inner product over rows of unit length. Immutable, and safe to share between threads."""

    def __init__(self, vectors: NDArray[np.float32]) -> None:
        """Take the rows."""
        self._vectors = np.ascontiguousarray(vectors, dtype=np.float32)
        self._faiss: Any = _faiss_index(self._vectors)

    def search(self, queries: NDArray[np.float32], k: int | None = None) -> Near:
        """Return the `k` rows nearest to each query, or all; of equally near ones the first row comes first."""
        queries = np.ascontiguousarray(np.atleast_2d(queries), dtype=np.float32)
        count = len(self._vectors)
        k = count if k is None else min(k, count)
        if self._faiss is None or not count:
            rows = np.broadcast_to(np.arange(count), (len(queries), count))
        else:
            rows = self._faiss.search(queries, min(count, k + _MARGIN))[1]
        # Both engines' own scores differ in their last digits: what they found is scored anew, in the same way.
        scores = (self._vectors[rows].astype(np.float64) * queries[:, None].astype(np.float64)).sum(axis=2)
        order = np.stack([np.lexsort((row, -score)) for score, row in zip(scores, rows, strict=True)])[:, :k]
        return Near(
            np.take_along_axis(scores, order, 1).astype(np.float32), np.take_along_axis(rows, order, 1).astype(np.intp)
        )


def _faiss_index(vectors: NDArray[np.float32]) -> Any:
    if not len(vectors):
        return None
    try:
        import faiss
    except ImportError:
        return None
    index = faiss.IndexFlatIP(vectors.shape[1])
    index.add(vectors)
    return index


class DomainIndex:
    """The domains there are, with Eqs. 7 and 8 over them.

    A domain lies where the words of its name lie. One whose name has no known word, as a pack's may, lies at the
    mean of its keywords.
    """

    def __init__(self, words: Words, domains: Sequence[AnyDomain] = DOMAINS, reference: int | None = None) -> None:
        """Put the domains into the index.

        Args:
            words: the word vectors.
            domains: the reference domains, and behind them those of packs.
            reference: how many are reference domains; by default as many as there are of the twenty.
        """
        self.domains = tuple(domains)
        self.reference = min(len(DOMAINS), len(self.domains)) if reference is None else reference
        """How many of the domains are reference domains; packs stand behind them."""
        self.names = tuple(domain.name for domain in self.domains)
        self._lower = [name.lower() for name in self.names]
        self._words = words
        rows: list[NDArray[np.float32]] = []
        owner: list[int] = []
        for number, domain in enumerate(self.domains):
            known = [v for word in words_of(domain.name) if (v := words.vector(word)) is not None]
            found = known or [words.embed(" ".join(domain.keywords))]
            rows += [vector for vector in found if np.any(vector)]
            owner += [number] * (len(rows) - len(owner))
        self._index = VectorIndex(np.stack(rows)) if rows else None
        self._owner = np.array(owner, dtype=np.intp)

    def ho(self, fields: Sequence[str]) -> Matrix:
        """Return R_ho (N×M) of high-order domains (Eq. 7): for each pair of names the best pair of words."""
        out = np.zeros((len(fields), len(self.domains)))
        for row, field in zip(out, fields, strict=True):
            known = [v for word in words_of(field) if (v := self._words.vector(word)) is not None]
            if known and self._index is not None:
                near = self._index.search(np.stack(known))
                np.maximum.at(row, self._owner[near.rows.ravel()], near.scores.ravel().astype(np.float64))
            if field.lower() in self._lower:
                # The same name is as near as can be, known word or not.
                row[self._lower.index(field.lower())] = 1.0
        return np.clip(out, 0.0, 1.0)

    def elm(self, text: str) -> Matrix:
        """Return R_elm (1×M) of a text (Eq. 8)."""
        return r_elm(text, [domain.keywords for domain in self.domains])

    @property
    def columns(self) -> list[int]:
        """Which of the twenty each reference domain is."""
        named = (getattr(domain, "of", "") or domain.name for domain in self.domains[: self.reference])
        return [NAMES.index(name) for name in named]


@lru_cache(maxsize=8)
def domain_index(words: Any, packs: tuple[Any, ...] = (), which: DomainSet = "twenty") -> DomainIndex:
    """Return the index of a set of reference domains and the packs, made once for each choice."""
    return DomainIndex(words, (*SETS[which], *packs), len(SETS[which]))
