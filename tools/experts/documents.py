"""Look-up in documents: the passages of domain packs that fit a query best.

A passage fits by the words it shares with the query (TF-IDF) and, less, by what both are about (word vectors). The
query is what an expert wrote, or the anonymized task: placeholders in it are not searched for.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

from gama.state.errors import ToolError
from gama.tools.domains.packs import Pack

if TYPE_CHECKING:
    from gama.tools.experts.passages import Passage, PassageIndex

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "Words of what is sought, in the language of the documents."},
        "count": {"type": "integer", "minimum": 1, "maximum": 8, "description": "How many passages. Default: 3."},
    },
    "required": ["query"],
    "additionalProperties": False,
}
"""What the look-up takes."""

NOTHING = "Nothing in the documents fits this query."

# A placeholder such as <amount-1> or <<name-2>>.
_PLACEHOLDER = re.compile(r"<{1,2}[a-z_]+-\d+[a-z]{0,3}>{1,2}")


class DocumentSearch:
    """Searches the documents of packs. The index is made on first use; nothing of a query is kept."""

    name = "documents"
    local = True

    def __init__(self, packs: Sequence[Pack]) -> None:
        """Take the packs."""
        self._packs = tuple(packs)
        self._lock = Lock()
        names = ", ".join(pack.name for pack in self._packs)
        self.description = f"Searches the documents of {names} and returns the passages that fit a query best."

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

    def search(self, query: str, count: int = 3) -> "list[Passage]":
        """Return the passages that fit a query best, the best first."""
        with self._lock:
            index = self._index
        text = _PLACEHOLDER.sub(" ", query)[:4_000]
        return [index.passages[row] for row in index.best(text, count)]

    @cached_property
    def _index(self) -> "PassageIndex":
        from gama.tools.experts.passages import PassageIndex, passages

        documents = [document for pack in self._packs for document in pack.documents]
        return PassageIndex(tuple(passage for document in documents for passage in passages(document)))


def document_search(packs: Sequence[Pack]) -> DocumentSearch:
    """Return the look-up in the documents of packs."""
    return DocumentSearch(packs)
