"""A calculator for experts: exact decimals, percentages, dates and durations.

An expression is read by Python's own parser and worked out node by node; only what stands in this
file can be called, and every step is bounded, so that no expression runs long or grows large.
"""

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from decimal import Context, Decimal, DivisionByZero, InvalidOperation, Overflow, localcontext
from typing import Any

from gama.state.errors import ToolError
from gama.tools.experts.durations import Duration, in_days, months_between, moved, weekday, workdays
from gama.tools.tables import table

SCHEMA: Mapping[str, Any] = table("experts", "calculator")["schema"]

LONGEST = 400
"""Characters of an expression."""
MOST = 20
"""Expressions of one call."""

_PRECISION = 50
_SHOWN = 28
_LARGEST_POWER = 1_000
_LARGEST_COUNT = 1_000

Value = Decimal | date | Duration | bool


class Calculator:
    """Works out expressions; its description says what they may hold."""

    name = "calculator"
    description: str = table("experts", "calculator")["description"]
    local = True

    def call(self, arguments: Mapping[str, Any]) -> str:
        """Return one line for each expression: its value, or why it has none.

        Raises:
            ToolError: the expressions are missing or too many.
        """
        given = arguments.get("expressions", arguments.get("expression"))
        expressions = [given] if isinstance(given, str) else given
        if not isinstance(expressions, list) or not expressions or not all(isinstance(e, str) for e in expressions):
            raise ToolError("give 'expressions': a list of texts such as '1200 * 15%'")
        if len(expressions) > MOST:
            raise ToolError(f"at most {MOST} expressions in one call")
        return "\n".join(_line(expression) for expression in expressions)


def work_out(expression: str) -> Value:
    """Work out one expression.

    Raises:
        ToolError: the expression is invalid or has no value; the text says why.
    """
    text = _readable(expression)
    problem = ""
    tree: ast.expr | None = None
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        problem = "this is no arithmetic expression"
    if tree is None:
        raise ToolError(problem)
    try:
        with localcontext(Context(prec=_PRECISION, Emax=100_000, Emin=-100_000)):
            value = _value(tree, text)
            # A list of numbers is an argument, not a result.
            if not isinstance(value, Decimal | date | Duration | bool):
                raise ToolError("this is no single value; write decimals with a point and no thousands separators")
            return value
    except ToolError as error:
        problem = str(error)
    except (DivisionByZero, ZeroDivisionError):
        problem = "division by zero"
    except InvalidOperation:
        problem = "this has no value, or one that is too long"
    except (Overflow, OverflowError, RecursionError):
        problem = "the value is too large"
    raise ToolError(problem)


def _line(expression: str) -> str:
    shown = " ".join(expression.split())[:LONGEST]
    try:
        return f"{shown} = {written(work_out(expression))}"
    except ToolError as error:
        return f"{shown}: {error}"


def written(value: Value) -> str:
    """Write a value: whole numbers in full, others to twenty-eight digits."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat(timespec="minutes" if not value.second else "seconds")
    if isinstance(value, date):
        return f"{value.isoformat()} ({value:%A})"
    if isinstance(value, Duration):
        return value.written()
    if abs(value) < Decimal(10) ** _PRECISION and value == value.to_integral_value():
        return str(int(value))
    rounded = Context(prec=_SHOWN).create_decimal(value).normalize(Context(prec=_SHOWN))
    plain = f"{rounded:f}"
    return plain if len(plain) <= 2 * _SHOWN else str(rounded)


# A placeholder such as <amount-1> or <<name-2>>.
_PLACEHOLDER = re.compile(r"<{1,2}[a-z_]+-\d+[a-z]{0,3}>{1,2}")
# A date, alone or with a time; no longer run of digits.
_DATE = re.compile(r"(?<![\w.-])(\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?)?)(?![\w.-]*\d)")
# A percent sign that ends a number or a bracket; before an operand it would be a remainder: that is not offered.
_PERCENT = re.compile(r"(\d+(?:\.\d+)?|\))\s*%")
_OF = re.compile(r"(/100\)?)\s*of\b")


# Quotation marks, backslashes and the like stand in no arithmetic; a digit run into a word (0x1f, 1if) is none either.
_FOREIGN = re.compile(r"[^\w\s.,+\-*/%()\[\]<>=!:]|\b\d+[A-Za-df-z]")


_SIGNS_OF_PEOPLE = {ord("×"): "*", ord("·"): "*", ord("÷"): "/", ord("−"): "-", ord("^"): "**"}


def _readable(expression: str) -> str:
    """Turn what people write (dates, %, ×, ^) into what the parser reads."""
    if len(expression) > LONGEST:
        raise ToolError(f"an expression has at most {LONGEST} characters")
    if _PLACEHOLDER.search(expression):
        raise ToolError("a placeholder has no value here; write the formula in your answer instead")
    text = " ".join(expression.split()).translate(_SIGNS_OF_PEOPLE)
    text = text.removesuffix("=").strip()
    if _FOREIGN.search(_DATE.sub("", text)):
        raise ToolError("this is no arithmetic expression")
    text = _DATE.sub(lambda found: f"date('{found[1]}')", text)
    text = _PERCENT.sub(lambda found: f"{found[1]}/100" if found[1] == ")" else f"({found[1]}/100)", text)
    return _OF.sub(lambda found: f"{found[1]}*", text)


_SIGNS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: lambda a, b: (a / b).to_integral_value("ROUND_FLOOR"),
}
_COMPARISONS: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


def _value(node: ast.expr, text: str) -> Any:
    if isinstance(node, ast.Constant):
        return _constant(node, text)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd | ast.USub):
        value = _value(node.operand, text)
        _check_kinds(isinstance(value, Decimal | Duration))
        return value if isinstance(node.op, ast.UAdd) else -value
    if isinstance(node, ast.BinOp):
        return _binary(node.op, _value(node.left, text), _value(node.right, text))
    if isinstance(node, ast.Compare):
        return _compared(node, text)
    if isinstance(node, ast.List | ast.Tuple):
        return [_value(item, text) for item in node.elts]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        function = _FUNCTIONS.get(node.func.id)
        if function is None:
            raise ToolError(f"there is no function {node.func.id[:30]!r}; there are {', '.join(sorted(_FUNCTIONS))}")
        return _called(function, node.func.id, [_value(argument, text) for argument in node.args])
    if isinstance(node, ast.Name) and node.id in _NAMES:
        return _NAMES[node.id]
    if isinstance(node, ast.Name):
        raise ToolError(f"{node.id[:30]!r} has no value here")
    raise ToolError("this is no arithmetic expression")


def _constant(node: ast.Constant, text: str) -> Any:
    if isinstance(node.value, str | bool):
        return node.value
    if not isinstance(node.value, int | float):
        raise ToolError("this is no arithmetic expression")
    # The digits as they are written: a float would have lost some.
    digits = ast.get_source_segment(text, node) or ""
    if not re.fullmatch(r"\d*\.?\d*(?:[eE][+-]?\d{1,4})?", digits.replace("_", "")):
        raise ToolError(f"{digits[:30]!r} is no decimal number")
    return Decimal(digits.replace("_", ""))


def _binary(sign: ast.operator, left: Any, right: Any) -> Any:
    if isinstance(sign, ast.Pow):
        _check_kinds(isinstance(left, Decimal) and isinstance(right, Decimal))
        if abs(right) > _LARGEST_POWER:
            raise ToolError(f"an exponent is at most {_LARGEST_POWER}")
        return left**right
    function = _SIGNS.get(type(sign))
    if function is None:
        raise ToolError("this operator is not offered; there are + - * / // **")
    if isinstance(left, date) or isinstance(right, date):
        return _with_date(sign, left, right)
    if isinstance(left, Duration) or isinstance(right, Duration):
        return _with_duration(sign, left, right)
    _check_kinds(isinstance(left, Decimal) and isinstance(right, Decimal))
    return function(left, right)


def _with_date(sign: ast.operator, left: Any, right: Any) -> Any:
    if isinstance(sign, ast.Add) and isinstance(left, Duration):
        left, right = right, left
    if isinstance(right, Duration) and isinstance(sign, ast.Add | ast.Sub) and isinstance(left, date):
        return moved(left, right if isinstance(sign, ast.Add) else -right)
    if isinstance(left, date) and isinstance(right, date) and isinstance(sign, ast.Sub):
        return Duration.between(left, right)
    raise ToolError("with dates there are date + duration, date - duration and date - date")


def _with_duration(sign: ast.operator, left: Any, right: Any) -> Any:
    if isinstance(left, Duration) and isinstance(right, Duration):
        if isinstance(sign, ast.Add | ast.Sub):
            return left + (right if isinstance(sign, ast.Add) else -right)
        if isinstance(sign, ast.Div):
            return left.ratio(right)
    elif isinstance(sign, ast.Mult) and isinstance(left, Decimal):
        return right.times(left)
    elif isinstance(right, Decimal) and isinstance(sign, ast.Mult | ast.Div):
        return left.times(right if isinstance(sign, ast.Mult) else 1 / right)
    raise ToolError("with durations there are + - and * / by a number")


def _compared(node: ast.Compare, text: str) -> bool:
    values = [_value(part, text) for part in (node.left, *node.comparators)]
    holds = True
    for sign, left, right in zip(node.ops, values, values[1:], strict=False):
        compare = _COMPARISONS.get(type(sign))
        if compare is None or type(left) is not type(right):
            raise ToolError("these cannot be compared")
        holds = holds and compare(left, right)
    return holds


def _check_kinds(fits: bool) -> None:
    if not fits:
        raise ToolError("this operation does not fit what it is given")


def _called(function: Callable[..., Any], name: str, arguments: Sequence[Any]) -> Any:
    problem = ""
    try:
        return function(*arguments)
    except (TypeError, ValueError, AttributeError):
        problem = f"{name} does not take these arguments"
    raise ToolError(problem)


def _numbers(values: Sequence[Any]) -> list[Decimal]:
    """Return the arguments of a function of many numbers, given one by one or as a list."""
    flat = [item for value in values for item in (value if isinstance(value, list) else [value])]
    if not flat or not all(isinstance(item, Decimal) for item in flat):
        raise ToolError("numbers are needed")
    return flat


def _whole(value: Any, most: int = 10**20) -> int:
    if not isinstance(value, Decimal) or value != value.to_integral_value() or abs(value) > most:
        raise ToolError(f"a whole number of at most {most} is needed")
    return int(value)


def _median(values: Sequence[Decimal]) -> Decimal:
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def _round(value: Decimal, digits: Decimal = Decimal(0)) -> Decimal:
    """Round half away from zero, as invoices do."""
    return value.quantize(Decimal(1).scaleb(-_whole(digits, 40)), rounding="ROUND_HALF_UP")


def _date(text: str | date) -> date:
    problem = ""
    if isinstance(text, date):
        return text
    try:
        return date.fromisoformat(text) if len(text) == 10 else datetime.fromisoformat(text)
    except ValueError:
        problem = f"{text[:20]} is no date"
    raise ToolError(problem)


def _whole_numbers(name: str, most: int = 10**20) -> Callable[..., Decimal]:
    function: Callable[..., int] = getattr(math, name)
    return lambda *values: Decimal(function(*(_whole(value, most) for value in values)))


def _days(value: Any, earlier: date | None = None) -> Duration | Decimal:
    return Duration.of(days=value) if earlier is None else in_days(value, earlier)


def _months(value: Any, earlier: date | None = None) -> Duration | Decimal:
    return Duration.of(months=_whole(value, 12_000)) if earlier is None else months_between(value, earlier)


_NAMES: Mapping[str, Value] = {
    "pi": Decimal("3.14159265358979323846264338327950288419716939937511"),
    "e": Decimal("2.71828182845904523536028747135266249775724709369996"),
    "true": True,
    "false": False,
}

_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "abs": lambda value: abs(value),
    "round": _round,
    "floor": lambda value: value.to_integral_value("ROUND_FLOOR"),
    "ceil": lambda value: value.to_integral_value("ROUND_CEILING"),
    "min": lambda *values: min(_numbers(values)),
    "max": lambda *values: max(_numbers(values)),
    "sum": lambda *values: sum(_numbers(values), Decimal(0)),
    "mean": lambda *values: sum(_numbers(values), Decimal(0)) / len(_numbers(values)),
    "median": lambda *values: _median(_numbers(values)),
    "sqrt": lambda value: value.sqrt(),
    "ln": lambda value: value.ln(),
    "log": lambda value, base=None: value.log10() if base is None else value.ln() / base.ln(),
    "exp": lambda value: value.exp(),
    "gcd": lambda *values: _whole_numbers("gcd")(*_numbers(values)),
    "lcm": lambda *values: _whole_numbers("lcm")(*_numbers(values)),
    "factorial": _whole_numbers("factorial", _LARGEST_COUNT),
    "comb": _whole_numbers("comb", _LARGEST_COUNT),
    "perm": _whole_numbers("perm", _LARGEST_COUNT),
    "date": _date,
    "days": _days,
    "weeks": lambda value: Duration.of(days=7 * value),
    "months": _months,
    "years": lambda value: Duration.of(months=12 * _whole(value, 1_000)),
    "hours": lambda value: Duration.of(seconds=3600 * value),
    "minutes": lambda value: Duration.of(seconds=60 * value),
    "seconds": lambda value: Duration.of(seconds=value),
    "weekday": weekday,
    "workdays": workdays,
}
