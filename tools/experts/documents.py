"""Look-up in documents: the passages of domain packs that fit a query best.

A passage fits by the words it shares with the query (TF-IDF) and, less, by what both are about (word vectors). The
query is what an expert wrote, or the anonymized task: placeholders in it are not searched for.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from threading import Lock
from typing import Any, NamedTuple

from gama.state.errors import ToolError
from gama.tools.domains.packs import Document, Pack
from gama.tools.tables import table

SCHEMA: Mapping[str, Any] = table("experts", "documents")["schema"]

NOTHING = "Nothing in the documents fits this query."

# A placeholder such as <amount-1> or <<name-2>>.
_PLACEHOLDER = re.compile(r"<{1,2}[a-z_]+-\d+[a-z]{0,3}>{1,2}")
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
        import numpy as np
        from sklearn.feature_extraction.text import TfidfVectorizer

        from gama.models.shipped import word_vectors
        from gama.tools.domains.index import VectorIndex

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
        import numpy as np

        if not self.passages or not query.strip():
            return []
        shared = (self._weights @ self._counts.transform([query]).T).toarray().ravel()
        near = self._vectors.search(self._words.embed(query))
        about = np.zeros(len(self.passages))
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


class DocumentSearch:
    """Searches the documents of packs. The index is made on first use; nothing of a query is kept."""

    name = "documents"
    local = True

    def __init__(self, packs: Sequence[Pack]) -> None:
        """Take the packs."""
        self._packs = tuple(packs)
        self._lock = Lock()
        names = ", ".join(pack.name for pack in self._packs)
        self.description = table("experts", "documents")["description"].format(names=names)

    def call(self, arguments: Mapping[str, Any]) -> str:
        """Return the best passages, each with its document and place.

        Raises:
            ToolError: the query is missing.
        """
        query, count = arguments.get("query"), arguments.get("count", 3)
        if not isinstance(query, str) or not query.strip():
            raise ToolError("give 'query': words of what is sought")
        if not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= 8:
            raise ToolError("'count' is a number from 1 to 8")
        found = self.search(query, count)
        blocks = [f"[{n}] {p.title}, part {p.part}:\n{p.text}" for n, p in enumerate(found, 1)]
        return "\n\n".join(blocks) or NOTHING

    def search(self, query: str, count: int = 3) -> list[Passage]:
        """Return the passages that fit a query best, the best first."""
        with self._lock:
            index = self._index
        text = _PLACEHOLDER.sub(" ", query)[:4_000]
        return [index.passages[row] for row in index.best(text, count)]

    @cached_property
    def _index(self) -> PassageIndex:
        documents = [document for pack in self._packs for document in pack.documents]
        return PassageIndex(tuple(passage for document in documents for passage in passages(document)))
