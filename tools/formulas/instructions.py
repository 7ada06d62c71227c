"""What the public model is told of the language: the few lines that fit the placeholders of a task."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import get_args

from gama.state.task import ValueKind
from gama.tools.formulas.contract import NAMES, NUMBERS, PLACES, WHEN
from gama.tools.formulas.functions import FUNCTIONS
from gama.tools.formulas.kinds import TOLD
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
may be "sentences with <placeholders> and {{{{ formulas }}}}"), `let x = …; …` (x also holds in later formulas). \
Write yourself: {literals}. Functions: {functions}.
{notes}
`| long`, `| full` (with weekday), `| iso` or `| es` asks for another form or language. Where it may fail, say what \
then, behind the whole of it: `{{{{ … | otherwise: … }}}}`, a formula or a "text with {{{{ formulas }}}}"."""

_FORMS_ALONE = """\
Reckoning with hidden values
Values are hidden behind placeholders. Where a choice or another form of one is open, write a formula in double \
braces, and the reader sees its result. Never guess a hidden value.
{examples}
Functions: {functions}. Operators: =, !=, and, or, not, `x in [a, b]`, `if … then … else …` (branches may be \
"sentences with <placeholders> and {{{{ formulas }}}}"). Where it may fail, say what then: \
`{{{{ … | otherwise: "text" }}}}`."""
"""What is told where there are names, places and codes alone: nothing of them is reckoned with."""

# What a formula gives, and the kinds of placeholders for which that is told.
_NOTES = (
    ((), "Results are written as the text writes such values, sums and differences of times with their unit."),
    (WHEN, "years and months count what is completed on the second date. days(a, b) and working_days(a, b) count b, "
           "not a, and give a bare number: write its unit."),
    (WHEN, "nth_working_day counts d as the first. Without a known place only weekends are free. weekday(d) is a name "
           'in the language of the text and equals that day in any: weekday(d) = "Monday". on_day(d, n) is the day n '
           "(a number or a day of the month) of d's month."),
    (("time",), "minutes(a, b) gives a bare number, b - a a duration in words; where b is earlier than a, it is the "
                "next day's. local_time turns the time of one place into that of another."),
    (("duration",), "hours(x), days(x) and the like give the number in one duration: hours(x) * p. Money a day * x is "
                    "the money for x."),
    (("amount", "weight", "height"), "Measures keep their unit, converted, too: x > 23 kg; x / 1 kg is a bare number."),
    (("amount",), "once(x): the amount of one time of so much a month or the like. x * p is that part of x. A price "
                  "for each (a kilo, per plate) times a measure or number of them is a sum."),
)  # fmt: skip

# The placeholders whose functions fit values of a kind, by the first word of the kind or the whole of it.
_FITS = {
    "date and time": "time", "date": "date", "duration": "duration", "money": "amount", "month": "date", "year": "date",
    "weekday": "date", "day of the month": "date", "range of dates": "date", "range of times": "time",
    "range of numbers": "amount",
    "working": "duration", **dict.fromkeys(("percentage", "number", "count", "measure"), "amount"),
}  # fmt: skip
_UNUSABLE = {
    "ambiguous": "can be read in two ways, so not for formulas",
    "unreadable": "no date or number, so not for formulas",
    "range": "a range, with start(x) and end(x)",
}
"""Kinds that need more words."""

EVERY_KIND = tuple((f"<value-{number}>", kind) for number, kind in enumerate(get_args(ValueKind), 1))
"""One placeholder of each kind: with them the lines have every word that they may have for a text."""

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


def instructions(placeholders: Iterable[str], kinds: Mapping[str, str] | None = None) -> str:
    """Return the lines for the public model: two examples, and the functions that fit these placeholders.

    Args:
        placeholders: those of the task, such as `<date-1>`; nothing is known of their values.
        kinds: what some of them are, where their names do not say it; see `gama.tools.formulas.kinds`.

    Returns:
        The lines, or an empty text where none of the placeholders can be reckoned with.
    """
    by_kind: dict[str, list[str]] = {}
    told_kinds = kinds or {}
    for placeholder in dict.fromkeys(placeholders):
        by_kind.setdefault(placeholder_key(placeholder).rpartition("-")[0], []).append(placeholder)
    fitting = {*by_kind, *(_FITS.get(kind) or _FITS.get(kind.split()[0], "") for kind in told_kinds.values())}
    useful = [name for name, function in FUNCTIONS.items() if fitting.intersection(function.fits)]
    if not useful:
        return ""
    examples: list[str] = []
    for wanted, example in _EXAMPLES:
        rest = {kind: [one for one in some if _is_plain(told_kinds.get(one))] for kind, some in by_kind.items()}
        chosen = [rest[kind].pop(0) for kind in wanted if rest.get(kind)]
        if len(chosen) == len(wanted) and len(examples) < 2:
            examples.append(f"`{example.format(*chosen)}`")
    shown = f"Examples: {' and '.join(examples)}." if examples else ""
    if fitting.isdisjoint((*NUMBERS, *WHEN, "time")):
        fit = sum(len(by_kind.get(kind, ())) for kind in {*NAMES, *PLACES})
        general = _GENERAL if fit > 2 else ("equal",) if fit > 1 else ()
        return _FORMS_ALONE.format(examples=shown, functions=_listed([*useful, *general])).replace("\n\n", "\n")
    literals = ["`19%`", "`500 EUR` (kg, km, °C, too)"] if fitting.intersection(NUMBERS) else []
    if fitting.intersection((*WHEN, "time", "duration")):
        # Lengths and times that letters have are not written out: a letter's own would not be missed among them.
        literals += ["`14 days` (weeks, months, years, hours, minutes, too)", "`2025-05-12`", "`23:59`"]
    literals += ['`"text"`'] if fitting.intersection((*NAMES, *PLACES)) or not literals else []
    notes = [note for wanted, note in _NOTES if not wanted or fitting.intersection(wanted)]
    return _HEAD.format(
        examples=shown,
        literals=", ".join(literals),
        functions=_listed([*useful, *_GENERAL]),
        notes=" ".join([*_legend(told_kinds), *notes]),
    )


def _is_plain(kind: str | None) -> bool:
    """Return whether a value is what its word says: one in a known currency is, too."""
    return kind is None or kind.startswith("money in ")


def _listed(names: Iterable[str]) -> str:
    """Return how functions are called; those with the same arguments together: `floor/ceil(x)`."""
    found: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        found.setdefault(FUNCTIONS[name].usage.removeprefix(name), []).append(name)
    return ", ".join("/".join(some) + arguments for arguments, some in found.items())


def _legend(kinds: Mapping[str, str]) -> list[str]:
    """Return the line that says what some placeholders are, each kind once."""
    found: dict[str, list[str]] = {}
    for placeholder, kind in kinds.items():
        found.setdefault(_UNUSABLE.get(kind, kind), []).append(placeholder)
    told = "; ".join(f"{kind}: {', '.join(some)}" for kind, some in found.items())
    rest = "; every other is one value of the kind that its word says" if len(kinds) < TOLD else ""
    return [f"What some are: {told}{rest}."] if told else []


def examining(kinds: Mapping[str, str]) -> str:
    """Return the lines for those who examine an answer: what it may have, and what some of its placeholders are."""
    return "\n- ".join([CHECKED, *_legend(kinds)])


@lru_cache(maxsize=64)
def instructions_for(text: str, kinds: tuple[tuple[str, str], ...] = ()) -> str:
    """Return the lines for a text with placeholders, and the kinds of some of them; see `instructions`."""
    return instructions((match[0] for match in PLACEHOLDER.finditer(text)), dict(kinds))
