"""Places and firms of a question: where somebody travels, large cities, firms that all know, in a prompt that asks."""

import re
from collections.abc import Sequence

from gama.privacy.called import EMPLOYS
from gama.state.entities import Entity
from gama.tools.knowledge.index import look_up

STOPS = frozenset(("city", "facility"))
VISITED = frozenset(("company", "other_org"))
# Accepts what is booked or seen on a journey, by a word of its name.
_SIGHT = re.compile(
    r"(?i)(?<!\w)(?:hotel|hostel|ryokan|airbnb|resort|riad|museum|museo|musée|muzeum|studios?|park|temple|shrine|castle|palace"
    r"|airport|aeropuerto|station|stasiun|bahnhof|gare|stazione|estación|livraria|restaurant|café|bar|airlines?|airways|rail"
    r"|railways?|express|ferry|cruise|tours?|zoo|aquarium|beach|falls|island|sound|national)(?!\w)"
)
# Accepts what stands before a place on a way, and behind one: `flying from `, `arriving at `, `via `, `from Lyon to `;
# and before a place to which somebody has moved.
_ON_THE_WAY = re.compile(
    r"(?i:\b(?:arriv\w+|leav(?:ing|es?)|depart\w*|land(?:ing|ed|s)?|flights?|fly(?:ing)?|flew|flown|travel\w*|trips?"
    r"|trains?|bus|ferry|layover|stopover|via|vuelos?|vols?|flug|flüge|zug|treno|trem|lot|pociąg)"
    r"(?: [A-Z]{2} ?\d{1,4})?(?: (?:out|back|home))?(?: (?:from|to|in|at|for|into|nach|von|ab|de|à|a|da|do|z))?"
    r"|(?:\b(?:from|von|de|da|z|for|on|the|flights?)|\d) (?-i:[A-ZÀ-Ž])[\w'’-]+ (?:to|nach|à|a|do)) $"
)
_GOES_ON = re.compile(r" (?:to|via|–|→|nach|à|do) [A-ZÀ-Ž]")
_FROM = re.compile(r"(?i)(?:\b(?:from|von|de|da|z|for|on|the|flights?)|\d) $")
_MOVED = re.compile(
    r"(?i)\b(?:mov(?:ed?|ing)|relocat\w*|shifted|settled|born|live[sd]?|living|grew up|from my|home|house|flat)\b"
    r"[^.\n]{0,40}$"
)

SHORTEST = 3
"""Characters of a place that may be shown: two of Han are as often somebody's name."""
NEAR = 40
"""Characters behind an address in which its town may stand."""
LARGE = 3
"""Fame of a place that has hundreds of thousands of inhabitants, as a rule."""


def line_around(text: str, one: Entity) -> tuple[int, int]:
    """Return where the line, or lines, of a mention begin and end."""
    last = text.find("\n", one.end)
    return text.rfind("\n", 0, one.start) + 1, last if last >= 0 else len(text)


def is_on_the_way(text: str, one: Entity, homes: Sequence[int], *, planned: bool) -> bool:
    """Return whether a place is where a journey begins, ends or passes, and nobody's home.

    Args:
        text: the raw text.
        one: the place.
        homes: where addresses and their postcodes end.
        planned: whether a journey is what is asked about: then its places need not be told as such.
    """
    before = text[max(0, one.start - 60) : one.start]
    if len(one.text) < SHORTEST or _MOVED.search(before) or any(0 <= one.start - end < NEAR for end in homes):
        return False
    goes_on = _GOES_ON.match(text, one.end) is not None and _FROM.search(before) is not None
    return planned or goes_on or _ON_THE_WAY.search(before) is not None


def is_visited(text: str, one: Entity, *, planned: bool) -> bool:
    """Return whether a firm is one that all know or that serves those who travel, and nobody's employer."""
    if EMPLOYS.search(text, max(0, one.start - 60), one.start):
        return False
    known = look_up(one.text)
    if known is not None and known.fame > 1 and (planned or known.is_firm):
        return True
    return planned and _SIGHT.search(one.text) is not None


def is_a_city(text: str, one: Entity, others: Sequence[int], *, told: bool) -> bool:
    """Return whether a place is so large that it singles out nobody, and stands beside no name and in no address.

    Args:
        text: the raw text.
        one: the place.
        others: where names begin and end, and where addresses and their postcodes end.
        told: whether the question names it, or turns on what holds there: then less large ones are, too.
    """
    known = look_up(one.text) if one.subtype == "city" else None
    if known is None or "place" not in known.kinds or known.fame < (2 if told else LARGE):
        return False
    first, last = line_around(text, one)
    line = range(max(first, one.start - NEAR), min(last, one.end + NEAR) + 1)
    return not any(place in line for place in others)
