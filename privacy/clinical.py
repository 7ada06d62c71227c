"""Notes of clinics: their shorthand is nobody's; a patient's name, illness, drug and reading stay hidden."""

import re

from gama.privacy.identify import PRIVATE, patterns_in
from gama.state.entities import Span
from gama.tools.knowledge.index import look_up, may_be_forename
from gama.tools.tables import late

_SHORT = patterns_in("shorthand.txt")
# Accepts a sign of clinics, or a dose, whole: `TDS`, `SpO2`, `3/52`, `20 mg/24h`, `0.9mg/kg`.
_DOSE = rf"\d+(?:[.,/]\d+)* ?(?:{_SHORT['unit']})(?:/(?:kg|h|hr|d|day|min|24 ?h|m2|L|l)){{0,2}}"
_MARK = late(re.compile, rf"(?<![\w/])(?<!\d[.,])(?:{_DOSE}|{_SHORT['sign']}|{_SHORT['mark']})(?![\w/])")
_SPAN_OF_TIME = re.compile(r"[x×~?]? ?\d{1,2} ?/ ?(?:7|52|12|24)")
_DOSED = late(re.compile, _DOSE)
_WHOLE_DOSE = late(re.compile, rf"(?:{_DOSE})(?!\w)")
# Accepts the end of a number before a reading: `. BP 148/92`.
_STOP = late(re.compile, rf"[.;,] (?=(?:{_SHORT['sign']}|NEWS2?) \d)")
_ON = re.compile(
    r"(?i)(?<!\w)(?:on|since|until|from|dated?|born|dob|geb\.?|née? le|am|vom|seit|le|du|el|del|op|sinds|il|dal)[ :]+$"
)
# Accepts what stands before, or behind, a finding that is denied: `no `, ` neg`.
_DENIED = late(re.compile, rf"(?i)(?<!\w)(?:(?:{_SHORT['denied']})\s+|pas d['’])$")
_DENIES = late(re.compile, rf"(?i)(?:{_SHORT['denied']})(?!\w)")
_NORMAL = late(re.compile, rf"(?i)[\s:]*(?<!\w)(?:{_SHORT['normal']})(?!\w)(?=\s*(?:[.,;)\n]|$))")
_RANGE = re.compile(r"[<>≤≥]? ?\d[\d.,]*(?: ?[-–] ?\d[\d.,]*)?(?: ?%)?")
_RANGED = re.compile(r"(?i)(?:target|ref(?:erence)?(?: range)?|range|normal|goal|aim|norm\w*|ziel|cible)[ :(]*$")
_FINDING = frozenset({"medical_condition", "disability", "physical_feature", "duration", "time", "date"})
_BETWEEN = " \t\n,;:.()[]-–+/*"
DENIED_WORDS = 3
"""Longest finding that a word before or behind it denies: `no improvement in his epilepsy` denies none."""
DENIED = 24
"""The same in characters, where it speaks of nobody."""
_OF_ONE = re.compile(r"(?<!\w)(?:in|on|his|her|their|my|our|su|mi|sa|son|sein\w*|ihre\w*)(?!\w)", re.IGNORECASE)
_ILL = late(re.compile, rf"(?<!\w)(?:{_SHORT['illness']})(?!\w)")
SIGNS = 4
"""Different signs, of two characters or more and no small letters alone, and words that make a text one of a clinic."""
_CLINIC = late(re.compile, rf"(?<!\w)(?:{_SHORT['clinic']})(?!\w)", re.IGNORECASE)
# Accepts where in a clinic somebody is, whole, and before the number of it: `Bed 12`, `Zi `.
_PLACED = late(re.compile, rf"(?:{_SHORT['place']}) ?\w{{1,3}}", re.IGNORECASE)
_PLACE = late(re.compile, rf"(?<!\w)(?:{_SHORT['place']}) ?$", re.IGNORECASE)
# Accepts what is done, measured or seen on everybody, whole: `pressure areas`, `Rö-Thorax-Kontrolle`, `2/10`.
_PLAIN = late(re.compile, rf"(?:(?:{_SHORT['plain']}|\d{{1,2}}/10)[\s,;:.]*)+", re.IGNORECASE)
# Accepts what stands before how long a course is, or until when one waits: `für `, `review in `.
_COURSE = late(re.compile, rf"(?i)(?:(?<!\w)(?:{_SHORT['course']}) |\d ?(?:mg|g|ml|puffs?),? |[x×/]\w{{0,3}} )$")
# Accepts how often: `3-4x/wk`, `2x tgl`.
_OFTEN = re.compile(r"\d{1,2}(?:-\d)?[x×] ?(?:/|daily|weekly|tgl|tägl|wk|pro|per|par|al|a la).{0,12}", re.IGNORECASE)
_YEARS = re.compile(r"(?i)year|jahr|\bans?\b|año|ann[oi]\b|jaar|lat\b|anos?\b|år")
_HERR = re.compile(r"\d{1,3} Hr")
"""The number of a room, and Mr."""


def is_clinical(text: str) -> bool:
    """Return whether a text is written in the shorthand of clinics."""
    found = {match[0] for match in _MARK.finditer(text, 0, 4_000)}
    signs = {one for one in found if len(one) > 1 and not one.isalpha() or one[1:] != one[1:].lower()}
    if len(signs) < SIGNS:
        signs |= {match[0].lower() for match in _CLINIC.finditer(text, 0, 4_000)} if len(signs) > 1 else set()
    return len(signs) >= SIGNS


# Accepts a test or score that is called after somebody, or a word in capitals that is nobody's: `Babinski`, `DOAC`.
_CALLED = re.compile(
    r"(?:(?:Babinski|Romberg|Hoff?mann|Lhermitte|Waterlow|Mallampati|Cormack(?:-| and )?Lehane|Breslow|Apgar|Rockall"
    r"|Homans|Kernig|Brudzinski|Gleason|Snellen|Schirmer|Ortolani|Chvostek|Trousseau|Hartmann|Cushing|Barthel|Ranson|Centor"
    r"|M(?:orbus|\.) ?(?:Basedow|Crohn|Parkinson|Bechterew|Alzheimer|Scheuermann|Sudeck|Perthes|Hodgkin|Addison|Cushing"
    r"|Meni[eè]re|Paget|Wilson|Raynaud|Dupuytren|Ledderhose|Osler|Whipple|Still)|Michaelis-Menten|Lineweaver-Burk|Hanes-Woolf"
    r"|Child-Pugh|Amsler|Ishihara|Finkelstein|Spurling|Schober)(?:['’]s)?"
    r"|(?:Clark|Glasgow|Wells|Ottawa|Borg|Rankin|Bristol|Moro|Barlow|Bishop|Norton|Braden|Nugent|Thomas|Allen|Hawkins|Neer)"
    r"(?:['’]s)?(?= (?:sign|test|score|scale|level|grade|index|rules?|criteria|stage|class|stool|neg|pos|[IV]+\b|\d)))"
)
_CAPITALS = re.compile(r"[A-Z]{3,6}\d?")
_CALLS = re.compile(
    r"(?i)(?:mrs?|ms|miss|dr|prof|nurse|sister|frau|herr|sra?|mme|pt|pat(?:ient)?|gp|consultant|son|daughter|wife|husband"
    r"|mother|father|nok|carer|by|with|to|under|and)[.:]?\s$"
)
# Accepts a fraction that a test gives, and what stands before it: `R `, `AMT `, `Pain `.
_SCORED = re.compile(r"\d{1,2} ?/ ?\d{1,3}")
_MEASURED = re.compile(
    r"(?:(?<!\w)(?:[RL]|RE|LE|OD|OS|OU|VA|BCVA|UCVA|AMTS?|GCS|MMSE|MoCA|4AT|NRS|VAS|EPDS|PHQ-?9|GAD-?7|IPSS)"
    r"|[Pp]ain|[Ss]core)(?: (?:was|of|is|at))?[ :]*$"
)


def _is_score(text: str, span: Span) -> bool:
    scored = _SCORED.fullmatch(text, span.start, span.end)
    return bool(scored and _MEASURED.search(text, max(0, span.start - 16), span.start))


_BINOMIAL = re.compile(r"[A-Z]\. ?[a-z]{4,}")
# Accepts what goes before several words, as in `S. Creatinine`, `S. Potassium`.
_LETTER = re.compile(r"[A-Z]\.?")


def _is_sign(text: str, span: Span) -> bool:
    """Return whether what a tagger takes for a name in a note is a test, or shorthand in capitals."""
    surface = text[span.start : span.end]
    if _MARK.fullmatch(surface) or _BINOMIAL.fullmatch(surface):
        return True
    if _LETTER.fullmatch(surface):
        return len(set(re.findall(rf"(?<!\w){surface[0]}\. [A-Z][A-Za-z]{{3,}}", text[:4_000]))) > 1
    surface = surface.rstrip("0123456789 ")
    if _CALLS.search(text, max(0, span.start - 14), span.start):
        return False
    called = _CALLED.match(text, span.start)
    if called is not None and called.end() >= span.start + len(surface):
        return True
    # Surnames in capitals are patients'.
    short = span.subtype not in ("last_name", "full_name") and _CAPITALS.fullmatch(surface)
    return bool(short) and not may_be_forename(surface.title())


# Accepts an infection that stays hidden though it is written as a mark: `HIV positive`.
_SHUNNED = re.compile(r"(?<!\w)(?:HIV|VIH|AIDS|RVD|HCV|HBV)(?!\w)")


def without_marks(text: str, span: Span) -> Span:
    """Return what the tagger sees in a clinical note without the signs and doses at its ends, or judged not private.

    Signs, doses, target ranges and findings that are denied are nobody's; an illness, a drug and a reading stay.
    """
    if span.source == "person_title" and span.private is None:
        return span._replace(private=PRIVATE)
    if span.type in ("PER", "ORG", "LOC") and span.source == "embedded" and _is_sign(text, span):
        return span._replace(private=0.0)
    if span.type == "LOC" and not span.validated:
        placed = _PLACED.fullmatch(text, span.start, span.end) or _WHOLE_DOSE.search(text, span.start, span.end)
        return span._replace(private=0.0) if placed else span
    if not span.private or not (span.subtype in _FINDING or span.type == "CODE"):
        return span
    if span.type == "DATETIME" and (
        _PLACED.fullmatch(text, span.start, span.end) or _is_course(text, span) or _is_score(text, span)
    ):
        return span._replace(private=0.0)
    if span.validated:
        return span
    if span.type == "DATETIME":
        lasts = _SPAN_OF_TIME.fullmatch(text, span.start, span.end) or _MARK.fullmatch(text, span.start, span.end)
        nobodys = (
            lasts and span.subtype != "date_of_birth" and not _ON.search(text, max(0, span.start - 12), span.start)
        )
        return span._replace(private=0.0) if nobodys else span
    if span.subtype == "medical_condition" and _SHUNNED.search(text, span.start, span.end):
        return span._replace(private=0.0) if _is_denied(text, span) else span
    if span.type == "CODE":
        span = span._replace(
            end=min([span.end, *(stop.start() for stop in _STOP.finditer(text, span.start, span.end))])
        )
        return span._replace(private=0.0) if _DOSED.fullmatch(text, span.start, span.end) else span
    if span.source != "embedded":
        return span
    if _PLAIN.fullmatch(text, span.start, span.end) or (
        text[span.start : span.end].isdigit() and _PLACE.search(text, max(0, span.start - 14), span.start)
    ):
        return span._replace(private=0.0)
    if (stop := text.find(". ", span.start, span.end)) > 0:
        span = span._replace(end=stop)
    if (
        _is_denied(text, span)
        or _is_doubtful(text, span)
        or (_RANGE.fullmatch(text, span.start, span.end) and _RANGED.search(text, max(0, span.start - 20), span.start))
    ):
        return span._replace(private=0.0)
    return _trimmed(text, span)


def _is_course(text: str, span: Span) -> bool:
    """Return whether a time is how long a course or a wait is, how often something is done, or the number of a room."""
    if _HERR.fullmatch(text, span.start, span.end):
        return text.startswith(". ", span.end)
    if _OFTEN.fullmatch(text, span.start, span.end):
        return True
    if span.subtype != "duration" or _YEARS.search(text, span.start, span.end):
        return False
    return _COURSE.search(text, max(0, span.start - 20), span.start) is not None


FAINT = 0.42
"""Below this score a tagger has taken a word of a note for an illness, unless one is known to be called so."""


def _is_doubtful(text: str, span: Span) -> bool:
    surface = text[span.start : span.end]
    if span.score >= FAINT or any(map(str.isdigit, surface)) or _ILL.search(surface):
        return False
    from gama.tools.styles.generalised import is_illness

    known = look_up(surface)
    return not (is_illness(surface) or (known and "thing" in known.kinds))


def _is_denied(text: str, span: Span) -> bool:
    surface = text[span.start : span.end]
    if surface.count(" ") > DENIED_WORDS - 1 and (len(surface) > DENIED or _OF_ONE.search(surface)):
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
