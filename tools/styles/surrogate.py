"""Realistic surrogates: another name of the same gender and culture, another number that is as valid.

A surrogate depends on the class of the real value only (its gender, country, form), never on the value itself, so
nothing can be worked out from it. Where no surrogate makes sense, such as for a religion or a length of time, the
mention keeps its tag.
"""

import re
from collections.abc import Callable
from functools import cache
from random import Random

from gama.state.entities import TYPE_OF
from gama.tools.contract import Mention
from gama.tools.styles import numbers
from gama.tools.styles.enriched import country_of_city, plain_country
from gama.tools.styles.names import faker_of, surrogate_name
from gama.tools.styles.sources import cities, continents, known_words


class SurrogateStyle:
    """Writes another value of the same form."""

    name = "surrogate"
    reversible = True

    def write(self, mention: Mention) -> str | None:
        """Return another value; None where the kind has no surrogates."""
        surface = mention.surface
        if surface is None or not surface.strip() or "\n" in surface:
            return None
        if mention.subtype in ("full_name", "first_name", "last_name", "nickname"):
            return surrogate_name(surface, mention.subtype, dict(mention.words), mention.random)
        make = _BY_SUBTYPE.get(mention.subtype) or _BY_TYPE.get(TYPE_OF.get(mention.subtype, ""))
        return make(surface, mention.random) if make else None


def _city(surface: str, random: Random) -> str | None:
    """Return another city of the same country, of a like size."""
    names = _large_cities(country_of_city(surface) or "GB")
    return random.choice(names) if names else None


@cache
def _large_cities(country: str) -> tuple[str, ...]:
    found = [city for city in cities() if city["countrycode"] == country]
    found.sort(key=lambda city: -int(city["population"]))
    return tuple(city["name"] for city in found[:400])


def _country(surface: str, random: Random) -> str | None:
    """Return another country of the continent."""
    home = continents().get(plain_country(surface), ("", ""))[1]
    names = sorted(name for name, continent in continents().values() if continent == home)
    return random.choice(names) if names else None


def _street_address(surface: str, random: Random) -> str | None:
    """Return another street and number."""
    if not re.search(r"[^\W\d_]", surface):
        return None
    street = f"{faker_of('en_GB', random).last_name()} {random.choice(('Street', 'Road', 'Lane', 'Avenue', 'Close'))}"
    number = re.search(r"\d+", surface)
    if not number:
        return street
    return f"{random.randrange(1, 200)} {street}" if number.start() < 3 else f"{street} {random.randrange(1, 200)}"


def _organization(surface: str, random: Random) -> str | None:
    """Return another name; the words that say what it is stay: `Leeds Infirmary` becomes `Ashworth Infirmary`."""
    faker, words = faker_of("en_GB", random), surface.split()
    kept: list[str] = []
    while words and re.sub(r"\W", "", words[-1]).casefold() in known_words("organizations"):
        kept.insert(0, words.pop())
    if not words:
        return None
    return " ".join([faker.last_name(), *(kept or [random.choice(("Group", "Partners", "Works"))])])


_BY_SUBTYPE: dict[str, Callable[[str, Random], str | None]] = {
    "handle": numbers.handle,
    "phone": numbers.phone,
    "iban": numbers.iban,
    "credit_card": numbers.credit_card,
    "email": numbers.email,
    "ip_address": numbers.ip_address,
    "mac_address": numbers.mac_address,
    "url": numbers.url,
    "street_address": _street_address,
    "postcode": numbers.same_shape,
    "city": _city,
    "region": _city,
    "country": _country,
    "coordinates": numbers.same_shape,
    "age": numbers.age,
    "date": numbers.another_date,
    "date_of_birth": numbers.another_date,
}
_BY_TYPE: dict[str, Callable[[str, Random], str | None]] = {
    "CODE": numbers.code,
    "ORG": _organization,
    "QUANTITY": numbers.amount,
}
