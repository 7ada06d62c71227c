"""What a name is in the role in which it stands, whatever a tagger takes it for.

Whose homework it is, whose farewell is held, with whom one stays: there the world's name is a pupil's or a friend's,
and what is taken is a medicine, no town.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from gama.privacy.called import fixed_in, lies_in
from gama.privacy.identify import patterns_in
from gama.privacy.names import asks_something
from gama.state.entities import Span
from gama.tools.knowledge.index import Known, is_borne, is_famous, is_forename, is_ordinary, look_up, may_be_forename
from gama.tools.tables import late

_NAMED = frozenset(("PER", "LOC", "ORG"))
_BODIES = patterns_in("bodies.txt")
SURE = 0.95
"""How private a name in such a role is."""
# Accepts what stands before the name of whose work for school it is: `Exposé de `, `Spreekbeurt van `, `homework by `.
_SCHOOLWORK = late(
    re.compile,
    r"(?:^|[.!?:\n]\s*|\b(?:my|the|our|a|un|une|una|le|la|het|een|der|die|das|ein|eine)\s+)"
    r"(?:exposé|devoirs?|rédaction|trabajo|deberes|redacción|exposición|spreekbeurt|werkstuk|huiswerk|referat|aufsatz"
    r"|hausaufgaben?|vortrag|tema|compiti?|ricerca|praca|wypracowanie|referát|trabalho|redação|uppsats|läxa"
    r"|homework|school project|presentation|assignment) (?:de|d['’]|von|van|di|do|da|by|av|of) ?$",
    re.IGNORECASE,
)
# Accepts what stands before the name of who puts one up, or is met: `staying with `. Refuses what one works with.
_HOST = re.compile(
    r"\b(?:stay(?:ing|ed)?|lodg(?:e|ing|ed)|living|dinner|lunch|coffee|married|engaged) (?:with|to) $", re.IGNORECASE
)
# Accepts what is held for somebody, behind the name: `'s leaving do`.
_HELD = re.compile(
    r"['’]s? (?:leaving (?:do|drinks|party|card)|farewell|hen (?:do|night)|stag (?:do|night)|baby shower"
    r"|birthday (?:do|party|card)|retirement (?:do|party|gift)|housewarming|christening|send-off|surprise party)(?!\w)",
    re.IGNORECASE,
)
# Accepts what stands before the name of whom something is held for: `the funeral of `, `a quiz for `.
_FOR = re.compile(
    r"\b(?:(?:funeral|burial|wake|memorial(?: service)?|wedding|christening|baptism|birthday|graduation|eulogy"
    r"|obituary) (?:of|for)|(?:quiz|surprise|toast|speech|card|playlist|party) for"
    r"|beerdigung von|trauerfeier für|hochzeit von|obsèques de|anniversaire de"
    r"|mariage de|funeral de|boda de|cumpleaños de|begrafenis van|pogrzeb) $",
    re.IGNORECASE,
)
# Accepts who is told by what they are to the writer, before the name that says it again: `My doctor, `.
_APPOSED = re.compile(
    r"\b(?i:my|our)\s+"
    r"(?!(?:favou?rite|fave|hero|idol|team|president|king|queen|pope|prime|chancellor|national|beloved)\b)(?:[a-z-]+\s){0,2}[a-z-]+,\s+$"
)
# Accepts the head of a list of who was there or was not, up to a name in it: `Present Ana Bell (chair), `.
_ATTENDS = re.compile(
    r"(?:^|[.;:\n(]\s*)\W*(?:present|apologies|attend(?:ees|ance|ing|ed)|in attendance|absent|minutes taken by"
    r"|anwesend\w*|entschuldigt|teilnehm\w+|présents?|excusés?|asist(?:entes|en)|presentes|ausentes|presenti|assenti|aanwezig"
    r"|afwezig|obecni|närvarande|frånvarande)\b(?:[:\s]|were|are|from)*[^.?!\n]{0,300}$",
    re.IGNORECASE,
)


def with_roles(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return spans in which names in such roles are private people's, and those of a prompt about the world are not."""
    spans = _of_a_prompt(text, spans)
    return [_in_role(text, span) if span.type in _NAMED and (span.private or 0.0) < SURE else span for span in spans]


DOUBTFUL = 0.5
"""How private a name may be to a tagger that is public in such a prompt."""
PROMPT = 240
"""Characters of a prompt that may ask of the world alone."""
# Accepts who asks how one does something, which tells nothing of them: `How do I`, `can I`.
_HOW_I = re.compile(
    r"(?i)\b(?:how|where|when|what|which|why|and)(?: \w+)? (?:do|can|could|should|would|did|must) i\b"
    r"|\b(?:can|could|should|may) i\b|\b(?:give|tell) me\b|\bi(?:['’]m| am) (?:on )?level\b"
)
# Accepts whoever is somebody's, or does something with the writer.
_SOMEBODYS = late(
    re.compile,
    rf"(?i)(?<!\w)(?:{'|'.join(patterns_in('names.txt')[row] for row in ('mine', 'deals', 'kin'))}|me|us"
    r"|he|she|his|her|him|friend|colleague|client|patient|pupil|student|teacher|neighbou?r|wife|husband|son|daughter|mum|mom"
    r"|dad|boss|cv|résumé|letter|homework|birthday)(?!\w)|@|\d{5}",
)
# Accepts what is told of in tales, songs and games.
_TALE = re.compile(
    r"(?i)\b(?:songs?|lyrics|albums?|films?|movies?|novels?|sagas?|series|season \d|episodes?|characters?|boss(?:es)?"
    r"|level \d+|video ?games?|myth\w*|fairy ?tales?|operas?|musicals?|sitcoms?|anime|manga|lore|quests?|dlc)\b"
)


def _of_a_prompt(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return spans of a prompt that speaks of nobody about the writer, with whom the world or a tale knows public."""
    people = [one for one in spans if one.type == "PER"]
    if not people or len(text) > PROMPT or not asks_something(text) or any(one.type == "CODE" for one in spans):
        return list(spans)
    if _SOMEBODYS.search(_HOW_I.sub(" ", text)):
        return list(spans)
    told = _TALE.search(text) is not None
    known = {id(one): look_up(text[one.start : one.end]) for one in people}
    famous = any(found is not None and "person" in found.kinds and found.fame > 1 for found in known.values())
    out = []
    for one in spans:
        name = text[one.start : one.end]
        of_a_tale = told and not is_ordinary(name) and not is_forename(name) and (" " not in name or famous)
        doubted = id(one) in known and one.source == "embedded" and (one.private or 0.0) < DOUBTFUL
        public = doubted and (of_a_tale or _is_known(name, known[id(one)]))
        out.append(one._replace(private=0.0) if public else one)
    return out


def _is_known(name: str, found: Known | None) -> bool:
    if found is None or "person" not in found.kinds or is_ordinary(name):
        return False
    return " " in name or (found.fame > 1 and not is_forename(name))


def is_one_of_a_kind(name: str) -> bool:
    """Return whether a name is known and nobody's forename, or above all that of one person."""
    known = look_up(name)
    return known is not None and (not is_forename(name) or (known.fame > 2 and known.kinds <= {"person", "topic"}))


def _in_role(text: str, span: Span) -> Span:
    surface = text[span.start : span.end]
    first, *more = surface.split()
    if span.type == "PER" and (known := KNOWN_AS.match(text, text.rfind(" ", span.start, span.end) + 1 or span.start)):
        public = known.end("who") == span.end and is_one_of_a_kind(known["who"])
        return span._replace(private=0.0) if public else span
    if span.type == "PER" and (_is_apposed(text, span) or (more and _attends(text, span))):
        return span._replace(private=SURE, score=max(span.score, SURE))
    if len(more) > 2 or not surface[0].isupper() or is_famous(surface) or not may_be_forename(first):
        return span
    before = text[max(0, span.start - 40) : span.start]
    if (
        _SCHOOLWORK.search(before)
        or (more and _HOST.search(before))
        or _HELD.match(text, span.end)
        or _FOR.search(before)
    ):
        subtype = "full_name" if more else "first_name"
        return span._replace(type="PER", subtype=subtype, private=SURE, score=max(span.score, SURE))
    return span


def _is_apposed(text: str, span: Span) -> bool:
    return bool(_APPOSED.search(text, max(0, span.start - 50), span.start)) and text[span.end : span.end + 1] in ",.;:)"


def _attends(text: str, span: Span) -> bool:
    return bool(_ATTENDS.search(text, max(0, span.start - 330), span.start))


# Accepts what a mailbox of many is called, before its address: `From: Payroll <`.
_MAILBOX = re.compile(
    r"(?:payroll|accounts?|accounting|billing|support|sales|hr|info|admin|office|reception|newsletter|no-?reply|service|help"
    r"|team|orders?|bookings?|reservations?|customer (?:service|care|support)|buchhaltung|kundenservice|comptabilité)"
    r"(?: (?:team|desk|department|dept))?",
    re.IGNORECASE,
)
_HEAD = re.compile(r"^(?:from|to|cc|von|an|de|à|para|da|a|van|aan|od|do):\s*[\"']?$", re.IGNORECASE | re.MULTILINE)
KNOWN_AS = re.compile(
    r"(?P<who>[^\W\d_]+) the (?:singer|rapper|footballer|player|actor|actress|comedian|painter|writer|novelist|poet"
    r"|composer|politician|president|philosopher|scientist|athlete|boxer|cricketer|band|group|brand|film|movie|series"
    r"|game|apostle|great|conqueror|terrible|magnificent|wise)(?!\w)",
    re.IGNORECASE,
)
"""Accepts a name with what tells its famous bearer from others: `Shakira the singer`."""
# Accepts what stands before how money is sent: `pay by `, `via `.
_BY_WAY = re.compile(
    r"\b(?:by|via|with|through|using|on|per|mit|über|par|avec|por|con|met|z|przez|med)\s$", re.IGNORECASE
)
_WAYS = frozenset(_BODIES["ways"].split("|"))
# Accepts who follows somebody's teaching, behind what says that they are one: `a convinced Keynesian`.
_FOLLOWER = re.compile(r"[A-Z][a-zé]{2,}(?:ian|ean|ist|ite|esque)s?")
_ONE = re.compile(
    r"\b(?:an?|the|convinced|staunch|committed|lifelong|any|most|many|some|these|those)\s$", re.IGNORECASE
)
# Accepts the label of what is no person's, before its value in JSON: `"dept":"`.
_LABELLED = re.compile(
    r"[\"'](?:(?P<dept>dep(?:ar)?t(?:ment)?|abteilung)|status|type|kind|category|currency|unit|env(?:ironment)?|region"
    r"|priority|colou?r|size|lang(?:uage)?|typ)[\"']\s*:\s*[\"']$",
    re.IGNORECASE,
)
# Accepts what a flight is announced by, before its number: `flight `, `vuelo `.
_FLIGHT = re.compile(r"\b(?:flights?|flug|flugnummer|vuelo|vlucht|flyg)(?: (?:no|number|nr)\.?)?:?\s$", re.IGNORECASE)
# Accepts what tells that a text is about a flight: `Ryanair`, `EU261`.
_FLOWN = late(re.compile, rf"(?i)(?<!\w)(?:{_BODIES['flown']})(?!\w)")
_RESERVED = re.compile(
    r"(?i)(?:book|buch|reserv|pnr|ref|confirm|code|order|ticket|locator|plate|reg|seat)\w*\W{0,3}\w*\W{0,3}$"
)
_FLIGHT_NUMBER = re.compile(r"(?=\d?[A-Z])[A-Z0-9]{2} ?\d{1,4}(?!\w)")
# Accepts the number of an answer of HTTP: `a 401 from`, `404 error`.
_ANSWERED = re.compile(r"(?:[1-5]\d\d)(?= (?:errors?|from|response|status|unauthori[sz]ed|forbidden|not found|on))")
_GOT = re.compile(
    r"\b(?:an?|the|get|gets|got|getting|returns?|returned|status(?: code)?|error|http|code)\s$", re.IGNORECASE
)
# Accepts the address of the machine that one sits at, with nothing secret in it: `redis://127.0.0.1:6379/0`.
_LOCAL = re.compile(
    r"\w+://(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?::\d{1,5})?(?:/(?:\d{0,2}|(?:api|v\d|docs|health|metrics)/?){0,3})?"
)


# Accepts what stands before the number of a form that everybody fills in: `modello `, `Form `.
_FORM = re.compile(
    r"(?<!\w)(?:modello|modelo|form|formulaire|formular|formulario|formulier|anlage|schedule|cerfa)\s$", re.IGNORECASE
)


def without_mistakes(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return spans without what a tagger takes for a name or a code and is none."""
    fixed, about = fixed_in(text) if spans else [], _about(text, spans)
    labels = {id(one): label for one in spans if one.type in _NAMED and (label := _label(text, one))}
    # What a department is called it is called elsewhere, too.
    called = {text[one.start : one.end] for one in spans if id(one) in labels and labels[id(one)]["dept"]}
    return [
        one
        for one in spans
        if id(one) not in labels
        and not (one.type in _NAMED and text[one.start : one.end] in called)
        and not lies_in(one, fixed)
        and not _is_mistaken(text, one, about)
    ]


def _label(text: str, span: Span) -> "re.Match[str] | None":
    return _LABELLED.search(text, max(0, span.start - 40), span.start)


# Accepts a body that everybody has to do with, or what such bodies are called everywhere: `Small Claims Court`.
_AUTHORITY = late(re.compile, rf"(?:{_BODIES['named']})|(?i:{_BODIES['kind']})")
_TOOLS, _TOOLED = (frozenset(_BODIES[row].split("|")) for row in ("tools", "tooled"))
"""Programs and the like that a tagger takes for somebody, and those that are called as people are."""
# Accepts what a program has behind its name: ` 1.10`, ` agent`. Refuses what people do.
_USED = re.compile(
    r"W? (?:v?\d+\.\d+|agents?|jobs?|pipelines?|builds?|plugins?|migrations?|clusters?|nodes?|servers?|optimi[sz]ers?"
    r"|releases?|versions?|scripts?|gems?|notebooks?|modules?|manifests?|cookbooks?|(?:to|with) lr)(?!\w)"
)
# Accepts figures of several columns, or with decimals, which the tagger takes for a telephone number: `20 10 8`.
_FIGURES = re.compile(r"-?\d{1,3}(?:[ .,]-?\d{1,3})+(?:[.,]\d+)?")
DIGITS = 6
"""A telephone number of several parts has at least as many."""
# Accepts what stands before a number of a standard or of a colour, `RAL `, `ISO `; and the number, with it or alone.
_STANDARD = re.compile(r"(?<!\w)(?:RAL|DIN|ISO|IEC|EN|NF|ASTM|ANSI|Pantone|ÖNORM)[ -]$")
_STANDARDS_NUMBER = re.compile(r"(?:(?:RAL|DIN|ISO|IEC|EN|NF|ASTM|ANSI)(?:[ -]|$)){0,3}(?:\d{1,5}(?:[-:]\d{1,4})*)?")
# Accepts what money in an account comes from or goes for: `Gehalt`, `Miete April`.
_BOOKED = late(
    re.compile, rf"(?:{_BODIES['booked']}|(?i:{_BODIES['paid']}))(?: [A-ZÄ][a-zä]{{2,9}}\.?(?: \d{{2,4}})?)?"
)
_NO_NAMES = frozenset("than then the and with from this that when while where because although".split())
_MANY = frozenset(
    "sir sirs madam admissions residents colleagues board team all everyone everybody customer customers landlord"
    " tenant tenants neighbours neighbors parents members hiring recruiter editor editors committee applicant".split()
)
"""Whom one writes to without a name."""
_GREETED = re.compile(r"(?:\b(?:dear|hello|hi|hey|to:|attn:?)|^)\s*$", re.IGNORECASE | re.MULTILINE)
# Accepts what makes a dish, a plant or an animal of a name before it: ` sponge`.
_DISH = re.compile(
    r" (?:sponge|cake|sauce|salad|pie|soup|bread|tart|pudding|biscuits?|cream|dressing|roast|stew|curry|melba|suzette"
    r"|benedict|plums?|pears?|apples?|roses?|lily|orchid|daisy|fern|ivy|spruce|fir|pine)(?!\w)"
    r"|['’]s (?:zebra|gazelle|deer|owl|warbler|eagle|vulture|petrel|tern|gull|whale|dolphin|porpoise|tortoise|turtle"
    r"|frog|toad|gecko|monkey|fox|pheasant|hummingbird|beetle|shark)s?(?!\w)"
)
_SERVED = re.compile(
    r"(?i)(?:\b(?:recipes? for|mak(?:e|ing)|bak(?:e|ing)|cook(?:ing)?|eat|ate|an?|the|some|of|than|and|or|grow"
    r"|plant(?:ing)?)|,)\s$"
)
# Accepts what stands before the number of a model of a device: `printer `, `Drucker `.
_DEVICE = re.compile(
    r"(?<!\w)(?:printer|router|camera|tv|modem|drucker|fernseher|imprimante|impresora|stampante|canon|epson|lenovo|dell|asus"
    r"|netgear|nikon|sony|samsung|bosch|siemens|miele)\s$",
    re.IGNORECASE,
)
_MODEL = re.compile(r"[A-Za-z]{1,3}-?[A-Za-z]{0,2}\d{2,5}[A-Za-z]{0,3}")


# Accepts the rank of who rules or is holy, before the name: `Queen `, `Saint `.
_RANKED = re.compile(r"(?<!\w)(?:King|Queen|Pope|Saint|Emperor|Empress|Tsar|Tsarina|Sultan|Prophet|Pharaoh|Caliph)\s$")


# Accepts what stands before the name of a dish: `tarte `, `pêche `.
_DISHED = re.compile(
    r"(?i)(?<!\w)(?:tartes?|pêches?|poires?|crêpes?|gâteaux?|salade|torta|insalata|pizza|pasta alla|tarta|ensalada"
    r"|bistecca alla|filetto alla|eggs|oysters|peach|beef|chicken|bœuf|poulet) $"
)
_OWNER = re.compile(r" [A-Z]|['’]s")
# Accepts what was done in a log, and is no name: `Failed`, `Accepted`.
_NO_NAME = re.compile(r"[A-Z][a-z]{2,}(?:ed|ing)")
_SMALL = re.compile(r" [a-z]")
# Accepts the start of a record of a web server's answer.
_RESPONSE = re.compile(r"HTTP/\d(?:\.\d)?[\"'],? $")
# Accepts what installs a program, before its name: `apt install `, `pip install -U `.
_INSTALLED = late(re.compile, rf"(?<![\w-])(?:{_BODIES['installs']})(?: -[\w-]+){{0,3}}(?: [\w@./=-]+){{0,8}} $")
# Accepts the zone of a time: `IST`, `CEST`.
_ZONE = re.compile(r"GMT|UTC|BST|CES?T|EES?T|WET|[ECMPA][SD]T|IST|SGT|HKT|JST|KST|A[EWC][SD]T|NZ[SD]T|WIB|PKT|SAST|MSK")
# Accepts a version, and what stands before one: `build `, `kernel `.
_RELEASE = re.compile(r"v?\d+(?:\.\d+){1,4}(?:[-+]\w+)?")
_RELEASED = re.compile(r"(?i)(?<!\w)(?:build|version|release|kernel|firmware|ver\.?|driver)[ :]{1,2}$")
# Accepts a part of what looks like an address of the internet and is a version: `10.0.19045.4412`.
_OCTETS = re.compile(r"(?<!\d)(?:\d{4,}|[3-9]\d\d|2[6-9]\d|25[6-9])(?!\d)")


class _About(NamedTuple):
    """What a text is about, where that tells what is taken for somebody in it."""

    tools: bool
    """Whether it names three programs."""
    flight: bool


def _about(text: str, spans: Sequence[Span]) -> _About:
    surfaces = {text[one.start : one.end] for one in spans}
    tooled = any(surface.lower() in _TOOLED for surface in surfaces)
    numbered = any(map(_FLIGHT_NUMBER.fullmatch, surfaces))
    return _About(
        tools=tooled and len(_TOOLS.intersection(_WORDS.findall(text.lower()))) > 2,
        flight=numbered and _FLOWN.search(text) is not None,
    )


_WORDS = re.compile(r"[^\W\d_]{3,}")


def _is_mistaken(text: str, span: Span, about: _About) -> bool:
    surface = text[span.start : span.end]
    if span.subtype == "url" and _LOCAL.fullmatch(surface):
        return True
    before = text[max(0, span.start - 40) : span.start]
    if span.type == "PER" and surface.lower() in _NO_NAMES:
        return True
    if span.type == "PER" and _MAILBOX.fullmatch(surface) and _HEAD.search(before):
        return True
    if span.source != "embedded":
        return False
    if span.type == "ORG" and _AUTHORITY.fullmatch(surface):
        return True
    if span.type in ("ORG", "DEM", "PER") and _ZONE.fullmatch(surface):
        return True
    if span.type in (*_NAMED, "DEM") and surface.lower() in _TOOLS:
        return True
    if span.type == "CODE" and _DEVICE.search(before) and _MODEL.fullmatch(surface):
        return True
    if span.type == "CODE" and _STANDARDS_NUMBER.fullmatch(surface):
        if surface[0].isalpha() or _STANDARD.search(before):
            return True
    if span.subtype == "phone" and _FIGURES.fullmatch(surface) and sum(map(str.isdigit, surface)) < DIGITS:
        return True
    if _RESPONSE.search(before) or (span.type != "LOC" and _INSTALLED.search(before) and surface.islower()):
        return True
    if span.type in _NAMED and surface.lower() in _TOOLED and (about.tools or _USED.match(text, span.end)):
        return True
    if span.type in ("PER", "ORG") and _BOOKED.fullmatch(surface):
        return True
    if span.type == "PER":
        return bool(
            (surface.lower() in _MANY and _GREETED.search(before))
            or (" " not in surface and _DISH.match(text, span.end) and _SERVED.search(before))
            or (surface.lower() in _WAYS and _BY_WAY.search(before))
            or (_FOLLOWER.fullmatch(surface) and not is_forename(surface) and _ONE.search(before))
            or (_RANKED.search(before) and not text.startswith((",", " (", ":"), span.end))
            or (" " not in surface and _DISHED.search(before) and not _OWNER.match(text, span.end))
            or (_NO_NAME.fullmatch(surface) and not is_borne(surface) and _SMALL.match(text, span.end))
        )
    if span.subtype == "ip_address":
        return _OCTETS.search(surface) is not None if surface.count(".") > 2 else surface.count(":") < 2
    if span.type == "CODE" and _FLIGHT_NUMBER.fullmatch(surface):
        return _FLIGHT.search(before) is not None or (about.flight and _RESERVED.search(before) is None)
    if span.type == "CODE" and _RELEASE.fullmatch(surface) and _RELEASED.search(before):
        return True
    if span.type == "CODE" and surface.isdigit() and len(surface) < 6 and _FORM.search(before):
        return True
    return span.type in ("QUANTITY", "CODE") and bool(_ANSWERED.match(text, span.start)) and bool(_GOT.search(before))


_ILLNESS = frozenset(
    "AVC ICTUS ictus EPOC TDAH ADHS BPCO MPOC VIH HIV SIDA PTBS TSPT PTSD POChP TVP DVT TIA ADHD OCD PCOS IBS COPD "
    "COVID Covid GERD Hashimoto Crohn Parkinson Alzheimer Asperger Tourette".split()
)
"""Illnesses that a tagger takes for bodies and people, having seen few of their names."""
_OF = re.compile(r" (?:e|y|et|i|und|and|en|och|&) ")


def with_medicines(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return spans in which medicines and illnesses that were taken for people, places or bodies are what they are."""
    out: list[Span] = []
    for span in spans:
        if span.source != "embedded" or (span.type not in _NAMED and span.subtype != "education_level"):
            out.append(span)
            continue
        joint = _OF.search(text, span.start, span.end)
        parts = [(span.start, joint.start()), (joint.end(), span.end)] if joint else [(span.start, span.end)]
        if all(_is_medicine(text[start:end]) for start, end in parts):
            out += [
                span._replace(start=start, end=end, type="DEM", subtype="medical_condition") for start, end in parts
            ]
        else:
            out.append(span)
    return out


def _is_medicine(surface: str) -> bool:
    return surface in _ILLNESS or (len(surface) > 3 and surface.casefold() in _medicines())


@cache
def _medicines() -> frozenset[str]:
    from gama.tools.tables import lines

    rows = (line.partition("\t") for line in lines("formulas", "drugs.tsv"))
    return frozenset(word for substance, _, brands in rows for word in (substance, *brands.split()))
