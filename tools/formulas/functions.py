"""The functions of the language, each with how it is called and the values that it fits."""

from collections.abc import Callable, Iterable, Iterator
from datetime import date
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cmp_to_key
from itertools import islice
from typing import Any, NamedTuple, Protocol

import regex

from gama.tools.formulas import facts
from gama.tools.formulas.identity import PersonName
from gama.tools.formulas.operations import (
    add,
    between,
    divide,
    full,
    later,
    no_year,
    order,
    pair,
    same,
    undefined,
    wrong_type,
)
from gama.tools.formulas.reading import Reader
from gama.tools.formulas.values import (
    Amount,
    Clock,
    Day,
    Duration,
    Fault,
    Items,
    Moment,
    Span,
    Term,
    Text,
    Truth,
    Value,
    kind_of,
)
from gama.tools.formulas.words import MONTHS, SECONDS, rows, unit_names, units


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


def _function(usage: str, *fits: str, least: int = 1, most: int | None = None) -> Callable[[Callable[..., Value]], Any]:
    """Enter a function under the name in its usage."""

    def enter(call: Callable[..., Value]) -> Callable[..., Value]:
        FUNCTIONS[usage.partition("(")[0]] = Function(call, usage, fits, least, most or least)
        return call

    return enter


def _amount(value: Value) -> Amount:
    if not isinstance(value, Amount):
        raise wrong_type("a number is wanted instead of", value)
    return value


def _whole(value: Value, low: int = -10_000, high: int = 10_000) -> int:
    number = _amount(value)
    if number.unit or number.number.denominator != 1 or not low <= number.number <= high:
        raise Fault("arguments", f"a whole number from {low} to {high} is wanted")
    return int(number.number)


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
            first, second = pair(one, two)
            gap = (second - first).days
            return Amount(Fraction(abs(gap) * 86400 // size * (1 if gap >= 0 else -1)))
        if isinstance(one, Day) and isinstance(two, Day):
            raise Fault("type", f"two dates without a time are no number of {unit}s apart: use days(a, b)")
        return Amount(Fraction(between(one, two), size))

    return count


for _unit, _size in MONTHS.items():
    _function(f"{_unit}s(a, b)", *WHEN, "duration", most=2)(_calendar_units(_unit, _size))
for _unit in ("week", "day"):
    _function(f"{_unit}s(a, b)", *WHEN, "duration", most=2)(_exact_units(_unit))
for _unit in ("hour", "minute"):
    _function(f"{_unit}s(a, b)", "time", "duration", most=2)(_exact_units(_unit))


@_function("weekday(d)", *WHEN)
def _weekday(run: Run, value: Value) -> Value:
    day = full(value)
    if day.known != "day":
        raise no_year()
    return Term("weekday", str(day.date.weekday()))


@_function("age(born, on)", "date_of_birth", most=2)
def _age(run: Run, *values: Value) -> Value:
    if len(values) == 1:
        if run.reader.context.today is None:
            raise Fault("no_today", "the day of the letter is not known: say age(born, on)")
        values = (values[0], Day(run.reader.context.today))
    found = FUNCTIONS["years"].call(run, *values)
    if _amount(found).number < 0:
        raise undefined()
    return found


@_function("today()", least=0)
def _today(run: Run) -> Value:
    if run.reader.context.today is None:
        raise Fault("no_today", "the day of the letter is not known")
    return Day(run.reader.context.today)


@_function("date(x)", *WHEN, most=3)
def _date(run: Run, *values: Value) -> Value:
    if len(values) == 3:
        year, month, day = _whole(values[0]), _whole(values[1]), _whole(values[2])
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
    raise wrong_type("a date with a time is wanted instead of", value, hint=_of_range(value))


def _of_range(value: Value) -> str:
    return "use start(…) or end(…) of the range" if isinstance(value, Span) else ""


@_function("time(x)", "time", *WHEN)
def _time(run: Run, value: Value) -> Value:
    if isinstance(value, Moment):
        return value.clock
    if isinstance(value, Clock):
        return value
    if isinstance(value, Text) and (match := regex.fullmatch(r"([01]?\d|2[0-3]):([0-5]\d)", value.text)):
        return Clock(int(match[1]) * 3600 + int(match[2]) * 60)
    raise wrong_type("a date with a time is wanted instead of", value, hint=_of_range(value))


@_function("start(range)", *WHEN, "time", "amount")
def _start(run: Run, value: Value) -> Value:
    if isinstance(value, Span):
        return value.start
    raise wrong_type("a range is wanted instead of", value)


@_function("end(range)", *WHEN, "time", "amount")
def _end(run: Run, value: Value) -> Value:
    if isinstance(value, Span):
        return value.end
    raise wrong_type("a range is wanted instead of", value)


@_function("iso(d)", *WHEN)
def _iso(run: Run, value: Value) -> Value:
    from gama.tools.formulas.writing import Writer

    if not isinstance(value, Day | Moment | Clock):
        raise wrong_type("a date is wanted instead of", value, hint=_of_range(value))
    if isinstance(value, Day) and value.known == "yearless":
        raise no_year()
    return Text(Writer(run.reader, ("iso",)).write(value.bare()))


def _part(name: str, known: tuple[str, ...]) -> None:
    @_function(f"{name}(d)", *WHEN)
    def part(run: Run, value: Value) -> Value:
        day = value.day if isinstance(value, Moment) else value
        if not isinstance(day, Day):
            raise wrong_type("a date is wanted instead of", value, hint=_of_range(value))
        if day.known not in known:
            raise Fault("no_year" if name == "year" else "no_day", f"{kind_of(day)} does not name a {name}")
        return Amount(Fraction(getattr(day.date, name)))


_part("year", ("day", "month", "year"))
_part("month", ("day", "month", "yearless"))
_part("day", ("day", "yearless"))


@_function("next_working_day(d, place)", *WHEN, most=2)
def _next_working_day(run: Run, value: Value, place: Value | None = None) -> Value:
    return next(_working(run, value, place))


@_function("working_day_from(d, place)", *WHEN, most=2)
def _working_day_from(run: Run, value: Value, place: Value | None = None) -> Value:
    return next(_working(run, later(full(value), Duration(0, Fraction(-86400))), place))


@_function("add_working_days(d, n, place)", *WHEN, least=2, most=3)
def _add_working_days(run: Run, value: Value, count: Value, place: Value | None = None) -> Value:
    number = _whole(count, -1000, 1000)
    if not number:
        raise Fault("arguments", "a number of working days other than 0 is wanted")
    found = _working(run, value, place, 1 if number > 0 else -1)
    return next(islice(found, abs(number) - 1, None))


@_function("working_days(a, b, place)", *WHEN, least=2, most=3)
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
    where = None if run.trial and place is not None else place
    for found in facts.working_days(day.date, where, step):
        run.step()
        yield Day(found, look=day.look)


@_function("round(x, decimals)", *NUMBERS, most=2)
def _round(run: Run, value: Value, decimals: Value | None = None) -> Value:
    return _rounded(value, _whole(decimals, -12, 12) if decimals else 0, lambda scaled: (2 * abs(scaled) + 1) // 2)


@_function("floor(x)", *NUMBERS)
def _floor(run: Run, value: Value) -> Value:
    amount = _amount(value)
    return Amount(Fraction(amount.number.__floor__()), amount.unit, amount.per, _without_decimals(amount))


@_function("ceil(x)", *NUMBERS)
def _ceil(run: Run, value: Value) -> Value:
    amount = _amount(value)
    return Amount(Fraction(amount.number.__ceil__()), amount.unit, amount.per, _without_decimals(amount))


@_function("abs(x)", *NUMBERS)
def _abs(run: Run, value: Value) -> Value:
    if isinstance(value, Duration):
        return Duration(abs(value.months), abs(value.seconds), value.unit)
    amount = _amount(value)
    return Amount(abs(amount.number), amount.unit, amount.per, amount.look)


def _rounded(value: Value, decimals: int, nearest: Callable[[Fraction], int]) -> Value:
    amount = _amount(value)
    scaled = amount.number * Fraction(10) ** decimals
    number = Fraction(nearest(scaled) * (1 if scaled >= 0 else -1)) / Fraction(10) ** decimals
    look = amount.look._replace(decimals=max(decimals, 0)) if amount.look else None
    return Amount(number, amount.unit, amount.per, look)


def _without_decimals(amount: Amount) -> Any:
    return amount.look._replace(decimals=0) if amount.look else None


def _items(values: Iterable[Value]) -> list[Value]:
    given = list(values)
    return list(given[0].items) if len(given) == 1 and isinstance(given[0], Items) else given


def _some(values: Iterable[Value]) -> list[Value]:
    found = _items(values)
    if not found:
        raise Fault("empty", "the list is empty")
    return found


@_function("min(a, b, …)", *NUMBERS, *WHEN, "time", most=MANY)
def _min(run: Run, *values: Value) -> Value:
    return min(_some(values), key=cmp_to_key(order))


@_function("max(a, b, …)", *NUMBERS, *WHEN, "time", most=MANY)
def _max(run: Run, *values: Value) -> Value:
    return max(_some(values), key=cmp_to_key(order))


@_function("sum(a, b, …)", *NUMBERS, most=MANY)
def _sum(run: Run, *values: Value) -> Value:
    first, *rest = _some(values)
    if not isinstance(first, Amount | Duration):
        raise wrong_type("numbers are wanted instead of", first)
    for value in rest:
        first = add(first, value)
    return first


@_function("avg(a, b, …)", *NUMBERS, most=MANY)
def _avg(run: Run, *values: Value) -> Value:
    found = _some(values)
    return divide(_sum(run, *found), Amount(Fraction(len(found))))


@_function("count(list)", most=MANY)
def _count(run: Run, *values: Value) -> Value:
    return Amount(Fraction(len(_items(values))))


@_function("sort(list)", most=MANY)
def _sort(run: Run, *values: Value) -> Value:
    return Items(tuple(sorted(_items(values), key=cmp_to_key(order))))


@_function("sort_by(list, x => …)", least=2)
def _sort_by(run: Run, value: Value, key: Any) -> Value:
    pairs = [(run.apply(key, item), item) for item in _list(value)]
    return Items(tuple(item for _, item in sorted(pairs, key=cmp_to_key(lambda one, two: order(one[0], two[0])))))


@_function("reverse(list)")
def _reverse(run: Run, value: Value) -> Value:
    return Items(_list(value)[::-1])


def _list(value: Value) -> tuple[Value, ...]:
    if not isinstance(value, Items):
        raise wrong_type("a list is wanted instead of", value)
    return value.items


@_function("filter(list, x => …)", least=2)
def _filter(run: Run, value: Value, keep: Any) -> Value:
    kept = []
    for item in _list(value):
        holds = run.apply(keep, item)
        if not isinstance(holds, Truth):
            raise wrong_type("a comparison is wanted instead of", holds)
        if holds.holds or run.trial:
            kept.append(item)
    return Items(tuple(kept))


@_function("map(list, x => …)", least=2)
def _map(run: Run, value: Value, make: Any) -> Value:
    return Items(tuple(run.apply(make, item) for item in _list(value)))


@_function("join(a, b, …)", most=MANY)
def _join(run: Run, *values: Value) -> Value:
    """Join texts; a list and a text are its items with the text between them."""
    if len(values) == 2 and isinstance(values[0], Items) and isinstance(values[1], Text):
        return Text(values[1].text.join(run.write(item) for item in values[0].items))
    return Text("".join(run.write(item) for item in _items(values)))


@_function("equal(a, b)", least=2)
def _equal(run: Run, one: Value, two: Value) -> Value:
    return Truth(same(one, two))


@_function("percentage(a, b)", *NUMBERS, most=2)
def _percentage(run: Run, one: Value, two: Value | None = None) -> Value:
    """Return how many per cent of the second the first is; of one number, that number as a percentage."""
    ratio = _amount(divide(one, two) if two else one)
    if ratio.unit or ratio.per:
        raise wrong_type("a ratio is wanted instead of", ratio)
    return Amount(ratio.number * 100, "%")


def _a_time(name: str, unit: str) -> None:
    @_function(f"{name}(x)", "amount")
    def convert_period(run: Run, value: Value) -> Value:
        amount = _amount(value)
        if amount.per == unit:
            return amount
        in_year = {"year": 1, "month": 12}
        if amount.per not in in_year:
            told = (
                f"so much a {amount.per}: how many {amount.per}s of a {unit} count is not known"
                if amount.per
                else kind_of(amount)
            )
            raise Fault("type", f"an amount a month or a year is wanted instead of {told}")
        number = amount.number * in_year[amount.per] / in_year[unit]
        return Amount(number, amount.unit, unit, amount.look)


_a_time("yearly", "year")
_a_time("monthly", "month")


@_function('convert(x, "kg")', "height", "weight", "amount", least=2)
def _convert(run: Run, value: Value, to: Value) -> Value:
    amount, name = _amount(value), to.text if isinstance(to, Text) else ""
    unit = unit_names().get(name) or unit_names().get(name.casefold())
    if unit is None:
        raise Fault(
            "arguments",
            "there is no such unit to convert to" + (" : currencies are not converted" if amount.money else ""),
        )
    if amount.unit not in units() or units()[amount.unit].dimension != units()[unit].dimension:
        raise Fault(
            "units",
            f"{kind_of(amount)} cannot be converted to {name}"
            if amount.unit not in units()
            else f"the unit cannot be converted to {name}",
        )
    old, new = units()[amount.unit], units()[unit]
    return Amount((amount.number * old.factor + old.offset - new.offset) / new.factor, unit, amount.per)


@_function("instalment(amount, n, yearly_rate)", "amount", least=2, most=3)
def _instalment(run: Run, value: Value, count: Value, rate: Value | None = None) -> Value:
    """Return the equal monthly payment of a loan, or of a price without interest."""
    amount, number = _amount(value), _whole(count, 1, 1200)
    if not amount.money and amount.unit:
        raise wrong_type("an amount is wanted instead of", amount)
    if rate is None:
        return Amount(amount.number / number, amount.unit, look=amount.look)
    if not isinstance(rate, Amount) or rate.unit != "%":
        raise wrong_type("a percentage a year is wanted instead of", rate)
    monthly = rate.number / 1200
    if not monthly:
        return Amount(amount.number / number, amount.unit, look=amount.look)
    if not 0 < monthly <= 1:
        raise undefined()
    with localcontext() as reckoning:
        reckoning.prec = 60
        base = Decimal(monthly.numerator) / Decimal(monthly.denominator)
        principal = Decimal(amount.number.numerator) / Decimal(amount.number.denominator)
        payment = principal * base / (1 - (1 + base) ** -number)
        return Amount(Fraction(payment.quantize(Decimal("1e-12"))), amount.unit, look=amount.look)


def _name(run: Run, value: Value) -> PersonName:
    if not isinstance(value, Text) or value.kind not in (*NAMES, "text"):
        raise wrong_type("a name of a person is wanted instead of", value)
    if run.trial:
        return PersonName("Ms Anna Berg", "en")
    placeholder = run.owner(value) or ""
    family = None
    if match := regex.fullmatch(r"<?<?name-(\d+)[a-z]*>?>?", placeholder):
        known = run.reader.values.get(placeholder.replace("name-", "last_name-", 1))
        family = known.text if known and value.text.endswith(f" {known.text}") else None
    family = value.text if value.kind == "last_name" else family
    return PersonName(value.text, run.reader.locale.language, family)


@_function("surname(name)", *NAMES)
def _surname(run: Run, value: Value) -> Value:
    return Text(_name(run, value).surname, "last_name")


@_function("first(name)", *NAMES)
def _first(run: Run, value: Value) -> Value:
    if isinstance(value, Items):
        return _some([value])[0]
    return Text(_name(run, value).first, "first_name")


@_function("last(list)")
def _last(run: Run, value: Value) -> Value:
    return _some([Items(_list(value))])[-1]


@_function("initials(name)", *NAMES)
def _initials(run: Run, value: Value) -> Value:
    return Text(_name(run, value).initials)


@_function("female(name)", *NAMES)
def _female(run: Run, value: Value) -> Value:
    return Truth(_gender(run, value) == "female")


@_function("male(name)", *NAMES)
def _male(run: Run, value: Value) -> Value:
    return Truth(_gender(run, value) == "male")


def _gender(run: Run, value: Value) -> str:
    told = run.reader.context.genders.get(run.owner(value) or "")
    return told or _name(run, value).find_gender()


def _by_language(run: Run, column: int, value: Value) -> str:
    table = {row[0]: row for row in rows("titles.tsv")}
    if run.language not in table:
        raise Fault("no_fact", "the forms of address of this language are not known")
    return table[run.language][column + (_gender(run, value) == "male")]


@_function("title(name)", *NAMES)
def _title(run: Run, value: Value) -> Value:
    return Text(_by_language(run, 1, value))


@_function("salutation(name)", *NAMES)
def _salutation(run: Run, value: Value) -> Value:
    return Text(_by_language(run, 3, value).format(_name(run, value).surname))


@_function("last4(code)", "iban", "phone", "credit_card", "bank_account", "id_number", "ssn")
def _last4(run: Run, value: Value) -> Value:
    if not isinstance(value, Text):
        raise wrong_type("a code is wanted instead of", value)
    signs = regex.sub(r"[^\p{L}\p{N}]", "", value.text)
    if len(signs) < 5 and not run.trial:
        raise undefined()
    return Text(signs[-4:])


def _fact(usage: str, look_up: Callable[[Value], Any], stand_in: Value, *fits: str) -> None:
    @_function(usage, *fits)
    def fact(run: Run, value: Value) -> Value:
        if not isinstance(value, Text | Term):
            raise wrong_type("a place or name is wanted instead of", value)
        if run.trial:
            return stand_in
        found = look_up(value)
        if isinstance(found, list):
            return found[0] if len(found) == 1 else Items(tuple(found))
        assert isinstance(found, Value)
        return found


_fact("country(place)", facts.country, Term("country", "ES"), *PLACES, "phone", "iban")
_fact("currency(place)", facts.currency, Term("currency", "EUR"), *PLACES)
_fact("language(place)", facts.languages, Term("language", "es"), *PLACES)
_fact("drives_on(place)", facts.drives_on, Term("side of the road", "right"), *PLACES)
_fact("plug_type(place)", facts.plug_type, Text("C, F", "plug type"), *PLACES)
_fact("timezone(place)", facts.timezone, Text("Europe/Madrid", "time zone"), *PLACES)
_fact("generic(drug)", facts.generic, Text("paracetamol", "medicine"), "medical_condition")
