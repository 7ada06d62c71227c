"""A task as it comes in: the text, the query about it, and what is refused or told.

Names in a script that the embedded detector has not learnt are found by lists and rules alone. So such text is told,
and where nobody looks at what leaves, it is refused. docs/languages.md has what was measured.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gama.privacy.identify import CHORES, PRIVATE, patterns_in
from gama.privacy.names import SENTENCE
from gama.state.entities import Entity, Span
from gama.state.errors import InputError, LimitReached
from gama.state.options import Options
from gama.state.private_text import PrivateText
from gama.tools.knowledge.index import is_famous, is_forename, is_surname, look_up, may_be_forename
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


_NAMES = patterns_in("names.txt")
_WORLD = patterns_in("world.txt")
_OWN = late(re.compile, rf"(?<!\w)(?:{_NAMES['mine']}|{_NAMES['deals']}|{_NAMES['wants']})(?!\w)", re.IGNORECASE)
"""What makes a sentence one of the writer's own affairs."""
_KIN = late(re.compile, rf"(?<!\w)(?:{_NAMES['kin']})(?!\w)", re.IGNORECASE)
# Accepts what stands between somebody and one of theirs: `'s sister-in-law `, `with his second wife `.
_KIN_OF = late(
    re.compile,
    rf"(?:(?P<whose>['’]s?)|(?<!\w)(?:{_WORLD['theirs']}))\s+(?:[\w-]+\s+)?(?:{_NAMES['kin']}),?\s+$",
    re.IGNORECASE,
)
# Accepts what stands before the title of a work, `the film `, and what may follow one: a comma, ` by`. Refuses what
# tells of the work: `the book Emma lent me`.
_WORK = late(re.compile, rf"(?<!\w)(?:{_WORLD['work']})\s+[\"“«„]?$", re.IGNORECASE)
_WORK_ENDS = late(re.compile, rf"[\"”»“]?(?:\s*(?:[,?.;:)]|$)|\s+(?:{_WORLD['goes_on']})(?!\w))", re.IGNORECASE)
# Accepts what only a thing is asked about: `What is `, `who makes `; and behind its name ` the same as`.
_WHAT = late(re.compile, rf"(?<!\w)(?:{_WORLD['what']})\s+$", re.IGNORECASE)
_SAME = late(re.compile, rf"\s+(?:{_WORLD['same']})(?!\w)", re.IGNORECASE)
_PLANT = late(re.compile, rf"[^\W\d_]{{3,}}(?:{_WORLD['plant']})", re.IGNORECASE)
# Accepts a word for what people are paid or pay, whole: `bruttolönen`, `salaire brut`; and how often: `14-mal im Jahr`.
# Refuses who is paid: `pensioner`.
_PAY = late(
    re.compile,
    rf"(?:(?:{_WORLD['gross']}) )?(?:{_WORLD['pay']})(?: (?:{_WORLD['gross']}))?",
    re.IGNORECASE,
)
_TIMES = late(re.compile, _WORLD["times"], re.IGNORECASE)
# Accepts an area, which a tagger takes for somebody's height: `95 m2`.
_AREA = re.compile(r"\d[\d.,]* ?(?:m2|m²|qm|sqm|sq\.? ?m|ft²|sq\.? ?ft|ha|hectares?|acres?)\b", re.IGNORECASE)
# Accepts an article, but for where somebody works or comes from: `from the `.
_ARTICLE = re.compile(r"(?<!\w)(?!(?:from|at|for|in|with|join\w*|left|by) )\w+ (?:the|an?) $", re.IGNORECASE)
# Accepts what stands before one thing of many: `een `, `our old `; and the number of a model behind its name: ` j7`.
_ONE_OF = late(re.compile, rf"(?<!\w)(?:{_WORLD['one_of']})\s+(?:[a-z]+\s+)?$", re.IGNORECASE)
_MODEL = re.compile(r" (?=\w*\d)\w{1,4}$")
_CASE = re.compile(r"(?<!\w)([A-Z][\w’'-]+(?: [A-Z][\w’'-]+)*) vs?\.? ([A-Z][\w’'-]+(?: [A-Z][\w’'-]+)*)")
"""What a court has decided: `Roe v. Wade`."""
_FACTS = frozenset({"DEM", "DATETIME", "QUANTITY", "LOC", "ORG"})
_NO_FACTS = frozenset({"street_address", "postcode", "coordinates", "handle"})


def of_the_world(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return spans with those judged not private that belong to what the world knows.

    These are the family of the famous, and what is asked of them, in a question that names nobody else; cases that
    courts have decided; titles behind what they are (`the film Moana`); things that are asked about (`What is
    Ozempic?`); and products, plants and words of pay that a tagger takes for places, firms, jobs and illnesses.
    """
    works = [span for span in spans if _is_title_of_work(text, span)]
    public = {span for span in works if not is_forename(text[span.start : span.end])}
    ordinary = (_is_plant, _is_product, _is_of_pay, _is_generic, _is_area)
    public |= {span for span in spans if any(one(text, span) for one in ordinary)}
    for match in _CASE.finditer(text):
        if look_up(f"{match[1]} v. {match[2]}"):
            public |= {span for span in spans if match.start() <= span.start and span.end <= match.end()}
    for first, last in _questions(text):
        inside = [span for span in spans if first <= span.start and span.end <= last]
        if inside and not _OWN.search(text, first, last) and not CHORES.search(text, first, last):
            public |= _asked_of_the_famous(text, first, inside)
            if not _KIN.search(text, first, last):
                public |= {span for span in inside if span in works or _is_thing(text, span)}
            public |= {span for span in inside if _is_famous_ones(text, span)}
    return [span._replace(private=0.0) if span in public else span for span in spans]


def _questions(text: str) -> list[tuple[int, int]]:
    """Return where the sentences of a text stand that ask something."""
    if "?" not in text:
        return []
    ends = [0, *(match.end() for match in SENTENCE.finditer(text)), len(text)]
    return [(first, last) for first, last in zip(ends, ends[1:], strict=False) if "?" in text[first:last]]


def _asked_of_the_famous(text: str, first: int, inside: Sequence[Span]) -> set[Span]:
    """Return the family of the famous people of a sentence, and the facts beside them, where nobody else is named."""
    people = [span for span in inside if span.type == "PER"]
    famous = [
        span
        for span in people
        if span.subtype == "full_name" and (span.private or 0.0) < PRIVATE and is_famous(text[span.start : span.end])
    ]
    if not famous:
        return set()
    family = set[Span]()
    for span in people:
        kin = _KIN_OF.search(text, first, span.start)
        if kin and any(one.end == kin.start() if kin["whose"] else one.end <= kin.start() for one in famous):
            family.add(span)
    others = [span for span in inside if span not in family]
    if any(span.type == "CODE" or (span.type == "PER" and (span.private or 0.0) >= PRIVATE) for span in others):
        return family
    facts = (span for span in inside if span.type in _FACTS and span.subtype not in _NO_FACTS)
    # A tagger that sees a nationality or a date in a forename saw nobody's fact.
    return family | {
        span for span in facts if span.type in ("LOC", "ORG") or not may_be_forename(text[span.start : span.end])
    }


def _is_thing(text: str, span: Span) -> bool:
    """Return whether a word that no list of names has is asked about as things are."""
    word = text[span.start : span.end]
    if span.type != "PER" or not word.isalpha() or may_be_forename(word) or is_forename(word) or is_surname(word):
        return False
    return _WHAT.search(text, 0, span.start) is not None or _SAME.match(text, span.end) is not None


def _is_famous_ones(text: str, span: Span) -> bool:
    """Return whether somebody famous stands there in the genitive: `Goethes Mutter`."""
    name = text[span.start : span.end]
    owner = name[:-1] if span.type == "PER" and name.endswith("s") and (span.private or 0.0) < PRIVATE else ""
    return bool(owner) and is_famous(owner) and not may_be_forename(owner)


def _is_title_of_work(text: str, span: Span) -> bool:
    if span.type not in ("PER", "LOC", "ORG") or not _WORK.search(text, max(0, span.start - 30), span.start):
        return False
    name = text[span.start : span.end]
    known = look_up(name) if _WORK_ENDS.match(text, span.end) else None
    return known is not None and known.fame > 0 and "work" in known.kinds


def _is_plant(text: str, span: Span) -> bool:
    return span.type == "DEM" and span.view != "regex" and _PLANT.fullmatch(text, span.start, span.end) is not None


def _is_product(text: str, span: Span) -> bool:
    """Return whether a firm or place is one of many and known as a thing: `our Roomba j7`, and not `our Tesco`."""
    if span.type not in ("LOC", "ORG") or not _ONE_OF.search(text, max(0, span.start - 20), span.start):
        return False
    known = look_up(_MODEL.sub("", text[span.start : span.end]))
    return known is not None and known.fame > 0 and known.kinds <= {"topic", "thing"}


def _is_of_pay(text: str, span: Span) -> bool:
    """Return whether a fact is only a word for wages, taxes and terms, or an age only how often something is."""
    if span.subtype == "age" and span.source == "embedded" and _TIMES.fullmatch(text, span.start, span.end):
        return True
    of_a_kind = span.source == "embedded" and span.type in ("DEM", "DATETIME", "ORG", "QUANTITY")
    return of_a_kind and _PAY.fullmatch(text, span.start, span.end) is not None


def _is_area(text: str, span: Span) -> bool:
    return span.subtype in ("height", "weight") and _AREA.fullmatch(text, span.start, span.end) is not None


def _is_generic(text: str, span: Span) -> bool:
    """Return whether a body has no name (`the small claims court`), in a text that writes names with capitals."""
    name = text[span.start : span.end]
    if span.type != "ORG" or span.source != "embedded" or name != name.lower() or not name.replace(" ", "").isalpha():
        return False
    written = text.lstrip()[:1].isupper() or text[: span.start] != text[: span.start].lower()
    return written and _ARTICLE.search(text, max(0, span.start - 20), span.start) is not None
