"""Enriched tags: `<location-1 country=PL>`. The tag with facts that help an expert and point at nobody.

A fact narrows a value down to a large class, and never to one person. It is left out where it cannot be told, or would
tell too much: the country of a place in a country of few cities, or a fact that is itself a private value of the
conversation (the writer sees to that). Values of facts are letters, digits, `.`, `+`, `-` and `_`, at most 24.
"""

import ipaddress
import re
from collections import Counter
from collections.abc import Callable
from functools import cache

from gama.state.entities import TYPE_OF
from gama.tools.contract import Mention
from gama.tools.styles.names import culture_of
from gama.tools.styles.sources import cities, continents, known_words

MOST_FACTS = 3
FEWEST_CITIES = 20
"""A country with fewer known cities is too small to be named."""
SURE = 10
"""How many times larger a city must be than all others of its name to be meant."""

Facts = dict[str, str | None]


class EnrichedStyle:
    """Writes the tag with harmless facts."""

    name = "enriched"
    reversible = True

    def write(self, mention: Mention) -> str | None:
        """Return the tag with its facts; the bare tag where there are none."""
        if mention.surface is None:
            return None
        facts = facts_of(mention.surface, mention.subtype)
        told = "".join(f" {name}={value}" for name, value in list(facts.items())[:MOST_FACTS])
        stem = mention.tag.rstrip(">")
        return f"{stem}{told}{mention.tag[len(stem) :]}"


def facts_of(surface: str, subtype: str) -> dict[str, str]:
    """Return the facts of a value, by name; none where nothing is known."""
    kind = TYPE_OF.get(subtype, "")
    told = _BY_SUBTYPE.get(subtype) or _BY_TYPE.get(kind)
    facts: Facts = {}
    if kind in ("LOC", "ORG") and subtype not in ("street_address", "postcode", "coordinates", "other_org"):
        facts["kind"] = subtype
    facts |= told(surface) if told else {}
    return {name: value for name, value in facts.items() if value and re.fullmatch(r"[\w.+-]{1,24}", value)}


def plain_country(surface: str) -> str:
    """Return the name of a country as the tables have it."""
    return surface.casefold().removeprefix("the ").strip()


def country_of_city(name: str) -> str | None:
    """Return the two letters of the country of the city that is meant, if that is clear and the country is large."""
    places = _people_by_name().get(name.casefold().strip(), {})
    country = max(places, key=lambda code: places[code], default="")
    others = sum(people for code, people in places.items() if code != country)
    return _large(country) if country and others * SURE <= places[country] else None


@cache
def _people_by_name() -> dict[str, dict[str, int]]:
    """Return for each name of a city the people of the cities of that name, by country; other names count too."""
    named: dict[str, dict[str, int]] = {}
    for city in cities():
        code, people = city["countrycode"], int(city["population"])
        for name in {city["name"], *city.get("alternatenames", ())}:
            if len(name) > 2:
                by_country = named.setdefault(name.casefold(), {})
                by_country[code] = by_country.get(code, 0) + people
    return named


@cache
def _city_counts() -> Counter[str]:
    return Counter(city["countrycode"] for city in cities())


def _large(country: str | None) -> str | None:
    return country if country and _city_counts()[country] >= FEWEST_CITIES else None


def _phone(surface: str) -> Facts:
    import phonenumbers

    try:
        number = phonenumbers.parse(surface, None)
    except phonenumbers.NumberParseException:
        return {}
    lines = {phonenumbers.PhoneNumberType.MOBILE: "mobile", phonenumbers.PhoneNumberType.FIXED_LINE: "landline"}
    country = _large(phonenumbers.region_code_for_number(number))
    return {"country": country, "line": lines.get(phonenumbers.number_type(number))}


def _card(surface: str) -> Facts:
    digits = re.sub(r"\D", "", surface)
    return {"network": next((name for first, name in known_words("networks").items() if re.match(first, digits)), None)}


def _email(surface: str) -> Facts:
    own = surface.rpartition("@")[2].casefold() in known_words("mailboxes")
    return {"mailbox": "personal" if own else "organization"}


def _ip(surface: str) -> Facts:
    try:
        address = ipaddress.ip_address(surface.strip())
    except ValueError:
        return {}
    return {"version": str(address.version), "net": "private" if address.is_private else "public"}


def _year(surface: str) -> str | None:
    years: list[str] = re.findall(r"(?<!\d)(?:19|20)\d\d(?!\d)", surface)
    return years[0] if len(years) == 1 else None


def _age(surface: str) -> Facts:
    numbers = re.findall(r"\d{1,3}", surface)
    if len(numbers) != 1:
        return {}
    age = int(numbers[0])
    # Few people are older than 90: one class for all of them.
    return {"group": "90+" if age >= 90 else f"{age // 10 * 10}-{age // 10 * 10 + 9}"}


def _amount(surface: str) -> Facts:
    code = re.search(rf"\b(?:{'|'.join(known_words('currency_codes'))})\b", surface)
    sign = next((name for sign, name in known_words("currencies").items() if sign in surface), None)
    facts: Facts = {"currency": code[0] if code else sign}
    if whole := re.match(r"\D*(\d[\d.,'’\s]*)", surface):
        # Thousands may be set off; two digits after the last sign are cents.
        digits = re.sub(r"\D", "", re.sub(r"[.,]\d{1,2}\s*$", "", whole[1].strip()))
        facts["digits"] = str(len(digits.lstrip("0")) or 1)
    return facts


_BY_SUBTYPE: dict[str, Callable[[str], Facts]] = {
    **dict.fromkeys(("full_name", "first_name"), lambda surface: {"gender": culture_of(surface).gender}),
    "city": lambda surface: {"country": country_of_city(surface)},
    "country": lambda surface: {"continent": continents().get(plain_country(surface), ("", None))[1]},
    "phone": _phone,
    "iban": lambda surface: {"country": _large(surface.strip()[:2].upper())},
    "credit_card": _card,
    "email": _email,
    "ip_address": _ip,
    "date": lambda surface: {"year": _year(surface)},
    "date_of_birth": lambda surface: {"decade": f"{year[:3]}0s" if (year := _year(surface)) else None},
    "age": _age,
}
_BY_TYPE: dict[str, Callable[[str], Facts]] = {"QUANTITY": _amount}
