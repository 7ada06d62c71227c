"""First and last names of some fifty countries, from Faker's providers (MIT), in Latin letters.

The gazetteers' lists hold the few commonest names of each country. What nobody has seen is what a tagger must know
for a name by its place in the sentence, and only many names teach that.
"""

import importlib
import pkgutil
import re
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

MOST = 300
"""Names of one country at most: no country outweighs the others."""

_NAME = re.compile(r"[^\W\d_]{2,}(?:[-'’ ][^\W\d_]+)*")


def many_names(which: str, rng: Random) -> tuple[str, ...]:
    """Return distinct names, at most `MOST` of each country, in a fixed order.

    Args:
        which: `first` or `last`.
        rng: Chooses among the names of a country that has more.
    """
    from faker.providers import person

    found: dict[str, None] = {}
    for country in sorted(module.name for module in pkgutil.iter_modules(person.__path__)):
        provider = importlib.import_module(f"faker.providers.person.{country}").Provider
        names = sorted({name for name in _listed(provider, which) if _NAME.fullmatch(name) and _latin(name)})
        found |= dict.fromkeys(rng.sample(names, min(MOST, len(names))))
    return tuple(found)


def _listed(provider: type, which: str) -> Iterator[str]:
    for attribute in dir(provider):
        if attribute.startswith(which) and "name" in attribute:
            values: Any = getattr(provider, attribute)
            # Lists of names, or names with their frequencies; methods and formats are neither.
            if isinstance(values, list | tuple | Mapping):
                yield from (value for value in values if isinstance(value, str))


def _latin(name: str) -> bool:
    return all(ord(char) < 0x250 or char == "’" for char in name)
