"""The faces of the language: the trial of a model's formulas, and their evaluation at home; see docs/formulas.md."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from gama.tools.formulas.reading import Reader
from gama.tools.formulas.reckoning import AT_HOME, FORMULAS, Result, Run, Unresolved
from gama.tools.formulas.syntax import find_formulas
from gama.tools.formulas.values import Context, Fault, PrivateValue


class Evaluated(NamedTuple):
    """A text without formulas."""

    text: str
    results: list[Result]
    unresolved: list[Unresolved]


class FormulaError(NamedTuple):
    """A compiler's message for the model: it names placeholders and kinds, never a value or a result."""

    formula: str
    code: str
    message: str


def check(
    text: str, values: Mapping[str, PrivateValue], context: Context | None = None, *, quoted: str = ""
) -> list[FormulaError]:
    """Return what is wrong with the formulas of an answer, for the model that wrote it.

    Formulas are tried with stand-ins of the same kinds and units, never with the values: what the model is told can
    depend on nothing else.
    """
    reader, errors = Reader(values, context or Context()), list[FormulaError]()
    runs = {taken: Run(reader, trial=True, taken=taken) for taken in (True, False)}
    for formula in find_formulas(text, values, quoted=quoted)[:FORMULAS]:
        found: dict[str, str] = {}
        for taken in (True, False):
            runs[taken] = run = runs[taken].next()
            try:
                run.output(formula.source, run.names)
            except Fault as fault:
                if fault.code not in AT_HOME:
                    found.setdefault(fault.message, fault.code)
            for nested in run.nested:
                found.setdefault(nested.message, nested.code)
        errors += [FormulaError(formula.source, code, message) for message, code in found.items()]
    return errors


def evaluate(
    text: str,
    values: Mapping[str, PrivateValue],
    context: Context | None = None,
    *,
    quoted: str = "",
    keep_placeholders: bool = False,
    place: Callable[[Result], str] | None = None,
) -> Evaluated:
    """Evaluate the formulas of a text; everything else in it stays as it is.

    Args:
        text: an answer of the public model, with its placeholders.
        values: what stands behind each placeholder.
        context: what else is known of the letter.
        quoted: the text that was sent; what stands in braces there too is left as it is.
        keep_placeholders: whether a formula that gives a value of the box unchanged gives its placeholder, which is
            restored afterwards as all others are.
        place: writes what stands where a formula stood, such as a new placeholder; the result itself unless given.
    """
    run = Run(Reader(values, context or Context()), keep=keep_placeholders, place=place)
    out, at = [], 0
    for formula in find_formulas(text, values, quoted=quoted):
        out += [text[at : formula.start], run.settle(formula)]
        at = formula.end + run.stopped(out[-1], text[formula.end : formula.end + 2])
    return Evaluated("".join([*out, text[at:]]), run.results, run.unresolved)
