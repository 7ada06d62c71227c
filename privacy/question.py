"""A task as it comes in: the text, the query about it, and what is refused."""

import re
from typing import Any

from gama.state.errors import InputError, LimitReached
from gama.state.private_text import PrivateText

_SURROGATE = re.compile("[\ud800-\udfff]")


def without_halves(text: str) -> str:
    """Put a stand-in of the same length for halves of characters: no encoding has them, and no tokenizer takes them."""
    return _SURROGATE.sub("\ufffd", text)


def query_of(data: Any) -> str:
    """Return the query of an input, or nothing where there is none.

    Raises:
        InputError: it is no text.
    """
    query = data.get("query") if isinstance(data, dict) else None
    if isinstance(query, PrivateText):
        query = query.reveal()
    if not isinstance(query, str | None):
        raise InputError("The query must be text: send {'question': '...', 'query': '...'}.")
    return (query or "").strip()


def with_query(text: str, query: str) -> tuple[str, int]:
    """Return a text with the query about it behind it, as they leave together, and where the query begins."""
    if not query or not text.strip():
        return text, 0
    text = text.rstrip() + "\n\n"
    return text + query, len(text)


def check_question(text: object, max_chars: int) -> None:
    """Refuse what is no text, empty, or too long."""
    if not isinstance(text, str):
        raise InputError("The question must be text: send {'question': '...'}.")
    if not text.strip():
        raise InputError("The question is empty. Give a text with a question or a task in it.")
    if "\x00" in text:
        raise InputError("The question has NUL bytes in it, so it is no text. Give plain text.")
    if len(text) > max_chars:
        raise LimitReached(
            f"The question has {len(text):,} characters; the limit is {max_chars:,}. "
            "Shorten it, or raise the option max_chars."
        )
