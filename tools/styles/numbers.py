"""Other numbers and codes of the same form, valid where the real one was."""

import re
from functools import cache
from random import Random

from gama.tools.recognizers.checks import confirmed

TRIES = 400
"""How many random numbers are tried until one is valid."""

_LOWER, _DIGITS = "abcdefghijklmnopqrstuvwxyz", "0123456789"


def same_shape(surface: str, random: Random, *, first: int = 0) -> str | None:
    """Return a text with other digits and letters in the places of digits and ASCII letters.

    Args:
        surface: the real value.
        random: where the choices come from.
        first: how many characters at the beginning stay.
    """
    if not any(char.isascii() and char.isalnum() for char in surface[first:]):
        return None
    out = [_another(char, random) for char in surface[first:]]
    return surface[:first] + "".join(out)


def _another(char: str, random: Random) -> str:
    if not char.isascii() or not char.isalnum():
        return char
    if char.isdigit():
        return random.choice(_DIGITS)
    return random.choice(_LOWER.upper() if char.isupper() else _LOWER)


def code(surface: str, random: Random) -> str | None:
    """Return another code; if python-stdnum confirms the real one as some country's, it confirms the other too."""
    for name in _formats():
        if not confirmed(surface, name):
            continue
        for _ in range(TRIES):
            made = same_shape(surface, random)
            if made and confirmed(made, name):
                return made
    return same_shape(surface, random)


@cache
def _formats() -> tuple[str, ...]:
    from gama.tools.recognizers.rules import declaration

    return tuple(dict.fromkeys(module for module, _, _ in declaration("national_id").tree["forms"]))


def phone(surface: str, random: Random) -> str | None:
    """Return another number of the country and area, written alike; a valid one where the real one is."""
    import phonenumbers

    try:
        real = phonenumbers.parse(surface, None)
    except phonenumbers.NumberParseException:
        return same_shape(surface, random)
    prefix = len(str(real.country_code)) + 2
    if not phonenumbers.is_valid_number(real):
        return _other_digits(surface, random, keep=prefix)
    kind = phonenumbers.number_type(real)
    for _ in range(TRIES):
        # The country code and what tells mobile from landline stay.
        made = _other_digits(surface, random, keep=prefix)
        number = phonenumbers.parse(made, None)
        if phonenumbers.is_valid_number(number) and phonenumbers.number_type(number) == kind:
            return made
    return _other_digits(surface, random, keep=prefix)


def _other_digits(surface: str, random: Random, *, keep: int) -> str:
    """Replace all digits but the first ones."""
    seen, out = 0, []
    for char in surface:
        if char.isdigit() and char.isascii():
            seen += 1
            out.append(char if seen <= keep else random.choice(_DIGITS))
        else:
            out.append(char)
    return "".join(out)


def iban(surface: str, random: Random) -> str | None:
    """Return another valid account number of the country, with the same spaces; a label before it stays."""
    from stdnum import iban as checker

    found = re.search(r"[A-Za-z]{2}\d\d(?=[ A-Za-z0-9]{11,})", surface)
    if not found:
        return None
    country = found[0][:2]
    for _ in range(TRIES):
        body = "".join(_another(char, random) for char in surface[found.end() :])
        plain = re.sub(r"[^A-Za-z0-9]", "", body)
        made = f"{country}{checker.calc_check_digits(f'{country}00{plain}')}{body}"
        if checker.is_valid(made):
            return surface[: found.start()] + made
    return None


def credit_card(surface: str, random: Random) -> str | None:
    """Return another number of the network that passes the checksum."""
    from stdnum import luhn

    made = _other_digits(surface, random, keep=2)
    digits = re.sub(r"\D", "", made)
    last = luhn.calc_check_digit(digits[:-1])
    at = max(n for n, char in enumerate(made) if char.isdigit())
    return made[:at] + last + made[at + 1 :]


def email(surface: str, random: Random) -> str | None:
    """Return an address at a domain that is reserved for examples (RFC 2606)."""
    from gama.tools.styles.names import faker_of

    faker = faker_of("en_GB", random)
    local = f"{faker.first_name()}.{faker.last_name()}{random.randrange(10, 99)}".casefold()
    return f"{re.sub(r'[^a-z0-9.]', '', local)}@example.{random.choice(('com', 'org', 'net'))}"


def handle(surface: str, random: Random) -> str | None:
    """Return another name of an account."""
    from gama.tools.styles.names import faker_of

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
    digits = iter(made)
    upper = surface == surface.upper()
    out = "".join(next(digits, "0") if char.isalnum() else char for char in surface)
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
    out, first = [], True
    for char in surface:
        if char.isascii() and char.isdigit():
            out.append(random.choice(_DIGITS[1:] if first and char != "0" else _DIGITS))
            first = False
        else:
            out.append(char)
    return None if first else "".join(out)
