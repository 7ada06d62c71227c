"""A task as it comes in: the text, the query about it, what is refused or told; and who stands how to its writer.

Names in a script that the embedded detector has not learnt are found by lists and rules alone. So such text is told,
and where nobody looks at what leaves, it is refused. docs/languages.md has what was measured.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gama.privacy.identify import CHORES, patterns_in
from gama.privacy.names import NEAR, SENTENCE, asks_something
from gama.state.entities import Entity, Span
from gama.state.errors import InputError, LimitReached
from gama.state.options import Options
from gama.state.private_text import PrivateText
from gama.tools.knowledge.index import is_asked_about, is_famous, is_worldly, look_up
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


CHAT = 200
"""Longest text, in characters, that is a line of a chat, in which an ordinary name means somebody one knows."""

_AROUND = patterns_in("names.txt")
_MINE = re.compile(rf"(?<!\w)(?:{_AROUND['mine']})(?!\w)", re.IGNORECASE)
# Accepts what stands before the name of one of the writer's people: `my neighbour, called `, or in a list `Tenant: `.
_RELATED = re.compile(
    rf"(?<!\w)(?:{_AROUND['mine']})\s+(?:{_AROUND['kin']})\s+(?:(?:{_AROUND['called']})\s+){{0,2}}$"
    rf"|(?:^|[\n.;(]\s*)(?:{_AROUND['kin']})\s*:\s*$",
    re.IGNORECASE,
)
# Accepts what says behind a name whose it is: ` is my bus driver`, `, our old neighbour,`. Refuses who asks after it:
# `, my son wants to know`.
_MINE_TOO = re.compile(
    rf"(?:(?P<beside>,)|\s+(?:{_AROUND['is']}))\s+(?:{_AROUND['mine']})\s+(?:[^\W\d_]+\s+)?(?:{_AROUND['kin']})(?!\w)"
    r"(?(beside)(?=\s*(?:[.,;:)]|$)))",
    re.IGNORECASE,
)
# Accepts what stands before the name of who does a job: `La maestra `.
_AT_WORK = re.compile(rf"(?<!\w)(?i:{_AROUND['job']})\s+$")
_WORKER = re.compile(rf"(?i:{_AROUND['job']})\s+\S")
# Accepts what somebody says now, the things of acquaintances, and, at the start of a text, what is said to one:
# `Sione says`, `at Musa's yard`, `Ama, have the papers come?`.
_SAYS = re.compile(rf"\s(?:{_AROUND['says']})(?!\w)|['’]s\s(?:{_AROUND['home']})(?!\w)")
_ADDRESSED = re.compile(r",\s(?!(?:who|whose|the|an?)\b)")
# Accepts what stands before the name of who gets a message, is the subject of a record, or is bidden: `Draft an email
# to `, `school report comment for `, `Please remind `. Refuses what is told of the world: `the duke who invited `.
_ADDRESSEE = late(
    re.compile,
    rf"(?<!\w)(?:(?:{_AROUND['message']})\s+(?:{_AROUND['to']})|(?:{_AROUND['record']})\s+(?:{_AROUND['to']})"
    rf"|(?:^|[.!?:;\n]\s*|\b(?:please|to|and|bitte|por favor|stp)\s+)(?:{_AROUND['bids']}))\s+$",
    re.IGNORECASE,
)
# Accepts what stands between a verb of writing and whom it is for: `phrase a friendly nudge to `. Refuses what is not
# written to somebody: `write an introduction to `.
_WRITTEN_TO = late(
    re.compile,
    rf"(?:^|[.!?:;\n,]\s*|\b(?:please|to|can you|could you|bitte|i)\s+)(?:{_AROUND['composes']})\s"
    r"(?P<what>[^.!?\n]{0,60}?)\b(?:to|an|à|a|al|aan|do|till|para)\s+$",
    re.IGNORECASE,
)
_NO_LETTER = late(re.compile, rf"(?<!\w)(?:{_AROUND['no_letter']})(?!\w)", re.IGNORECASE)
_ASKER = late(re.compile, rf"(?<!\w)(?:{_AROUND['asker']})(?!\w)", re.IGNORECASE)
_RELATIVE = re.compile(r"^,\s(?=(?:who|whose|die|der|qui|que|che|quien|die)\b)")
_CLAUSE = re.compile(r"[:;(\"“”„]|,\s|\s[–—-]\s")
# Accepts what stands before the maker of something, or what something is about: `the new album by `, `a talk on `.
_MADE_BY = re.compile(
    r"(?<!\w)(?:by|of|about|on|against|von|über|par|de|sur|di|su|sobre|van|door|over|av|om|o)\s+$", re.IGNORECASE
)
# Accepts what the writer does together with somebody, at the end of a sentence's beginning: `I sat next to `. Refuses
# what is imagined: `If I could have dinner with `.
_WITH_ME = late(
    re.compile,
    rf"(?<!\w)(?:i|we)(?:['’](?:m|re|ve))?\s+(?!(?:could|would|wish|dream\w*|want)\b)(?:[\w’']+\s+){{0,3}}?(?:{_AROUND['with_me']})\s+$",
    re.IGNORECASE,
)
# Accepts where in the writer's surroundings somebody is: ` from HR`, ` in unit 4`.
_POST = late(re.compile, rf",?\s+(?:{_AROUND['post']})(?!\w)", re.IGNORECASE)
# Accepts what somebody is to do, of a list: `Action items: NAME to send `.
_ITEM = late(re.compile, rf"\s+(?:{_AROUND['item']})(?!\w)")
_LISTED = re.compile(r"(?:^|[:;\n•*,–-]|\d[.)])\s*$")
_OWNING = re.compile(r"['’]s?(?!\w)")
_OF_FAMILY = re.compile(rf",? (?:\w+ )?(?:{_AROUND['kin']}) (?:of|von|vom|de|di|van|av|do|da)\b| family\b")


def is_related(text: str, span: Span) -> bool:
    """Return whether a name stands beside what the writer calls its bearer: `my neighbour Victor Hugo`, `Tenant: `.

    So is who is written to, bidden, or somewhere about the writer (`an email to Serena Williams`, `Victor Hugo from
    HR`), one that nobody knows before the word for a relation (`Nora Healy, wife of Patrick`) or behind a job, and a
    forename of which it is told what its bearer says now.
    """
    if span.type != "PER":
        return False
    before = text[max(0, span.start - 60) : span.start]
    if _RELATED.search(before) or _MINE_TOO.match(text, span.end) or _has_role(text, span, before):
        return True
    famous = is_famous(text[span.start : span.end])
    if span.subtype == "first_name":
        addressed = not before and not famous and _ADDRESSED.match(text, span.end)
        if addressed or _SAYS.match(text, span.end):
            return True
    beside = _OF_FAMILY.match(text, span.end) or _AT_WORK.search(before) or _WORKER.match(text, span.start, span.end)
    return beside is not None and not famous


def _has_role(text: str, span: Span, before: str) -> bool:
    """Return whether a name stands in a private role: of an addressee, of a record, in the writer's surroundings."""
    if _POST.match(text, span.end) or (_ITEM.match(text, span.end) and _LISTED.search(before)):
        return True
    if _OWNING.match(text, span.end):
        return False
    written = _WRITTEN_TO.search(before)
    if written and not _NO_LETTER.search(written["what"]):
        return True
    return bool(_ADDRESSEE.search(before) or _WITH_ME.search(before)) or _is_met(text, span)


def _is_met(text: str, span: Span) -> bool:
    """Return whether a line of a chat tells of somebody in the first person, and not of the world or of a wish."""
    if span.subtype != "full_name" or len(text) > CHAT:
        return False
    first, last = sentence_around(text, span)
    told = _ASKER.sub(lambda found: " " * len(found[0]), text[first : span.start])
    before, behind = _CLAUSE.split(told)[-1], _CLAUSE.split(_RELATIVE.sub(" ", text[span.end : last]))[0]
    if _MADE_BY.search(before) or not (_MINE.search(before) or _MINE.search(behind)):
        return False
    return not (
        is_worldly(text[first:last], span.start - first, span.end - first) or is_asked_about(text, span.start, span.end)
    )


def has_chores(text: str, span: Span) -> bool:
    """Return whether a person is told to have done in the same sentence what only acquaintances do for one another.

    Somebody famous does not return the writer's keys (`Did Tom Hanks pay the deposit?`), unless what stands around
    speaks of the world, or the chore is done for what the world knows and not for the writer (`Twitter's rent`).
    """
    first, last = sentence_around(text, span)
    told = CHORES.search(text, first, span.start) or CHORES.search(text, span.end, last)
    if told is None or is_worldly(text[first:last], span.start - first, span.end - first):
        return False
    if _MINE.search(text, first, last) or not is_famous(text[span.start : span.end]):
        return True
    owners = (look_up(owner[1]) for owner in _OWNER.finditer(text, first, last))
    return not any(
        owner and owner.fame > 1 and "body" in owner.kinds and "person" not in owner.kinds for owner in owners
    )


def sentence_around(text: str, span: Span) -> tuple[int, int]:
    """Return where the sentence of a span begins and ends, as far as it is near."""
    before = [match.end() for match in SENTENCE.finditer(text, max(0, span.start - NEAR), span.start)]
    behind = SENTENCE.search(text, span.end)
    first = before[-1] if before else max(0, span.start - NEAR)
    return first, min(behind.start() if behind else len(text), span.end + NEAR)


# Accepts who has something: `Twitter` of `Twitter's rent`.
_OWNER = re.compile(r"(?<!\w)([A-Z][\w&-]+(?: [A-Z][\w&-]+)*)['’]s?(?!\w)")


_SHORT = patterns_in("shorthand.txt")
# Accepts signs and illnesses in the shorthand of clinics, one or several: `SOB x3/7`, `abdo SNT`, `NYHA III`.
_SIGNS = late(re.compile, rf"(?:(?:{_SHORT['sign']})[\s,;:]*)+")
_CLINICAL = late(re.compile, rf"(?:(?:{_SHORT['sign']}|{_SHORT['illness']})[\s,;:]*)+")
# Accepts a mark at school or university: `1.7`, `B+`. Refuses years and what has words.
_GRADE = re.compile(r"[A-F][+-]?|\d(?:[.,]\d{1,2})?")
_HASH = re.compile(r"[0-9a-f]{7,64}")
_VERSIONED = late(re.compile, rf"(?<!\w)(?:{_SHORT['code']})(?!\w)", re.IGNORECASE)
# Accepts what speaks of somebody: the writer, one of the writer's, he, she, a patient, `72M`, `aged 40`.
_SOMEBODY = late(
    re.compile,
    rf"(?<!\w)(?:I|(?!(?:i|MI|MA|MIR|IO)\b)(?:{_AROUND['mine']})|{_AROUND['kin']}|[Pp]t|[Hh]e|[Ss]he|[Hh](?:is|er|im|ers)|[Tt]hey|[Tt]heir|them"
    r"|er|ihm|ihn|ihr\w*|sein\w*|elle|il|lui|sa|él|ella|su|lei|suo|sua|hij|zij|zijn|haar|ele|ela|han|hon|hans|hennes|on|ona|jej|jego"
    r"|man|woman|male|female|boy|girl|[Mm]rs?|[Mm]s|[Dd]r|aged?|old|y/?o|\d{1,3} ?(?:y/?o|[MFmf])|born|DOB)(?!\w)",
)
_OF_SOMEBODY = frozenset({"medical_condition", "disability", "duration", "quantity", "degree", "education_level"})


def without_shorthand(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return spans with those judged not private that are shorthand or marks, or illnesses in a question about nobody.

    What the tagger took for a name there is none, and left out: `NSTEMI`, `NYHA III`.
    """
    out = []
    for span in spans:
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
    if not asks_something(text) or _SOMEBODY.search(text):
        return out
    return [span._replace(private=0.0) if span.subtype in _OF_SOMEBODY else span for span in out]


def _is_mark(surface: str) -> bool:
    return _GRADE.fullmatch(surface) is not None or _CLINICAL.fullmatch(surface) is not None


def _is_commit(text: str, span: Span) -> bool:
    """Return whether a code is the hash of a commit or a file, as what stands near says."""
    if not _HASH.fullmatch(text, span.start, span.end):
        return False
    return bool(_VERSIONED.search(text, max(0, span.start - 40), min(len(text), span.end + 40)))
