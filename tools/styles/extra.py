"""Packages of the extra `styles`, imported when a style needs them."""

from functools import cache
from importlib import import_module
from typing import Any

from gama.state.errors import OptionError


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
