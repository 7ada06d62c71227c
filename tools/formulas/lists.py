"""Functions of numbers, amounts and lists."""

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cmp_to_key
from typing import Any

from gama.tools.formulas.contract import MANY, NUMBERS, WHEN, Run, amount_of, function, whole_number
from gama.tools.formulas.operations import add, divide, in_unit, order, same, undefined, wrong_type
from gama.tools.formulas.values import Amount, Duration, Fault, Items, Text, Truth, Value, kind_of
from gama.tools.formulas.words import unit_names, units


@function("round(x, decimals)", *NUMBERS, most=2)
def _round(run: Run, value: Value, decimals: Value | None = None) -> Value:
    places, amount = whole_number(decimals, -12, 12) if decimals else 0, amount_of(value)
    size = Fraction(10) ** places
    number = Fraction((2 * abs(amount.number) * size + 1) // 2) / size * (1 if amount.number >= 0 else -1)
    look = amount.look._replace(decimals=max(places, 0)) if amount.look else None
    return Amount(number, amount.unit, amount.per, look)


@function("floor(x)", *NUMBERS)
def _floor(run: Run, value: Value) -> Value:
    amount = amount_of(value)
    return Amount(Fraction(amount.number.__floor__()), amount.unit, amount.per, _without_decimals(amount))


@function("ceil(x)", *NUMBERS)
def _ceil(run: Run, value: Value) -> Value:
    amount = amount_of(value)
    return Amount(Fraction(amount.number.__ceil__()), amount.unit, amount.per, _without_decimals(amount))


@function("abs(x)", *NUMBERS)
def _abs(run: Run, value: Value) -> Value:
    if isinstance(value, Duration):
        return Duration(abs(value.months), abs(value.seconds), value.unit, value.per)
    amount = amount_of(value)
    return Amount(abs(amount.number), amount.unit, amount.per, amount.look)


def _without_decimals(amount: Amount) -> Any:
    return amount.look._replace(decimals=0) if amount.look else None


def _items(values: Iterable[Value]) -> list[Value]:
    given = list(values)
    return list(given[0].items) if len(given) == 1 and isinstance(given[0], Items) else given


def some_of(values: Iterable[Value]) -> list[Value]:
    """Return the items of a list, refusing an empty one."""
    found = _items(values)
    if not found:
        raise Fault("empty", "the list is empty")
    return found


@function("min(a, b, …)", *NUMBERS, *WHEN, "time", most=MANY)
def _min(run: Run, *values: Value) -> Value:
    return min(some_of(values), key=cmp_to_key(order))


@function("max(a, b, …)", *NUMBERS, *WHEN, "time", most=MANY)
def _max(run: Run, *values: Value) -> Value:
    return max(some_of(values), key=cmp_to_key(order))


@function("sum(a, b, …)", *NUMBERS, most=MANY)
def _sum(run: Run, *values: Value) -> Value:
    first, *rest = some_of(values)
    if not isinstance(first, Amount | Duration):
        raise wrong_type("numbers are wanted instead of", first)
    for value in rest:
        first = add(first, value)
    return first


@function("avg(a, b, …)", *NUMBERS, most=MANY)
def _avg(run: Run, *values: Value) -> Value:
    found = some_of(values)
    return divide(_sum(run, *found), Amount(Fraction(len(found))))


@function("count(list)", most=MANY)
def _count(run: Run, *values: Value) -> Value:
    return Amount(Fraction(len(_items(values))))


@function("sort(list)", most=MANY)
def _sort(run: Run, *values: Value) -> Value:
    return Items(tuple(sorted(_items(values), key=cmp_to_key(order))))


@function("sort_by(list, keys or x => …)", least=2)
def _sort_by(run: Run, value: Value, key: Any) -> Value:
    """Sort a list by another of the same length, or by what a rule gives for each item."""
    items = _list(value)
    keys = list(key.items) if isinstance(key, Items) else [run.apply(key, item) for item in items]
    if len(keys) != len(items):
        raise Fault("arguments", "sort_by wants as many keys as the list has items")
    by_key = cmp_to_key(order)
    places = sorted(range(len(items)), key=lambda place: by_key(keys[place]))
    return Items(tuple(items[place] for place in places))


@function("nth(list, n)", least=2)
def _nth(run: Run, value: Value, place: Value) -> Value:
    """Return an item of a list; the first is 1."""
    items, at = _list(value), whole_number(place, 1, 1000)
    if at > len(items):
        raise Fault("empty", "the list is shorter")
    return items[at - 1]


@function("reverse(list)")
def _reverse(run: Run, value: Value) -> Value:
    return Items(_list(value)[::-1])


def _list(value: Value) -> tuple[Value, ...]:
    if not isinstance(value, Items):
        raise wrong_type("a list is wanted instead of", value)
    return value.items


@function("filter(list, x => …)", least=2)
def _filter(run: Run, value: Value, keep: Any) -> Value:
    kept = []
    for item in _list(value):
        holds = run.apply(keep, item)
        if not isinstance(holds, Truth):
            raise wrong_type("a comparison is wanted instead of", holds)
        if holds.holds or run.trial:
            kept.append(item)
    return Items(tuple(kept))


@function("map(list, x => …)", least=2)
def _map(run: Run, value: Value, make: Any) -> Value:
    return Items(tuple(run.apply(make, item) for item in _list(value)))


@function("join(a, b, …)", most=MANY)
def _join(run: Run, *values: Value) -> Value:
    """Join texts; a list and a text are its items with the text between them."""
    if len(values) == 2 and isinstance(values[0], Items) and isinstance(values[1], Text):
        return Text(values[1].text.join(run.write(item) for item in values[0].items))
    return Text("".join(run.write(item) for item in _items(values)))


@function("equal(a, b)", least=2)
def _equal(run: Run, one: Value, two: Value) -> Value:
    return Truth(same(one, two))


@function("percentage(a, b)", *NUMBERS, most=2)
def _percentage(run: Run, one: Value, two: Value | None = None) -> Value:
    """Return how many per cent of the second the first is; of one number, that number as a percentage."""
    ratio = amount_of(divide(one, two) if two else one)
    if ratio.unit or ratio.per:
        raise wrong_type("a ratio is wanted instead of", ratio)
    return Amount(ratio.number * 100, "%")


def _a_time(name: str, unit: str) -> None:
    @function(f"{name}(x)", "amount")
    def convert_period(run: Run, value: Value) -> Value:
        amount = amount_of(value)
        if amount.per == unit:
            return replace(amount, shown=None, times=Fraction(1))
        in_year = {"year": 1, "quarter": 4, "month": 12}
        if amount.per not in in_year:
            told = (
                f"so much a {amount.per}: how many {amount.per}s of a {unit} count is not known"
                if amount.per
                else kind_of(amount)
            )
            raise Fault("type", f"an amount a month or a year is wanted instead of {told}")
        number = amount.number * in_year[amount.per] / in_year[unit]
        return Amount(number, amount.unit, unit, amount.look, times=Fraction(1))


_a_time("yearly", "year")
_a_time("monthly", "month")


@function("once(x)", "amount")
def _once(run: Run, value: Value) -> Value:
    """Return the amount of one month, week or the like of so much a time, as a sum."""
    amount = amount_of(value)
    return Amount(amount.number, amount.unit, look=amount.look)


@function('convert(x, "kg")', "height", "weight", "amount", least=2)
def _convert(run: Run, value: Value, to: Value) -> Value:
    amount, name = amount_of(value), to.text if isinstance(to, Text) else ""
    unit = unit_names().get(name) or unit_names().get(name.casefold())
    if unit is None:
        raise Fault(
            "arguments",
            "there is no such unit to convert to",
        )
    if amount.unit not in units() or units()[amount.unit].dimension != units()[unit].dimension:
        raise Fault(
            "units",
            f"{kind_of(amount)} cannot be converted to {name}"
            if amount.unit not in units()
            else f"the unit cannot be converted to {name}",
        )
    return in_unit(amount, unit)


@function("instalment(amount, n, yearly_rate)", "amount", least=2, most=3)
def _instalment(run: Run, value: Value, count: Value, rate: Value | None = None) -> Value:
    """Return the equal monthly payment of a loan, or of a price without interest."""
    amount, number = amount_of(value), whole_number(count, 1, 1200)
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
