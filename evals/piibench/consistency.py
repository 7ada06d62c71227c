"""Whether a person's values go together, and two persons' (spec 03 §3.3, steps 3 and 5): the rules that need no LLM."""

import re
from collections.abc import Mapping, Sequence
from random import Random
from types import MappingProxyType

from gama.evals.datasets.taxonomy import TYPE_OF_CATEGORY
from gama.evals.piibench.lists import sections
from gama.evals.piibench.values import SUMS, amount, draw, email_of, fits, full_name, money

Values = dict[str, str]
"""A person's values by category; the categories are different ones, as in the paper."""

YEAR = 2025
"""The year that texts are written in: the last that dates fall into."""
WORKING_AGE = 16
"""The age at which experience begins at the earliest."""
GENERATION = 20
"""Years between parent and child at least (the paper: 18 to 20)."""
_SECONDS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}
_DEGREES = (("Doctor", 24, 7), ("Master", 22, 6), ("Bachelor", 20, 5), ("Associate", 19, 4))
"""How a degree begins, the least age for it, and its least place among the levels of education."""

SHARED: Mapping[str, str] = MappingProxyType({
    "colleagues": "Company", "alumni": "Educational Institution", "neighbours": "City/Region",
    "supervisor-subordinate": "Company", "teacher-student": "Educational Institution",
})  # fmt: skip
"""What the two persons of a tie have in common."""

TIES: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "intersection": ("colleagues", "alumni", "neighbours"),
    "hierarchical": ("parent-child", "supervisor-subordinate", "teacher-student"),
    "non-intersection": ("strangers",),
})  # fmt: skip
"""The paper's three relations, and the ties between two persons that are each one."""


def conflicts(values: Values) -> list[str]:
    """Name the rules that a person's values break; the words quote no value."""
    found = []
    age = int(values["Age"]) if "Age" in values else None
    if age is not None and age < experience(values) + WORKING_AGE:
        found.append("age against experience")
    if degree := next((one for one in _DEGREES if values.get("Academic Degree", "").startswith(one[0])), None):
        levels = sections("values")["Education Level"]
        if age is not None and age < degree[1]:
            found.append("degree against age")
        if values.get("Education Level") in levels[: degree[2]]:
            found.append("degree against education")
    income = amount(values["Monthly Income"]) if "Monthly Income" in values else None
    if income is not None and "Monthly Expenses" in values and amount(values["Monthly Expenses"]) > 3 * income:
        found.append("expenses against income")
    if income is not None and "Loan Amount" in values and "Debt Ratio" in values:
        ratio = debt_ratio(amount(values["Loan Amount"]), income)
        if abs(ratio - amount(values["Debt Ratio"])) > 1:
            found.append("debt ratio against loan and income")
    if len({values[name][0] for name in SUMS if name in values}) > 1:
        found.append("several currencies")
    if len(set(values.values())) < len(values):
        found.append("one value in two categories")
    return found


def debt_ratio(loan: float, income: float) -> float:
    """Return a loan as a share of a year's income, in percent: the paper does not say how it is reckoned."""
    return 100 * loan / (12 * income) if income else 100.0


def experience(values: Values) -> float:
    """Return the years of experience that a person's values speak of: since a date, or a duration."""
    years = 0.0
    if re.fullmatch(r"[0-9]+[dhms]", duration := values.get("Duration", "")):
        years = int(duration[:-1]) * _SECONDS[duration[-1]] / (365.25 * 86_400)
    if date := values.get("Date", ""):
        years = max(years, YEAR - int(date[:4]))
    return years


def person(categories: Sequence[str], rng: Random) -> Values:
    """Draw a person's values until no rule is broken."""
    while conflicts(values := _drawn(categories, rng)):
        pass
    return values


def _drawn(categories: Sequence[str], rng: Random) -> Values:
    values = {category: draw(category, rng) for category in categories}
    if {"Full Name", "Gender"} <= set(values):
        values["Full Name"] = full_name(rng, values["Gender"])
    if {"Full Name", "Email Address"} <= set(values):
        values["Email Address"] = email_of(values["Full Name"], rng)
    currency, grouped = rng.choice("$$$€£"), rng.random() < 0.7
    for name in SUMS:
        if name in values:
            values[name] = money(rng.randrange(*SUMS[name]), currency, grouped=grouped)
    if {"Monthly Income", "Loan Amount", "Debt Ratio"} <= set(values):
        ratio = rng.uniform(2, 60)
        values["Debt Ratio"] = f"{ratio:.2f}%"
        loan = round(ratio / 100 * 12 * amount(values["Monthly Income"]))
        values["Loan Amount"] = money(loan, currency, grouped=grouped)
    return values


def pair_conflicts(tie: str, first: Values, second: Values) -> list[str]:
    """Name the rules that two persons' values break; the words quote no value."""
    found = [*conflicts(first), *conflicts(second)]
    if (shared := SHARED.get(tie)) and (shared not in first or first.get(shared) != second.get(shared)):
        found.append(f"{tie} share their {shared}")
    lists = sections("values")
    ages = (int(first["Age"]), int(second["Age"])) if "Age" in first and "Age" in second else None
    if tie == "parent-child" and (ages is None or ages[0] < ages[1] + GENERATION):
        found.append("a parent's age")
    if tie == "teacher-student" and ages is not None and ages[0] <= ages[1]:
        found.append("a teacher's age")
    if tie == "teacher-student" and first.get("Occupation") not in lists["teaching"]:
        found.append("a teacher's occupation")
    if tie == "supervisor-subordinate" and not (
        first.get("Occupation") in lists["senior"] and second.get("Occupation") in lists["junior"]
    ):
        found.append("a supervisor's position")
    return found


def required(tie: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the categories that each of the two persons of a tie must have."""
    shared = (SHARED[tie],) if tie in SHARED else ()
    own: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
        "parent-child": (("Age",), ("Age",)),
        "supervisor-subordinate": (("Occupation",), ("Occupation",)),
        "teacher-student": (("Occupation",), ()),
    }
    first, second = own.get(tie, ((), ()))
    return (*shared, *first), (*shared, *second)


def pair(tie: str, categories: tuple[Sequence[str], Sequence[str]], rng: Random) -> tuple[Values, Values] | None:
    """Draw the values of two persons so that no rule is broken; None where twenty draws have not done it."""
    lists = sections("values")
    for _ in range(20):
        first, second = person(categories[0], rng), person(categories[1], rng)
        if shared := SHARED.get(tie):
            second[shared] = first[shared]
        if tie == "supervisor-subordinate":
            first["Occupation"], second["Occupation"] = rng.choice(lists["senior"]), rng.choice(lists["junior"])
        elif tie == "teacher-student":
            first["Occupation"] = rng.choice(lists["teaching"])
        elif tie == "parent-child":
            second["Age"] = str(rng.randint(18, 50))
            first["Age"] = str(int(second["Age"]) + rng.randint(GENERATION, 34))
            for inherited in ("Nationality", "Ethnicity"):
                if inherited in first and inherited in second:
                    second[inherited] = first[inherited]
        if not pair_conflicts(tie, first, second):
            return first, second
    return None


def repaired(values: Values, rewritten: object) -> Values | None:
    """Read what a language model made of a person's values: a list of {label, tag, entity} (type, category, value).

    It may change values only: None where types and categories are not the same, a value has another form than its
    category, or a rule is broken.
    """
    if not isinstance(rewritten, list) or not all(isinstance(one, dict) for one in rewritten):
        return None
    told = [(one.get("label"), one.get("tag")) for one in rewritten]
    if sorted(map(str, told)) != sorted(str((TYPE_OF_CATEGORY[name], name)) for name in values):
        return None
    changed = {str(one["tag"]): str(one.get("entity", "")) for one in rewritten}
    usable = all(fits(name, value) for name, value in changed.items())
    return {name: changed[name] for name in values} if usable and not conflicts(changed) else None
