"""Grammar of restored values, mended where nothing else can be meant."""

import re
import unicodedata

from gama.state.box import BoxEntry

_COMMON = frozenset(
    {
        "occupation", "education_level", "degree", "physical_feature", "medical_condition", "disability",
        "marital_status", "family", "gender",
    }
)  # fmt: skip
"""Subtypes whose values are common nouns, as a rule."""

_POSSESSIVES = ("'s", "’s")
_WORD = re.compile(r"[^\W\d_]{2,}(?![\w.])")


def without_possessive(value: str, text: str, end: int) -> str:
    """Take the possessive off a value that has one already where the answer adds another: `Emma's's`."""
    if value.endswith(_POSSESSIVES) and text.startswith(_POSSESSIVES, end):
        return value[:-2]
    return value


def begins_with_capital(value: str, subtype: str, text: str, end: int) -> str:
    """Give a common noun that begins a sentence its capital. The sentence must go on with a small letter."""
    goes_on = text[end : end + 1] == " " and text[end + 1 : end + 2].islower()
    if not (goes_on and subtype in _COMMON and _WORD.match(value)):
        return value
    upper = value[0].upper()
    return upper + value[1:] if len(upper) == 1 and unicodedata.category(value[0]) == "Ll" else value


def lookahead(entry: BoxEntry) -> int:
    """Return how many characters behind a placeholder decide on the grammar of its value."""
    if entry.verbatim:
        return 0
    common = entry.subtype in _COMMON and entry.surface[:1].islower()
    return 2 if common or entry.surface.endswith(_POSSESSIVES) else 0
