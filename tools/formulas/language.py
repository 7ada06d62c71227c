"""What is known of a letter beside the values of its box: its language, and its country where that is told."""

from functools import lru_cache
from typing import Any

from gama.tools.formulas.values import Context

LANGUAGES = ("cs", "da", "de", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pl", "pt", "ro", "sv", "tr")
"""Languages that a letter is taken to be in; values in others are read as in English."""
_LONGEST = 4_000
"""Characters of a letter that are looked at."""


def context_of(text: str, region: str | None = None) -> Context:
    """Return how values of a letter are read and written.

    Args:
        text: the letter.
        region: its country, such as `GB`, where that is known.
    """
    language, _ = _classifier().classify(text[:_LONGEST])
    return Context(f"{language}-{region.upper()}" if region else str(language))


@lru_cache(maxsize=1)
def _classifier() -> Any:
    import py3langid

    py3langid.set_languages([*LANGUAGES])
    return py3langid
