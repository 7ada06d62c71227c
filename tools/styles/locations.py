"""Other places and organizations, of the country where that is known."""

import re
from functools import cache
from random import Random
from typing import Any

from gama.tools.styles.facts import country_of_city, geonames
from gama.tools.styles.names import LOCALES, faker_of

_LOCALE_OF: dict[str, str] = {}
for _locale in LOCALES:
    _LOCALE_OF.setdefault(_locale[-2:], _locale)

_KINDS = frozenset(
    "hospital infirmary clinic surgery practice pharmacy school academy college university institute library council "
    "court police ministry department office agency foundation trust charity society association church museum bank "
    "insurance group ltd limited llc inc plc gmbh ag sa sarl bv ab oy as spa srl kg corporation company "
    "partners".split()
)
"""Words that say what an organization is; they stay."""


def city(surface: str, random: Random) -> str | None:
    """Return another city of the same country, of a like size."""
    country = country_of_city(surface) or "GB"
    names = _cities(country)
    return random.choice(names) if names else None


@cache
def _cities(country: str) -> tuple[str, ...]:
    found = [item for item in geonames().get_cities().values() if item["countrycode"] == country]
    found.sort(key=lambda item: -int(item["population"]))
    return tuple(item["name"] for item in found[:400])


def country(surface: str, random: Random) -> str | None:
    """Return another country of the continent."""
    countries = geonames().get_countries().values()
    real = surface.casefold().removeprefix("the ").strip()
    home = next((item["continentcode"] for item in countries if item["name"].casefold() == real), None)
    names = sorted(item["name"] for item in countries if item["continentcode"] == home)
    return random.choice(names) if names else None


def street_address(surface: str, random: Random) -> str | None:
    """Return another street and number."""
    if "\n" in surface or not re.search(r"[^\W\d_]", surface):
        return None
    faker = faker_of("en_GB", random)
    street = f"{faker.last_name()} {random.choice(('Street', 'Road', 'Lane', 'Avenue', 'Close'))}"
    number = re.search(r"\d+", surface)
    if not number:
        return street
    return f"{random.randrange(1, 200)} {street}" if number.start() < 3 else f"{street} {random.randrange(1, 200)}"


def organization(surface: str, random: Random) -> str | None:
    """Return another name; the words that say what it is stay: `Leeds Infirmary` becomes `Ashworth Infirmary`."""
    faker: Any = faker_of("en_GB", random)
    words = surface.split()
    kept: list[str] = []
    while words and re.sub(r"\W", "", words[-1]).casefold() in _KINDS:
        kept.insert(0, words.pop())
    if not words:
        return None
    return " ".join([faker.last_name(), *(kept or [random.choice(("Group", "Partners", "Works"))])])
