"""Conditions that declared rules name: what an expression cannot say of a value, and proofs by checksum.

A check of a pattern takes the match, a check of a label and a proof take the value.
"""

import hashlib
import re
from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib import import_module
from typing import Any

from gama.tools.recognizers.base import digits

_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_DATE = re.compile(r"\d{1,2}[./-]\d{1,2}[./-](?:\d{2}|\d{4})|(?:19|20)\d{2}[./-]\d{1,2}[./-]\d{1,2}|(?:19|20)\d{2}")
_MONTHS = frozenset("January February March April May June July August September October November December".split())

# Issuer ranges: Visa, Mastercard (51-55, 2221-2720), Amex, Discover, Diners, JCB, UnionPay, Maestro, Mir.
_ISSUERS = re.compile(
    r"4\d{12}(?:\d{3})?(?:\d{3})?|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|"
    r"6(?:011|5\d\d|4[4-9]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|35(?:2[89]|[3-8]\d)\d{12}|62\d{14,17}|"
    r"(?:50|5[6-9]|6[0-9])\d{10,17}|220[0-4]\d{12}"
)


@cache
def _stdnum(module: str) -> Any:
    return import_module(f"stdnum.{module}")


def confirmed(value: str, module: str) -> bool:
    """Return whether python-stdnum's `module` accepts a value; False where it cannot even read it."""
    try:
        return bool(_stdnum(module).is_valid(value))
    except (ValueError, IndexError, KeyError, TypeError):
        return False


def named(given: str | Sequence[str]) -> Callable[[Any], bool]:
    """Return a function of this module by its name, or the proof by any of some modules of python-stdnum."""
    found: Callable[[Any], bool] = globals()[given] if isinstance(given, str) else partial(_any_confirms, given)
    return found


def _any_confirms(modules: Sequence[str], value: str) -> bool:
    return any(confirmed(value, module) for module in modules)


def card_number(value: str) -> bool:
    """Return whether a number lies in an issuer's range and passes the Luhn check."""
    number = digits(value)
    return bool(_ISSUERS.fullmatch(number)) and len(set(number)) > 1 and confirmed(number, "luhn")


def base58check(value: str) -> bool:
    """Return whether the four checksum bytes of a base58check string are right (double SHA-256)."""
    number = 0
    for char in value:
        number = number * 58 + _BASE58.index(char)
    raw = number.to_bytes(max(25, (number.bit_length() + 7) // 8), "big")
    return hashlib.sha256(hashlib.sha256(raw[:-4]).digest()).digest()[:4] == raw[-4:]


def mixed_base58(match: re.Match[str]) -> bool:
    """Return whether a string without a right checksum has letters of both cases and two digits."""
    value = match[0]
    return any(c.islower() for c in value) and any(c.isupper() for c in value) and sum(c.isdigit() for c in value) >= 2


def mac(value: str) -> bool:
    """Return whether a hardware address is written as one, in pairs."""
    return bool(_stdnum("mac").is_valid(value, validate_manufacturer=False))


def several_signs(match: re.Match[str]) -> bool:
    """Return whether a hardware address has four different characters."""
    return len(set(match["v"])) >= 4


def behind_name(match: re.Match[str]) -> bool:
    """Return whether a number of three or more stands behind a word with a capital that is not a month."""
    before = match.string[max(0, match.start() - 26) : match.start()]
    word = re.search(r"([^\W\d_][\w'-]*)(?:, | \()$", before)
    return bool(word and word[1][0].isupper() and word[1] not in _MONTHS and int(match[0]) >= 3)


def forum_age(match: re.Match[str]) -> bool:
    """Return whether "34F" stands where people write so: in brackets, or behind a pronoun."""
    before = match.string[max(0, match.start() - 6) : match.start()]
    personal = before.endswith(("(", "[")) or bool(re.search(r"\b(?:i|me|my|im|he|she) ?$", before))
    return 12 <= int(match["v"]) <= 99 and personal


def on_earth(match: re.Match[str]) -> bool:
    """Return whether a pair of degrees is a place on the globe."""
    return abs(float(match["lat"].replace(" ", ""))) <= 90 and abs(float(match["lon"].replace(" ", ""))) <= 180


def human_height(match: re.Match[str]) -> bool:
    """Return whether somebody may be so many metres tall."""
    return 130 <= int(re.sub(r"[^0-9]", "", match["v"])[:3]) <= 225


def spread(match: re.Match[str]) -> bool:
    """Return whether a hash has many different signs: all digits, or one repeated, is an identifier or padding."""
    value = match["v"]
    return len(set(value.lower())) > 6 and not value.isdigit()


def no_commit(match: re.Match[str]) -> bool:
    """Return whether a hash is one, and not named as a commit."""
    before = match.string[max(0, match.start() - 20) : match.start()].lower()
    named = any(word in before for word in ("commit", "revision", "sha:", "git ", "tree", "merge"))
    return spread(match) and not named


def _has_digits(value: str, least: int) -> bool:
    return sum(char.isdigit() or char in "*•" for char in value) >= least and not _DATE.fullmatch(value)


def long_code(value: str) -> bool:
    """Return whether a value has at least four digits and is not a date or year."""
    return _has_digits(value, 4)


def very_long_code(value: str) -> bool:
    """Return whether a value has at least five digits and is not a date."""
    return _has_digits(value, 5)


def serial(value: str) -> bool:
    """Return whether a value may be the serial number of a device."""
    return len(value) >= 5 and sum(char.isdigit() for char in value) >= 2 and long_code(value + "00")


def reference(value: str) -> bool:
    """Return whether a value has three digits, or a booking's mix of capitals and digits.

    A word before the first digit ("Case Study 2024") and decimals are refused.
    """
    head = re.split(r"\d", value, maxsplit=1)[0]
    if re.search(r"[A-Z][a-z]{2,}|[a-z]{4,}", head) or re.search(r"\d[.,]\d{1,2}$", value):
        return False
    count = sum(char.isdigit() for char in value)
    booking = 5 <= len(value) <= 10 and count >= 1 and value == value.upper() and any(char.isalpha() for char in value)
    return booking or (count >= 3 and (long_code(value) or not re.fullmatch(r"\d{3}", value)))


def plate(value: str) -> bool:
    """Return whether a value has a number plate's capitals and digits."""
    bare = re.sub(r"[ ·.-]", "", value)
    letters = sum(char.isalpha() for char in bare)
    return value == value.upper() and 4 <= len(bare) <= 11 and 1 <= letters <= 6 and len(bare) - letters >= 1


def plausible_number(value: str) -> bool:
    """Return whether a value may be a national number: five to twenty digits, not all the same, and no date."""
    count = sum(char.isdigit() or char == "*" for char in value)
    is_date = re.fullmatch(r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4}", value)
    return 5 <= count <= 20 and len(set(digits(value))) > 1 and not is_date
