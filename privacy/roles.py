"""What a name is in the role in which it stands, whatever a tagger takes it for.

Whose homework it is, whose farewell is held, with whom one stays: there the world's name is a pupil's or a friend's,
and what is taken is a medicine, no town.
"""

import re
from collections.abc import Sequence
from functools import cache

from gama.state.entities import Span
from gama.tools.knowledge.index import is_famous, may_be_forename
from gama.tools.tables import late

_NAMED = frozenset(("PER", "LOC", "ORG"))
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


def with_roles(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return spans in which names in such roles are private people's."""
    return [_in_role(text, span) if span.type in _NAMED and (span.private or 0.0) < SURE else span for span in spans]


def _in_role(text: str, span: Span) -> Span:
    surface = text[span.start : span.end]
    first, *more = surface.split()
    if len(more) > 2 or not surface[0].isupper() or is_famous(surface) or not may_be_forename(first):
        return span
    before = text[max(0, span.start - 40) : span.start]
    if _SCHOOLWORK.search(before) or (more and _HOST.search(before)) or _HELD.match(text, span.end):
        subtype = "full_name" if more else "first_name"
        return span._replace(type="PER", subtype=subtype, private=SURE, score=max(span.score, SURE))
    return span


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
