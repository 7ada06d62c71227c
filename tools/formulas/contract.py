"""How a function of the language is declared, and what it may ask of the evaluation that calls it."""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from gama.tools.formulas.operations import counted, read, wrong_type
from gama.tools.formulas.reading import Reader
from gama.tools.formulas.values import Amount, Fault, Span, Value


class Run(Protocol):
    """What a function may ask of the evaluation that calls it."""

    reader: Reader
    trial: bool
    language: str

    def step(self, count: int = 1) -> None:
        """Count a step, and refuse to go on after too many."""

    def apply(self, function: Any, value: Value) -> Value:
        """Call a `x => …` of the formula."""

    def write(self, value: Value) -> str:
        """Return a value as the letter writes it."""

    def note(self, text: str) -> None:
        """Have the reader told something of what the running formula gives."""

    def owner(self, value: Value) -> str | None:
        """Return the placeholder that a value came from unchanged."""


class Function(NamedTuple):
    """A function of the language."""

    call: Callable[..., Value]
    usage: str
    fits: tuple[str, ...]
    """The kinds of placeholders for which the model is told of it; empty for those of use with any."""
    least: int
    most: int


FUNCTIONS: dict[str, Function] = {}
MANY = 1000
WHEN = ("date", "date_of_birth")
NAMES = ("name", "first_name", "last_name")
PLACES = ("location", "address")
NUMBERS = ("amount", "age", "height", "weight", "duration")


def function(usage: str, *fits: str, least: int = 1, most: int | None = None) -> Callable[[Callable[..., Value]], Any]:
    """Enter a function under the name in its usage."""

    def enter(call: Callable[..., Value]) -> Callable[..., Value]:
        FUNCTIONS[usage.partition("(")[0]] = Function(call, usage, fits, least, most or least)
        return call

    return enter


def amount_of(value: Value) -> Amount:
    """Return a value that is a number, refusing any other."""
    value = read(value)
    if not isinstance(value, Amount):
        raise wrong_type("a number is wanted instead of", value)
    return value


def whole_number(value: Value, low: int = -10_000, high: int = 10_000) -> int:
    """Return a whole number without unit, refusing any other."""
    number = amount_of(value)
    if (number.unit and not counted(number)) or number.number.denominator != 1 or not low <= number.number <= high:
        raise Fault("arguments", f"a whole number from {low} to {high} is wanted")
    return int(number.number)


def of_range(value: Value) -> str:
    """Return the hint for a range where one of its ends is wanted."""
    return "use start(…) or end(…) of the range" if isinstance(value, Span) else ""
