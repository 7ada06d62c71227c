"""Realistic surrogates: another name of the same gender and culture, another number that is as valid.

A surrogate depends on the class of the real value only (its gender, country, form), never on the value itself, so
nothing can be worked out from it. Where no surrogate makes sense, such as for a religion or a length of time, the
mention keeps its tag.
"""

from collections.abc import Callable
from random import Random

from gama.state.entities import TYPE_OF
from gama.tools.contract import Mention
from gama.tools.styles import dates, locations, numbers
from gama.tools.styles.names import surrogate_name


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


_BY_SUBTYPE: dict[str, Callable[[str, Random], str | None]] = {
    "handle": numbers.handle,
    "phone": numbers.phone,
    "iban": numbers.iban,
    "credit_card": numbers.credit_card,
    "email": numbers.email,
    "ip_address": numbers.ip_address,
    "mac_address": numbers.mac_address,
    "url": numbers.url,
    "street_address": locations.street_address,
    "postcode": numbers.same_shape,
    "city": locations.city,
    "region": locations.city,
    "country": locations.country,
    "coordinates": numbers.same_shape,
    "age": numbers.age,
    "date": dates.another_date,
    "date_of_birth": dates.another_date,
}
_BY_TYPE: dict[str, Callable[[str, Random], str | None]] = {
    "CODE": numbers.code,
    "ORG": locations.organization,
    "QUANTITY": numbers.amount,
}
