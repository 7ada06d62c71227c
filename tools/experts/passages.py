"""Passages of documents, and which of them fit a query: by the words they share and by what they are about."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gama.models.shipped import word_vectors
from gama.tools.domains.index import VectorIndex
from gama.tools.domains.packs import Document

PASSAGE_CHARS = 900
"""About how long a passage is: a few paragraphs."""
WORDS_SHARE = 0.3
"""Weight of the word vectors; the rest is that of the shared words."""
LEAST = 0.08
"""Below this fit a passage is left out."""


class Passage(NamedTuple):
    """A piece of a document."""

    title: str
    part: int
    """Place in its document, from 1."""
    text: str


class PassageIndex:
    """Passages with their word weights and their place in the space of the word vectors."""

    def __init__(self, found: tuple[Passage, ...]) -> None:
        """Take the passages."""
        from sklearn.feature_extraction.text import TfidfVectorizer

        self.passages = found
        self._words = word_vectors()
        self._counts = TfidfVectorizer(stop_words="english", sublinear_tf=True, token_pattern=r"(?u)\b\w\w+\b")
        texts = [f"{passage.title}\n{passage.text}" for passage in found]
        try:
            self._weights: Any = self._counts.fit_transform(texts)
        except ValueError:
            # No document, or none with a word in it.
            self.passages = ()
            return
        self._vectors = VectorIndex(np.stack([self._words.embed(text) for text in texts]))

    def best(self, query: str, count: int) -> list[int]:
        """Return the rows of the passages that fit, the best first; of equals, in the order of the documents."""
        if not self.passages or not query.strip():
            return []
        shared = (self._weights @ self._counts.transform([query]).T).toarray().ravel()
        near = self._vectors.search(self._words.embed(query))
        about: NDArray[np.float64] = np.zeros(len(self.passages))
        about[near.rows[0]] = np.clip(near.scores[0], 0.0, 1.0)
        # What a text is about counts where it shares a word with the query: else every letter would fit every document.
        fit = np.where(shared > 0, (1 - WORDS_SHARE) * shared + WORDS_SHARE * about, 0.0)
        order = np.argsort(-fit, kind="stable")[:count]
        return [int(row) for row in order if fit[row] >= LEAST]


def passages(document: Document) -> Iterator[Passage]:
    """Cut a document into passages at its paragraphs; a paragraph that is too long is cut at its sentences."""
    whole = document.text.replace("\r\n", "\n")
    pieces = [piece for paragraph in re.split(r"\n\s*\n", whole) for piece in _pieces(paragraph.strip()) if piece]
    part, held = 0, ""
    for piece in pieces:
        if held and len(held) + len(piece) > PASSAGE_CHARS:
            part += 1
            yield Passage(document.title, part, held)
            held = ""
        held = f"{held}\n\n{piece}" if held else piece
    if held:
        yield Passage(document.title, part + 1, held)


def _pieces(paragraph: str) -> Iterator[str]:
    while len(paragraph) > PASSAGE_CHARS:
        ends = [m.end() for m in re.finditer(r"[.!?;]\s+|\n", paragraph[:PASSAGE_CHARS])]
        spaces = paragraph.rfind(" ", 1, PASSAGE_CHARS)
        cut = ends[-1] if ends else spaces if spaces > 0 else PASSAGE_CHARS
        yield paragraph[:cut].strip()
        paragraph = paragraph[cut:].strip()
    yield paragraph
