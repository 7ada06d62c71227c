"""Words of medicine that look like names: brands of medicines, and what is called after somebody.

In a note of a clinic, or beside what is so called (`Raynaud's phenomenon`, `Deauville 4`), they are no names: they tell
of somebody's health, and are treated as that. A title or a forename before one makes it a name again.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache

from gama.privacy.identify import PRIVATE, patterns_in
from gama.state.entities import TYPE_OF, Span
from gama.tools.knowledge.index import may_be_forename
from gama.tools.tables import late

_BARE = frozenset({"PER", "ORG", "LOC", "CODE", "DATETIME", "QUANTITY"})
_FACTS = frozenset({"age", "occupation", "religion", "degree", "ethnicity", "family", "nationality"})
"""Facts as which a tagger takes such words."""
# Accepts international names of substances, in the clinic, by how they end: `risperidone`, `linagliptin`.
_SUBSTANCE = (
    r"\w{3,24}(?:idone|pril|sartan|statin|olol|azole|cillin|mycin|micin|umab|zumab|ximab|tinib|ciclib|azepam|azolam|gliptin"
    r"|gliflozin|glutide|parin|xaban|triptan|prazole|tidine|setron|dipine|zosin|semide|thiazide|floxacin|cycline|ovir"
    r"|navir|tegravir|caine|oxetine|pramine|triptyline|azepine|peridol|quine|fenac|profen|coxib|phylline|terol|sone"
    r"|solone|nisone|lukast|dronate|dronic acid|platin|rubicin|taxel|trexate|bactam|penem|ketamine|fentanil|morphone)"
)
# Accepts how much of it, or which degree, behind: `4`, `IIb`, `60 BD`, `2.75`, `III/IV`.
_DEGREE = (
    r"(?:[<>≤≥~]? ?\d{1,4}(?:[.,]\d{1,2})?(?:/\d{1,3})?[a-cA-D%]?\+?|[IV]{1,4}[abc]?(?:[/-][IV]{1,4})?|[A-D]\d{0,2})"
)
_BEFORE = re.compile(
    r"(?:\b(?:Morbus|morbo|maladie|enfermedad|mal|doença|malattia|choroba|ziekte|sjukdom|s[íi]ndrom[ea]?|syndrome|sindrome"
    r"|sign[oe]?|segno|signe|test|prova|prueba|Z\.? ?n\.?|score|escala|scala|échelle|clasificaci[óo]n|classification)"
    r"(?: (?:de|di|von|van|d['’]|du|do|da))?|\bM\.|(?<![\w.])[Dd]x) ?$"
)
_CALLS = re.compile(
    r"(?i)(?:(?<!\w)(?:mrs?|ms|miss|dr|prof|nurse|sister|frau|herr|sra?|sig(?:ra)?|mme|pt|pat(?:ient)?|gp|consultant|son"
    r"|daughter|wife|husband|mother|father|nok|carer|dear|from|regards|name|signed)[.:]?\s{1,3})$"
)
# Accepts a word before, but for what says how a medicine is given.
_FORENAME = re.compile(r"(?<!\w)(?!(?:Tab|Cap|Inj|Syp|Start|Cont|Stop|On)\b)([^\W\d_][\w'’-]+)[ \xa0]$")


@cache
def _words() -> Mapping[str, str]:
    """Return the words of each kind, as alternatives."""
    found: dict[str, list[str]] = {}
    for kind, rows in patterns_in("medicine.txt").items():
        found[kind] = sorted(set(rows.replace("|", " ").split()), key=len, reverse=True)
    return {kind: "|".join(re.escape(word.replace("_", " ")) for word in words) for kind, words in found.items()}


@cache
def _patterns() -> Mapping[str, "re.Pattern[str]"]:
    """Return the expressions; each is compiled when it is first used."""
    words = _words()
    after = rf"(?:\s(?:{words['called']})(?!\w))"
    brand = rf"(?:{words['brand']})(?:[ -](?:XR|XL|SR|MR|CR|LA|Ag|Duo|Forte|Plus|GP\d?|\d{{2,3}}))*"
    return {
        "abroad": late(re.compile, words["abroad"]),
        "brand": late(re.compile, rf"(?<!\w){brand}(?!\w)", re.IGNORECASE),
        "scored": late(re.compile, rf"(?<!\w)(?:{words['score']})(?:\s?{_DEGREE}(?!\w))?"),
        "substance": late(re.compile, rf"(?<!\w){_SUBSTANCE}(?!\w)", re.IGNORECASE),
        "eponym": late(
            re.compile,
            rf"(?<!\w)(?:M\. |Mb?\.? |Morbus )?(?:{words['eponym']})(?:['’]?s)?(?:-\w+)?(?!\w){after}?"
            rf"(?:\s?{_DEGREE}(?!\w))?",
        ),
        "beside": late(
            re.compile,
            rf"(?<!\w)(?:[A-Z][a-z]+[ -])?(?:{words['beside']})(?:['’]s?)?"
            rf"(?:{after}(?:\s?{_DEGREE}(?!\w))?"
            rf"|\s(?:{_DEGREE}(?!\w)|[+-](?:ve)?(?![\w+])|(?:[dx]x |[sl]x )?(?:neg|pos)\b))",
        ),
        "called": late(re.compile, rf"(?<!\w)(?:{words['beside']}|{words['eponym']})(?:['’]s?)?(?!\w)"),
        "told": late(re.compile, rf"\s?(?:{words['called']})(?!\w)", re.IGNORECASE),
        "score": late(
            re.compile, rf"(?<!\w)(?:{words['eponym']}|{words['beside']}|{words['score']})(?:['’]s)?[ :=]{{1,2}}$"
        ),
        "first": late(
            re.compile,
            r"(?:(?:T|Tab|Tbl|Cap|Inj|Syp|Syr|Oint|Supp|Gtt)\.? ?(?=[A-Z])|\d{1,3}\. |[A-Z]{2,4} (?=[A-Z][a-z]))?",
        ),
        "rest": late(
            re.compile,
            r"(?:[\s,;/+.-]|\d+(?:[.,]\d+)?|\b(?:mg|mcg|g|ml|BD|OD|TDS|QDS|PRN|nocte|mane|of|and|in|score)\b)*",
        ),
    }


# Accepts the name of a substance by how such names end, in a text about health: `sertraline`, `mirtazapine`.
_ENDED = re.compile(
    r"(?i)[a-z]{2,12}(?:[ao]line?|apine?|idone?|oxetine?|alopram|azepam|formine?|gliptine?|gliflozine?|prazole?|statine?"
    r"|sartane?|prile?|olole?|dipine?|micine?|mycine?|cilline?|floxacine?|xabane?|profene?|cetamol|tidine?|triptane?|mab)"
)


def is_substance(value: str) -> bool:
    """Return whether what is taken for an illness is a medicine, by its name or by how it ends."""
    return is_medicine(value) or _ENDED.fullmatch(value) is not None


def is_illness_abroad(value: str) -> bool:
    """Return whether words in a script other than the Latin one have an illness, a complaint or a medicine in them."""
    return _patterns()["abroad"].search(value.lower()) is not None


def is_medicine(value: str) -> bool:
    """Return whether a value begins with a word of medicine: a brand, a substance, what is called after somebody."""
    found = _patterns()
    return any(found[kind].match(value) for kind in ("brand", "eponym", "called", "substance", "scored"))


def as_medicine(text: str, spans: Sequence[Span], clinical: bool) -> list[Span]:
    """Return spans, with what is taken for a name, place or number and is medicine told as what it tells of health.

    Args:
        text: the raw text.
        spans: what was found in it.
        clinical: whether it is a note of a clinic: there a word alone tells.
    """
    told = [_told(text, span, clinical) for span in spans]
    if not clinical:
        return told
    return [
        span._replace(private=PRIVATE) if (span.private or 0.0) < PRIVATE and _is_taken(text, span) else span
        for span in told
    ]


# Accepts how much of it is taken, behind a medicine: ` 5mg`.
_TAKEN = re.compile(r" ?\d[\d.,/]* ?(?:mg|mcg|µg|μg|g|IU|IE|iu|units?|ml|mL)(?!\w)")


def _is_taken(text: str, span: Span) -> bool:
    """Return whether a span of a note is a medicine that its patient takes, by the dose behind it."""
    if span.subtype != "medical_condition" or span.source != "embedded" or not _TAKEN.match(text, span.end):
        return False
    return is_medicine(text[span.start : span.end].removeprefix("T. "))


def _told(text: str, span: Span, clinical: bool) -> Span:
    odd = span.type in _BARE or span.subtype in _FACTS
    if not odd or span.validated:
        return span
    surface = text[span.start : span.end]
    if not any(map(str.isalpha, surface)) and not (clinical and surface.isdigit()):
        return span
    if not _is_medicine(text, span, surface, clinical):
        return span
    return span._replace(type=TYPE_OF["medical_condition"], subtype="medical_condition")


def _is_medicine(text: str, span: Span, surface: str, clinical: bool) -> bool:
    if _CALLS.search(text, max(0, span.start - 16), span.start):
        return False
    found = _patterns()
    if surface.isdigit():
        return len(surface) <= 3 and found["score"].search(text, max(0, span.start - 24), span.start) is not None
    before = _FORENAME.search(text, max(0, span.start - 24), span.start)
    if before is not None and before[1][0].isupper() and may_be_forename(before[1]):
        return False
    kinds = ["brand", "beside"]
    if clinical:
        kinds += ["eponym", "scored"]
    if clinical or surface.islower():
        kinds.append("substance")
    first = found["first"].match(text, span.start)
    at, seen = first.end() if first else span.start, False
    while at < span.end:
        match = next((one for kind in kinds if (one := found[kind].match(text, at))), None)
        if match is None and (called := found["called"].match(text, at)):
            told = _BEFORE.search(text, max(0, at - 32), at) or found["told"].match(text, called.end())
            match = called if told and called.end() > at else None
        if match is None:
            break
        at, seen = match.end(), True
        rest = found["rest"].match(text, at, span.end)
        at = rest.end() if rest and at < span.end else at
    return seen and at >= span.end
