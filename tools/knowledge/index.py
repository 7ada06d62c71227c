"""The public-knowledge index: people, places, companies and institutions that the world knows, and common names.

People are those of Pantheon 1.0 (Yu et al. 2016, CC BY 4.0), which ends in 2013, and of our own list; the sources and
licences of the others stand in the first line of each list. A name on a list may still be private where it stands (a
namesake, somebody's home or employer): the index only says that a name *can* be meant as public knowledge; what is on
no list can hardly be. A name that many bear tells of itself nobody in particular, although somebody of it is famous.
"""

import re
from functools import cache

from gama.guard.folding import fold
from gama.state.entities import EntityType
from gama.tools.tables import lines, table

_PUBLISHED = {"PER": "people.txt.gz", "LOC": "places.txt.gz", "ORG": "bodies.txt.gz"}
# A question after who somebody is, or was: it is asked of the famous.
_WHO = re.compile(
    r"\b(?:who|what|wer|qui|qui[ée]n|chi|kto|wie)\s+(?:is|was|were|are|ist|war|est|était|es|fue|è|era|jest|by[łl])\s+"
    r"(?:\w+\s+)?$",
    re.IGNORECASE,
)
_AROUND = 160
"""Characters before and behind a name that are looked at."""


@cache
def known_names(kind: str) -> frozenset[str]:
    """Return the folded names of PER, LOC or ORG, loaded once: the published list and our own (`data/own.yaml`)."""
    own = re.split(r"[;\n]", table("knowledge", "own")[kind])
    return frozenset(map(fold, (*lines("knowledge", _PUBLISHED[kind]), *own)))


def is_famous(name: str) -> bool:
    """Return whether a globally famous person bears exactly this name; case, accents and spacing do not matter."""
    return fold(name) in known_names("PER")


def is_known(name: str, kind: EntityType) -> bool:
    """Return whether a name of a type is public knowledge all over the world; case, accents and spacing do not matter.

    Args:
        name: The name as it stands in a text.
        kind: PER, LOC or ORG; a body may stand for a place and the other way round, so both lists are asked
            for either. Any other type is never known.
    """
    if kind == "PER":
        return is_famous(name)
    if kind not in ("LOC", "ORG"):
        return False
    forms = {fold(name), fold(re.sub(r"^the\s+", "", name, flags=re.IGNORECASE))}
    return any(not forms.isdisjoint(known_names(one)) for one in ("LOC", "ORG"))


def is_ordinary(name: str) -> bool:
    """Return whether a full name is made of a forename and a surname that many people bear."""
    forenames, surnames = _common_names()
    words = [fold(word) for word in name.split()]
    return len(words) >= 2 and words[0] in forenames and words[-1] in surnames


@cache
def _common_names() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(line.split(";")) for line in lines("knowledge", "ordinary.txt"))


def is_worldly(text: str, start: int, end: int) -> bool:
    """Return whether what stands around a name speaks of somebody whom the world knows, not of an acquaintance."""
    if _WHO.search(text[max(0, start - 40) : start]):
        return True
    words = _worldly_words()
    return bool(words.search(text[max(0, start - _AROUND) : start]) or words.search(text[end : end + _AROUND]))


@cache
def _worldly_words() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(lines('knowledge', 'worldly.txt'))})", re.IGNORECASE)
