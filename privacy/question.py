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
from gama.privacy.relations import CHAT, NO_FACTS, OWN, SAYS, SOMEBODY, is_german, sentence_around
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


def learnt(options: Options) -> frozenset[str]:
    """Return the scripts that the tagger has learnt which the options name."""
    from gama.tools.languages.parts import LEARNT

    if options.weights is not None or options.detector == "embedded":
        return LEARNT
    from gama.models.accurate import accurate_scripts

    return LEARNT | accurate_scripts()


def check_scripts(text: str, options: Options, notes: list[str]) -> None:
    """Note, or refuse, what the detector cannot read; a private LLM is taken to read what it is given.

    Args:
        text: the raw text.
        options: `unknown_scripts`, the detector, and the private LLM.
        notes: gets the warning.

    Raises:
        InputError: there is such a part, and the option says to refuse it.
    """
    if options.unknown_scripts == "allow" or options.private_model is not None or is_plain(text):
        return
    from gama.tools.languages.parts import unlearnt

    found = unlearnt(text, learnt(options))
    if not found:
        return
    from gama.models.accurate import accurate_folder

    missing = accurate_folder() is None
    told = f"Parts of the text are written in a script that the detector has not learnt ({', '.join(found)})"
    if options.unknown_scripts == "refuse":
        raise InputError(
            f"{told}: names in them are found by lists and rules alone, and some would leave unseen. Nothing was sent. "
            f"{'Install gama-privacy-accurate, name' if missing else 'Name'} a private LLM that reads them, or let "
            "them leave with the option unknown_scripts (--unknown-scripts warn)."
        )
    notes.append(
        f"{told}: names in them are found by lists and rules alone, and names and codes may have been missed. Look "
        f"before you send, {'install gama-privacy-accurate, ' if missing else ''}or name a private LLM."
    )


LAID_OUT = 3
"""Signs of columns, fields and sums that a table, a record or a bill has at least."""
# Accepts what lies between columns and fields, sums, and short lines with figures. Refuses the room of a placeholder,
# which the second look reads as `X` and spaces.
_LAID_OUT = re.compile(
    r"\t|\||(?<=[^\sX]) {2,}(?=\S)|[,;](?=[^\s,;])|[\"']\s*:|=[\"']|\w=(?!=)(?![^<>\n]{0,80}>)"
    r"|\d[.,]\d\d(?!\d)|^[ \t-]*[a-z]\w{0,30}:\s"
    r"|^(?=[^\n]*[^\W\d_]{2})[^\n.?!]{0,40}(?<![\w.,:/-])-?\d[^\n?!]{0,30}$",
    re.MULTILINE,
)
# Accepts a clock with seconds, and what statements of SQL have.
_STAMPED = re.compile(r"\d:\d\d:\d\d|\bVALUES\b|[<>=] ?'\d{4}-")


def by_columns(
    text: str, found: list[Entity], query: "Query | None" = None, options: Options | None = None
) -> list[Entity]:
    """Return the mentions of a text, those in its tables decided, or with a query needed, by whole columns."""
    if query is None and options is not None and options.privacy == "auto":
        from gama.privacy.asked import as_asked

        found = as_asked(text, found, reckoned=options.formulas is True)
    if len(list(islice(_LAID_OUT.finditer(text), LAID_OUT))) < LAID_OUT and not _STAMPED.search(text):
        return found
    from gama.privacy.tables import select_columns, settle_tables

    if query is None:
        return settle_tables(text, found, options or Options())
    return found if options is None else select_columns(text, found, query, options)


_SHORT = patterns_in("shorthand.txt")
# Accepts what the shorthand of clinics has somewhere: capitals, a number of days, weeks or months, a dose.
_CAPITALS = re.compile(r"(?<![\w-])[A-Z][A-Za-z]?[A-Z](?![\w-])|\d/(?:7|52|12)(?!\d)|\d ?m[glL](?!\w)")
# Accepts signs and illnesses in the shorthand of clinics, one or several: `SOB x3/7`, `abdo SNT`, `NYHA III`.
_SIGNS = late(re.compile, rf"(?:(?:{_SHORT['sign']})[\s,;:]*)+")
_CLINICAL = late(re.compile, rf"(?:(?:{_SHORT['sign']}|{_SHORT['illness']})[\s,;:]*)+")
# Accepts a mark at school or university: `1.7`, `B+`. Refuses years and what has words.
_GRADE = re.compile(r"[A-F][+-]?|\d(?:[.,]\d{1,2})?")
_HASH = re.compile(r"(?=\d*[a-f])[0-9a-f]{7,64}")
# Accepts what stands before the number of a machine: `exit code `, `port=`, `job #`.
_COUNTED = late(re.compile, rf"(?<!\w)(?:{_SHORT['count']})[\s:=#(\[]{{1,3}}$", re.IGNORECASE)
_COUNT = re.compile(r"\d{1,5}")
_FEW = re.compile(r"\d{1,2}")
# Accepts the number of a change that was merged: `#218`.
_MERGED = re.compile(r"#\d{1,5}")
# Accepts what stands before the number of a week, at the start of a line: `Week `, `KW `.
_WEEK = late(re.compile, rf"^\W*(?:{_SHORT['week']})[ .]*$", re.IGNORECASE | re.MULTILINE)
_VERSIONED = late(re.compile, rf"(?<!\w)(?:{_SHORT['code']})(?!\w)", re.IGNORECASE)
_OF_SOMEBODY = frozenset({"medical_condition", "disability", "duration", "quantity", "degree", "education_level"})


def without_shorthand(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return spans with those judged not private that are shorthand or marks, or illnesses in a question about nobody.

    What the tagger took for a name there is none, and left out: `NSTEMI`, `NYHA III`.
    """
    out = []
    versed = {match["book"] for match in _VERSE.finditer(text)} if ":" in text else ()
    if spans:
        from gama.privacy.clinical import is_clinical, without_marks
        from gama.privacy.medicine import as_medicine

        clinical = _CAPITALS.search(text) is not None and is_clinical(text)
        spans = as_medicine(text, spans, clinical)
        spans = [without_marks(text, span) for span in spans] if clinical else spans
    for span in spans:
        surface = text[span.start : span.end]
        if span.source == "embedded" and span.type in ("PER", "ORG", "LOC") and _CLINICAL.fullmatch(surface):
            continue
        if span.type == "PER" and (
            _SAID.fullmatch(surface)
            or _ASKED.match(text, span.start)
            or _is_verb(text, span)
            or _is_assistant(text, span)
        ):
            continue
        nobodys = (
            (span.subtype == "medical_condition" and _SIGNS.fullmatch(surface))
            or (span.type == "DEM" and span.source == "embedded" and _is_done(text, span))
            or (span.type == "DEM" and span.subtype in ("degree", "education_level") and _is_mark(surface))
            or (
                span.type == "CODE"
                and span.source == "embedded"
                and (_FEW.fullmatch(surface) or _is_commit(text, span))
            )
            or ((span.subtype in _GOALS or _is_place(surface)) and len(text) <= 2 * CHAT and _is_gone_to(text, span))
            or (span.subtype == "url" and _HOST.fullmatch(surface))
            or (surface == "Go" and _CODED.search(text, max(0, span.start - 24), span.start))
            or (span.type == "PER" and (_is_word(text, span) or surface in versed))
            or (
                span.type == "DATETIME"
                and surface.isdigit()
                and _WEEK.search(text, max(0, span.start - 12), span.start)
            )
        )
        out.append(span._replace(private=0.0) if nobodys else span)
    facts = any(span.subtype in _OF_SOMEBODY and span.private for span in out)
    if not facts or any(span.type == "PER" or span.subtype in ("age", "gender", "date_of_birth") for span in out):
        return out
    if not asks_something(text) or SOMEBODY.search(text):
        return out
    return [span._replace(private=0.0) if span.subtype in _OF_SOMEBODY else span for span in out]


# Accepts places before the last of several: `Lisbon and `, `Rome, Pisa y `.
_AND = re.compile(r"(?:[A-ZÀ-Þ][\w’'-]+(?: [A-ZÀ-Þ][\w’'-]+)?(?:, (?:and |or )?| (?:and|or|&|y|et|und|e|en|och|i) ))+$")
_GOALS = frozenset(("city", "region", "country", "landmark"))
"""Where journeys go."""


def _is_verb(text: str, span: Span) -> bool:
    """Return whether what is taken for a forename begins a sentence as a verb or a thing does: `Rose by 2 points`."""
    led = text[max(0, span.start - 8) : span.start]
    begins = not led.strip() or led.rstrip(" ")[-1] in ".!?:;\n"
    return begins and " " not in text[span.start : span.end] and _VERBAL.match(text, span.start) is not None


def _is_place(name: str) -> bool:
    """Return whether what is taken for a person is known as a place, and nobody is called so."""
    known = look_up(name) if name[:1].isupper() and not may_be_forename(name) else None
    return known is not None and known.fame > 0 and not known.kinds.isdisjoint(("place", "topic"))


def _is_gone_to(text: str, span: Span) -> bool:
    """Return whether a place is where a journey that is planned goes, in a prompt that asks for a plan."""
    before = _AND.sub("", text[max(0, span.start - 60) : span.start])
    if _GOING.search(before, max(0, len(before) - 24)) is None:
        return False
    return asks_something(text) or _PLANS.search(text, max(0, span.start - 120), span.start) is not None


def _is_word(text: str, span: Span) -> bool:
    """Return whether a name is asked about as a word, as in `What does the name Siobhan mean`."""
    if _NAMED.search(text, max(0, span.start - 24), span.start) is None:
        return False
    first, last = sentence_around(text, span)
    return _MEANS.search(text, first, last) is not None


def _is_assistant(text: str, span: Span) -> bool:
    """Return whether a name is that of an assistant, and no forename of somebody: `I am ChatGPT`, `ask Gemini`."""
    surface = text[span.start : span.end]
    if not _ASSISTANT.fullmatch(surface):
        return False
    return not may_be_forename(surface) or _TOLD.search(text, max(0, span.start - 16), span.start) is not None


def _is_done(text: str, span: Span) -> bool:
    """Return whether a job is that of somebody who is called for it, or a part in a meeting: `call plumber`."""
    if span.subtype == "occupation":
        if text[span.start : span.end].islower() and is_german(text) and not text.islower():
            return True  # Its nouns have capitals.
        before = text[max(0, span.start - 12) : span.start]
        if _MY.search(before) and re.match(
            r" [A-ZÀ-ÖØ-Þ][\w’'-]+(?= ?[,.?!:;]|$| [a-zß-ÿ])", text[span.end : span.end + 24]
        ):
            return True  # What somebody is to the writer.
        return _HIRED.search(text, max(0, span.start - 24), span.start) is not None
    return span.subtype == "disability" and _CHAIRED.fullmatch(text, span.start, span.end) is not None


def _is_mark(surface: str) -> bool:
    return _GRADE.fullmatch(surface) is not None or _CLINICAL.fullmatch(surface) is not None


def _is_commit(text: str, span: Span) -> bool:
    """Return whether a code is the hash of a commit or a file, or the number of a machine, as what stands near says."""
    if _COUNT.fullmatch(text, span.start, span.end) and _COUNTED.search(text, max(0, span.start - 16), span.start):
        return True
    near = (
        40 if _HASH.fullmatch(text, span.start, span.end) else 160 * bool(_MERGED.fullmatch(text, span.start, span.end))
    )
    return near > 0 and bool(_VERSIONED.search(text, max(0, span.start - near), min(len(text), span.end + near)))


_WORLD, _AROUND = patterns_in("world.txt"), patterns_in("names.txt")


_VERBAL = late(re.compile, _WORLD["verbal"])
_SAID = late(re.compile, rf"{_WORLD['said']}|(?i:{_WORLD['day']})")
_HOST = late(re.compile, _WORLD["host"], re.IGNORECASE)
# Accepts what stands before a programming language: `APIs in `, `learn `. Refuses `want to `.
_CODED = re.compile(r"(?<!\w)(?:in|using|with|learn|write|know|Rust and|Python and|Java and|,|or)\s$")
# Accepts how a sentence begins that asks, with what it asks about: `Welche Vögel `, `Kim był `.
_ASKED = re.compile(
    r"(?:[Ww]elche[rsnm]?|Quel(?:le)?s?|Qual[ei]|Welke?|Jaki[ea]?|Vilk(?:a|en|et))\s|Kim (?:był[ai]?|byli|jest|są)\b"
)
_MY = late(re.compile, rf"(?<!\w)(?:{_WORLD['my']}) $", re.IGNORECASE)
_GOING = late(re.compile, rf"(?<!\w)(?:{_WORLD['going']}) $", re.IGNORECASE)
_PLANS = late(
    re.compile, rf"(?:^|[.!:;\n]\s*|\b(?:please|bitte|por favor)\s+)(?:{_WORLD['plans']})(?!\w)", re.IGNORECASE
)
_NAMED = late(re.compile, rf"(?<!\w)(?:{_WORLD['named']})\s+[\"'‘“«„]?$", re.IGNORECASE)
_MEANS = late(re.compile, rf"(?<!\w)(?:{_WORLD['means']})(?!\w)", re.IGNORECASE)
# Accepts a verse, with its book: `John 3:16`, `1 Kings 2:4`. Refuses `John 3` and times: `John 10:30 am`.
_VERSE = late(
    re.compile,
    rf"(?<!\w)(?P<book>{_WORLD['books']}) (?:[1-9]\d?|1[0-5]\d):(?:[1-9]\d?|1[0-7]\d)(?:[-–]\d{{1,3}})?"
    r"(?!\d|:| ?[ap]\.?m)",
)
_ASSISTANT = late(re.compile, _WORLD["assistant"])
# Accepts what stands before an assistant that bears a forename: `ask Claude`, `Hey Siri`.
_TOLD = re.compile(r"(?:\bhey|\bask|\busing|\bvia|\bI am|\bI['’]m|\bcalled|\bok(?:ay)?)[ ,]+$", re.IGNORECASE)
_CHAIRED = late(re.compile, _WORLD["chaired"], re.IGNORECASE)
_HIRED = late(re.compile, rf"(?<!\w)(?:{_WORLD['hired']})\s+(?:(?:the|an?|den|die|le|la|el|il)\s+)?$", re.IGNORECASE)


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
_SURELY, _WELL = 0.97, 2  # Of what is as private as that only what is as famous as that is nobody's.
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
    if span.subtype in NO_FACTS or span.type not in ("PER", "LOC", "ORG", "DEM") or _is_bearers(text, span, before):
        return False
    if span.type == "DEM":
        return span.subtype in ("religion", "occupation") and is_matter(name) and bool(_SERVED.search(before))
    if span.type == "PER" and (span.private or 0.0) >= _SURELY and (known := look_up(name)) and known.fame < _WELL:
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
    if span.type in ("QUANTITY", "DATETIME"):
        return span.subtype != "date_of_birth" and not (SOMEBODY.search(told) or OWN.search(told))
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
