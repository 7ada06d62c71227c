"""What is known of a letter beside the values of its box: its language, and its country where that is told."""

import threading
from functools import lru_cache
from typing import Any

from gama.tools.formulas.values import Context
from gama.tools.formulas.words import told_apart

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
    with _LOADING:
        classifier = _classifier()
    language, _ = classifier.classify(text[:_LONGEST])
    locale = f"{language}-{region.upper()}" if region else str(language)
    return Context(locale, currencies=told_apart(text))


_LOADING = threading.Lock()


@lru_cache(maxsize=1)
def _classifier() -> Any:
    # One of our own: the library's is shared by the whole process, and would know our languages only.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    classifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    classifier.set_languages([*LANGUAGES])
    return classifier
