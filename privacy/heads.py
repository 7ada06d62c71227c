"""What the heads of columns say of the cells below them, in the languages of letters."""

from collections.abc import Mapping, Sequence
from functools import cache

import regex

from gama.privacy.identify import patterns_in

WORD = regex.compile(r"\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})|\p{N}+|\p{L}+")
_WEEK = frozenset(
    "mon tue tues wed thu thurs fri sat sun monday tuesday wednesday thursday friday saturday sunday montag dienstag "
    "mittwoch donnerstag freitag samstag sonntag lun mar mer jeu ven sam dim lundi mardi mercredi jeudi vendredi "
    "samedi dimanche lunes martes miércoles jueves viernes sábado domingo".split()
)
_WORKS = frozenset("title author artist composer director publisher isbn album band writer".split())
_CLUBS = frozenset(
    "team club side hold mannschaft verein équipe equipo squadra time equipe lag joukkue drużyna klub tým csapat takım "
    "ploeg команда".split()
)
_SCORED = frozenset(
    "p w d l gf ga gd pts points played won drawn lost f a diff k v u t mål point sp s n tore pkt punkte j g bp bc pj "
    "pg pe pp gc pti punti gs m r po o kp ptn pontos pkt. og oy bf".split()
)
"""Heads of lists of works, and of tables of a league, which say so together."""
PLACES = frozenset(("lat", "lng", "lon", "latitude", "longitude", "coordinates", "postcode", "zip", "plz"))
"""Heads whose figures are places."""


def said_of(head: str, heads: frozenset[str]) -> str:
    """Return what the head of a column says, beside those of the others: books have authors, and clubs points."""
    name = head.strip().casefold()
    if (name in _WORKS and len(heads & _WORKS) > 1) or (name in _CLUBS and len(heads & _SCORED) > 2):
        return "things"
    return declared(head)


def is_roster(heads: Sequence[str]) -> bool:
    """Return whether the heads of a table are days of the week: it says who works when."""
    return sum(len(head) > 2 and head.strip(".").casefold() in _WEEK for head in heads) >= 5


@cache
def phrases() -> Mapping[tuple[str, ...], str]:
    """Return what heads of columns are called, in their words, and what each says."""
    rows = patterns_in("columns.txt").items()
    return {words_of(phrase): subtype for subtype, listed in rows for phrase in regex.split(r",\s*|\|", listed)}


def declared(head: str) -> str:
    """Return what the head of a column says of its cells: `public`, a subtype, a word of the list, or nothing."""
    words = words_of(head)
    for end in range(len(words), 0, -1):
        for start in range(end):
            if found := phrases().get(words[start:end]):
                return found
    return ""


def words_of(head: str) -> tuple[str, ...]:
    """Return the words of a head: `dateOfBirth`, `DATE_OF_BIRTH` and `Date of birth` are the same."""
    return tuple(word.casefold() for word in WORD.findall(head))


def stems(text: str) -> frozenset[str]:
    """Return the beginnings of the longer words of a text."""
    return frozenset(word[:5] for word in words_of(text) if len(word) > 2)
