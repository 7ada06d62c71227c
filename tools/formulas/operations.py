"""Arithmetic and comparison between values: what has a meaning, and nothing else."""

from dataclasses import replace
from datetime import date, timedelta
from fractions import Fraction
from typing import Any

from gama.tools.formulas.identity import fold, same_text
from gama.tools.formulas.values import (
    BITS,
    Amount,
    Clock,
    Day,
    Duration,
    Fault,
    Items,
    Look,
    Moment,
    Span,
    Term,
    Text,
    Truth,
    Value,
    kind_of,
)
from gama.tools.formulas.words import PERIODS, SECONDS, units

DAY = 86400


def wrong_type(what: str, *values: Value, hint: str = "") -> Fault:
    """Return the fault of values of kinds that do not go together."""
    return Fault("type", f"{what} {' and '.join(kind_of(value) for value in values)}" + (f": {hint}" if hint else ""))


def undefined() -> Fault:
    """Return the fault of an operation that these values do not allow; it does not say which value."""
    return Fault("undefined", "cannot be reckoned with these values")


def _hint(*values: Value) -> str:
    if any(isinstance(value, Span) for value in values):
        return "use start(…) or end(…) of the range"
    if any(isinstance(value, Amount) and value.unit == "%" for value in values):
        return "multiply: x * p is that part of x, x + x * p adds it"
    if any(isinstance(value, Day | Moment | Clock) for value in values):
        return "add a duration, such as 14 days"
    if any(isinstance(value, Duration) for value in values) and any(isinstance(value, Amount) for value in values):
        return "count the duration: years(x), months(x), days(x), hours(x)"
    return ""


def counted(value: Value) -> bool:
    """Return whether a value counts things: `fifteen sessions`."""
    if not isinstance(value, Amount) or value.money:
        return False
    return value.unit not in ("", "%") and value.unit not in units()


def read(value: Value) -> Value:
    """Return what a text is when it is reckoned with, as far as its form leaves no doubt."""
    return value.reads if isinstance(value, Text) and value.reads is not None else value


def code(value: Text) -> bool:
    """Return whether a text is a code rather than a number, although it is written as one."""
    return value.kind.endswith(("_number", "_card", "_record", "_account", "_plate")) or value.kind == "secret"


# How often a period is in a longer one: 13 and 14 are salaries of a year.
_TIMES = {
    ("month", "year"): (12, 13, 14),
    ("quarter", "year"): (4,),
    ("month", "quarter"): (3,),
    ("week", "year"): (52,),
    ("day", "year"): (365,),
    ("day", "week"): (7,),
}


def _is_sum(rate: Amount, other: Amount) -> bool:
    """Return whether so much a time was taken so often that it is a sum like the other amount."""
    if rate.times is None:
        return False
    return not other.per or other.times is not None or rate.times in _TIMES.get((rate.per, other.per), ())


def same_unit(one: Amount, two: Amount, *, adding: bool = False) -> tuple[Amount, Amount]:
    """Return two amounts of one unit, refusing those whose units differ.

    With `adding`, so much a time and an amount without a time are a sum: the first rent and the deposit.
    """
    for literal, other in ((one, two), (two, one)):
        if (literal.literal and (other.money or (other.unit not in ("", "%") and literal.number == 0))) or (
            not literal.unit and counted(other)
        ):
            taken = replace(literal, unit=other.unit, per=other.per, literal=False)
            return (taken, two) if literal is one else (one, taken)
    if one.unit != two.unit:
        code = "currency" if one.money and two.money else "units" if one.unit and two.unit else "type"
        if "%" in (one.unit, two.unit):
            code = "type"
        hint = "" if code == "type" or one.money else 'use convert(x, "unit")'
        raise (
            wrong_type("does not go together:", one, two, hint=_hint(one, two) or hint)
            if code == "type"
            else Fault(code, "the currencies differ" if code == "currency" else f"the units differ: {hint}")
        )
    if one.each != two.each:
        raise Fault("units", "one is a price for each, the other is not so, or for each of another: multiply it first")
    if one.per != two.per:
        if not (_is_sum(one, two) or _is_sum(two, one) or (adding and not (one.per and two.per))):
            raise Fault(
                "units",
                "one is so much a time, the other is not so or of another time: use yearly(x), monthly(x), or once(x) "
                "for the amount of one such time",
            )
        return replace(one, per=""), replace(two, per="")
    return one, two


def measures_alike(one: Amount, two: Amount) -> bool:
    """Return whether two amounts measure the same in units of theirs: feet and centimetres."""
    known = units()
    return one.unit in known and two.unit in known and known[one.unit].dimension == known[two.unit].dimension


def in_unit(amount: Amount, unit: str) -> Amount:
    """Return an amount in another unit of the same dimension, exactly."""
    if amount.unit == unit:
        return amount
    old, new = units()[amount.unit], units()[unit]
    return Amount((amount.number * old.factor + old.offset - new.offset) / new.factor, unit, amount.per)


def add(one: Value, two: Value) -> Value:
    """Return the sum."""
    one, two = read(one), read(two)
    one, two = _whole(one, two), _whole(two, one)
    if isinstance(one, Amount) and isinstance(two, Amount):
        one, two = same_unit(one, two, adding=True)
        return Amount(
            one.number + two.number, one.unit, one.per, _common(one.look, two.look), one.literal and two.literal
        )
    if isinstance(one, Duration) and isinstance(two, Duration):
        _same_period(one, two)
        return Duration(one.months + two.months, one.seconds + two.seconds, one.unit or two.unit, one.per)
    if any(isinstance(value, Duration) and value.per for value in (one, two)):
        raise wrong_type("cannot add", one, two)
    if isinstance(one, Duration) and isinstance(two, Day | Moment | Clock):
        one, two = two, one
    if isinstance(two, Duration) and isinstance(one, Day):
        return later(one, two)
    if isinstance(two, Duration) and isinstance(one, Moment):
        return _moment_later(one, two)
    if isinstance(two, Duration) and isinstance(one, Clock):
        if two.months:
            raise wrong_type("cannot add", one, two)
        return Clock(int(one.seconds + whole_seconds(two)) % DAY, one.half, one.look)
    raise wrong_type("cannot add", one, two, hint=_hint(one, two))


def _common(one: Look | None, two: Look | None) -> Look | None:
    """Return how the sum of two amounts is written: as the first, with what only the second tells."""
    if one is None or two is None or not (one.before + one.after or not two.before + two.after):
        return one if one is not None and (one.before + one.after or two is None) else two
    decimals = max(one.decimals, two.decimals)
    return one._replace(decimal=one.decimal or two.decimal, group=one.group or two.group, decimals=decimals)


def _whole(value: Value, other: Value) -> Value:
    """Return 100 % for a literal 1 beside a percentage: `x * (1 + 19%)`."""
    beside = isinstance(other, Amount) and other.unit == "%"
    if beside and isinstance(value, Amount) and not value.unit and value.literal and value.number == 1:
        return Amount(Fraction(100), "%")
    return value


def subtract(one: Value, two: Value) -> Value:
    """Return the difference."""
    one, two = read(one), read(two)
    if isinstance(one, Amount) and isinstance(two, Amount):
        first, second = _whole(one, two), _whole(two, one)
        assert isinstance(first, Amount) and isinstance(second, Amount)
        one, two = same_unit(first, second)
    if isinstance(one, Day | Moment) and isinstance(two, Day | Moment):
        return Duration(0, Fraction(between(two, one)), "hour" if isinstance(one, Moment) else "day")
    if isinstance(one, Clock) and isinstance(two, Clock):
        return Duration(0, Fraction(between(two, one)), "hour")
    if isinstance(two, Amount | Duration):
        return add(_whole(one, two), negative(two))
    raise wrong_type("cannot subtract", one, two, hint=_hint(one, two))


def negative(value: Value) -> Value:
    """Return the value with the other sign."""
    if isinstance(value, Amount):
        return Amount(-value.number, value.unit, value.per, value.look, value.literal, value.times)
    if isinstance(value, Duration):
        return Duration(-value.months, -value.seconds, value.unit, value.per)
    raise wrong_type("has no sign:", value)


def _same_period(one: Duration, two: Duration) -> None:
    if one.per != two.per:
        raise Fault("units", "one duration is so long a time, the other is not so or of another time")


def later(day: Day, duration: Duration) -> Day:
    """Return the day that a duration later is; of the 31st of a shorter month, its last day."""
    if day.known not in ("day", "yearless"):
        if duration.seconds or (day.known == "year" and duration.months % 12):
            raise wrong_type("cannot add", day, duration)
        return Day(_add(day.date, duration.months, 0), day.known, day.look)
    if whole_seconds(duration) % DAY:
        raise Fault("type", "cannot add hours or minutes to a date: it has no time")
    days = int(duration.seconds) // DAY
    if day.known == "yearless":
        found = {_add(leap, duration.months, days).timetuple()[1:3] for leap in _years(day.date)}
        if len(found) > 1:
            raise no_year()
    return Day(_add(day.date, duration.months, days), day.known, day.look)


def no_year() -> Fault:
    """Return the fault of a date without year where the year matters."""
    return Fault("no_year", "a date without year is used where the year matters")


def _years(day: date) -> list[date]:
    """Return a day without year in the years that differ: before, in and after a leap year."""
    try:
        return [day.replace(year=year) for year in (2023, 2024, 2025)]
    except ValueError:
        raise no_year() from None


def _add(day: date, months: int, days: int) -> date:
    count = day.year * 12 + day.month - 1 + months
    for last in range(day.day, 27, -1) if day.day > 28 else (day.day,):
        try:
            moved = date(count // 12, count % 12 + 1, last)
            break
        except ValueError:
            continue
    else:
        moved = _leave(count, min(day.day, 28))
    try:
        return moved + timedelta(days=days)
    except OverflowError:
        raise Fault("limit", "the dates of this formula leave the calendar") from None


def _leave(count: int, day: int) -> date:
    try:
        return date(count // 12, count % 12 + 1, day)
    except ValueError:
        raise Fault("limit", "the dates of this formula leave the calendar") from None


def _moment_later(moment: Moment, duration: Duration) -> Moment:
    sure(moment.clock)
    total = moment.clock.seconds + whole_seconds(duration)
    day = later(moment.day, Duration(duration.months, Fraction(total // DAY * DAY)))
    return Moment(day, replace(moment.clock.bare(), seconds=total % DAY))


def whole_seconds(duration: Duration) -> int:
    """Return the seconds of a duration, its months aside."""
    if duration.seconds.denominator != 1:
        raise Fault("undefined", "is no whole number of seconds")
    return int(duration.seconds)


def sure(clock: Clock) -> None:
    """Refuse a time that does not say which half of the day is meant."""
    if not clock.half:
        raise Fault("half_of_day", "a time is used that does not say which half of the day is meant")


def full(value: Value) -> Day:
    """Return the day of a date or of a date with a time, refusing one that is not whole."""
    value = read(value)
    if isinstance(value, Moment):
        value = value.day
    if isinstance(value, Span):
        raise wrong_type("cannot take", value, hint=_hint(value))
    if not isinstance(value, Day):
        raise wrong_type("a date is wanted instead of", value)
    if value.known in ("month", "year"):
        raise Fault("no_day", f"{kind_of(value)} is used where the day matters")
    return value


def pair(one: Value, two: Value, *, ahead: bool = False) -> tuple[date, date]:
    """Return two dates that can be compared: both with their year, or both without it and in one half year.

    With `ahead`, of two dates without year the second must be later: else it may be one of the next year.
    """
    first, second = full(one), full(two)
    if first.known == second.known == "day":
        return first.date, second.date
    if first.known != second.known or abs(first.date - second.date) > timedelta(days=180):
        raise no_year()
    if ahead and second.date < first.date:
        raise no_year()
    gaps = {b - a for a, b in zip(_years(first.date), _years(second.date), strict=True)}
    if len(gaps) > 1:
        raise no_year()
    return first.date, second.date


def between(one: Value, two: Value) -> int:
    """Return the seconds from one to the other; a time of day that is earlier is one of the next day."""
    if isinstance(one, Clock) and isinstance(two, Clock):
        if one.half and two.half:
            return (two.seconds - one.seconds) % DAY
        # Two times of which neither tells the half of the day are in the same one, if the order is right.
        if not one.half and not two.half and one.seconds % (DAY // 2) < two.seconds % (DAY // 2):
            return two.seconds % (DAY // 2) - one.seconds % (DAY // 2)
        sure(one)
        sure(two)
    if isinstance(one, Moment) and isinstance(two, Moment):
        sure(one.clock)
        sure(two.clock)
        first, second = pair(one, two, ahead=True)
        return (second - first).days * DAY + two.clock.seconds - one.clock.seconds
    if isinstance(one, Day) and isinstance(two, Day):
        first, second = pair(one, two, ahead=True)
        return (second - first).days * DAY
    if isinstance(one, Day | Moment) and isinstance(two, Day | Moment):
        raise wrong_type("does not go together:", one, two, hint="use date(…) of the date with a time")
    raise wrong_type("there is no time between", one, two, hint=_hint(one, two))


def multiply(one: Value, two: Value) -> Value:
    """Return the product; so much a time, for some time, is an amount."""
    one, two = read(one), read(two)
    if isinstance(one, Amount) and isinstance(two, Amount) and one.unit and two.unit:
        one, two = _plain(one, two), _plain(two, one)
    for rate, time in ((one, two), (two, one)):
        if isinstance(rate, Amount) and rate.per and isinstance(time, Duration):
            if bool(time.months) == bool(time.seconds) or bool(time.months) != (rate.per in PERIODS):
                raise undefined()
            times = Fraction(time.months, PERIODS[rate.per]) if time.months else time.seconds / SECONDS[rate.per]
            return Amount(rate.number * times, rate.unit, time.per, rate.look)
    if isinstance(two, Duration) or (isinstance(one, Amount) and one.unit in ("", "%")):
        one, two = two, one
    if isinstance(two, Amount) and two.unit in ("", "%") and not two.per:
        factor = two.number / (100 if two.unit == "%" else 1)
        if isinstance(one, Amount):
            if one.unit == "%":
                return Amount(one.number * factor / 100, "", look=two.look if two.unit == "" else None)
            # So much a month five times or more is a sum; three times may be a rule of thumb.
            often = factor if one.per and not two.unit and factor.denominator == 1 and factor >= 5 else None
            often = often or (one.times if factor > 0 else None)
            # A price for each, taken so many times, is a sum; a part of it, as with a tax, is a price for each.
            each = one.each if two.unit or factor.denominator != 1 or factor < 2 else ""
            return Amount(one.number * factor, one.unit, one.per, one.look, one.literal and two.literal, often, each)
        if isinstance(one, Duration):
            months = one.months * factor
            if months.denominator != 1:
                raise undefined()
            return Duration(int(months), one.seconds * factor, one.unit, one.per)
    if isinstance(one, Amount) and isinstance(two, Amount) and one.money != two.money:
        # So much a mile for some miles, where the price does not name the mile.
        price, number = (one, two) if one.money else (two, one)
        if price.each and (price.each in units() or number.unit in units()):
            if not measures_alike(number, replace(number, unit=price.each)):
                raise Fault("units", "the price is for each of another unit")
            number = in_unit(number, price.each)
        return Amount(price.number * number.number, price.unit, price.per, price.look)
    if isinstance(one, Amount) and isinstance(two, Amount) and not (one.money and two.money):
        raise Fault("units", "two units cannot be multiplied")
    hours = isinstance(one, Duration | Amount) and isinstance(two, Duration | Amount)
    hint = "say in which unit it is counted: hours(x), days(x), months(x)" if hours else _hint(one, two)
    raise wrong_type("cannot multiply", one, two, hint=hint)


def _plain(value: Value, other: Value) -> Value:
    """Return how many things there are as a plain number, beside a unit that is none of theirs."""
    if isinstance(value, Amount) and counted(value) and isinstance(other, Amount) and not counted(other):
        return replace(value, unit="", look=None)
    return value


def divide(one: Value, two: Value) -> Value:
    """Return the quotient; of two amounts of one unit, their ratio."""
    one, two = read(one), read(two)
    two = _plain(two, one)
    if (
        isinstance(two, Amount)
        and not two.per
        and two.unit in ("", "%")
        and not (isinstance(one, Amount) and one.unit == "%" == two.unit)
    ):
        if two.number == 0:
            raise undefined()
        return multiply(one, Amount((100 if two.unit == "%" else 1) / two.number, literal=two.literal))
    if isinstance(one, Amount) and isinstance(two, Amount):
        if one.money and two.unit in units():  # the price of a unit
            if two.number == 0:
                raise undefined()
            return Amount(one.number / two.number, one.unit, one.per, one.look)
        one, two = same_unit(one, two)
        if two.number == 0:
            raise undefined()
        return Amount(one.number / two.number)
    if isinstance(one, Duration) and isinstance(two, Duration) and bool(one.months) == bool(two.months):
        low, high = (two.months, one.months) if two.months else (two.seconds, one.seconds)
        _same_period(one, two)
        if (one.months and one.seconds) or (two.months and two.seconds):
            raise undefined()
        if not low:
            raise undefined()
        return Amount(Fraction(high) / low)
    raise wrong_type("cannot divide", one, two)


def power(one: Value, two: Value) -> Value:
    """Return a whole power of a plain number."""
    if not (isinstance(one, Amount) and isinstance(two, Amount) and not one.unit and not two.unit):
        raise wrong_type("cannot raise", one, two, hint="plain numbers only")
    exponent = two.number
    if exponent.denominator != 1 or abs(exponent) > 1000:
        raise Fault("limit", "a power has a whole exponent of at most 1000")
    size = max(one.number.numerator.bit_length(), one.number.denominator.bit_length())
    if size * abs(exponent) > BITS * 2:
        raise Fault("limit", "the numbers of this formula become too large")
    if one.number == 0 and exponent < 0:
        raise undefined()
    return Amount(Fraction(one.number ** int(exponent)), look=one.look)


def order(one: Value, two: Value) -> int:
    """Return -1, 0 or 1 as one comes before the other."""
    if read(one) is not one or read(two) is not two:
        return order(read(one), read(two))
    if isinstance(one, Span) or isinstance(two, Span):
        raise wrong_type("cannot compare", one, two, hint=_hint(one, two))
    one_key: Any
    two_key: Any
    if isinstance(one, Amount) and isinstance(two, Amount):
        one, two = same_unit(one, in_unit(two, one.unit) if measures_alike(one, two) else two)
        one_key, two_key = one.number, two.number
    elif isinstance(one, Day) and isinstance(two, Day) and one.known == two.known in ("month", "year"):
        one_key, two_key = one.date, two.date
    elif isinstance(one, Day) and isinstance(two, Day):
        one_key, two_key = pair(one, two)
    elif isinstance(one, Clock) and isinstance(two, Clock):
        if one.half != two.half:
            sure(one)
            sure(two)
        one_key, two_key = one.seconds, two.seconds
    elif isinstance(one, Moment) and isinstance(two, Moment):
        one_key, two_key = 0, between(one, two)
    elif isinstance(one, Duration) and isinstance(two, Duration):
        _same_period(one, two)
        # A month has 28 to 31 days, and 12 in a row 365 or 366: where that decides nothing, it does not matter.
        months, seconds = one.months - two.months, one.seconds - two.seconds
        low, high = (
            (28 * months, 31 * months)
            if abs(months) < 12
            else (Fraction(365 * months, 12) - 31, Fraction(366 * months, 12) + 31)
        )
        ends = [DAY * Fraction(low) + seconds, DAY * Fraction(high) + seconds] if months else [seconds]
        signs = {(end > 0) - (end < 0) for end in ends}
        if len(signs) > 1:
            raise Fault("undefined", "months and days cannot be compared so closely")
        return signs.pop()
    elif isinstance(one, Text) and isinstance(two, Text):
        # Accents are sorted with their letters in some languages and behind them in others.
        one_key, two_key = fold(one.text), fold(two.text)
        plain = one.text.casefold(), two.text.casefold()
        if (one_key > two_key) != (plain[0] > plain[1]):
            raise undefined()
    else:
        raise wrong_type("cannot compare", one, two, hint=_hint(one, two) if isinstance(one, Duration | Amount) else "")
    return int(one_key > two_key) - int(one_key < two_key)


def same(one: Value, two: Value) -> bool:
    """Return whether two values are the same thing.

    Raises:
        Fault: their kinds do not compare.
    """
    if isinstance(one, Truth) and isinstance(two, Truth):
        return one.holds == two.holds
    if isinstance(one, Items) and isinstance(two, Items):
        return len(one.items) == len(two.items) and all(map(same, one.items, two.items))
    if isinstance(one, Span) and isinstance(two, Span):
        return same(one.start, two.start) and same(one.end, two.end)
    if isinstance(one, Text) != isinstance(two, Text):
        one, two = read(one), read(two)
    if isinstance(one, Text | Term) or isinstance(two, Text | Term):
        return same_text(one, two)
    return order(one, two) == 0
