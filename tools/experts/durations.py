"""Spans of time for the calculator: months apart from days, because months differ in length."""

import calendar
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import total_ordering
from typing import Self

from gama.state.errors import ToolError

_DAY = 86_400
_LONGEST = 400 * 366 * _DAY


@total_ordering
@dataclass(frozen=True)
class Duration:
    """Whole months, and seconds beside them."""

    months: int = 0
    seconds: Decimal = Decimal(0)

    @classmethod
    def of(cls, *, months: int = 0, days: Decimal = Decimal(0), seconds: Decimal = Decimal(0)) -> Self:
        """Make a duration of what it is given in."""
        whole = days * _DAY + seconds
        if not isinstance(whole, Decimal) or abs(whole) > _LONGEST or abs(months) > 12_000:
            raise ToolError("a duration is a number of at most a few hundred years")
        return cls(months, whole)

    @classmethod
    def between(cls, later: date, earlier: date) -> Self:
        """Return the time from one date to another."""
        gap = _moment(later) - _moment(earlier)
        return cls(0, Decimal(gap.days) * _DAY + gap.seconds)

    def __neg__(self) -> "Duration":
        """Return the same time backwards."""
        return Duration(-self.months, -self.seconds)

    def __add__(self, other: "Duration") -> "Duration":
        """Return both together."""
        return Duration.of(months=self.months + other.months, seconds=self.seconds + other.seconds)

    def times(self, factor: Decimal) -> "Duration":
        """Return it so many times."""
        months = self.months * factor
        if months != months.to_integral_value():
            raise ToolError("a part of a month has no fixed length; use days")
        return Duration.of(months=int(months), seconds=self.seconds * factor)

    def ratio(self, other: "Duration") -> Decimal:
        """Return how often another one fits."""
        if self.months and other.months and not self.seconds and not other.seconds:
            return Decimal(self.months) / other.months
        if self.months or other.months:
            raise ToolError("months and days cannot be divided by each other")
        return self.seconds / other.seconds

    def __lt__(self, other: "Duration") -> bool:
        """Return whether it is the shorter one."""
        months, seconds = self.months - other.months, self.seconds - other.seconds
        if months and seconds:
            raise ToolError("months and days cannot be compared")
        return (months or seconds) < 0

    def written(self) -> str:
        """Write it in years, months, days, hours, minutes and seconds."""
        years, months = divmod(abs(self.months), 12)
        days, rest = divmod(abs(self.seconds), _DAY)
        hours, rest = divmod(rest, 3600)
        minutes, seconds = divmod(rest, 60)
        counted: dict[str, Decimal | int] = {"year": years, "month": months, "day": days}
        counted |= {"hour": hours, "minute": minutes, "second": seconds}
        text = ", ".join(_named(count, unit) for unit, count in counted.items() if count) or "0 days"
        if self.months < 0 or (not self.months and self.seconds < 0):
            return f"minus {text}"
        return text


def moved(start: date, by: Duration) -> date:
    """Return a date moved by a duration; a day that the month does not have becomes its last.

    Raises:
        ToolError: the outcome is outside of the calendar.
    """
    problem = ""
    try:
        year, month = divmod(start.year * 12 + start.month - 1 + by.months, 12)
        day = min(start.day, calendar.monthrange(year, month + 1)[1])
        there = start.replace(year=year, month=month + 1, day=day)
        if by.seconds % _DAY and not isinstance(there, datetime):
            there = datetime(there.year, there.month, there.day)  # noqa: DTZ001 - a calendar without places
        return there + timedelta(seconds=float(by.seconds))
    except (OverflowError, ValueError, calendar.IllegalMonthError):
        problem = "the date is outside of the calendar"
    raise ToolError(problem)


def in_days(later: date, earlier: date) -> Decimal:
    """Return the days from one date to another."""
    return Duration.between(later, earlier).seconds / _DAY


def months_between(later: date, earlier: date) -> Decimal:
    """Return the full months from one date to another."""
    first, last = sorted((_moment(earlier), _moment(later)))
    whole = (last.year - first.year) * 12 + last.month - first.month
    # moved() knows the ends of months: 31 January to 28 February is a full month.
    if moved(first, Duration(whole)) > last:
        whole -= 1
    return Decimal(whole if _moment(later) >= _moment(earlier) else -whole)


def workdays(first: date, last: date) -> Decimal:
    """Count Mondays to Fridays from one date to another, both included; holidays are not known."""
    start, end = first.toordinal(), last.toordinal()
    if end < start:
        raise ToolError("workdays(from, to) needs the earlier date first")
    weeks, rest = divmod(end - start + 1, 7)
    # Ordinal 1 was a Monday.
    return Decimal(weeks * 5 + sum((start + day - 1) % 7 < 5 for day in range(rest)))


def weekday(day: date) -> Decimal:
    """Return the day of the week, from 1 for Monday to 7 for Sunday."""
    return Decimal(day.isoweekday())


def _moment(day: date) -> datetime:
    return day if isinstance(day, datetime) else datetime(day.year, day.month, day.day)  # noqa: DTZ001


def _named(count: Decimal | int, unit: str) -> str:
    number = f"{Decimal(count).normalize():f}"
    return f"{number} {unit}" if number == "1" else f"{number} {unit}s"
