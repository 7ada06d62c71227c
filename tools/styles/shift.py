"""Dates moved in time: all dates of a conversation by one secret number of whole weeks, in their own notation.

Intervals, order and weekdays hold, and ages agree, since dates of birth move along. What is no full date that can be
read with certainty (a month, a year, a day without year, 03/04/2026 where nothing tells day from month) keeps its tag.
"""

import secrets
from collections.abc import Collection
from datetime import date, timedelta
from typing import Self

from gama.state.box import Bijection, Shift
from gama.tools.contract import Mention
from gama.tools.formulas.language import context_of
from gama.tools.placeholders.dates import Notation, full_days, moved, notation
from gama.tools.placeholders.shifted import SUBTYPES

FEWEST, MOST = 13, 208
"""By how many weeks dates are moved at least and at most: a quarter of a year, so that the real one is not nearly told,
and four years, so that ages and what was the law then are not far off. Always back: nobody is born tomorrow, and a
letter about what has happened does not speak of what is to come."""


class ShiftStyle:
    """Writes another date."""

    name = "shift"
    reversible = True
    moves = True

    def write(self, mention: Mention) -> str | None:
        """Return the moved date; None where there is none."""
        return mention.moved


def draw(days: Collection[date]) -> int:
    """Return a secret number of weeks by which no day of a letter becomes another one of it.

    Args:
        days: those that the letter names.
    """
    every = [-weeks for weeks in range(FEWEST, MOST + 1)]
    free = [weeks for weeks in every if not any(day + timedelta(weeks=weeks) in days for day in days)]
    return secrets.choice(free or every)


def weeks_of(secret: bytes) -> int:
    """Return the number of weeks that a secret stands for."""
    return -(FEWEST + int.from_bytes(secret, "big") % (MOST - FEWEST + 1))


class Calendar:
    """Moves the dates of a text that shares a box with others."""

    def __init__(self, box: Bijection, shift: Shift, known: Notation, days: set[date]) -> None:
        """Know the notation of the text, and the days that it names."""
        self._box, self._shift, self._known, self._days = box, shift, known, days

    @classmethod
    def of(cls, box: Bijection, text: str, region: str | None) -> Self:
        """Return what moves the dates of a text; the box draws its number now if it has none.

        Args:
            box: the box.
            text: the text, or all that share the box.
            region: the country of its notation, where that is known.
        """
        entries = [entry for entry in box.entries if entry.subtype in SUBTYPES]
        shift = box.shift
        locale = shift.locale if shift else context_of(text, region).locale
        kept = shift.clear if shift else []
        known = notation([text, *(told for e in entries for told in (e.surface, e.placeholder)), *kept], locale)
        days = full_days(text, known)
        if shift is None:
            shift = box.shift = Shift(weeks=draw(days), locale=locale)
        return cls(box, shift, known, days.union(*(full_days(one, known) for one in kept)))

    def moved(self, surface: str, subtype: str) -> str | None:
        """Return a date, or a range of them, moved; None where it cannot be read with certainty."""
        if subtype not in SUBTYPES:
            return None
        return moved(surface, self._known, self._shift.weeks, birth=subtype == "date_of_birth")

    def names(self, text: str) -> bool:
        """Return whether a moved date is a day that the letter, or a value of the box, names."""
        days = full_days(text, self._known)
        entries = (entry for entry in self._box.entries if entry.subtype in SUBTYPES)
        return not days.isdisjoint(self._days.union(*(full_days(entry.surface, self._known) for entry in entries)))
