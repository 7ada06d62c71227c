"""Writes results as the letter writes such values, or in a form or language that the formula asks for."""

from collections.abc import Sequence
from datetime import date
from fractions import Fraction
from typing import Any

import regex

from gama.tools.formulas.reading import Reader
from gama.tools.formulas.values import (
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
)
from gama.tools.formulas.words import SECONDS, locale_of, words

FORMS = ("long", "short", "full", "iso", "month", "year")
"""The forms that a formula may ask for, beside languages by their codes."""


class Writer:
    """Writes values for one formula."""

    def __init__(self, reader: Reader, forms: Sequence[str] = ()) -> None:
        """Know the letter's notation and what the formula asks for.

        Raises:
            Fault: there is no such form or language.
        """
        self._reader = reader
        own = reader.context.language or reader.locale.language
        asked = [form for form in forms if form not in FORMS]
        for tag in asked:
            if not regex.fullmatch(r"[a-z]{2}([-_][A-Z]{2})?", tag) or locale_of(tag).language != tag[:2]:
                raise Fault("form", f"there is no form {tag!r}: use {', '.join(FORMS)} or a language such as es")
        self._form = next((form for form in forms if form in FORMS), None)
        self._plain = bool(forms)
        tag = asked[0] if asked else own
        same = locale_of(tag).language == reader.locale.language
        self.locale = reader.locale if same and len(tag) == 2 else locale_of(tag)
        self.language = self.locale.language

    def write(self, value: Value) -> str:
        """Return a value as text."""
        if value.shown is not None and (not self._plain or isinstance(value, Text)):
            return value.shown
        if isinstance(value, Text):
            return value.text
        if isinstance(value, Truth):
            return self._word("yes" if value.holds else "no")
        if isinstance(value, Term):
            return self._term(value)
        if isinstance(value, Items):
            return self._list([self.write(item) for item in value.items])
        if isinstance(value, Amount):
            return self._amount(value)
        if isinstance(value, Day):
            return self._day(value)
        if isinstance(value, Clock):
            return self._clock(value)
        if isinstance(value, Moment):
            if self._form == "iso":
                return f"{self._day(value.day)}T{self._clock(value.clock)}"
            return f"{self._day(value.day)}, {self._clock(value.clock)}"
        if isinstance(value, Span):
            return f"{self.write(value.start)} – {self.write(value.end)}"
        assert isinstance(value, Duration)
        return self._duration(value)

    def _word(self, word: str) -> str:
        told: dict[str, str] = words()["written"][word]
        return told.get(self.language, told["en"])

    def _list(self, texts: list[str]) -> str:
        from babel.lists import format_list

        return format_list(texts, locale=self.locale) if texts else self._word("none")

    def _term(self, term: Term) -> str:
        from babel.numbers import get_currency_name

        if term.kind == "weekday":
            return str(self.locale.days["format"]["wide"][int(term.code)])
        if self._form in ("short", "iso"):
            return term.code
        if term.kind == "country":
            return str(self.locale.territories[term.code])
        if term.kind == "language":
            return str(self.locale.languages.get(term.code, term.code))
        if term.kind == "currency":
            return get_currency_name(term.code, locale=self.locale)
        return self._word(term.code)

    def _amount(self, amount: Amount) -> str:
        look = amount.look or Look()
        if self._plain and self.language != self._reader.locale.language:
            look = Look(decimals=look.decimals)
        number = self.number(amount.number, look, _decimals(amount, look), grouping=amount.money)
        sign, number = ("-", number[1:]) if number.startswith("-") else ("", number)
        if self._form == "iso" or not amount.unit:
            return sign + number
        if look.before or look.after:
            return f"{sign}{look.before}{number}{look.after}"
        return sign + self._with_unit(number, amount)

    def _with_unit(self, number: str, amount: Amount) -> str:
        from babel.numbers import get_currency_symbol

        if amount.unit == "%":
            return (
                f"{number} %"
                if " %" in self.locale.percent_formats[None].pattern.replace("\xa0", " ")
                else f"{number}%"
            )
        if not amount.money:
            return f"{number} {amount.unit}"
        sign = amount.unit if len(amount.unit) < 3 else get_currency_symbol(amount.unit, locale=self.locale)
        before = self.locale.currency_formats["standard"].pattern.startswith("¤")
        space = " " if not before or sign.isalpha() else ""
        return f"{sign}{space}{number}" if before else f"{number} {sign}"

    def number(self, number: Fraction, look: Look, decimals: int, *, grouping: bool = False) -> str:
        """Return a number with the letter's marks, rounded half up at so many decimals."""
        symbols = self.locale.number_symbols["latn"]
        decimal = look.decimal or (self._reader.marks.decimal if not self._plain else None) or symbols["decimal"]
        own = symbols["group"].replace("\xa0", " ").replace("\u202f", " ").replace("’", "'")
        group = look.group or (
            own if own != decimal and symbols["decimal"] == decimal else {".": ",", ",": "."}[decimal]
        )
        scaled = abs(number) * 10**decimals
        whole, rest = divmod(scaled.numerator, scaled.denominator)
        digits = str(whole + (2 * rest >= scaled.denominator)).rjust(decimals + 1, "0")
        head, tail = (digits[:-decimals], digits[-decimals:]) if decimals else (digits, "")
        # A plain number of four digits may be a year.
        if self._form != "iso" and len(head) > (3 if look.group or grouping else 4):
            head = _grouped(head, group, indian=self.locale.territory == "IN" and group == ",")
        negative = number < 0 and any(sign not in "0" for sign in digits)
        return ("-" if negative else "") + head + (("." if self._form == "iso" else decimal) + tail if tail else "")

    def _day(self, day: Day) -> str:
        from babel.dates import format_date

        if self._form == "iso" and day.known != "yearless":
            return day.date.isoformat()[: {"day": 10, "month": 7, "year": 4}[day.known]]
        if self._form == "year" and day.known != "yearless":
            return str(day.date.year)
        if self._form == "month" and day.known != "year":
            return str(self.locale.months["stand-alone"]["wide"][day.date.month])
        if not self._plain and day.look and not (day.known == "yearless" and "{E" in day.look):
            return regex.sub(r"\{([^{}]*)\}", lambda match: self._field(match[1], day.date), day.look)
        if day.known == "year":
            return str(day.date.year)
        if day.known == "day":
            style = {"short": "short", "full": "full"}.get(self._form or "", "long")
            return format_date(day.date, format=style, locale=self._of_days())
        from babel.dates import format_skeleton

        return str(format_skeleton("MMMMd" if day.known == "yearless" else "yMMMM", _at(day.date), locale=self.locale))

    def _of_days(self) -> Any:
        """Return the locale for dates: in English of no country, as the letter's own dates have day and month."""
        if self.language == "en" and not self.locale.territory and self._reader.day_before_month:
            return locale_of("en-GB")
        return self.locale

    def _field(self, pattern: str, day: date) -> str:
        from babel.dates import format_date

        pattern, upper, _ = pattern.partition("^")
        pattern, _, suffix = pattern.partition("~")
        if pattern == "R":
            return "I II III IV V VI VII VIII IX X XI XII".split()[day.month - 1]
        # A weekday or month is written in the language of the letter, whose form it takes.
        text = format_date(day, format=pattern.rstrip("."), locale=self._reader.locale)
        if pattern == "MMM.":
            text = text.rstrip(".") + "."
        elif pattern in ("MMM", "EEE"):
            text = text.rstrip(".")
        return (text.upper() if upper else text) + _ordinal_suffix(suffix, day.day)

    def _clock(self, clock: Clock) -> str:
        from datetime import time

        seconds = clock.seconds
        if self._form == "iso":
            return f"{seconds // 3600:02}:{seconds // 60 % 60:02}" + (f":{seconds % 60:02}" if seconds % 60 else "")
        if self._plain or not clock.look:
            from babel.dates import format_time

            return format_time(time(seconds // 3600, seconds // 60 % 60), format="short", locale=self.locale)
        return regex.sub(r"\{([^{}]*)\}", lambda match: _clock_field(match[1], clock), clock.look)

    def _duration(self, duration: Duration) -> str:
        from babel.units import format_unit

        parts: list[tuple[Fraction, str]] = []
        months, seconds = duration.months, duration.seconds
        if months:
            sign = -1 if months < 0 else 1
            years, rest = divmod(abs(months), 12)
            if duration.unit == "month" and not years * 12 == abs(months):
                years, rest = 0, abs(months)
            parts += [(Fraction(sign * years), "year")] if years else []
            parts += [(Fraction(sign * rest), "month")] if rest else []
        if seconds or not months:
            unit = "week" if duration.unit == "fortnight" else duration.unit
            unit = unit if unit in SECONDS and unit != "second" else ("day" if seconds % 86400 == 0 else "hour")
            parts += _split(seconds, unit)
        texts = [
            str(format_unit(int(number), f"duration-{unit}", length="long", locale=self.locale))
            if number.denominator == 1
            else f"{self.number(number, Look(), 2)} {unit}s"
            for number, unit in parts
        ]
        told = [text.replace("\xa0", " ") for text in texts]
        return f" {words()['with'].get(self.language, '')} ".replace("  ", " ").join(told)


def _split(seconds: Fraction, unit: str) -> list[tuple[Fraction, str]]:
    """Return a length of time in a unit, and in smaller ones what is left."""
    sign, rest, parts = (-1 if seconds < 0 else 1), abs(seconds), list[tuple[Fraction, str]]()
    units = ["week", "day", "hour", "minute", "second"]
    if rest % SECONDS[unit] and unit == "week":
        unit = "day"
    for smaller in units[units.index(unit) :]:
        count = rest // SECONDS[smaller]
        rest -= count * SECONDS[smaller]
        if count:
            parts.append((Fraction(sign * count), smaller))
    if rest:
        raise Fault("undefined", "is no whole number of seconds")
    return parts or [(Fraction(0), unit)]


def _decimals(amount: Amount, look: Look) -> int:
    """Return how many decimals a number is written with."""
    from babel.numbers import get_currency_precision

    number = amount.number
    if amount.money:
        precision = get_currency_precision(amount.unit) if len(amount.unit) == 3 else 2
        whole = number.denominator == 1 and not look.decimals
        return 0 if whole else max(precision, 0)
    if number.denominator == 1:
        return look.decimals if amount.unit else 0
    decimals = max(look.decimals, 2)
    while abs(number) * 10**decimals < 100 and decimals < 12:
        decimals += 1
    while decimals > look.decimals and (number * 10 ** (decimals - 1)).denominator == 1:
        decimals -= 1
    return decimals


def _grouped(digits: str, mark: str, *, indian: bool = False) -> str:
    head, tail = digits[:-3], digits[-3:]
    size = 2 if indian else 3
    parts = [head[max(0, end - size) : end] for end in range(len(head), 0, -size)][::-1]
    return mark.join([*parts, tail])


def _ordinal_suffix(suffix: str, number: int) -> str:
    if suffix in ("st", "nd", "rd", "th"):
        return "th" if number in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    if suffix in (":a", ":e"):
        return ":a" if number % 10 in (1, 2) and number not in (11, 12) else ":e"
    if suffix in ("er", "e"):
        return suffix if number == 1 else ""
    return suffix


def _clock_field(pattern: str, clock: Clock) -> str:
    """Write a time by its pattern: `H:mm`, `HH.mm`, `Hhmm`, `h:mm| pm`."""
    pattern, _, half = pattern.partition("|")
    hour, minute, second = clock.seconds // 3600, clock.seconds // 60 % 60, clock.seconds % 60
    if half or not clock.half:
        hour = hour % 12 or 12
    out = regex.sub(r"^(HH|hh)|^[Hh]", lambda match: f"{hour:02}" if match[1] else str(hour), pattern)
    out = out.replace("mm", f"{minute:02}") if "mm" in pattern else out + (f":{minute:02}" if minute else "")
    out += f":{second:02}" if second else ""
    if not half:
        return out
    said = regex.sub("[aApP](?=\\.?[mM])", lambda match: _meridiem(match[0], clock.seconds), half)
    return out + said


def _meridiem(sign: str, seconds: int) -> str:
    letter = "p" if seconds >= 43200 else "a"
    return letter.upper() if sign.isupper() else letter


def _at(day: date) -> Any:
    from datetime import datetime

    return datetime(day.year, day.month, day.day)  # noqa: DTZ001 (a day alone has no time zone)
