"""Kinds of values that the public model is told of, where a placeholder's own word does not say them."""

from collections.abc import Mapping
from typing import get_args

from gama.state.task import ValueKind
from gama.tools.formulas.contract import PLACES
from gama.tools.formulas.operations import code, counted, read
from gama.tools.formulas.reading import AMOUNTS, DATES, Reader
from gama.tools.formulas.syntax import PLACEHOLDER, placeholder_key
from gama.tools.formulas.values import (
    Amount,
    Clock,
    Context,
    Day,
    Duration,
    Fault,
    Moment,
    PrivateValue,
    Span,
    Term,
    Text,
    Value,
)

TOLD = 60
"""The most placeholders whose kinds are told."""
_OF_DAYS: Mapping[str, ValueKind] = {"day": "date", "yearless": "date without year", "month": "month", "year": "year"}
_OF_RANGES: Mapping[type, ValueKind] = {Day: "range of dates", Moment: "range of times", Clock: "range of times",
                                   Amount: "range of numbers", Duration: "range of numbers"}  # fmt: skip
# What a placeholder's own word says.
_SAID: Mapping[str, tuple[ValueKind, ...]] = {
    **{tag: ("date",) for tag in DATES},
    "time": ("time",), "duration": ("duration",), "amount": ("money",), "age": ("number",), "height": ("measure",),
    "weight": ("measure",),
}  # fmt: skip
_RANGES = {
    "time": "range of times",
    **dict.fromkeys(DATES, "range of dates"),
    **dict.fromkeys(AMOUNTS, "range of numbers"),
}


def kinds_in(text: str, values: Mapping[str, PrivateValue], context: Context) -> dict[str, ValueKind]:
    """Return the kinds of values whose placeholders do not say them, by placeholder.

    Args:
        text: the anonymized text: only what it names is told.
        values: what stands behind the placeholders.
        context: what is known of the letter.
    """
    reader, found = Reader(values, context), dict[str, ValueKind]()
    keys = {placeholder_key(one): one for one in values}
    named = dict.fromkeys(placeholder_key(match[0]) for match in PLACEHOLDER.finditer(text))
    for placeholder in (keys[key] for key in named if key in keys):
        if len(found) < TOLD and (kind := _told(reader, placeholder)):
            found[placeholder] = kind
    return found


def _told(reader: Reader, placeholder: str) -> ValueKind | None:
    tag = placeholder_key(placeholder).rpartition("-")[0]
    try:
        value = reader[placeholder]
        # The figures of a code, an address or a name are not there to be reckoned with.
        if isinstance(value, Text) and (code(value) or tag in (*PLACES, "organization")):
            return None
        value = read(value)
    except Fault as fault:
        return "unreadable" if fault.code == "unreadable" else "ambiguous"
    if isinstance(value, Span):
        kind = _OF_RANGES.get(type(value.start))
        return "range" if kind == _RANGES.get(tag) else kind
    found = kind_of(value)
    if found == "money" and isinstance(value, Amount):
        found = next((kind for kind in get_args(ValueKind) if kind == f"money in {value.unit}"), found)
    return None if found in _SAID.get(tag, ()) else found


def kind_of(value: Value) -> ValueKind | None:
    """Return the kind of a value that is reckoned with; None of one that is a text."""
    if isinstance(value, Amount):
        if value.unit == "%":
            return "percentage"
        if value.money and value.per:
            told = f"money {'an' if value.per == 'hour' else 'a'} {value.per}"
            return next(kind for kind in get_args(ValueKind) if kind == told)
        if value.money:
            return "money"
        if counted(value):
            return "working days" if value.unit == "working days" else "count"
        return "measure" if value.unit else "number"
    if isinstance(value, Day):
        return _OF_DAYS[value.known]
    if isinstance(value, Duration):
        per = next((kind for kind in get_args(ValueKind) if kind == f"duration a {value.per}"), None)
        return per or ("duration of months" if value.months else "duration")
    if isinstance(value, Term):
        return "weekday" if value.kind == "weekday" else "day of the month" if value.kind == "day" else None
    return "date and time" if isinstance(value, Moment) else "time" if isinstance(value, Clock) else None
