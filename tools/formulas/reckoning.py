"""Reckons one formula: walks its tree, and writes what it gives."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from difflib import get_close_matches
from fractions import Fraction
from typing import Any, NamedTuple

from gama.tools.formulas import operations
from gama.tools.formulas.contract import NUMBERS, WHEN
from gama.tools.formulas.functions import ALIASES, FUNCTIONS
from gama.tools.formulas.literals import LITERALS, quoted_time
from gama.tools.formulas.reading import Reader
from gama.tools.formulas.syntax import (
    PLACEHOLDER,
    Formula,
    Parsed,
    find_formulas,
    instead_of,
    names_of,
    parse,
    placeholder_key,
)
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
from gama.tools.formulas.writing import Writer

STEPS = 10_000
"""The most steps of all formulas of one text together."""
NESTED = 100
"""The deepest nesting of all that is reckoned at once, formulas in texts of formulas included."""
FORMULAS = 200
"""The most formulas of one text; the further ones are not evaluated."""

AT_HOME = ("undefined", "empty")
"""Faults that depend on values: the model is not told of them."""

_REASONS = {
    "ambiguous_date": "a date can be read in two ways",
    "ambiguous_number": "a number can be read in two ways",
    "arguments": "the formula is not written as it should be",
    "contradiction": "a date contradicts itself",
    "currency": "the amounts are in different currencies",
    "empty": "there is nothing to choose from",
    "form": "the formula is not written as it should be",
    "half_of_day": "a time does not say which half of the day is meant",
    "limit": "the formula is too large",
    "no_day": "a date does not name its day",
    "no_fact": "a fact that it needs is not known",
    "no_today": "the day of the letter is not known",
    "no_year": "a date does not name its year",
    "syntax": "the formula is not written as it should be",
    "type": "the values are not of the kinds that it needs",
    "undefined": "it cannot be reckoned with these values",
    "units": "the units differ",
    "unknown_function": "it names a function that there is not",
    "unknown_name": "it names something that there is not",
    "unknown_placeholder": "it names a value that is not in the text",
    "unreadable": "a value could not be read",
}


class Result(NamedTuple):
    """What a formula gave: a private value."""

    formula: str
    inputs: tuple[str, ...]
    kind: str
    text: str
    note: str = ""
    """What the reader should know of it, in plain words."""


class Unresolved(NamedTuple):
    """A formula that gave nothing."""

    formula: str
    inputs: tuple[str, ...]
    code: str
    reason: str
    """For the reader, in plain words."""


def inputs_of(source: str) -> tuple[str, ...]:
    """Return the placeholders that a formula names, in its order."""
    return tuple(dict.fromkeys(f"<{placeholder_key(match[0])}>" for match in PLACEHOLDER.finditer(source)))


class Run:
    """One evaluation of the formulas of a text."""

    def __init__(
        self,
        reader: Reader,
        *,
        trial: bool = False,
        taken: bool = True,
        keep: bool = False,
        place: Callable[[Result], str] | None = None,
    ) -> None:
        """Start without results; see `evaluate` for what may be asked."""
        self.reader, self.trial = reader, trial
        self.language = reader.context.language or reader.locale.language
        self.results, self.unresolved, self.nested = list[Result](), list[Unresolved](), list[Fault]()
        self._taken, self._keep, self._place = taken, keep, place
        self._keys = {placeholder_key(one): one for one in reader.values}
        self.names: dict[str, Any] = {}
        """What the formulas so far gave names to; those behind them may use them."""
        self.failed: dict[str, str] = {}
        """Why formulas so far gave nothing to the names that they promise."""
        self._notes: dict[str, None] = {}
        self._written = "", ""
        self._steps = self._depth = 0
        self._owned: dict[int, tuple[Value, str]] = {}
        self._writer = Writer(reader)
        self._parsed: Parsed | None = None

    def next(self) -> "Run":
        """Return a trial of the next formula, which knows of the ones before it only what has a name."""
        run = Run(self.reader, trial=True, taken=self._taken)
        run.names, run.failed = self.names, self.failed
        return run

    # What functions may ask.

    def step(self, count: int = 1) -> None:
        """Count a step, and refuse to go on after too many."""
        self._steps += count
        if self._steps > STEPS:
            raise Fault("limit", "the formulas take too many steps")

    def write(self, value: Value) -> str:
        """Return a value as the letter writes it."""
        self.step()
        return self._writer.write(value)

    def note(self, text: str) -> None:
        """Have the reader told something of what the running formula gives."""
        self._notes[text] = None

    def owner(self, value: Value) -> str | None:
        """Return the placeholder that a value came from unchanged."""
        return self._owned[id(value)][1] if id(value) in self._owned else None

    def apply(self, function: Any, value: Value) -> Value:
        """Call a `x => …` of the formula."""
        if not (isinstance(function, tuple) and len(function) == 3):
            raise Fault("arguments", "a rule such as x => x > 0 is wanted")
        name, body, names = function
        return self._value(body, {**names, name: value})

    # Formulas.

    def settle(self, formula: Formula) -> str:
        """Return what the reader sees in the place of a formula."""
        if len(self.results) + len(self.unresolved) >= FORMULAS:
            self._steps = STEPS
        given = len(self.results)
        self._notes.clear()
        try:
            return self.output(formula.source, self.names)
        except Fault as fault:
            del self.results[given:]
            reason = _REASONS[fault.code]
            self.unresolved.append(Unresolved(formula.source, inputs_of(formula.source), fault.code, reason))
        try:
            if parse(formula.source).otherwise is not None:
                return self.output(formula.source, self.names, otherwise=True)
        except Fault as fault:
            # What is to stand there instead fails, too, or nothing of the formula could be read.
            instead = instead_of(formula.source) if fault.code in ("syntax", "form") else None
            with suppress(Fault):
                if instead is not None:
                    return self.output(instead, self.names)
        return f"[could not be reckoned: {reason}]"

    def output(self, source: str, names: Mapping[str, Any], *, otherwise: bool = False) -> str:
        """Return what a formula writes, with the names that are known where it stands.

        Args:
            source: the formula.
            names: those names, with their values.
            otherwise: whether that is wanted which it gives instead, as it fails.

        Raises:
            Fault: it gives nothing.
        """
        parsed, before, known = parse(source), (self._parsed, self.language), self.names
        writer = Writer(self.reader, parsed.forms)
        self._parsed, self.language = parsed, writer.language
        try:
            if self.trial and parsed.otherwise is not None:
                self._output(parsed.otherwise, names, source, writer)
            return self._output(parsed.otherwise if otherwise else parsed.tree, names, source, writer)
        except Fault as fault:
            # What it did not come to name is not what an earlier formula gave that name to.
            lost = {name for name in names_of(source) if self.names.get(name) is known.get(name)}
            self.names = {name: value for name, value in self.names.items() if name not in lost}
            self.failed |= dict.fromkeys(lost, fault.code)
            raise
        finally:
            self._parsed, self.language = before

    def _output(self, tree: Any, names: Mapping[str, Any], source: str, writer: Writer) -> str:
        self.step()
        if tree.data == "choose":
            branch = self._branch(tree.children, names)
            return "" if branch is None else self._output(branch, names, source, writer)
        if tree.data in ("let", "define"):
            name, value = str(tree.children[0]), self._value(tree.children[1], names)
            self.names = {**self.names, name: value}
            return self._output(tree.children[2], {**names, name: value}, source, writer) if tree.data == "let" else ""
        if tree.data == "string":
            return self._template(self._string(tree), names)
        value = self._value(tree, names)
        placeholder = self.owner(value)
        if self._keep and placeholder and not self._parsed_forms():
            return placeholder
        text = writer.write(value)
        if self.trial:
            return text
        result = Result(source, inputs_of(source), kind_of(value), text, "; ".join(self._notes))
        self.results.append(result)
        told = self._place(result) if self._place else text
        self._written = told, text
        return told

    def _parsed_forms(self) -> bool:
        return bool(self._parsed and self._parsed.forms)

    def _string(self, tree: Any) -> str:
        assert self._parsed is not None
        return self._parsed.strings[int(tree.children[0][1:-1])]

    def _template(self, text: str, names: Mapping[str, Any]) -> str:
        """Return a text branch with its formulas and placeholders filled in.

        Raises:
            Fault: one of its formulas gives nothing, and does not say what then.
        """
        out, at = [], 0
        for formula in find_formulas(text, self.reader.values, inside=True):
            out.append(self._surfaces(text[at : formula.start]))
            if self.trial:
                try:
                    self.output(formula.source, names)
                except Fault as fault:
                    if fault.code not in AT_HOME:
                        self.nested.append(fault)
            elif parse(formula.source).otherwise is None:
                out.append(self.output(formula.source, names))
            else:
                out.append(self.settle(formula))
            at = formula.end + self.stopped("".join(out[-1:]), text[formula.end : formula.end + 2])
        return "".join([*out, self._surfaces(text[at:])])

    def stopped(self, told: str, behind: str) -> bool:
        """Return whether what a formula wrote has the full stop that stands behind it, as `675 kr.` has."""
        placeholder, text = self._written
        whole = text if told == placeholder else told
        return whole.endswith(".") and behind.startswith(".") and behind != ".."

    def _surfaces(self, text: str) -> str:
        if self._keep:
            return text

        def surface(match: Any) -> str:
            placeholder = self._keys.get(placeholder_key(match[0]))
            return self.reader.values[placeholder].text if placeholder else match[0]

        return PLACEHOLDER.sub(surface, text)

    # Values.

    def _value(self, tree: Any, names: Mapping[str, Any]) -> Value:
        self.step()
        if tree.data in LITERALS:
            literal = LITERALS[tree.data](tree.children)
            return self.reader.as_letter(literal) if isinstance(literal, Amount) and literal.money else literal
        self._depth += 1
        try:
            if self._depth > NESTED:
                raise Fault("limit", "the formulas are nested too deep")
            value: Value = getattr(self, f"_on_{tree.data}")(tree.children, names)
        except Fault as fault:
            raise self._naming(fault, tree.children) from None
        finally:
            self._depth -= 1
        return value

    def _argument(self, tree: Any, names: Mapping[str, Any]) -> Any:
        """Return an argument of a function: a value, or a rule with the names that are known where it stands."""
        if tree.data == "each":
            return (str(tree.children[0]), tree.children[2], names)
        return self._value(tree, names)

    def _naming(self, fault: Fault, children: Sequence[Any]) -> Fault:
        """Say which placeholders an operation was given, and of which kinds they are."""
        direct = [child for child in children if getattr(child, "data", "") == "placeholder"]
        if not direct or "<" in fault.message or fault.code.startswith("unknown_") or fault.code == "arguments":
            return fault
        told = []
        for child in direct:
            name = f"<{placeholder_key(str(child.children[0]))}>"
            value = self._on_placeholder(child.children, {})
            if isinstance(value, Span) and fault.code == "type":
                return Fault(fault.code, f"{name} is a range: use start({name}) or end({name})")
            told.append(f"{name} is {kind_of(value)}")
        return Fault(fault.code, f"{fault.message} ({', '.join(told)})")

    def _on_placeholder(self, children: Sequence[Any], names: Any) -> Value:
        key = placeholder_key(str(children[0]))
        placeholder = self._keys.get(key)
        if placeholder is None:
            raise Fault("unknown_placeholder", f"<{key}> is not in this task")
        value = self.reader[placeholder]
        if self.trial:
            value = stand_in(value)
        self._owned[id(value)] = (value, placeholder)
        return value

    def _on_string(self, children: Sequence[Any], names: Any) -> Value:
        assert self._parsed is not None
        text = self._parsed.strings[int(children[0][1:-1])]
        if "{{" not in text and not PLACEHOLDER.search(text):
            return Text(text, reads=quoted_time(text))
        # A text that is reckoned with holds what its formulas give, not placeholders for it.
        keep, place, given = self._keep, self._place, len(self.results)
        self._keep, self._place = False, None
        try:
            return Text(self._template(text, names))
        finally:
            self._keep, self._place = keep, place
            del self.results[given:]

    def _on_name(self, children: Sequence[Any], names: Mapping[str, Any]) -> Value:
        name = str(children[0])
        if name not in names and name in self.failed:
            raise Fault(self.failed[name], f"{name} comes of a formula that fails")
        if name not in names:
            raise Fault("unknown_name", f"{name} is not known here: names come from let, texts need quotation marks")
        found: Value = names[name]
        return found

    def _on_items(self, children: Sequence[Any], names: Any) -> Value:
        return Items(tuple(self._value(child, names) for child in children))

    def _on_let(self, children: Sequence[Any], names: Mapping[str, Any]) -> Value:
        name, value, body = children
        return self._value(body, {**names, str(name): self._value(value, names)})

    def _on_choose(self, children: Sequence[Any], names: Mapping[str, Any]) -> Value:
        branch = self._branch(children, names)
        return Text("") if branch is None else self._value(branch, names)

    def _branch(self, children: Sequence[Any], names: Mapping[str, Any]) -> Any:
        holds = self._holds(children[0], names)
        if self.trial:
            holds = self._taken
        return children[1] if holds else children[2] if len(children) > 2 else None

    def _holds(self, tree: Any, names: Mapping[str, Any]) -> bool:
        value = self._value(tree, names)
        if not isinstance(value, Truth):
            raise operations.wrong_type("a comparison is wanted instead of", value)
        return value.holds

    def _on_either(self, children: Sequence[Any], names: Any) -> Value:
        # Every part is evaluated: an error must not depend on what the parts before it gave.
        return Truth(any([self._holds(child, names) for child in children]))

    def _on_both(self, children: Sequence[Any], names: Any) -> Value:
        return Truth(all([self._holds(child, names) for child in children]))

    def _on_negate(self, children: Sequence[Any], names: Any) -> Value:
        return Truth(not self._holds(children[0], names))

    def _on_comparison(self, children: Sequence[Any], names: Any) -> Value:
        values = [self._value(child, names) for child in children[::2]]
        signs = [str(sign) for sign in children[1::2]]
        return Truth(all([_holds(*three) for three in zip(values, signs, values[1:], strict=False)]))

    def _on_within(self, children: Sequence[Any], names: Any) -> Value:
        one, two = (self._value(child, names) for child in children)
        if isinstance(two, Span):
            return Truth(operations.order(two.start, one) <= 0 <= operations.order(two.end, one))
        if isinstance(two, Term):  # a country of one language
            two = Items((two,))
        if not isinstance(two, Items):
            raise operations.wrong_type("a list or a range is wanted instead of", two)
        return Truth(any([operations.same(one, item) for item in two.items]))

    def _on_without(self, children: Sequence[Any], names: Any) -> Value:
        within = self._on_within(children, names)
        return Truth(not (isinstance(within, Truth) and within.holds))

    def _on_sum(self, children: Sequence[Any], names: Any) -> Value:
        value = self._value(children[0], names)
        for sign, child in zip(children[1::2], children[2::2], strict=True):
            other = self._value(child, names)
            if sign.type == "PLUS" and _joined(value, other):
                value = Text(self.write(value) + self.write(other))
            else:
                value = (operations.add if sign.type == "PLUS" else operations.subtract)(value, other)
        return value

    def _on_product(self, children: Sequence[Any], names: Any) -> Value:
        value = self._value(children[0], names)
        for sign, child in zip(children[1::2], children[2::2], strict=True):
            other = self._value(child, names)
            value = (operations.multiply if sign.type == "TIMES" else operations.divide)(value, other)
        return value

    def _on_power(self, children: Sequence[Any], names: Any) -> Value:
        return operations.power(self._value(children[0], names), self._value(children[2], names))

    def _on_minus(self, children: Sequence[Any], names: Any) -> Value:
        return operations.negative(self._value(children[-1], names))

    def _on_each(self, children: Sequence[Any], names: Any) -> Value:
        raise Fault("arguments", "a rule such as x => x > 0 stands only in filter, map and sort_by")

    def _on_call(self, children: Sequence[Any], names: Any) -> Value:
        name = str(children[0])
        function = FUNCTIONS.get(ALIASES.get(name.lower(), name.lower()))
        if function is None:
            near = get_close_matches(name.lower(), FUNCTIONS, n=1)
            hint = f": is it {FUNCTIONS[near[0]].usage}?" if near else ""
            raise Fault("unknown_function", f"there is no function {name}{hint}")
        given = [self._argument(child, names) for child in children[1:]]
        if not function.least <= len(given) <= function.most:
            raise Fault("arguments", f"{name} is called as {function.usage}")
        if any(isinstance(one, tuple) for one in given[: 1 if "=>" in function.usage else None]):
            raise Fault("arguments", f"{name} is called as {function.usage}")
        self.step(len(given))
        if set(function.fits) & {*NUMBERS, *WHEN, "time"}:
            given = [operations.read(one) if isinstance(one, Value) else one for one in given]
        return function.call(self, *given)


def _joined(one: Value, two: Value) -> bool:
    """Return whether a `+` joins texts: one of them is, and what stands beside it is not reckoned with."""
    if "text" in [value.kind for value in (one, two) if isinstance(value, Text)]:
        # A date in quotation marks is one beside a length of time.
        return not any(isinstance(operations.read(value), Duration) for value in (one, two))
    if isinstance(one, Text) and isinstance(two, Text):
        if one.reads is None or two.reads is None:
            return True
        if operations.code(one) or operations.code(two):
            raise Fault("type", "two codes are neither added nor joined by +: write join(a, b)")
    return False


def _holds(one: Value, sign: str, two: Value) -> bool:
    """Return whether a comparison holds."""
    if sign in ("==", "=", "!=", "≠"):
        return operations.same(one, two) == (sign in ("==", "="))
    found = operations.order(one, two)
    return {"<": found < 0, ">": found > 0, "<=": found <= 0, "≤": found <= 0}.get(sign, found >= 0)


def stand_in(value: Value) -> Value:
    """Return a value of the same kind and unit that tells nothing of the given one."""
    if isinstance(value, Amount):
        # A plain number may count the months of a year.
        number = Fraction(7 if value.unit else 12)
        return replace(value.bare(), number=number, look=value.look and value.look._replace(decimals=0))  # type: ignore[no-any-return]
    if isinstance(value, Day):
        return Day(date(2024, 5, 15 if value.known in ("day", "yearless") else 1), value.known)
    if isinstance(value, Moment):
        return Moment(Day(date(2024, 5, 15), value.day.known), Clock(36000))
    if isinstance(value, Clock):
        return Clock(36000)
    if isinstance(value, Duration):
        whole = value.seconds % 86400 == 0
        seconds = Fraction(0 if not value.seconds else 86400 if whole else 5400)
        return Duration(12 if value.months else 0, seconds, value.unit, value.per)
    if isinstance(value, Span):
        return Span(stand_in(value.start), stand_in(value.end))
    if isinstance(value, Text):
        return Text("Anna Berg", value.kind, value.reads and stand_in(value.reads))
    return Term("weekday", "2") if isinstance(value, Term) and value.kind == "weekday" else value
