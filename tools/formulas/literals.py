"""What a formula writes itself: numbers, amounts, dates and times."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from re import fullmatch
from typing import Any

from gama.tools.formulas.values import Amount, Clock, Day, Duration, Fault, Look, Truth, Value
from gama.tools.formulas.words import MONTHS, SECONDS, duration_words, meanings, unit_names


def _number(children: Sequence[Any]) -> Value:
    return Amount(Fraction(str(children[0])), literal=True)


def _percent(children: Sequence[Any]) -> Value:
    return Amount(Fraction(str(children[0])), "%")


def _measure(children: Sequence[Any]) -> Value:
    if len(children) > 2:  # 2 hours 50 minutes
        parts = [_measure(children[at : at + 2]) for at in range(0, len(children), 2)]
        lengths = [part for part in parts if isinstance(part, Duration)]
        if len(lengths) < len(parts):
            raise Fault("arguments", "only durations are written in several units")
        return Duration(
            sum(part.months for part in lengths), sum((part.seconds for part in lengths), Fraction(0)), lengths[0].unit
        )
    number, name = Fraction(str(children[0])), str(children[1])
    if unit := duration_words("en").get(name.casefold()) if len(name) > 1 or name == "h" else None:
        if unit in MONTHS:
            months = number * MONTHS[unit]
            if months.denominator != 1:
                raise Fault("arguments", "months are counted whole")
            return Duration(int(months), unit=unit)
        return Duration(0, number * SECONDS[unit], unit)
    if name in ("percent", "pct"):
        return Amount(number, "%")
    # `ft` is feet, as units are written; `Ft` and `HUF` are forints.
    return (None if name in unit_names() else _money(number, name)) or _of_measure(number, name)


def _money(number: Fraction, name: str) -> Value | None:
    from babel.numbers import list_currencies

    if name in ("p", "pence"):
        return Amount(number / 100, "GBP")
    code = meanings("currency").get(name.casefold()) or (name if name in list_currencies() else None)
    return Amount(number, code) if code and len(name) > 1 else None


def _of_measure(number: Fraction, name: str) -> Value:
    if name not in unit_names():
        raise Fault("arguments", f"{name} is no unit")
    return Amount(number, unit_names()[name])


def _price(children: Sequence[Any]) -> Value:
    number, sign = str(children[1]), str(children[0])
    look = Look(sign, decimals=len(number.partition(".")[2])) if sign in "€£$¥₹" else None
    return Amount(Fraction(number), meanings("currency")[sign.casefold()], look=look)


def _priced(children: Sequence[Any]) -> Value:
    price = _price(children[::-1])
    assert isinstance(price, Amount)
    return replace(price, look=price.look and Look("", f" {children[1]}", decimals=price.look.decimals))


def _iso_date(children: Sequence[Any]) -> Value:
    try:
        return Day(date.fromisoformat(str(children[0])))
    except ValueError:
        raise Fault("arguments", f"{children[0]} is no day of the calendar") from None


def _iso_time(children: Sequence[Any]) -> Value:
    told = str(children[0])
    hour, minute = int(told.partition(":")[0]), int(told.partition(":")[2][:2])
    half = "".join(sign for sign in told.lower() if sign in "apm")
    if hour > 23 or minute > 59 or (half and not 1 <= hour <= 12):
        raise Fault("arguments", f"{told} is no time of the clock")
    if half:
        hour = hour % 12 + (12 if half == "pm" else 0)
    return Clock(hour * 3600 + minute * 60)


def quoted_time(text: str) -> Value | None:
    """Return the date or time that a text in quotation marks is, if it is one: `"2025-05-12"`, `"14:30"`."""
    try:
        if fullmatch(r"\d{4}-\d\d-\d\d", text):
            return _iso_date([text])
        return _iso_time([text]) if fullmatch(r"\d{1,2}:\d\d", text) else None
    except Fault:
        return None


def _yes(children: Sequence[Any]) -> Value:
    return Truth(True)


def _no(children: Sequence[Any]) -> Value:
    return Truth(False)


LITERALS = {
    "number": _number,
    "percent": _percent,
    "measure": _measure,
    "price": _price,
    "priced": _priced,
    "iso_date": _iso_date,
    "iso_time": _iso_time,
    "yes": _yes,
    "no": _no,
}
"""What reads each kind of literal of the grammar."""
