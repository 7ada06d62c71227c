"""A task as it comes in: the text, the query about it, what it asks that is nobody's, and what is refused or told.

Names in a script that the embedded detector has not learnt are found by lists and rules alone. So such text is told,
and where nobody looks at what leaves, it is refused. docs/languages.md has what was measured.
"""

import re
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from gama.privacy.identify import CHORES, PRIVATE, patterns_in
from gama.privacy.names import asks_something
from gama.privacy.relations import CHAT, NO_FACTS, OWN, SAYS, SOMEBODY, sentence_around
from gama.state.entities import Entity, Span
from gama.state.errors import InputError, LimitReached
from gama.state.options import Options
from gama.state.private_text import PrivateText
from gama.tools.knowledge.index import is_borne, is_matter, look_up, may_be_forename
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


# Accepts signs and illnesses in the shorthand of clinics, one or several: `SOB x3/7`, `abdo SNT`, `NYHA III`.
_SIGNS = late(re.compile, rf"(?:(?:{_SHORT['sign']})[\s,;:]*)+")
_CLINICAL = late(re.compile, rf"(?:(?:{_SHORT['sign']}|{_SHORT['illness']})[\s,;:]*)+")
# Accepts a mark at school or university: `1.7`, `B+`. Refuses years and what has words.
_GRADE = re.compile(r"[A-F][+-]?|\d(?:[.,]\d{1,2})?")
_HASH = re.compile(r"(?=\d*[a-f])[0-9a-f]{7,64}")
# Accepts what stands before the number of a machine: `exit code `, `port=`, `job #`.
_COUNTED = late(re.compile, rf"(?<!\w)(?:{_SHORT['count']})[\s:=#(\[]{{1,3}}$", re.IGNORECASE)
_COUNT = re.compile(r"\d{1,5}")
_VERSIONED = late(re.compile, rf"(?<!\w)(?:{_SHORT['code']})(?!\w)", re.IGNORECASE)
_OF_SOMEBODY = frozenset({"medical_condition", "disability", "duration", "quantity", "degree", "education_level"})


def without_shorthand(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return spans with those judged not private that are shorthand or marks, or illnesses in a question about nobody.

    What the tagger took for a name there is none, and left out: `NSTEMI`, `NYHA III`.
    """
    out = []
    clinical = bool(spans) and is_clinical(text)
    for span in spans:
        if clinical:
            span = without_marks(text, span)
        surface = text[span.start : span.end]
        if span.source == "embedded" and span.type in ("PER", "ORG", "LOC") and _CLINICAL.fullmatch(surface):
            continue
        nobodys = (
            (span.subtype == "medical_condition" and _SIGNS.fullmatch(surface))
            or (span.type == "DEM" and span.subtype in ("degree", "education_level") and _is_mark(surface))
            or (span.type == "CODE" and span.source == "embedded" and _is_commit(text, span))
        )
        out.append(span._replace(private=0.0) if nobodys else span)
    facts = any(span.subtype in _OF_SOMEBODY and span.private for span in out)
    if not facts or any(span.type == "PER" or span.subtype in ("age", "gender", "date_of_birth") for span in out):
        return out
    if not asks_something(text) or SOMEBODY.search(text):
        return out
    return [span._replace(private=0.0) if span.subtype in _OF_SOMEBODY else span for span in out]


def _is_mark(surface: str) -> bool:
    return _GRADE.fullmatch(surface) is not None or _CLINICAL.fullmatch(surface) is not None


def _is_commit(text: str, span: Span) -> bool:
    """Return whether a code is the hash of a commit or a file, or the number of a machine, as what stands near says."""
    if _COUNT.fullmatch(text, span.start, span.end) and _COUNTED.search(text, max(0, span.start - 16), span.start):
        return True
    if not _HASH.fullmatch(text, span.start, span.end):
        return False
    return bool(_VERSIONED.search(text, max(0, span.start - 40), min(len(text), span.end + 40)))


_WORLD, _AROUND = patterns_in("world.txt"), patterns_in("names.txt")


def _words(kind: str, end: str) -> re.Pattern[str]:
    return late(re.compile, rf"(?<!\w)(?:{kind}){end}", re.IGNORECASE)


# Accepts what asks without a question: `recipe for `, `things to do in `.
_SOUGHT = _words(_WORLD["sought"], r"(?!\w)")
# Accepts how one asks for oneself what anybody may ask: `How do I `, `can we `, `tell me `; and words of other
# languages that look like the writer's: Swedish `i Sverige`, Dutch `hoe maak je`, `10 min`.
_ANYBODY = _words(_WORLD["anybody"], r"(?!\w)")
_MINE = _words(f"{_AROUND['mine']}|{_WORLD['own']}", r"(?!\w)")


def _anybodys(text: str) -> str | None:
    """Return a text without the words in which anybody asks, where it asks something and tells of nobody's affairs.

    In scripts whose words for the writer are not listed, no text is taken for such a one.
    """
    if not is_plain(text) or not (asks_something(text) or _SOUGHT.search(text)):
        return None
    told = _ANYBODY.sub(" ", text)
    return None if _MINE.search(told) or CHORES.search(told) else told


# Accepts what stands before the name of somebody, `uncle `, `Best wishes, `, and before people in a question: `with `.
_BEARER = _words(
    "|".join(_AROUND[one] for one in ("kin", "title", "greets", "closes", "rank", "job")),
    r"(?<!\bman)(?: (?:of|von|de|di|van|av))?\W+$",
)
_PERSONAL = _words(_WORLD["personal"], r"\s+$")
_CITIZEN = _words(_WORLD["citizen"], r"(?!\w)")
_OCCASION = late(re.compile, rf"\s(?:{_WORLD['occasion']})(?!\w)", re.IGNORECASE)
_WISHED = _words(_WORLD["wishes"], r"\s+$")
# Accepts what follows the name of who lives: ` wants`, ` ill`.
_LIVES = late(re.compile, rf"\s(?:{_WORLD['lives']})(?!\w)", re.IGNORECASE)
_SERVED = _words(_WORLD["served"], r"\s+$")
_TOLD_OF = _words(_WORLD["told_of"], r"\s+$")
_PEOPLES = frozenset({"language", "nationality", "ethnicity", "religion"})
_TELLING = NO_FACTS | {"age", "date_of_birth", "gender"}


def asked_of_nobody(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return spans with those judged not private that a short prompt asks about and that are nobody's.

    These are places, peoples, languages, dishes and feasts, where a text tells of nobody's affairs.
    """
    seen = [span for span in spans if span.source == "embedded"]
    public = {span for span in seen if _is_feast(text, span)}
    if len(text) <= 2 * CHAT and (told := _anybodys(text)) is not None:
        matters = public | {span for span in seen if _is_matter(text, span, told)}
        others = [span for span in spans if span not in matters and (span.private is None or span.private >= PRIVATE)]
        if not any(span.type in ("CODE", "PER") or span.subtype in _TELLING for span in others):
            public = matters
    return [span._replace(private=0.0) if span in public else span for span in spans]


def _is_feast(text: str, span: Span) -> bool:
    """Return whether a name is that of a feast or a dish, as what stands beside it says, or of no person by its words.

    Such are `Yalda night` and `Ferrero Rocher`, whose first word is no forename; so is what the world knows in a
    question that is not of the writer's own affairs, and who is told of as one tells of the dead (`an essay on `).
    """
    before, name = text[max(0, span.start - 40) : span.start], text[span.start : span.end]
    if span.subtype in NO_FACTS or _is_bearers(text, span, before):
        return False
    if span.type == "DEM":
        return span.subtype in ("religion", "occupation") and is_matter(name) and bool(_SERVED.search(before))
    if span.type not in ("PER", "LOC", "ORG"):
        return False
    if span.type == "PER" and " " in name:
        return is_matter(name) and not may_be_forename(name.split()[0]) or _is_told_of(name, span, before)
    if not is_borne(name) and (_OCCASION.match(text, span.end) or _WISHED.search(before)):
        return True
    first, last = sentence_around(text, span)
    asked = span.type == "PER" and "?" in text[span.end : last + 1] and is_matter(name)
    return asked and not OWN.search(_ANYBODY.sub(" ", text[first:last]))


def _is_bearers(text: str, span: Span, before: str) -> bool:
    """Return whether a name stands as that of somebody one knows does: addressed, quoted, behind a title."""
    addressed = not before.strip() and text[span.end : span.end + 1] == ","
    return bool(addressed or _BEARER.search(before) or SAYS.match(text, span.end) or _LIVES.match(text, span.end))


def _is_told_of(name: str, span: Span, before: str) -> bool:
    """Return whether facts or works of somebody are asked for whom the world lists: `an essay on `, `a poem by `."""
    known = look_up(name) if (span.private or 0.0) < PRIVATE and _TOLD_OF.search(before) else None
    return known is not None and "person" in known.kinds


def _is_matter(text: str, span: Span, told: str) -> bool:
    """Return whether the world knows something of a name, which is nobody's, or it is written as words are."""
    name, before = text[span.start : span.end], text[max(0, span.start - 40) : span.start]
    if span.subtype in NO_FACTS or _is_bearers(text, span, before):
        return False
    if span.type == "DEM":
        return span.subtype in _PEOPLES and not (SOMEBODY.search(text) or _CITIZEN.search(text))
    if span.type != "PER":
        return span.type in ("LOC", "ORG") and is_matter(name, span.type, span.subtype)
    if OWN.search(told):
        return False
    if is_matter(name):
        return True
    word = name.islower() and name.isalpha() and not is_borne(name)
    return word and text.lstrip()[:1].isupper() and not _PERSONAL.search(before)
