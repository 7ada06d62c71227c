"""Values of every category of PII-Bench, drawn by a seed (spec 03 §3.2).

What the paper makes by rule follows its format to the letter, and none of it can belong to anybody: social security
numbers of areas that are never issued, card numbers of test issuers, telephone numbers kept for films, networks and
domains kept for documentation. What the paper lets a language model write comes from lists, or from Faker (names,
places, firms), the extra `styles`.
"""

import hashlib
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib.util import find_spec
from random import Random
from types import MappingProxyType

from gama.evals.datasets.taxonomy import TYPE_OF_CATEGORY
from gama.evals.piibench.lists import sections
from gama.state.errors import OptionError
from gama.tools.styles.names import faker_of

LOCALE = "en_US"
CARDS = ("411111", "424242", "555555", "510510", "401288")
"""How the numbers begin that card schemes and payment firms publish for tests."""

_SUM = r"[$€£](?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)"
_SHARE = r"[0-9]{1,2}\.[0-9]{2} ?%"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _listed(category: str) -> str:
    values = sections("values")
    more = [*values["senior"], *values["junior"], *values["teaching"]] if category == "Occupation" else []
    return "|".join(map(re.escape, sorted([*values[category], *more], key=len, reverse=True)))


PATTERNS: Mapping[str, re.Pattern[str]] = MappingProxyType({
    category: re.compile(pattern)
    for category, pattern in {
        # First and last name, each capitalised; hyphens and apostrophes within.
        "Full Name": r"[^\W\d_a-z][\w'’-]+ [^\W\d_a-z][\w'’-]+",
        "Social Media Handle": r"@[A-Za-z0-9]{5,15}",
        "Social Security Number": r"[0-9]{3}-[0-9]{2}-[0-9]{4}",
        "Driver's License": r"[A-Z][0-9]{8}",
        "Bank Account": r"[0-9]{10,12}",
        "Credit Card": r"[0-9]{16}",
        # The paper's own samples leave the country out.
        "Phone Number": r"(?:\+[0-9]{1,3}-)?[0-9]{10}",
        "IP Address": r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}|(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}",
        "Email Address": r"[A-Za-z0-9._-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}",
        "Password Hash": r"[0-9a-f]{64}",
        "Passport Number": r"[A-Z][0-9]{8}",
        "Tax ID": r"[0-9]{9}",
        "Employee ID": r"[A-Z]{2}[0-9]{6}",
        "Student ID": r"[0-9]{8}",
        "Occupation": _listed("Occupation"),
        "Age": r"[0-9]{1,3}",
        "Gender": _listed("Gender"),
        "Height": r"[0-9]{3} ?cm|[0-9]'[0-9]{1,2}\"",
        "Weight": r"[0-9]{2,3} ?(?:kg|lbs)",
        # The paper leaves AB out: it is accepted, not made.
        "Blood Type": r"(?:AB|A|B|O)[+-]",
        "Sexual Orientation": _listed("Sexual Orientation"),
        "Date": r"[0-9]{4}-[0-9]{2}-[0-9]{2}",
        "Time": r"[0-9]{2}:[0-9]{2}:[0-9]{2}",
        "Duration": r"[0-9]+[dhms]",
        "Monthly Income": _SUM, "Monthly Expenses": _SUM, "Account Balance": _SUM, "Loan Amount": _SUM,
        "Annual Bonus": _SUM, "Credit Limit": _SUM, "Social Security Payment": _SUM, "Tax Payment": _SUM,
        "Debt Ratio": _SHARE, "Investment Return": _SHARE, "ROI": _SHARE,
        "Credit Score": r"[3-7][0-9]{2}|8[0-4][0-9]|850",
    }.items()
})  # fmt: skip
"""The form of every category that the paper makes by rule (R); a value is the whole of it."""

BY_RULE = frozenset(PATTERNS)
BY_LIST = frozenset(TYPE_OF_CATEGORY) - BY_RULE
"""What the paper lets a language model write (L)."""

# An age is a part of much else, so it comes last.
_LOOKED_FOR = (*(name for name in PATTERNS if name not in ("Full Name", "Age")), "Age")
# Any value of these forms in a text, not joined to a letter or digit. A full name is not a form that a title could not
# have too, so it is left out here and looked for by its given name, see `stray`.
_ANYWHERE = re.compile(
    r"(?<!\w)(?:" + "|".join(dict.fromkeys(PATTERNS[name].pattern for name in _LOOKED_FOR)) + ")"
    r"(?!\w)"
)
# A capitalised word with another behind it, which may itself begin a name.
_NAMES = re.compile(r"(?<!\w)([^\W\d_a-z][\w'’-]+)(?= [^\W\d_a-z][\w'’-]+)")

SUMS: Mapping[str, tuple[int, int, int]] = MappingProxyType({
    "Monthly Income": (1_800, 14_000, 50), "Monthly Expenses": (900, 6_000, 50), "Account Balance": (150, 90_000, 10),
    "Loan Amount": (2_000, 60_000, 500), "Annual Bonus": (500, 25_000, 250), "Credit Limit": (1_000, 30_000, 500),
    "Social Security Payment": (120, 1_900, 5), "Tax Payment": (300, 21_000, 5),
})  # fmt: skip
"""Least, most and step of each sum; the paper names no ranges."""


def fits(category: str, value: str) -> bool:
    """Return whether a value may stand for a category: of its form, or, without a form, one short line of words."""
    if pattern := PATTERNS.get(category):
        return bool(pattern.fullmatch(value)) and (category != "Credit Card" or luhn(value))
    plain = value == " ".join(value.split()) and 2 <= len(value) <= 80
    return plain and (category == "Street Address" or not any(sign.isdigit() for sign in value))


def stray(text: str) -> str | None:
    """Return the category of the first value by rule that stands in a text, or None.

    Args:
        text: A text whose known values have been blanked out.
    """
    if match := _ANYWHERE.search(text):
        return next(name for name in _LOOKED_FOR if PATTERNS[name].fullmatch(match[0]))
    named = any(match[1] in given_names() for match in _NAMES.finditer(text))
    return "Full Name" if named else None


def luhn(digits: str) -> bool:
    """Return whether the last digit is the Luhn check digit of those before it."""
    doubled = sum(sum(divmod(2 * int(sign), 10)) for sign in digits[-2::-2])
    return (doubled + sum(int(sign) for sign in digits[-1::-2])) % 10 == 0


@cache
def given_names() -> frozenset[str]:
    """Return the given names that people here may have; none without Faker."""
    if find_spec("faker") is None:
        return frozenset()
    from faker.providers.person.en_US import Provider

    return frozenset((*Provider.first_names_female, *Provider.first_names_male))


def check_faker() -> None:
    """Refuse to begin without Faker.

    Raises:
        OptionError: It is not installed.
    """
    if find_spec("faker") is None:
        raise OptionError("names and places of made sets come from Faker: pip install 'gama-privacy[styles]'")


def draw(category: str, rng: Random) -> str:
    """Draw a value of a category.

    Raises:
        OptionError: It comes from Faker, which is not installed.
    """
    if category in _FAKED:
        check_faker()
    if maker := _MAKERS.get(category):
        return maker(rng)
    if category in SUMS:
        return money(rng.randrange(*SUMS[category]), "$", grouped=True)
    if category in _FAKER:
        return " ".join(str(getattr(faker_of(LOCALE, rng), _FAKER[category])()).split())
    return rng.choice(sections("values")[category])


def money(amount: int, currency: str, *, grouped: bool) -> str:
    """Write a sum, with or without commas between its thousands."""
    return f"{currency}{amount:,}" if grouped else f"{currency}{amount}"


def amount(value: str) -> float:
    """Read a sum or a share."""
    return float(value.strip("$€£% ").replace(",", ""))


def _digits(rng: Random, count: int) -> str:
    return "".join(rng.choices("0123456789", k=count))


def _ssn(rng: Random) -> str:
    area = rng.choice(("000", "666", str(rng.randint(900, 999))))
    return f"{area}-{rng.randint(1, 99):02}-{rng.randint(1, 9999):04}"


def _card(rng: Random) -> str:
    front = rng.choice(CARDS) + _digits(rng, 9)
    return next(front + digit for digit in "0123456789" if luhn(front + digit))


def _phone(rng: Random) -> str:
    # Numbers for films: 555-0100 to 555-0199 of any North American area, 07700 900000 to 900999 in Britain.
    if rng.random() < 0.8:
        return f"+1-{rng.randint(201, 989)}55501{_digits(rng, 2)}"
    return f"+44-7700900{_digits(rng, 3)}"


def _ip(rng: Random) -> str:
    if rng.random() < 0.75:
        return f"{rng.choice(('192.0.2', '198.51.100', '203.0.113'))}.{rng.randint(1, 254)}"
    return "2001:db8:" + ":".join(f"{rng.randrange(65536):x}" for _ in range(6))


def email_of(name: str, rng: Random) -> str:
    """Return an address that a person of this name may have."""
    user = re.sub(r"[^a-z.]", "", name.lower().replace(" ", "."))
    return f"{user}{_digits(rng, 2)}@example.{rng.choice(('com', 'net', 'org'))}"


def _street(rng: Random) -> str:
    flat = f", Apt {rng.randint(1, 90)}" if rng.random() < 0.25 else ""
    return f"{rng.randint(1, 2400)} {faker_of(LOCALE, rng).street_name()}{flat}"


def _handle(rng: Random) -> str:
    word = re.sub(r"[^a-z]", "", str(faker_of(LOCALE, rng).first_name()).lower())[:9]
    return f"@{word}{_digits(rng, rng.randint(3, 5))}"


def full_name(rng: Random, gender: str = "") -> str:
    """Return a name, one that people of a gender have where it is `male` or `female`."""
    faker = faker_of(LOCALE, rng)
    given = {"male": faker.first_name_male, "female": faker.first_name_female}.get(gender, faker.first_name)
    return f"{given()} {faker.last_name()}"


def _height(rng: Random) -> str:
    return f"{rng.randint(150, 199)} cm" if rng.random() < 0.7 else f"{rng.choice('56')}'{rng.randint(0, 9)}\""


def _weight(rng: Random) -> str:
    return f"{rng.randint(48, 120)} kg" if rng.random() < 0.7 else f"{rng.randint(105, 260)} lbs"


def _duration(rng: Random) -> str:
    most = {"d": 180, "h": 72, "m": 120, "s": 900}
    unit = rng.choice("ddhhms")
    return f"{rng.randint(2, most[unit])}{unit}"


def _share(rng: Random) -> str:
    return f"{rng.randint(1, 45)}.{_digits(rng, 2)}%"


def _letters(rng: Random, count: int) -> str:
    return "".join(rng.choices(_LETTERS, k=count))


_FAKER = {"City/Region": "city", "Company": "company"}
_FAKED = frozenset((*_FAKER, "Full Name", "Social Media Handle", "Email Address", "Street Address"))
_MAKERS: Mapping[str, Callable[[Random], str]] = MappingProxyType({
    "Full Name": full_name, "Social Media Handle": _handle, "Social Security Number": _ssn, "Credit Card": _card,
    "Driver's License": lambda rng: _letters(rng, 1) + _digits(rng, 8),
    "Bank Account": lambda rng: _digits(rng, rng.randint(10, 12)),
    "Phone Number": _phone, "IP Address": _ip, "Email Address": lambda rng: email_of(full_name(rng), rng),
    "Street Address": _street,
    "Password Hash": lambda rng: hashlib.sha256(rng.randbytes(16)).hexdigest(),
    "Passport Number": lambda rng: _letters(rng, 1) + _digits(rng, 8),
    # Neither a social security number that was issued nor an employer's number begins so.
    "Tax ID": lambda rng: "000" + _digits(rng, 6),
    "Employee ID": lambda rng: _letters(rng, 2) + _digits(rng, 6),
    "Student ID": lambda rng: _digits(rng, 8),
    "Age": lambda rng: str(rng.randint(18, 84)),
    "Height": _height, "Weight": _weight,
    "Blood Type": lambda rng: rng.choice("ABO") + rng.choice("+-"),
    "Date": lambda rng: f"{rng.randint(2012, 2025)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}",
    "Time": lambda rng: f"{rng.randint(0, 23):02}:{rng.randint(0, 59):02}:{rng.randint(0, 59):02}",
    "Duration": _duration, "Debt Ratio": _share, "Investment Return": _share, "ROI": _share,
    "Credit Score": lambda rng: str(rng.randint(300, 850)),
})  # fmt: skip
