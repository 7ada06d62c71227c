"""A task as it comes in: the text, the query about it, and what is refused or told.

Names in a script that the embedded detector has not learnt are found by lists and rules alone. So such text is told,
and where nobody looks at what leaves, it is refused. docs/languages.md has what was measured.
"""

import re
from itertools import islice
from typing import TYPE_CHECKING, Any

from gama.privacy.identify import patterns_in
from gama.state.entities import Entity, Span
from gama.state.errors import InputError, LimitReached
from gama.state.options import Options
from gama.state.private_text import PrivateText
from gama.tools.recognizers.base import is_plain
from gama.tools.tables import late

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

ALIGNED = "  "
"""The delimiter of a table whose columns are aligned by gaps."""
GAP = re.compile(r"(?<=\S)(?: {2,}| *\t\s*)(?=\S)")


def tables_in(text: str) -> list[tuple[int, int, str]]:
    """Return where tables stand in a text, as begin, end and delimiter; two spaces where gaps align the columns."""
    if text.count("\n") < TABLE - 1:
        return []
    lines: list[tuple[int, int]] = []
    at = 0
    for line in text.splitlines(keepends=True):
        lines.append((at, at + len(line.rstrip("\r\n"))))
        at += len(line)
    found: list[tuple[int, int, str]] = []
    for delimiter, least in (("\t", 1), ("|", 2), (";", 2), (",", 2), (ALIGNED, 2)):
        if delimiter not in text:
            continue
        if delimiter == ALIGNED:
            counts = [sum(1 for _ in GAP.finditer(text, start, end)) for start, end in lines]
        else:
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


# Accepts a field of a record before its value: `"qty": `, `status=`, `hours="`, and at the start of a line `price: `.
_FIELD = re.compile(
    r"""(?:["']\w[\w .-]{0,30}["']\s*:|(?<![\w?&/])\w[\w.-]{0,30}=(?!=)|^[ \t-]*[a-z]\w{0,30}:)\s*(?=\S)""",
    re.MULTILINE,
)
# Accepts a line of an account or a bill: words and a sum with two decimals, or several.
BOOKED = re.compile(
    r"^(?=.*[^\W\d_]{2}).{2,120}?(?<![\d.,])[-+£$€]{0,2}\d{1,3}(?:[.,]?\d{3})*[.,]\d{2}(?![\d.,]*\d).{0,40}$",
    re.MULTILINE,
)


LEAST = 3
"""Fields that make a record, and lines that make an account."""


def is_record(text: str) -> bool:
    """Return whether a text holds a record of fields, or the lines of an account: three of them."""
    return any(len(list(islice(pattern.finditer(text), LEAST))) == LEAST for pattern in (_FIELD, BOOKED))


def by_columns(
    text: str, found: list[Entity], query: "Query | None" = None, options: Options | None = None
) -> list[Entity]:
    """Return the mentions of a text, those in its tables decided, or with a query needed, by whole columns."""
    if query is None and is_record(text):
        from gama.privacy.columns import settle_fields

        found = settle_fields(text, found)
    if not tables_in(text):
        return found
    from gama.privacy.columns import cells_in, select_columns, settle_columns, without_heads

    if query is not None and options is not None:
        return select_columns(text, found, query, options)
    (settled,) = settle_columns([(text, found)], cells_in(text))
    return without_heads(text, settled)


_SHORT = patterns_in("shorthand.txt")
# Accepts a sign of clinics, or a dose, whole: `TDS`, `SpO2`, `3/52`, `20 mg/24h`, `0.9mg/kg`.
_DOSE = rf"\d+(?:[.,/]\d+)* ?(?:{_SHORT['unit']})(?:/(?:kg|h|hr|d|day|min|24 ?h|m2|L|l)){{0,2}}"
_MARK = late(re.compile, rf"(?<![\w/])(?<!\d[.,])(?:{_DOSE}|{_SHORT['sign']}|{_SHORT['mark']})(?![\w/])")
_CAPITALS = re.compile(r"(?<!\w)[A-Z][A-Za-z]?[A-Z]|\d/(?:7|52|12)(?!\d)")
_SPAN_OF_TIME = re.compile(r"[x×~?]? ?\d{1,2} ?/ ?(?:7|52|12|24)")
_DOSED = late(re.compile, _DOSE)
# Accepts the end of a number before a reading: `. BP 148/92`.
_STOP = late(re.compile, rf"[.;,] (?=(?:{_SHORT['sign']}|NEWS2?) \d)")
_ON = re.compile(
    r"(?i)(?<!\w)(?:on|since|until|from|dated?|born|dob|geb\.?|née? le|am|vom|seit|le|du|el|del|op|sinds|il|dal)[ :]+$"
)
# Accepts what stands before, or behind, a finding that is denied: `no `, ` neg`.
_DENIED = late(re.compile, rf"(?i)(?<!\w)(?:{_SHORT['denied']})\s+$")
_DENIES = late(re.compile, rf"(?i)(?:{_SHORT['denied']})(?!\w)")
_NORMAL = late(re.compile, rf"(?i)[\s:]*(?<!\w)(?:{_SHORT['normal']})(?!\w)(?=\s*(?:[.,;)\n]|$))")
_RANGE = re.compile(r"[<>≤≥]? ?\d[\d.,]*(?: ?[-–] ?\d[\d.,]*)?(?: ?%)?")
_RANGED = re.compile(r"(?i)(?:target|ref(?:erence)?(?: range)?|range|normal|goal|aim|norm\w*|ziel|cible)[ :(]*$")
_FINDING = frozenset({"medical_condition", "disability", "physical_feature", "duration", "time", "date"})
_BETWEEN = " \t\n,;:.()[]-–+/*"
DENIED_WORDS = 3
"""Longest finding that a word before or behind it denies: `no improvement in his epilepsy` denies none."""
SIGNS = 4
"""Different signs, of two characters or more and no small letters alone, that make a text one of a clinic."""


def is_clinical(text: str) -> bool:
    """Return whether a text is written in the shorthand of clinics."""
    if not _CAPITALS.search(text):
        return False
    found = {match[0] for match in _MARK.finditer(text, 0, 4_000)}
    return sum(len(one) > 1 and not one.isalpha() or one[1:] != one[1:].lower() for one in found) >= SIGNS


def without_marks(text: str, span: Span) -> Span:
    """Return what the tagger sees in a clinical note without the signs and doses at its ends, or judged not private.

    Signs, doses, target ranges and findings that are denied are nobody's; an illness, a drug and a reading stay.
    """
    if span.validated or not span.private or not (span.subtype in _FINDING or span.type == "CODE"):
        return span
    if span.type == "DATETIME":
        lasts = _SPAN_OF_TIME.fullmatch(text, span.start, span.end) or _MARK.fullmatch(text, span.start, span.end)
        nobodys = (
            lasts and span.subtype != "date_of_birth" and not _ON.search(text, max(0, span.start - 12), span.start)
        )
        return span._replace(private=0.0) if nobodys else span
    if span.type == "CODE":
        span = span._replace(
            end=min([span.end, *(stop.start() for stop in _STOP.finditer(text, span.start, span.end))])
        )
        return span._replace(private=0.0) if _DOSED.fullmatch(text, span.start, span.end) else span
    if span.source != "embedded":
        return span
    if _is_denied(text, span) or (
        _RANGE.fullmatch(text, span.start, span.end) and _RANGED.search(text, max(0, span.start - 20), span.start)
    ):
        return span._replace(private=0.0)
    return _trimmed(text, span)


def _is_denied(text: str, span: Span) -> bool:
    surface = text[span.start : span.end]
    if surface.count(" ") > DENIED_WORDS - 1:
        return False
    if _DENIES.match(surface) or _DENIED.search(text, max(0, span.start - 20), span.start):
        return True
    return not surface[-1:].isdigit() and any(
        found.end() == span.end or found.start() == span.end
        for found in _NORMAL.finditer(text, span.start, min(len(text), span.end + 16))
    )


def _trimmed(text: str, span: Span) -> Span:
    marks = [found.span() for found in _MARK.finditer(text, span.start, span.end)]
    start, end = span.start, span.end
    for first, last in marks:
        if text[start:first].strip(_BETWEEN):
            break
        start = last
    for first, last in reversed(marks):
        if first < start or text[last:end].strip(_BETWEEN):
            break
        end = first
    while start < end and text[start] in _BETWEEN:
        start += 1
    while start < end and text[end - 1] in _BETWEEN:
        end -= 1
    return span._replace(start=start, end=end) if start < end else span._replace(private=0.0)
