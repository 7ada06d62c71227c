"""Whose what a text names is: of the writer and the writer's people, of the world, or nobody's.

A famous name in a private role is the writer's (`an email to Serena Williams`); the family of the famous, in a question
about them, is the world's; the shorthand of clinics and marks are nobody's.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from gama.privacy.courts import COURT, cases
from gama.privacy.identify import CHORES, PRIVATE, patterns_in
from gama.privacy.names import NEAR, SENTENCE
from gama.state.entities import Span, Spread
from gama.tools.knowledge.index import (
    is_asked_about,
    is_borne,
    is_famous,
    is_forename,
    is_worldly,
    look_up,
    may_be_forename,
)
from gama.tools.tables import late

CHAT = 200
"""Longest text, in characters, that is a line of a chat, in which an ordinary name means somebody one knows."""

_AROUND = patterns_in("names.txt")
_MINE = re.compile(rf"(?<!\w)(?:{_AROUND['mine']})(?!\w)", re.IGNORECASE)
# Accepts what stands before the name of one of the writer's people: `my neighbour, called `, or in a list `Tenant: `.
_RELATED = re.compile(
    rf"(?<!\w)(?:{_AROUND['mine']})\s+(?:{_AROUND['kin']})\s+(?:(?:{_AROUND['called']})\s+){{0,2}}$"
    rf"|(?<!\w)(?:{_AROUND['mine']})\s+(?:{_AROUND['kin']})s?\s*\((?:[^()]{{0,60}}[\s,])?$"
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
_AT_WORK = re.compile(rf"(?<!\w)(?i:{_AROUND['job']}|(?:the|my|our) (?:{_AROUND['jobs']}) (?:is|was|will be))\s+$")
_WORKER = re.compile(rf"(?i:{_AROUND['job']})\s+\S")
# Accepts what somebody says now, the things of acquaintances, and, at the start of a text, what is said to one:
# `Sione says`, `at Musa's yard`, `Ama, have the papers come?`.
SAYS = re.compile(rf"\s(?:{_AROUND['says']})(?!\w)|['’]s\s(?:{_AROUND['home']})(?!\w)")
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
# Accepts a word of kinship right before a name, `dla córki `, and the colon behind a name that leads to a question.
_KIN_ALONE = late(re.compile, rf"(?<!\w)(?:{_AROUND['kin']})\s+$", re.IGNORECASE)
_ASKS = late(re.compile, rf"(?<!\w)(?:{_AROUND['asks']})(?!\w)", re.IGNORECASE)
_COLON = late(re.compile, rf"\s?:\s(?=(?:\w+\s)?(?:{_AROUND['asks']})(?!\w))", re.IGNORECASE)
_OWNING = re.compile(r"['’]s?(?!\w)")
# Accepts what stands around the name of whom one visits: `at Marcus Thwaite's.`
_AT_ONES = re.compile(r"\b(?:at|to|round|from|over at|near) $")
_AT_HOMES = re.compile(r"['’]s(?=\s*(?:[.,;!?)\n]|$)|\s(?:and|for|with|on|tonight|last|after|before)\b)")
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
    if span.subtype in ("first_name", "nickname"):
        addressed = not before and not famous and _ADDRESSED.match(text, span.end)
        if addressed or SAYS.match(text, span.end) or (not famous and _is_led_in(text, span)):
            return True
    beside = _OF_FAMILY.match(text, span.end) or _AT_WORK.search(before) or _WORKER.match(text, span.start, span.end)
    return not famous and bool(beside or (_AT_HOMES.match(text, span.end) and _AT_ONES.search(before)))


def _is_led_in(text: str, span: Span) -> bool:
    """Return whether a forename stands behind a word of kinship alone, or before the colon that leads to a question."""
    first, last = sentence_around(text, span)
    kin = _KIN_ALONE.search(text, first, span.start)
    if kin and not _KIN_OF.search(text, first, span.start):
        return True
    colon = _COLON.search(text, span.end, last)
    if colon is None or _ASKS.search(text, first, colon.start()):
        return False
    return is_borne(text[span.start : span.end].partition("-")[0])


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


# Accepts what speaks of somebody: the writer, one of the writer's, he, she, a patient, `72M`, `aged 40`.
SOMEBODY = late(
    re.compile,
    rf"(?<!\w)(?:I|(?!(?:i|MI|MA|MIR|IO)\b)(?:{_AROUND['mine']})|{_AROUND['kin']}|[Pp]t|[Hh]e|[Ss]he|[Hh](?:is|er|im|ers)|[Tt]hey|[Tt]heir|them"
    r"|er|ihm|ihn|ihr\w*|sein\w*|elle|il|lui|sa|él|ella|su|lei|suo|sua|hij|zij|zijn|haar|ele|ela|han|hon|hans|hennes|on|ona|jej|jego"
    r"|man|woman|male|female|boy|girl|[Mm]rs?|[Mm]s|[Dd]r|aged?|old|y/?o|\d{1,3} ?(?:y/?o|[MFmf])|born|DOB)(?!\w)",
)

_WORLD = patterns_in("world.txt")
OWN = late(re.compile, rf"(?<!\w)(?:{_AROUND['mine']}|{_AROUND['deals']}|{_AROUND['wants']})(?!\w)", re.IGNORECASE)
"""What makes a sentence one of the writer's own affairs."""
_KIN = late(re.compile, rf"(?<!\w)(?:{_AROUND['kin']})(?!\w)", re.IGNORECASE)
# Accepts what stands between somebody and one of theirs: `'s sister-in-law `, `with his second wife `.
_KIN_OF = late(
    re.compile,
    rf"(?:(?P<whose>['’]s?)|(?<!\w)(?:{_WORLD['theirs']}))\s+(?:[\w-]+\s+)?(?:{_AROUND['kin']}),?\s+$",
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
_FACTS = frozenset({"DEM", "DATETIME", "QUANTITY", "LOC", "ORG"})
NO_FACTS = frozenset({"street_address", "postcode", "coordinates", "handle"})


def of_the_world(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return spans with those judged not private that belong to what the world knows.

    These are the family of the famous, and what is asked of them, in a question that names nobody else; cases that
    courts have decided; titles behind what they are (`the film Moana`); things that are asked about (`What is
    Ozempic?`); schools and hospitals to choose from, and places of which the sights are asked; and products, plants and
    words of pay that a tagger takes for places, firms, jobs and illnesses.
    """
    works = [span for span in spans if _is_title_of_work(text, span)]
    spread = Spread(spans)
    public = {span for span in works if not is_forename(text[span.start : span.end])}
    ordinary = [_is_plant, _is_product, _is_of_pay, _is_generic, _is_area, _is_office, _is_called]
    if is_german(text):
        ordinary.append(_is_german_noun)
    public |= {span for span in spans if any(one(text, span) for one in ordinary)}
    public |= {span for case in cases(text) for span in spread.within(*case)}
    for before, first, last in _questions(text):
        public |= _chosen_from(text, before, first, last, spread)
        inside = spread.within(first, last)
        if inside and not OWN.search(text, first, last) and not CHORES.search(text, first, last):
            public |= _asked_of_the_famous(text, first, inside)
            if not _KIN.search(text, first, last):
                public |= {span for span in inside if span in works or _is_thing(text, span)}
            public |= {span for span in inside if _is_famous_ones(text, span)}
    return [span._replace(private=0.0) if span in public else span for span in spans]


def _questions(text: str) -> list[tuple[int, int, int]]:
    """Return where the sentences of a text stand that ask something, each with where the one before it begins."""
    if "?" not in text:
        return []
    ends = [0, 0, *(match.end() for match in SENTENCE.finditer(text)), len(text)]
    return [one for one in zip(ends, ends[1:], ends[2:], strict=False) if "?" in text[one[1] : one[2]]]


# Accepts what joins two of a choice, with where the first is and small words: ` in Leeds and the `, ` y uno en `.
_JOINED = late(
    re.compile,
    rf"(?: \w+(?: [A-ZÀ-Þ][\w-]+){{1,2}})?,? (?:(?P<or>{_WORLD['or']})|{_WORLD['and']})(?: \w{{1,4}}){{0,3}}[ '’]",
)
# Accepts what asks for one of several, and what stands before them: `Which of the two `, `offers from the `.
_WHICH, _SIGHT = (late(re.compile, rf"(?<!\w)(?:{_WORLD[one]})(?!\w)", re.IGNORECASE) for one in ("which", "sight"))
_CHOICE = late(re.compile, rf"(?<!\w)(?:{_WORLD['choice']})(?:\s+[\w’']{{1,3}}){{0,2}}\s+$", re.IGNORECASE)
_STAYS = late(re.compile, rf"(?<!\w)(?:{_WORLD['stays']})\s+(?:\w{{2,3}}\s+)?$", re.IGNORECASE)
# Accepts what stands before where one travels to, `two days in `, `andiamo con Iole a `, and what is asked of sights.
_BOUND = late(
    re.compile,
    rf"(?<!\w)(?:{_WORLD['bound']})(?:\s[^.?!\n]{{0,40}}\s(?:{_WORLD['towards']}))?\s(?:(?:the|la|el|den|die|le|il)\s)?$",
    re.IGNORECASE,
)


def _chosen_from(text: str, before: int, first: int, last: int, spans: Spread[Span]) -> set[Span]:
    """Return bodies that a question, or the sentence before it, has one choose from, and places of known sights."""
    inside = sorted(span for span in spans.within(before, last) if span.source == "embedded")
    bodies = [span for span in inside if span.type == "ORG"]
    which, chosen = _WHICH.search(text, first, last), set[Span]()
    chosen.update(span for span in bodies if which and _JOINED.search(text, span.start, span.end))
    for pair in pairwise(bodies):
        joined = _JOINED.fullmatch(text, pair[0].end, pair[1].start)
        known = any((span.private or 0.0) < PRIVATE or _is_listed(text, span) for span in pair)
        chooses = _CHOICE.search(led := text[max(0, pair[0].start - 40) : pair[0].start])
        asked = which and (known or all(span.subtype in ("school", "healthcare", "government") for span in pair))
        if joined and (asked or (known and (joined["or"] or chooses))) and (chooses or not _STAYS.search(led)):
            chosen.update(pair)
    places = [span for span in inside if span.type == "LOC" and _is_listed(text, span)]
    chosen.update(span for span in places if span.subtype == "landmark" and span.start > first)
    if _SIGHT.search(text, first, last):
        for at, span in enumerate(places):
            another = places[at - 1] in chosen and _JOINED.fullmatch(text, places[at - 1].end, span.start)
            if another or _BOUND.search(text, before, span.start):
                chosen.add(span)
    return chosen


def _is_listed(text: str, span: Span) -> bool:
    """Return whether the world knows something of a place or body, and not only that it is."""
    known = look_up(text[span.start : span.end])
    return known is not None and known.fame > 0 and not known.kinds.isdisjoint(("place", "body", "topic"))


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
    facts = (span for span in inside if span.type in _FACTS and span.subtype not in NO_FACTS)
    # A tagger that sees a nationality or a date in a forename saw nobody's fact.
    return family | {
        span for span in facts if span.type in ("LOC", "ORG") or not may_be_forename(text[span.start : span.end])
    }


def _is_thing(text: str, span: Span) -> bool:
    """Return whether a word that no list of names has is asked about as things are."""
    word = text[span.start : span.end]
    if span.type == "DEM":
        known = look_up(word) if span.source == "embedded" and span.subtype != "medical_condition" else None
        return known is not None and known.fame > 0 and word[0].isupper() and known.kinds <= {"topic", "thing", "work"}
    if span.type != "PER" or not word.isalpha() or is_borne(word):
        return False
    return bool(_WHAT.search(text, max(0, span.start - NEAR), span.start) or _SAME.match(text, span.end))


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
    if span.type in ("ORG", "LOC") and COURT.fullmatch(name):
        return True
    if span.type != "ORG" or span.source != "embedded" or name != name.lower() or not name.replace(" ", "").isalpha():
        return False
    written = text.lstrip()[:1].isupper() or (begun := text[: min(span.start, 2_000)]) != begun.lower()
    return written and _ARTICLE.search(text, max(0, span.start - 20), span.start) is not None


_OFFICE = late(re.compile, _WORLD["office"])
_PARTY = late(re.compile, _WORLD["party"], re.IGNORECASE)
_CALLS = re.compile(r"(?:=\s*|(?<!\w)(?:new|return|await|class|def|raise|throw|yield|func|function|fn)\s+|\w\.)$")
_GERMAN = late(re.compile, rf"(?<!\w)(?:{_WORLD['german_text']})(?!\w)", re.IGNORECASE)
_NOUNS = late(
    re.compile,
    rf"(?:(?:[\w-]*(?:{_WORLD['german']})|{_WORLD['german_word']})(?:e?s|e?n)?(?:[ ,/&-]+|$))+",
    re.IGNORECASE,
)


def is_german(text: str) -> bool:
    """Return whether two words of a text's beginning are such as stand in every German text."""
    return len({found[0].lower() for found in _GERMAN.finditer(text, 0, 2_000)}) > 1


def _is_office(text: str, span: Span) -> bool:
    """Return whether an abbreviation is of an office or a body (`SLA`, `NAV`), or a fact only a side of a bargain."""
    name = text[span.start : span.end]
    if span.type == "PER":
        short = span.subtype == "initials" and name.isupper() and name.isalpha() and len(name) > 2
        known = look_up(name) if short else None
        return known is not None and "body" in known.kinds and known.fame > 0
    if span.source != "embedded":
        return False
    if span.subtype == "occupation":
        return _PARTY.fullmatch(name) is not None
    return _OFFICE.fullmatch(name) is not None


def _is_called(text: str, span: Span) -> bool:
    """Return whether a program calls what a tagger takes for a name: `client = Twilio(`."""
    calls = span.source == "embedded" and span.type in ("PER", "ORG", "CODE") and text.startswith("(", span.end)
    return calls and _CALLS.search(text, max(0, span.start - 20), span.start) is not None


def _is_german_noun(text: str, span: Span) -> bool:
    """Return whether a tagger sees a name or a fact in words that every German letter has: `Mietvertrag`, `Kaution`."""
    if span.source != "embedded" or not _NOUNS.fullmatch(text, span.start, span.end):
        return False
    return not any(map(is_borne, text[span.start : span.end].split()))
