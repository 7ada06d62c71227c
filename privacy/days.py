"""Words of the calendar: days of no year, which are nobody's, and names that are taken for days."""

import re
from functools import cache

import regex

from gama.privacy.identify import patterns_in
from gama.state.entities import Entity
from gama.tools.knowledge.index import is_forename, may_be_forename

# Accepts a word, with figures and a hyphen in it.
_WORD = regex.compile(r"\p{L}[\p{L}\p{M}\p{N}-]*")


def names_a_day(text: str) -> bool:
    """Return whether a date or a length of time has a word of the calendar in it: `आठ महीने`."""
    return not _days()[0].isdisjoint(_WORD.findall(text.casefold()))


def is_of_the_calendar(one: Entity) -> bool:
    """Return whether a date tells no day of any year, but one of each week, a feast, a month, or one near."""
    if one.subtype != "date" or any(map(str.isdigit, one.text)):
        return False
    days, around = _days()
    words = [word for word in _WORD.findall(one.text.casefold()) if word not in around]
    return bool(words) and all(word in days or word.removesuffix("s") in days for word in words)


def holds_a_name(one: Entity) -> bool:
    """Return whether what is taken for a day or an age is a name, or has one in it: `Anaïs 5`."""
    days, words = _days()[0], re.findall(r"[^\W\d_]{3,}", one.text)
    if any(word.casefold() in days for word in words):
        return False
    return any(is_forename(word) or (word.istitle() and may_be_forename(word)) for word in words)


@cache
def _days() -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of days that no year has by itself, and those that may stand beside them."""
    from gama.tools.recognizers.declared import declaration

    calendar, told = declaration("date").words, patterns_in("calendar.txt")
    near, around = (frozenset(told[row].split("|")) for row in ("near", "around"))
    return near.union(calendar["month"], calendar["weekday"]), around
