"""A task as it comes in: the text, the query about it, and what is refused or told.

Names in a script that the embedded detector has not learnt are found by lists and rules alone. So such text is told,
and where nobody looks at what leaves, it is refused. docs/languages.md has what was measured.
"""

import re
from typing import TYPE_CHECKING, Any

from gama.state.entities import Entity
from gama.state.errors import InputError, LimitReached
from gama.state.options import Options
from gama.state.private_text import PrivateText
from gama.tools.recognizers.base import is_plain

if TYPE_CHECKING:
    from gama.privacy.select import Query

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


def check_scripts(text: str, options: Options, notes: list[str]) -> None:
    """Note, or refuse, what the detector cannot read; a private LLM is taken to read what it is given.

    Args:
        text: the raw text.
        options: `unknown_scripts`, and the private LLM.
        notes: gets the warning.

    Raises:
        InputError: there is such a part, and the option says to refuse it.
    """
    if options.unknown_scripts == "allow" or options.private_model is not None or is_plain(text):
        return
    from gama.tools.languages.parts import unlearnt

    found = unlearnt(text)
    if not found:
        return
    told = f"Parts of the text are written in a script that the detector has not learnt ({', '.join(found)})"
    if options.unknown_scripts == "refuse":
        raise InputError(
            f"{told}: names in them are found by lists and rules alone, and some would leave unseen. Nothing was sent. "
            "Name a private LLM that reads them, or let them leave with the option unknown_scripts "
            "(--unknown-scripts warn)."
        )
    notes.append(
        f"{told}: names in them are found by lists and rules alone, and names and codes may have been missed. Look "
        "before you send, or name a private LLM."
    )


def balancing(options: Options) -> Options:
    """Return options for a face where a person looks on: a level of privacy that is left to the face is `balanced`."""
    return options.model_copy(update={"privacy": "balanced"}) if options.privacy == "auto" else options


def refusing(options: Options) -> Options:
    """Return options for a face where nobody looks at what leaves: what is left to the face is refused there."""
    return options.model_copy(update={"unknown_scripts": "refuse"}) if options.unknown_scripts == "auto" else options


TABLE = 4
"""Lines with as many delimiters one after the other that make a table: a head and three rows."""


def tables_in(text: str) -> list[tuple[int, int, str]]:
    """Return where tables stand in a text, as begin, end and delimiter."""
    if text.count("\n") < TABLE - 1:
        return []
    lines: list[tuple[int, int]] = []
    at = 0
    for line in text.splitlines(keepends=True):
        lines.append((at, at + len(line.rstrip("\r\n"))))
        at += len(line)
    found: list[tuple[int, int, str]] = []
    for delimiter, least in (("\t", 1), ("|", 2), (";", 2), (",", 2)):
        counts = [text.count(delimiter, start, end) for start, end in lines]
        first = 0
        for number in range(1, len(counts) + 1):
            if number < len(counts) and counts[number] == counts[first]:
                continue
            start, end = lines[first][0], lines[number - 1][1]
            apart_from = all(end <= begin or stop <= start for begin, stop, _ in found)
            if counts[first] >= least and number - first >= TABLE and apart_from:
                found.append((start, end, delimiter))
            first = number
    return sorted(found)


def by_columns(
    text: str, found: list[Entity], query: "Query | None" = None, options: Options | None = None
) -> list[Entity]:
    """Return the mentions of a text, those in its tables decided, or with a query needed, by whole columns."""
    if not tables_in(text):
        return found
    from gama.privacy.columns import cells_in, select_columns, settle_columns

    if query is not None and options is not None:
        return select_columns(text, found, query, options)
    (settled,) = settle_columns([(text, found)], cells_in(text))
    return settled
