"""Three plugins of a library: a recognizer, a tool for the experts, and a domain with an expert of its own.

The contract stands in `gama.tools.contract`.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from gama.state.entities import Span
from gama.state.errors import ToolError
from gama.tools.contract import Plugin, domain_plugin, expert_tool_plugin, recognizer_plugin
from gama.tools.domains.packs import Pack


class ReaderCard:
    """Finds the numbers of the library's cards. It runs at home and sees the raw text."""

    name = "reader_card"
    subtypes = ("other_id",)
    # Accepts: LIB-2041-77. Refuses: the same inside a longer code.
    _CARD = re.compile(r"(?<![\w-])LIB-\d{4}-\d{2}(?![\w-])")

    def find(self, text: str) -> Iterator[Span]:
        """Yield the numbers."""
        for match in self._CARD.finditer(text):
            yield Span(*match.span(), "CODE", "other_id", 1.0, "regex", 1.0, True, self.name)


class LoanPeriod:
    """Tells how long a thing may be borrowed. Public experts call it; it sees what they wrote and nothing else."""

    name = "loan_period"
    description = "Tells for how many days a book, film or map may be borrowed."
    local = True  # a call sends nothing off this machine
    _DAYS: Mapping[str, int] = {"book": 28, "film": 7, "map": 3}

    def call(self, arguments: Mapping[str, Any]) -> str:
        """Return the days."""
        thing = arguments.get("thing")
        if thing not in self._DAYS:
            raise ToolError(f"give 'thing': one of {', '.join(self._DAYS)}")
        return f"{self._DAYS[thing]} days"


def plugins() -> list[Plugin]:
    """Declare the plugins: the entry point names this function."""
    schema = {"type": "object", "properties": {"thing": {"type": "string"}}, "required": ["thing"]}
    pack = Pack(
        "Librarianship", "lending, catalogues, readers and fines.", ("loan", "borrow", "book", "reader", "fine")
    )
    return [
        recognizer_plugin("reader_card", ReaderCard, "Numbers of reader's cards."),
        expert_tool_plugin("loan_period", LoanPeriod, schema, "How long a thing may be borrowed."),
        domain_plugin("librarianship", lambda: pack),
    ]
