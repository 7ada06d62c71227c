"""Other numbers, codes and dates of the same form, valid where the real one was."""

import re
from collections.abc import Callable
from datetime import date
from functools import partial
from random import Random

from gama.tools.recognizers.base import digits
from gama.tools.recognizers.declared import confirmed
from gama.tools.styles.names import faker_of
from gama.tools.styles.sources import known_words

TRIES = 400
"""How many random numbers are tried until one is valid."""

_LOWER, _DIGITS = "abcdefghijklmnopqrstuvwxyz", "0123456789"


def _tried(make: Callable[[], str], fits: Callable[[str], bool]) -> str | None:
    """Return the first of some attempts that fits."""
    attempts = (make() for _ in range(TRIES))
    return next((made for made in attempts if fits(made)), None)


def same_shape(surface: str, random: Random) -> str | None:
    """Return a text with other digits and letters in the places of digits and ASCII letters."""
    return _reshaped(surface, random) if any(char.isascii() and char.isalnum() for char in surface) else None


def _reshaped(surface: str, random: Random) -> str:
    return "".join(_another(char, random) for char in surface)


def _another(char: str, random: Random) -> str:
    if not char.isascii() or not char.isalnum():
        return char
    if char.isdigit():
        return random.choice(_DIGITS)
    return random.choice(_LOWER.upper() if char.isupper() else _LOWER)


def code(surface: str, random: Random) -> str | None:
    """Return another code; if python-stdnum confirms the real one as some country's, it confirms the other too."""
    from gama.tools.recognizers.declared import declaration

    for name in dict.fromkeys(module for module, _, _ in declaration("national_id").tree["forms"]):
        if confirmed(surface, name):
            made = _tried(partial(_reshaped, surface, random), partial(confirmed, module=name))
            if made:
                return made
    return same_shape(surface, random)


def phone(surface: str, random: Random) -> str | None:
    """Return another number of the country and area, written alike; a valid one where the real one is."""
    import phonenumbers

    try:
        real = phonenumbers.parse(surface, None)
    except phonenumbers.NumberParseException:
        return same_shape(surface, random)
    # The country code and what tells mobile from landline stay.
    keep = len(str(real.country_code)) + 2
    kind = phonenumbers.number_type(real)

    def fits(made: str) -> bool:
        number = phonenumbers.parse(made, None)
        return phonenumbers.is_valid_number(number) and phonenumbers.number_type(number) == kind

    made = None
    if phonenumbers.is_valid_number(real):
        made = _tried(partial(_other_digits, surface, random, keep), fits)
    return made or _other_digits(surface, random, keep)


def _other_digits(surface: str, random: Random, keep: int) -> str:
    """Replace all ASCII digits but the first ones."""
    made = list(surface)
    for place in [n for n, char in enumerate(surface) if char in _DIGITS][keep:]:
        made[place] = random.choice(_DIGITS)
    return "".join(made)


def iban(surface: str, random: Random) -> str | None:
    """Return another valid account number of the country, with the same spaces; a label before it stays."""
    from stdnum import iban as checker

    found = re.search(r"[A-Za-z]{2}\d\d(?=[ A-Za-z0-9]{11,})", surface)
    if not found:
        return None
    country, rest = found[0][:2], surface[found.end() :]

    def make() -> str:
        body = _reshaped(rest, random)
        plain = re.sub(r"[^A-Za-z0-9]", "", body)
        return f"{country}{checker.calc_check_digits(f'{country}00{plain}')}{body}"

    made = _tried(make, checker.is_valid)
    return surface[: found.start()] + made if made else None


def credit_card(surface: str, random: Random) -> str | None:
    """Return another number of the network that passes the checksum; None for digits that are not ASCII."""
    from stdnum import luhn

    made = _other_digits(surface, random, keep=2)
    number = digits(made)
    if len(number) < 3:
        return None
    at = made.rindex(number[-1])
    return made[:at] + luhn.calc_check_digit(number[:-1]) + made[at + 1 :]


def email(surface: str, random: Random) -> str | None:
    """Return an address at a domain that is reserved for examples (RFC 2606)."""
    faker = faker_of("en_GB", random)
    local = f"{faker.first_name()}.{faker.last_name()}{random.randrange(10, 99)}".casefold()
    return f"{re.sub(r'[^a-z0-9.]', '', local)}@example.{random.choice(('com', 'org', 'net'))}"


def handle(surface: str, random: Random) -> str | None:
    """Return another name of an account."""
    faker = faker_of("en_GB", random)
    made = f"{faker.first_name()}{random.choice(('_', '.', ''))}{random.randrange(100, 9999)}".casefold()
    return ("@" if surface.startswith("@") else "") + re.sub(r"[^a-z0-9_.]", "", made)


def ip_address(surface: str, random: Random) -> str | None:
    """Return an address of the networks that are reserved for documentation (RFC 5737, RFC 3849)."""
    if ":" in surface:
        return f"2001:db8:{random.randrange(1, 0xFFFF):x}::{random.randrange(1, 0xFFFF):x}"
    return f"{random.choice(('192.0.2', '198.51.100', '203.0.113'))}.{random.randrange(1, 255)}"


def mac_address(surface: str, random: Random) -> str | None:
    """Return a locally administered address, written alike."""
    made = [random.choice("0123456789abcdef") for _ in range(12)]
    made[1] = random.choice("26ae")
    signs = iter(made)
    upper = surface == surface.upper()
    out = "".join(next(signs, "0") if char.isalnum() else char for char in surface)
    return out.upper() if upper else out


def url(surface: str, random: Random) -> str | None:
    """Return an address at a domain that is reserved for examples."""
    scheme = re.match(r"[a-z]+://", surface, re.IGNORECASE)
    word = "".join(random.choice(_LOWER) for _ in range(9))
    return f"{scheme[0] if scheme else ''}www.example.com/{word}"


def age(surface: str, random: Random) -> str | None:
    """Return another age of the same decade of life."""
    found = re.search(r"\d{1,3}", surface)
    if not found or int(found[0]) > 99:
        return None
    decade = int(found[0]) // 10 * 10
    return f"{surface[: found.start()]}{decade + random.randrange(10)}{surface[found.end() :]}"


def amount(surface: str, random: Random) -> str | None:
    """Return another amount with as many digits."""
    made, places = list(surface), [n for n, char in enumerate(surface) if char in _DIGITS]
    for place in places:
        made[place] = random.choice(_DIGITS[1:] if place == places[0] and surface[place] != "0" else _DIGITS)
    return "".join(made) if places else None


# Accepts 2024-03-12, 12.03.2024, 12/3/2024, 3/12/2024: three numbers, one of four digits at either end, one separator.
_NUMBERS = re.compile(r"^(\D*?)(\d{1,4})([-./])(\d{1,2})\3(\d{1,4})(\D*)$")


def another_date(surface: str, random: Random) -> str | None:
    """Return a date of the same decade in the same writing; None where the writing is not understood."""
    if match := _NUMBERS.match(surface):
        return _numeric(match, random)
    years = re.findall(r"(?<!\d)(?:19|20)\d\d(?!\d)", surface)
    if len(years) != 1:
        return None
    other = _in_decade(int(years[0]), random)
    for names in map(str.split, known_words("months")):
        for word in re.findall(r"[^\W\d_]+", surface):
            if word.casefold() in names:
                return _worded(surface, word, names, years[0], other)
    return None


def _in_decade(year: int, random: Random) -> date:
    # Days up to 28 are in every month.
    return date(year // 10 * 10 + random.randrange(10), random.randrange(1, 13), random.randrange(1, 29))


def _numeric(match: "re.Match[str]", random: Random) -> str | None:
    before, first, sign, second, third, after = match.groups()
    if len(first) == 4:
        other = _in_decade(int(first), random)
        parts = (f"{other.year}", _padded(other.month, second), _padded(other.day, third))
    elif len(third) == 4:
        other = _in_decade(int(third), random)
        # Where the day stands is told by a number above 12 only; below, both readings stay right.
        day_first = int(first) > 12 or int(second) <= 12
        one, two = (other.day, other.month) if day_first else (other.month, other.day)
        if int(first) <= 12 and int(second) <= 12:
            one = 1 + (one - 1) % 12
        parts = (_padded(one, first), _padded(two, second), f"{other.year}")
    else:
        return None
    return f"{before}{sign.join(parts)}{after}"


def _worded(surface: str, word: str, names: list[str], year: str, other: date) -> str | None:
    month = names[other.month - 1]
    month = month.upper() if word.isupper() else month.capitalize() if word[:1].isupper() else month
    out = surface.replace(year, "\0", 1)
    days = re.findall(r"(?<!\d)\d{1,2}(?!\d)", out)
    if len(days) > 1:
        return None
    if days:

        def written(found: "re.Match[str]") -> str:
            ending = "th" if 10 < other.day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(other.day % 10, "th")
            return f"{other.day}{ending}" if found[1] else _padded(other.day, days[0])

        out = re.sub(rf"(?<!\d){days[0]}(st|nd|rd|th)?(?!\d)", written, out, count=1)
    return out.replace(word, month, 1).replace("\0", str(other.year), 1)


def _padded(number: int, like: str) -> str:
    return f"{number:02d}" if like.startswith("0") or (len(like) == 2 and number > 9) else str(number)
