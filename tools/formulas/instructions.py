"""What the public model is told of the language: the few lines that fit the placeholders of a task."""

from collections.abc import Iterable
from functools import lru_cache

from gama.tools.formulas.contract import NAMES, NUMBERS, PLACES, WHEN
from gama.tools.formulas.functions import FUNCTIONS
from gama.tools.formulas.syntax import PLACEHOLDER, placeholder_key

CHECKED = """\
Formulas
- Where the answer has `{{ … }}`, it reckons with values behind placeholders, which you cannot see; the reader sees \
the result. Check the formula: the right placeholders, the right operation, every condition. That it is not evaluated \
here, or that its result is not known, is no contradiction."""
"""What those are told who examine an answer."""

_HEAD = """\
Reckoning with hidden values
Values are hidden behind placeholders, but you can reckon with them: write a formula in double braces, and the reader \
sees its result. Never guess a hidden value, never leave a sum, date or choice open that a formula can give.
{examples}
Operators: + - * / ^, = != < <= > >=, and, or, not, `x in [a, b]`, `if … then … else if … then … else …` (branches \
may be "sentences with <placeholders> and {{{{ formulas }}}}"), `let x = …; …` (x also holds in later formulas), \
{literals}. Functions: {functions}.
{notes}
`| long`, `| full` (with weekday), `| iso` or `| es` asks for another form or language. Where it may fail, say what \
then: `{{{{ … | otherwise: "…" }}}}`."""

# What a formula gives, and the kinds of placeholders for which that is told.
_NOTES = (
    ((), "Results are written as the text writes such values, sums and differences of times with their unit."),
    (WHEN, "days(a, b) and working_days(a, b) count b, not a, and give a bare number: write its unit."),
    (("time",), "minutes(a, b) gives a bare number, b - a a duration in words."),
    (("amount",), "once(x): the amount of one time of so much a month or the like. x * p is that part of x."),
)

_GENERAL = ("sort_by", "nth", "count", "filter", "join", "equal")

# An example, and the kinds of placeholders it is for: with the first placeholders of these kinds that a task has.
_EXAMPLES = (
    (("date_of_birth", "date"), "{{{{ years({0}, {1}) }}}}"),
    (("amount", "amount"), "{{{{ {0} + {1} * 19% }}}}"),
    (("date", "date"), "{{{{ days({0}, {1}) }}}}"),
    (("time", "time"), "{{{{ hours({0}, {1}) }}}}"),
    (("amount", "amount"), '{{{{ if {0} > {1} then "the first is higher" else "it is not" }}}}'),
    (("date",), "{{{{ {0} + 14 days }}}}"),
    (("amount",), "{{{{ {0} / 12 }}}}"),
    (("age",), '{{{{ if {0} >= 18 then "of age" else "a minor" }}}}'),
    (("name",), "{{{{ salutation({0}) }}}}"),
    (("location",), "{{{{ country({0}) }}}}"),
    (("duration",), "{{{{ {0} * 2 }}}}"),
)


def instructions(placeholders: Iterable[str]) -> str:
    """Return the lines for the public model: two examples, and the functions that fit these placeholders.

    Args:
        placeholders: those of the task, such as `<date-1>`; nothing is known of their values.

    Returns:
        The lines, or an empty text where none of the placeholders can be reckoned with.
    """
    by_kind: dict[str, list[str]] = {}
    for placeholder in dict.fromkeys(placeholders):
        by_kind.setdefault(placeholder_key(placeholder).rpartition("-")[0], []).append(placeholder)
    kinds = set(by_kind)
    useful = [function.usage for function in FUNCTIONS.values() if kinds.intersection(function.fits)]
    if not useful:
        return ""
    useful += [FUNCTIONS[name].usage for name in _GENERAL]
    examples: list[str] = []
    for wanted, example in _EXAMPLES:
        rest = {kind: list(some) for kind, some in by_kind.items()}
        chosen = [rest[kind].pop(0) for kind in wanted if rest.get(kind)]
        if len(chosen) == len(wanted) and len(examples) < 2:
            examples.append(f"`{example.format(*chosen)}`")
    literals = ["`19%`", "`500 EUR`"] if kinds.intersection(NUMBERS) else []
    literals += ["`14 days`", "`2025-05-12`"] if kinds.intersection((*WHEN, "time", "duration")) else []
    literals += ['`"text"`'] if kinds.intersection((*NAMES, *PLACES)) or not literals else []
    notes = " ".join(note for wanted, note in _NOTES if not wanted or kinds.intersection(wanted))
    told = f"Examples: {' and '.join(examples)}." if examples else ""
    functions = ", ".join(dict.fromkeys(useful))
    return _HEAD.format(examples=told, literals=", ".join(literals), functions=functions, notes=notes)


@lru_cache(maxsize=64)
def instructions_for(text: str) -> str:
    """Return the lines for a text with placeholders; see `instructions`."""
    return instructions(match[0] for match in PLACEHOLDER.finditer(text))
