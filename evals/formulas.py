"""Formulas: cases with the result that is right, or with the refusal that is (`gama eval formulas`)."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from gama.state.errors import InputError
from gama.tools.formulas.evaluate import Evaluated, FormulaError, check, evaluate
from gama.tools.formulas.reckoning import AT_HOME
from gama.tools.formulas.values import Context, PrivateValue

_UNTOLD = (*AT_HOME, "half_of_day", "limit", "no_fact", "no_year")
"""Refusals that may depend on values, and of which the model may therefore not have been told."""


class Case(NamedTuple):
    """A text with formulas, and what it must become."""

    id: str
    text: str
    values: dict[str, PrivateValue]
    context: Context
    result: str | None
    """The whole text with its results; the text itself where nothing in it is a formula."""
    refusal: str | None
    """The kind of refusal, where there must be no result."""


class Outcome(NamedTuple):
    """What became of a case."""

    case: Case
    passed: bool
    wrong: bool
    """Whether it gave a result that is not the right one, which is worse than a refusal."""
    given: str


def load(path: Path | None = None) -> list[Case]:
    """Return the cases of a file or folder; the shipped ones unless one is given.

    Raises:
        InputError: a line is no case.
    """
    root: Any = path or files("gama.evals") / "data" / "formulas"
    found = [root] if root.is_file() else sorted((one for one in root.iterdir()), key=lambda one: str(one.name))
    return [case for one in found if one.name.endswith(".jsonl") for case in _cases(one.read_text(encoding="utf-8"))]


def _cases(text: str) -> Iterator[Case]:
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            row = json.loads(line)
            today = date.fromisoformat(row["today"]) if "today" in row else None
            yield Case(
                row["id"],
                row["text"],
                {placeholder: PrivateValue(*value) for placeholder, value in row["values"].items()},
                Context(row["locale"], row.get("language"), today, row.get("genders", {})),
                row["text"] if row.get("untouched") else row.get("result"),
                row.get("refusal"),
            )
        except (ValueError, KeyError, TypeError, AttributeError):
            raise InputError(f"line {number} is not a case of formulas; see evals/data/formulas/README.md") from None


def run(cases: Iterable[Case]) -> list[Outcome]:
    """Evaluate every case, and try it as it is tried for the model."""
    return [
        _judged(case, evaluate(case.text, case.values, case.context), check(case.text, case.values, case.context))
        for case in cases
    ]


def _judged(case: Case, done: Evaluated, errors: list[FormulaError]) -> Outcome:
    codes = [one.code for one in done.unresolved]
    given = f"refused: {', '.join(codes)}" if codes else done.text
    if case.refusal is None:
        passed = done.text == case.result and not codes and not errors
        return Outcome(case, passed, wrong=not codes and done.text != case.result, given=given)
    told = case.refusal in _UNTOLD or any(error.code == case.refusal for error in errors)
    return Outcome(case, codes[:1] == [case.refusal] and told, wrong=not codes, given=given)


def figures(outcomes: list[Outcome]) -> dict[str, Any]:
    """Return the figures of a run, and those of every locale."""
    total, passed = Counter[str](), Counter[str]()
    for outcome in outcomes:
        total[outcome.case.context.locale] += 1
        passed[outcome.case.context.locale] += outcome.passed
    return {
        "cases": len(outcomes),
        "passed": sum(outcome.passed for outcome in outcomes),
        "wrong": sum(outcome.wrong for outcome in outcomes),
        "refusals_asked": sum(outcome.case.refusal is not None for outcome in outcomes),
        "locales": {locale: {"cases": total[locale], "passed": passed[locale]} for locale in sorted(total)},
    }
