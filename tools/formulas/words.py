"""The tables of words: what letters call currencies, units, periods, months and weekdays."""

import unicodedata
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

import regex

LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pt", "pl", "sv", "da")
"""The languages in which months, weekdays and durations are read beside the letter's own."""

SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800, "fortnight": 1209600}
MONTHS = {"month": 1, "year": 12}
PERIODS = {**MONTHS, "quarter": 3}
"""Months in the periods of so much a time."""


class Unit(NamedTuple):
    """A unit of measure: `base = factor * x + offset`."""

    dimension: str
    factor: Fraction
    offset: Fraction


def data(name: str) -> str:
    """Return a table of this package."""
    return (files("gama.tools.formulas") / "data" / name).read_text(encoding="utf-8")


@lru_cache
def words() -> Any:
    """Return the words by what they mean."""
    import yaml

    return yaml.safe_load(data("words.yaml"))


def rows(name: str) -> list[list[str]]:
    """Return the rows of a table, without its comments."""
    return [line.split("\t") for line in data(name).splitlines() if line and not line.startswith("#")]


@lru_cache
def units() -> dict[str, Unit]:
    """Return the units of measure by their sign."""
    return {row[0]: Unit(row[1], Fraction(row[2]), Fraction(row[3])) for row in rows("units.tsv")}


@lru_cache
def unit_names() -> dict[str, str]:
    """Return the signs of units of measure by everything they are called."""
    return {name: row[0] for row in rows("units.tsv") for name in (row[0], *row[4].split())}


@lru_cache
def meanings(group: str) -> dict[str, str]:
    """Return what the words of a group mean, by the word without case."""
    return {word.casefold(): meaning for meaning, all_of in words()[group].items() for word in all_of}


SHARED: Mapping[str, tuple[str, ...]] = {
    "$": ("USD", "CAD", "AUD", "NZD", "HKD", "SGD", "MXN"), "kr": ("SEK", "NOK", "DKK", "ISK"), "¥": ("JPY", "CNY"),
}  # fmt: skip
"""Signs that several currencies share."""


@lru_cache
def _telling() -> "regex.Pattern[str]":
    listed = words()["currency"]
    codes = {code: (code, *listed.get(code, ())) for some in SHARED.values() for code in some}
    groups = ("|".join(regex.escape(word) for word in some) for some in codes.values())
    pattern = "|".join(f"(?P<{code}>{group})" for code, group in zip(codes, groups, strict=True))
    return regex.compile(rf"(?<!\p{{L}})(?:{pattern})(?!\p{{L}})")


def told_apart(text: str) -> frozenset[str]:
    """Return the codes of currencies with a shared sign that a text names by more than that sign."""
    return frozenset(str(match.lastgroup) for match in _telling().finditer(text))


@lru_cache
def one_of(group: str, inside: str | None = None) -> str:
    """Return a regular expression for the words of a group, the longest first."""
    listed = words()[group] if inside is None else words()[group][inside]
    found: Iterable[str] = listed if isinstance(listed, list) else [word for few in listed.values() for word in few]
    return "(?:" + "|".join(regex.escape(word) for word in sorted(found, key=len, reverse=True)) + ")"


@lru_cache
def locale_of(tag: str) -> Any:
    """Return the locale of Babel for a tag, or English where there is none."""
    from babel import Locale, UnknownLocaleError

    for known in (tag.replace("-", "_"), tag[:2]):
        try:
            return Locale.parse(known)
        except (ValueError, UnknownLocaleError):
            continue
    return Locale.parse("en")


def tidy(text: str) -> str:
    """Return a text with plain spaces, signs of plus and minus, apostrophes and digits."""
    text = unicodedata.normalize("NFKC", text.replace("′", "'").replace("″", '"')).replace("\u2212", "-")
    return " ".join(regex.sub("[’ʼ`´]", "'", regex.sub(r"[\p{Zs}\u2009\u202f]", " ", text)).split())


def languages_of(language: str) -> tuple[str, ...]:
    """Return the languages in which a letter may be read, its own first."""
    return (language, *(other for other in LANGUAGES if other != language))


@lru_cache
def calendar(field: str, language: str) -> dict[str, tuple[int, str]]:
    """Return months or weekdays (0 is Monday) by name without case, with the pattern of that form (`MMM`).

    A name that means two months in two languages counts in the letter's own language alone.
    """
    from babel import UnknownLocaleError

    letter, found, doubtful = ("M" if field == "months" else "E"), dict[str, tuple[int, str]](), set[str]()
    for tongue in languages_of(language):
        try:
            names = getattr(locale_of(tongue), field)
        except (UnknownLocaleError, LookupError):
            continue
        own: dict[str, tuple[int, str]] = {}
        for form in ("format", "stand-alone"):
            for width, count in (("wide", 4), ("abbreviated", 3)):
                for number, name in names[form][width].items():
                    own.setdefault(name.casefold().rstrip("."), (number, letter * count))
        if tongue == "en" and field == "months":
            own["sept"] = (9, "MMM")
        if tongue == "en" and field == "days":
            own |= {"tues": (1, "EEE"), "weds": (2, "EEE"), "thur": (3, "EEE"), "thurs": (3, "EEE")}
        for name, meaning in own.items():
            if name in found and found[name][0] != meaning[0] and tongue != language:
                doubtful.add(name)
            found.setdefault(name, meaning)
        if tongue == language:
            sure = set(own)
    return {name: meaning for name, meaning in found.items() if name in sure or name not in doubtful}


@lru_cache
def duration_words(language: str) -> dict[str, str]:
    """Return units of time by what they are called."""
    found = {word.casefold(): unit for unit, some in words()["duration"].items() for word in some}
    for tongue in reversed(languages_of(language)):
        patterns = locale_of(tongue)._data["unit_patterns"]
        for unit in (*MONTHS, *SECONDS):
            of_unit = patterns.get(f"duration-{unit}", {})
            for pattern in (one for width in ("short", "long") for one in of_unit.get(width, {}).values()):
                word = pattern.replace("{0}", "").strip() if isinstance(pattern, str) and "{0}" in pattern else ""
                if len(word) > 1:
                    found[word.casefold()] = unit
    return found
