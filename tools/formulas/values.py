"""The values that formulas reckon with, their kinds in words, and the one error of the language."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from fractions import Fraction
from typing import Any, NamedTuple

BITS = 4096
"""The largest size of a numerator or denominator; a power tower ends here."""
TEXT = 100_000
"""The most characters of a text that a formula may make."""


class PrivateValue(NamedTuple):
    """What stands behind a placeholder."""

    text: str
    kind: str
    """The word that the placeholder shows, such as `date`."""


@dataclass(frozen=True)
class Context:
    """What is known of the letter beside the values of its box."""

    locale: str = "en"
    """The language of the letter, with its country where that is known: `en-GB`."""
    language: str | None = None
    """The language of the answer; that of the letter unless it is told."""
    today: date | None = None
    """The day on which the letter was written."""
    genders: Mapping[str, str] = field(default_factory=dict)
    """`female` or `male` by placeholder, where the words of the letter say so."""
    currencies: frozenset[str] = frozenset()
    """Codes of the dollars, crowns and yen that the letter tells apart by more than their common sign."""


class Fault(Exception):
    """Why a formula gives nothing. Its text names placeholders and kinds, never a value or a result."""

    def __init__(self, code: str, message: str) -> None:
        """Keep the kind of fault, and the message for the model that wrote the formula."""
        super().__init__(message)
        self.code = code
        self.message = message


class Look(NamedTuple):
    """How the letter writes a number: what stands before and behind it, and its marks."""

    before: str = ""
    after: str = ""
    decimal: str = ""
    group: str = ""
    decimals: int = 0


@dataclass(frozen=True)
class Value:
    """A value; `shown` is the letter's own text, as long as nothing was reckoned."""

    shown: str | None = field(default=None, compare=False, kw_only=True)

    def bare(self) -> Any:
        """Return the value without the letter's own text."""
        return replace(self, shown=None)


@dataclass(frozen=True)
class Amount(Value):
    """A number with its unit: none, `%`, a currency (`EUR`, `$`, `kr`) or a unit of measure (`kg`)."""

    number: Fraction
    unit: str = ""
    per: str = ""
    """`year`, `month`, `week`, `day` or `hour`, where it is so much a time."""
    look: Look | None = field(default=None, compare=False)
    literal: bool = field(default=False, compare=False)
    """Whether it is a plain number of the formula's own: beside money it means the same money."""
    times: Fraction | None = field(default=None, compare=False)
    """How often so much a time was taken, where that makes it a sum: 12 times so much a month."""
    each: str = ""
    """For which unit or thing the price is: `kWh` of `€0.32/kWh`, `plate` of `Rs 640 per plate`."""

    def __post_init__(self) -> None:
        """Refuse numbers that are larger than any letter's."""
        if max(self.number.numerator.bit_length(), self.number.denominator.bit_length()) > BITS:
            raise Fault("limit", "the numbers of this formula become too large")

    @property
    def money(self) -> bool:
        """Whether the unit is a currency."""
        return is_currency(self.unit)


@dataclass(frozen=True)
class Day(Value):
    """A date; parts that the letter leaves out are not known."""

    date: date
    known: str = "day"
    """What is known: `day` (all), `yearless` (day and month), `month` (and year), or `year`."""
    look: str | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Moment(Value):
    """A date with a time."""

    day: Day
    clock: "Clock"


@dataclass(frozen=True)
class Clock(Value):
    """A time of day, in seconds after midnight."""

    seconds: int
    half: bool = True
    """Whether it is known which half of the day is meant: "half past ten" does not say."""
    look: str | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Duration(Value):
    """A length of time: whole months, and seconds."""

    months: int = 0
    seconds: Fraction = Fraction(0)
    unit: str | None = field(default=None, compare=False)
    """The unit in which the letter counts it."""
    per: str = ""
    """`week`, `day` or the like, where it is so long a time."""

    def __post_init__(self) -> None:
        """Refuse durations beyond the calendar."""
        if abs(self.months) > 120_000 or abs(self.seconds) > 120_000 * 31 * 86400:
            raise Fault("limit", "the durations of this formula become too long")


@dataclass(frozen=True)
class Span(Value):
    """A range: two ends of one kind."""

    start: Value
    end: Value


@dataclass(frozen=True)
class Text(Value):
    """A text, or the value of a placeholder that is neither number nor time."""

    text: str
    kind: str = "text"
    reads: "Value | None" = field(default=None, compare=False)
    """What it is when it is reckoned with, where its kind does not say so but its form leaves no doubt."""

    def __post_init__(self) -> None:
        """Refuse texts that no answer needs."""
        if len(self.text) > TEXT:
            raise Fault("limit", "the texts of this formula become too long")


@dataclass(frozen=True)
class Term(Value):
    """A fact of the world by its code: a country, a currency, a language, a side of the road."""

    kind: str
    code: str


@dataclass(frozen=True)
class Truth(Value):
    """Yes or no."""

    holds: bool


@dataclass(frozen=True)
class Items(Value):
    """A list."""

    items: tuple[Value, ...]

    def __post_init__(self) -> None:
        """Refuse lists that no letter has."""
        if len(self.items) > 1000:
            raise Fault("limit", "the lists of this formula become too long")


def is_currency(unit: str) -> bool:
    """Return whether a unit is a currency."""
    return unit in ("$", "kr", "¥") or (len(unit) == 3 and unit.isascii() and unit.isalpha() and unit.isupper())


_KINDS = {
    Moment: "a date with a time", Clock: "a time of day", Duration: "a duration", Truth: "a yes or no", Items: "a list",
}  # fmt: skip
_DAYS = {"day": "a date", "yearless": "a date without year", "month": "a month without day", "year": "a year alone"}


def kind_of(value: Value) -> str:
    """Return the kind of a value in words, such as `an amount of money`; it tells nothing else of it."""
    if isinstance(value, Amount):
        if value.unit == "%":
            return "a percentage"
        if value.money:
            return "an amount of money" + (f" a {value.per}" if value.per else "")
        return "a measure with a unit" if value.unit else "a plain number"
    if isinstance(value, Day):
        return _DAYS[value.known]
    if isinstance(value, Duration) and value.per:
        return f"a duration a {value.per}"
    if isinstance(value, Span):
        return f"a range, from {kind_of(value.start)} to {kind_of(value.end)}"
    if isinstance(value, Text | Term):
        return f"a {value.kind}"
    return _KINDS[type(value)]
