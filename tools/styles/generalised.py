"""Generalised tags: `<age-1 band=30-39>`. The tag with what is roughly so, too wide to single anybody out.

What is told, by subtype; what is not listed, or cannot be read for certain, keeps the bare tag:

| subtype | fact | how wide |
|---|---|---|
| age | `band=30-39` | decades; 0-1, 2-5, 6-9, 10-17 and 18-29, so that childhood and majority show; 90+ |
| date | `month=3` | the month |
| date of birth | `decade=1980s` | ten years |
| large city, capital | `country=PL size=over-100k` | five cities or more of the size, 250,000 people of the country |
| income, balance, loan, bonus, credit limit | `band=20000-50000` | from 1, 2 or 5 of a power of ten to the next |
| organization, facility, landmark | `kind=bank` | what it is, never which |
| rare illness | `family=metabolism` | the family of illnesses |

The value stays behind the tag: formulas reckon with it, and restoring brings it back.
"""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache

import regex

from gama.state.entities import TYPE_OF
from gama.tools.contract import Mention
from gama.tools.tables import lines, table

Facts = dict[str, str]

_BANDS = (0, 2, 6, 10, 18, 30, 40, 50, 60, 70, 80, 90)
WORDED = {
    "0-1": "infant", "2-5": "small-child", "6-9": "young-child", "10-17": "older-child-or-teen", "18-29": "young-adult",
    "30-39": "thirties", "40-49": "forties", "50-59": "fifties", "60-69": "sixties", "70-79": "seventies",
    "80-89": "eighties", "90+": "ninety-or-more",
}  # fmt: skip
"""Bands of ages in words, for texts in which one of the numbers is a private value itself, as the age 30 is."""
# An age in smaller units than years, in the languages of letters: accepts `8 months`, `9 Monate`, `6 semanas`.
_BABY = regex.compile(
    r"\b(?:months?|monate?n?|mois|mes(?:es|i)?|maand\w*|miesi\w*|månad\w*|måned\w*|weeks?|wochen?|semanas?|semaines?"
    r"|settiman\w*|weken|tygodni\w*|veckor|uger|days?|tage?)\b",
    regex.IGNORECASE,
)
_STEPS = (1, 2, 5, 10)


class GeneralisedStyle:
    """Writes the tag with what is roughly so."""

    name = "generalised"
    reversible = True

    def write(self, mention: Mention) -> str | None:
        """Return the tag with its facts; the bare tag where nothing can be told."""
        if mention.surface is None:
            return None
        stem = mention.tag.rstrip(">")
        return f"{stem}{told(mention.surface, mention.subtype)}{mention.tag[len(stem) :]}"


def told(surface: str, subtype: str) -> str:
    """Return what is told of a value in its tag, such as ` band=30-39`; empty where it is hidden whole."""
    tell = _TELLERS.get(subtype)
    return "".join(f" {name}={value}" for name, value in (tell(surface) if tell else {}).items())


def is_illness(surface: str) -> bool:
    """Return whether a text names an illness."""
    words = table("styles", "generalised")
    return _has(words["common"], surface) or _has(words["illness"], surface)


def _has(words: str, surface: str) -> bool:
    return bool(_pattern(words).search(surface))


@cache
def _pattern(words: str) -> "regex.Pattern[str]":
    return regex.compile(rf"\b(?:{words.strip()})(?!\w)", regex.IGNORECASE)


def _age(surface: str) -> Facts:
    numbers = regex.findall(r"\d+", surface)
    if len(numbers) != 1 or len(numbers[0]) > 3:
        return {}
    age = 0 if _BABY.search(surface) else int(numbers[0])
    if age > 120:
        return {}
    low, high = next((low, high) for low, high in zip(_BANDS, (*_BANDS[1:], 1000), strict=True) if low <= age < high)
    return {"band": f"{low}-{high - 1}" if high < 1000 else f"{low}+"}


def _date_of_birth(surface: str) -> Facts:
    years = regex.findall(r"(?<!\d)(?:19|20)\d\d(?!\d)", surface)
    return {"decade": f"{years[0][:3]}0s"} if len(years) == 1 else {}


def _date(surface: str) -> Facts:
    from gama.tools.formulas.times import month_in

    month = month_in(surface)
    return {"month": str(month)} if month else {}


def _city(surface: str) -> Facts:
    from gama.tools.formulas.facts import country_codes
    from gama.tools.formulas.identity import fold

    codes = country_codes(surface)
    code = codes.pop() if len(codes) == 1 else ""
    size = _sizes().get((code, fold(surface)))
    return {} if size is None or code in _small() else {"country": code} | ({"size": size} if size else {})


def _towns() -> Iterator[list[str]]:
    return (line.split("\t") for line in lines("styles", "towns.tsv.gz"))


@cache
def _small() -> frozenset[str]:
    """Return the countries that are too small to be told."""
    return frozenset(next(names for first, _, names in _towns() if first == "small").split(","))


@cache
def _sizes() -> Mapping[tuple[str, str], str]:
    """Return the sizes of large cities, by country and name; empty for capitals that are small."""
    return {(code, name): size for code, size, names in _towns() if code != "small" for name in names.split(",")}


def _amount(surface: str) -> Facts:
    from gama.tools.formulas.numbers import Marks, read_amount
    from gama.tools.formulas.values import Fault

    try:
        # What people earn and owe has no three decimals: a mark before three digits sets thousands off.
        read = read_amount(regex.sub(r"(?<=\d)[.,'’ ](?=\d{3}(?!\d))", "", surface), Marks(None))
    except Fault:
        return {}
    if read.number < 1 or not read.money:
        return {}
    low, high = _band(read.number)
    facts = {"band": f"{low}-{high}", "currency": read.unit if regex.fullmatch(r"[A-Z]{3}", read.unit) else ""}
    return {name: value for name, value in (facts | {"per": read.per}).items() if value}


def _band(number: Fraction) -> tuple[int, int]:
    """Return the steps of 1, 2 and 5 times a power of ten between which a number lies."""
    power = 10 ** (len(str(int(number))) - 1)
    bands = zip(_STEPS, _STEPS[1:], strict=False)
    return next((low * power, high * power) for low, high in bands if low * power <= number < high * power)


def _kind(subtype: str) -> Callable[[str], Facts]:
    def tell(surface: str) -> Facts:
        known = table("styles", "generalised")
        by_name = next((kind for kind, names in known["kinds"].items() if _has(names, surface)), None)
        kind = by_name or known["subtypes"].get(subtype)
        return {"kind": kind} if kind else {}

    return tell


def _illness(surface: str) -> Facts:
    words = table("styles", "generalised")
    if _has(words["common"], surface) or not is_illness(surface):
        return {}
    named = (family for family, parts in words["families"].items() if regex.search(parts, surface, regex.IGNORECASE))
    return {"family": next(named, "rare-illness")}


_TELLERS: Mapping[str, Callable[[str], Facts]] = {
    "age": _age,
    "date": _date,
    "date_of_birth": _date_of_birth,
    "city": _city,
    **dict.fromkeys(("income", "balance", "loan", "bonus", "credit_limit"), _amount),
    **{kind: _kind(kind) for kind, type_ in TYPE_OF.items() if type_ == "ORG" or kind in ("facility", "landmark")},
    "medical_condition": _illness,
}
GENERALISED = frozenset(_TELLERS)
"""Subtypes of which something can be told."""
