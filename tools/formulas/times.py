"""Functions of dates, times, durations and working days."""

from calendar import monthrange
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from fractions import Fraction
from itertools import islice

import regex

from gama.tools.formulas import facts
from gama.tools.formulas.contract import FUNCTIONS, WHEN, Run, amount_of, function, of_range, whole_number
from gama.tools.formulas.dates import Calendar, date_parts
from gama.tools.formulas.operations import between, full, later, no_year, pair, sure, undefined, wrong_type
from gama.tools.formulas.values import (
    Amount,
    Clock,
    Day,
    Duration,
    Fault,
    Moment,
    Span,
    Term,
    Text,
    Truth,
    Value,
    kind_of,
)
from gama.tools.formulas.words import LANGUAGES, MONTHS, SECONDS


def _ends(values: tuple[Value, ...]) -> tuple[Value, Value]:
    if len(values) == 2:
        return values[0], values[1]
    if isinstance(values[0], Span):
        return values[0].start, values[0].end
    raise wrong_type("two values or a range are wanted instead of", values[0])


def whole_months(one: date, two: date) -> int:
    """Return the completed months from one date to another."""
    if two < one:
        return -whole_months(two, one)
    return (two.year - one.year) * 12 + two.month - one.month - (two.day < one.day)


def _calendar_units(unit: str, size: int) -> Callable[..., Value]:
    def count(run: Run, *values: Value) -> Value:
        if len(values) == 1 and isinstance(values[0], Amount) and not values[0].unit:
            months = values[0].number * size
            if months.denominator != 1:
                raise undefined()
            return Duration(int(months), unit=unit)
        if len(values) == 1 and isinstance(values[0], Duration):
            if values[0].seconds:
                raise Fault("type", f"days cannot be counted in {unit}s: months differ in length")
            return Amount(Fraction(values[0].months, size))
        one, two = _ends(values)
        for value in (one, two):
            if isinstance(value, Clock):
                raise wrong_type("dates are wanted instead of", value)
        first, second = pair(one, two)
        if full(one).known == "yearless":
            raise no_year()
        found = whole_months(first, second)
        return Amount(Fraction(abs(found) // size * (1 if found >= 0 else -1)))

    return count


def _exact_units(unit: str) -> Callable[..., Value]:
    size, whole = SECONDS[unit], unit in ("week", "day")

    def count(run: Run, *values: Value) -> Value:
        if len(values) == 1 and isinstance(values[0], Amount) and not values[0].unit:
            return Duration(0, values[0].number * size, unit)
        if len(values) == 1 and isinstance(values[0], Duration):
            if values[0].months:
                raise Fault("type", f"months cannot be counted in {unit}s: they differ in length")
            return Amount(values[0].seconds / size)
        one, two = _ends(values)
        if whole:
            if isinstance(one, Clock) or isinstance(two, Clock):
                raise wrong_type("dates are wanted instead of", one, two)
            first, second = pair(one, two, ahead=True)
            gap = (second - first).days
            return Amount(Fraction(abs(gap) * 86400 // size * (1 if gap >= 0 else -1)))
        if isinstance(one, Day) and isinstance(two, Day):
            raise Fault("type", f"two dates without a time are no number of {unit}s apart: use days(a, b)")
        return Amount(Fraction(between(one, two), size))

    return count


for _unit, _size in MONTHS.items():
    function(f"{_unit}s(a, b)", *WHEN, "duration", most=2)(_calendar_units(_unit, _size))
for _unit in ("week", "day"):
    function(f"{_unit}s(a, b)", *WHEN, "duration", most=2)(_exact_units(_unit))
for _unit in ("hour", "minute"):
    function(f"{_unit}s(a, b)", "time", "duration", most=2)(_exact_units(_unit))


@function("weekday(d)", *WHEN)
def _weekday(run: Run, value: Value) -> Value:
    day = full(value)
    if day.known != "day":
        raise no_year()
    return Term("weekday", str(day.date.weekday()))


@function("is_weekend(d)", *WHEN, most=2)
def _is_weekend(run: Run, value: Value, place: Value | None = None) -> Value:
    day = full(value)
    if day.known != "day":
        raise no_year()
    return Truth(facts.is_weekend(day.date, _known_place(run, place)))


@function("age(born, on)", "date_of_birth", most=2)
def _age(run: Run, *values: Value) -> Value:
    if len(values) == 1:
        if run.reader.context.today is None:
            raise Fault("no_today", "the day of the letter is not known: say age(born, on)")
        values = (values[0], Day(run.reader.context.today))
    found = FUNCTIONS["years"].call(run, *values)
    if amount_of(found).number < 0:
        raise undefined()
    return found


@function("today()", least=0)
def _today(run: Run) -> Value:
    if run.reader.context.today is None:
        raise Fault("no_today", "the day of the letter is not known")
    return Day(run.reader.context.today)


@function("date(x)", *WHEN, most=3)
def _date(run: Run, *values: Value) -> Value:
    if len(values) == 3:
        year, month, day = whole_number(values[0]), whole_number(values[1]), whole_number(values[2])
        try:
            return Day(date(year, month, day))
        except ValueError:
            raise undefined() from None
    value = values[0]
    if isinstance(value, Moment):
        return value.day
    if isinstance(value, Day):
        return value
    if isinstance(value, Text) and value.kind == "text" and regex.fullmatch(r"\d{4}-\d\d-\d\d", value.text):
        try:
            return Day(date.fromisoformat(value.text))
        except ValueError:
            raise undefined() from None
    raise wrong_type("a date with a time is wanted instead of", value, hint=of_range(value))


@function("time(x)", "time", *WHEN)
def _time(run: Run, value: Value) -> Value:
    if isinstance(value, Moment):
        return value.clock
    if isinstance(value, Clock):
        return value
    if isinstance(value, Text) and (match := regex.fullmatch(r"([01]?\d|2[0-3]):([0-5]\d)", value.text)):
        return Clock(int(match[1]) * 3600 + int(match[2]) * 60)
    raise wrong_type("a date with a time is wanted instead of", value, hint=of_range(value))


@function("start(range)", *WHEN, "time", "amount")
def _start(run: Run, value: Value) -> Value:
    if isinstance(value, Span):
        return value.start
    if isinstance(value, Day | Moment | Clock | Amount):
        return value
    raise wrong_type("a range is wanted instead of", value)


@function("end(range)", *WHEN, "time", "amount")
def _end(run: Run, value: Value) -> Value:
    if isinstance(value, Span):
        return value.end
    if isinstance(value, Day | Moment | Clock | Amount):
        return value
    raise wrong_type("a range is wanted instead of", value)


@function("iso(d)", *WHEN)
def _iso(run: Run, value: Value) -> Value:
    from gama.tools.formulas.writing import Writer

    if not isinstance(value, Day | Moment | Clock):
        raise wrong_type("a date is wanted instead of", value, hint=of_range(value))
    if isinstance(value, Day) and value.known == "yearless":
        raise no_year()
    return Text(Writer(run.reader, ("iso",)).write(value.bare()))


def _part(name: str, known: tuple[str, ...]) -> None:
    @function(f"{name}(d)", *WHEN)
    def part(run: Run, value: Value) -> Value:
        day = value.day if isinstance(value, Moment) else value
        if not isinstance(day, Day):
            raise wrong_type("a date is wanted instead of", value, hint=of_range(value))
        if day.known not in known:
            raise Fault("no_year" if name == "year" else "no_day", f"{kind_of(day)} does not name a {name}")
        return Amount(Fraction(getattr(day.date, name)))


_part("year", ("day", "month", "year"))
_part("month", ("day", "month", "yearless"))
_part("day", ("day", "yearless"))


@function("end_of_month(d)", *WHEN)
def _end_of_month(run: Run, value: Value) -> Value:
    day = value if isinstance(value, Day) and value.known == "month" else full(value)
    if day.known == "yearless" and day.date.month == 2:
        raise no_year()
    look = None if day.known == "month" else day.look
    last = day.date.replace(day=monthrange(day.date.year, day.date.month)[1])
    return Day(last, "yearless" if day.known == "yearless" else "day", look)


@function("on_day(d, n)", *WHEN, least=2)
def _on_day(run: Run, value: Value, day: Value) -> Value:
    """Return the day of that number in the month of a date."""
    of = value if isinstance(value, Day) and value.known == "month" else full(value)
    number = int(day.code) if isinstance(day, Term) and day.kind == "day" else whole_number(day)
    if not 1 <= number <= monthrange(of.date.year, of.date.month)[1]:
        # Which days a month has depends on the values: the model is not told.
        raise undefined()
    look = None if of.known == "month" else of.look
    return Day(of.date.replace(day=number), "yearless" if of.known == "yearless" else "day", look)


@function('next_weekday(d, "Friday")', *WHEN, least=2)
def _next_weekday(run: Run, value: Value, weekday: Value) -> Value:
    """Return the first such day of the week after a date."""
    day = full(value)
    if day.known != "day":
        raise no_year()
    wanted = facts.term_of(weekday, "weekday")
    return later(day, Duration(0, Fraction(86400 * ((int(wanted.code) - day.date.weekday() - 1) % 7 + 1))))


@function("next_working_day(d, place)", *WHEN, most=2)
def _next_working_day(run: Run, value: Value, place: Value | None = None) -> Value:
    return next(_working(run, value, place))


@function("working_day_from(d, place)", *WHEN, most=2)
def _working_day_from(run: Run, value: Value, place: Value | None = None) -> Value:
    return next(_working(run, later(full(value), Duration(0, Fraction(-86400))), place))


@function("add_working_days(d, n, place)", *WHEN, least=2, most=3)
def _add_working_days(run: Run, value: Value, count: Value, place: Value | None = None) -> Value:
    number = _days_in(count)
    if not number:
        raise Fault("arguments", "a number of working days other than 0 is wanted")
    found = _working(run, value, place, 1 if number > 0 else -1)
    return next(islice(found, abs(number) - 1, None))


@function("nth_working_day(d, n, place)", *WHEN, least=2, most=3)
def _nth_working_day(run: Run, value: Value, count: Value, place: Value | None = None) -> Value:
    """Return the day on which work of so many working days ends that begins on a date: that one is the first."""
    number = _days_in(count)
    if number < 1:
        raise Fault("arguments", "a number of working days from 1 is wanted")
    found = _working(run, later(full(value), Duration(0, Fraction(-86400))), place)
    return next(islice(found, number - 1, None))


def _days_in(count: Value) -> int:
    """Return how many days a number, or a length of time in days, has."""
    if isinstance(count, Duration):
        if count.months or count.per or count.seconds % 86400 or count.unit not in ("day", None):
            raise Fault("type", "a number of days is wanted: how many working days a week or month has is not known")
        count = Amount(count.seconds / 86400)
    return whole_number(count, -1000, 1000)


@function("working_days(a, b, place)", *WHEN, least=2, most=3)
def _working_days(run: Run, one: Value, two: Value, place: Value | None = None) -> Value:
    """Count the working days after the first date up to the second, that one included."""
    first, second = pair(one, two)
    if full(one).known == "yearless":
        raise no_year()
    if second < first:
        raise undefined()
    run.step((second - first).days // 10)
    found = (day for day in _working(run, one, place))
    return Amount(Fraction(sum(1 for _ in iter(lambda: next(found).date <= second, False))))


def _working(run: Run, value: Value, place: Value | None, step: int = 1) -> Iterator[Day]:
    day = full(value)
    if day.known != "day":
        raise no_year()
    where = _known_place(run, place)
    if where is None:
        run.note(WEEKDAYS_ONLY)
    part = facts.region(place, facts.country(where).code) if where is not None and place is not None else None
    for found in facts.working_days(day.date, where, step, part):
        run.step()
        if where is None and place is not None and (found.month, found.day) in ((1, 1), (12, 25)):
            raise Fault("no_fact", "whether a day of these is a holiday at this place is not known")
        yield Day(found, look=day.look)


WEEKDAYS_ONLY = "Monday to Friday were taken for working days, since holidays of the place are not known"


def _known_place(run: Run, place: Value | None) -> Value | None:
    """Return the country of a place; None where it is not known, and on trial."""
    if place is None:
        return None
    try:
        found = facts.country(place)
    except Fault as fault:
        if fault.code != "no_fact":
            raise
        return None
    return None if run.trial else found


@function("local_time(t, from_place, to_place, on_date)", "time", least=3, most=4)
def _local_time(run: Run, value: Value, source: Value, target: Value, on: Value | None = None) -> Value:
    clock = value.clock if isinstance(value, Moment) else value
    if not isinstance(clock, Clock):
        raise wrong_type("a time of day is wanted instead of", value)
    sure(clock)
    day = value.day if isinstance(value, Moment) else full(on) if on is not None else None
    if day is not None and day.known != "day":
        raise no_year()
    if run.trial:
        return value
    ahead = facts.shift(
        facts.timezone(source), facts.timezone(target), day.date if day is not None else None, clock.seconds
    )
    days, seconds = divmod(clock.seconds + ahead, 86400)
    there = Clock(seconds, look=clock.look)
    if not isinstance(value, Moment):
        if days:
            run.note("it is the day after there" if days > 0 else "it is the day before there")
        return there
    return Moment(Day(value.day.date + timedelta(days=days), look=value.day.look), there)


def month_in(text: str) -> int | None:
    """Return the month of a date in whatever language it is written, or None where it has none or may have several."""
    found: set[int] = set()
    for language in LANGUAGES:
        try:
            parts = date_parts(text, Calendar(language), birth=False) or ()
        except Fault:
            return None
        found |= {part.number for part in parts if part.field == "m"}
    return found.pop() if len(found) == 1 else None
