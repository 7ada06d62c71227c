"""Facts of the world about hidden values: countries of places, currencies, languages, medicines, working days."""

import gzip
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from importlib.resources import files
from typing import Any
from zoneinfo import ZoneInfo

import regex

from gama.tools.formulas.identity import fold
from gama.tools.formulas.values import Fault, Term, Text, Truth, Value, kind_of
from gama.tools.formulas.words import LANGUAGES, locale_of, rows, words

_GENERAL = (
    r"\b(airport|international|flughafen|aeropuerto|aéroport|aeroporto|lotnisko|city of|city centre|station|bahnhof)\b"
)
# Not countries of their own in the tables of names, but what letters write.
_SPOKEN = {
    "uk": "GB", "united kingdom": "GB", "great britain": "GB", "england": "GB", "scotland": "GB", "wales": "GB",
    "northern ireland": "GB", "usa": "US", "us": "US", "u s": "US", "u s a": "US", "holland": "NL", "uae": "AE",
    "czech republic": "CZ", "schottland": "GB", "grossbritannien": "GB", "inglaterra": "GB", "angleterre": "GB",
}  # fmt: skip


@lru_cache
def _countries() -> dict[str, str]:
    """Return country codes by their names in the languages of letters, folded."""
    found: dict[str, str] = {}
    for language in (*reversed(LANGUAGES), "cs", "fi", "no", "hu", "ro", "el", "tr"):
        for code, name in locale_of(language).territories.items():
            if len(code) == 2 and code.isalpha() and code not in ("ZZ", "EU", "EZ", "UN", "XA", "XB", "QO"):
                found[fold(name)] = code
    # A country and a state of the United States: nothing is taken for granted.
    return found | _SPOKEN | {"georgia": ""}


@lru_cache
def _cities() -> dict[str, tuple[str, str]]:
    """Return country and time zone by the names of cities, folded; names of several places are not in the list."""
    packed = (files("gama.tools.formulas") / "data" / "places.tsv.gz").read_bytes()
    lines = (line.split("\t") for line in gzip.decompress(packed).decode().splitlines())
    return {name: (code, zone) for code, zone, names in lines for name in names.split(",")}


def _parts(place: str) -> list[str]:
    """Return what stands between the commas of a place, folded, without postcodes and general words."""
    parts = [fold(regex.sub(_GENERAL, " ", part, flags=regex.IGNORECASE)) for part in regex.split(r"[,()\n]", place)]
    parts = [regex.sub(r"^[a-z]?-?\d[\w ]*? (?=\D)|\b\d{4,6}\b", "", part).strip() for part in parts if part.strip()]
    return [part for part in parts if part]


def country_codes(place: str) -> set[str]:
    """Return the country that a place lies in, or nothing where that cannot be told."""
    parts = _parts(place)
    if not parts:
        return set()
    last = parts[-1]
    if last in _countries():
        return {_countries()[last]} - {""}
    code = last.upper() in words()["state_codes"].split() and place.rstrip().endswith(last.upper())
    if len(parts) > 1 and (code or last in words()["states"]):
        return {"US"}
    if last in _cities():
        return {_cities()[last][0]}
    return {code for code in _DIVIDED if last in _regions(code)} if last not in _SHARED else set()


def country(value: Value) -> Term:
    """Return the country of a place, a telephone number or an account.

    Raises:
        Fault: it is not known, or there are several such places.
    """
    if isinstance(value, Term) and value.kind == "country":
        return value
    if not isinstance(value, Text):
        raise Fault("type", f"a place is wanted instead of {kind_of(value)}")
    codes: set[str] = set()
    if value.kind == "iban":
        codes = {value.text.strip()[:2].upper()}
    elif value.kind == "phone":
        import phonenumbers

        try:
            codes = {phonenumbers.region_code_for_number(phonenumbers.parse(value.text)) or ""} - {"", "001"}
        except phonenumbers.NumberParseException:
            codes = set()
    elif value.kind in ("location", "address", "text", "nationality"):
        codes = country_codes(value.text)
    else:
        raise Fault("type", f"a place is wanted instead of {kind_of(value)}")
    if len(codes) != 1 or not locale_of("en").territories.get(next(iter(codes))):
        raise Fault("no_fact", "the country of this place is not known, or there are several such places")
    return Term("country", codes.pop())


def _known(kind: str, code: str | None) -> Term:
    if not code:
        raise Fault("no_fact", f"the {kind} of this place is not known")
    return Term(kind, code)


def currency(value: Value) -> Term:
    """Return the currency of a place."""
    from babel.numbers import get_territory_currencies

    tender = get_territory_currencies(country(value).code)
    return _known("currency", tender[0] if len(tender) == 1 else None)


def languages(value: Value) -> list[Term]:
    """Return the official languages of a place."""
    from babel.languages import get_official_languages

    found = get_official_languages(country(value).code, de_facto=True)
    if not found:
        raise Fault("no_fact", "the languages of this place are not known")
    return [Term("language", code.partition("_")[0]) for code in found]


def drives_on(value: Value) -> Term:
    """Return on which side of the road one drives."""
    return Term("side of the road", "left" if country(value).code in _group("left") else "right")


def in_eu(value: Value) -> Truth:
    """Return whether a place lies in the European Union, as it is today."""
    return Truth(country(value).code in _group("eu"))


def _group(name: str) -> list[str]:
    """Return the countries of a group."""
    return next(row[1].split() for row in rows("countries.tsv") if row[0] == name)


def plug_type(value: Value) -> Text:
    """Return the letters of the plugs of a place."""
    code = country(value).code
    for plugs, codes in rows("countries.tsv"):
        if plugs not in ("left", "eu") and code in codes.split():
            return Text(plugs, "plug type")
    raise Fault("no_fact", "the plugs of this place are not known")


def timezone(value: Value) -> Text:
    """Return the time zone of a place."""
    from babel.core import get_global

    if isinstance(value, Text):
        for part in _parts(value.text):
            known = _cities().get(part)
            if known and known[1] and {known[0]} == country_codes(value.text):
                return Text(known[1], "time zone")
    code = country(value).code
    # Büsingen has the time of Berlin.
    zones = ["Europe/Berlin"] if code == "DE" else get_global("territory_zones").get(code, [])
    if len(zones) != 1:
        raise Fault("no_fact", "this place has several time zones")
    return Text(zones[0], "time zone")


def shift(source: Text, target: Text, day: date | None, seconds: int) -> int:
    """Return by how many seconds the clocks of a time zone are ahead of those of another.

    Args:
        source: the zone in which the time is told.
        target: the other one.
        day: its day there; None where it is not known: then it has to hold on every day.
        seconds: of the time after midnight there.

    Raises:
        Fault: it does not hold on every day, or the clocks are changed in that hour.
    """
    here, there = ZoneInfo(source.text), ZoneInfo(target.text)
    today = datetime.now(here).date()
    days = [day] if day is not None else [today + timedelta(days=number) for number in range(366)]
    told = (datetime.combine(one, time(), here) + timedelta(seconds=seconds) for one in days)
    # An hour that comes twice or never has two readings.
    moments = (one.replace(fold=late) for one in told for late in (0, 1))
    found = {(one.astimezone(there).utcoffset() or timedelta()) - (one.utcoffset() or timedelta()) for one in moments}
    if len(found) != 1:
        raise Fault(
            "no_fact", "the two places change their clocks on different days: name the day as a fourth argument"
        )
    return int(found.pop().total_seconds())


def generic(value: Value) -> Text:
    """Return the active substance of a medicine."""
    if not isinstance(value, Text):
        raise Fault("type", f"a medicine is wanted instead of {kind_of(value)}")
    name = value.text.casefold().strip()
    for substance, brands in rows("drugs.tsv"):
        if name == substance or name in brands.split():
            return Text(substance, "medicine")
    raise Fault("no_fact", "the active substance of this medicine is not known")


def term_of(value: Value, kind: str) -> Term:
    """Return what a text names among the facts of a kind: `Spain`, `ES` or `España` as a country."""
    if isinstance(value, Term):
        if value.kind != kind:
            raise Fault("type", f"cannot compare {kind_of(value)} and a {kind}")
        return value
    if not isinstance(value, Text):
        raise Fault("type", f"cannot compare {kind_of(value)} and a {kind}")
    name = fold(value.text)
    if kind == "weekday":
        days = (locale_of(language).days[form]["wide"] for language in LANGUAGES for form in ("format", "stand-alone"))
        if found := {number for names in days for number, named in names.items() if fold(named) == name}:
            return Term(kind, str(found.pop()))
    if kind == "side of the road":
        return Term(kind, name.partition(" ")[0])
    if kind == "country":
        if code := _countries().get(name):
            return Term(kind, code)
        if len(value.text) == 2 and value.text.upper() in locale_of("en").territories:
            return Term(kind, value.text.upper())
    if kind in ("currency", "language"):
        for language in LANGUAGES:
            names = locale_of(language).currencies if kind == "currency" else locale_of(language).languages
            for code, named in names.items():
                if name in (fold(code), fold(named)):
                    return Term(kind, code)
    raise Fault("no_fact", f"a text that is compared with a {kind} names none")


def _holidays(code: str, year: int) -> tuple[Any, list[Any]]:
    import holidays

    if code not in holidays.list_supported_countries():
        raise Fault("no_fact", "the holidays of this place are not known")
    parts = holidays.list_supported_countries()[code]
    return _year_of(code, None, year), [_year_of(code, part, year) for part in parts]


@lru_cache(maxsize=512)
def _year_of(code: str, part: str | None, year: int) -> frozenset[date]:
    import holidays

    return frozenset(holidays.country_holidays(code, subdiv=part, years=year))


_DIVIDED = tuple("AT AU BE BR CA CH DE ES FR GB IN IT MX NL NZ PL PT SE US".split())
"""Countries whose parts are known by their names too."""
_SHARED = frozenset({"jura", "punjab", "bengal", "la rioja", "kashmir", "northern territory", "central"})
"""Names of parts of several countries, of which the library knows those of one."""


@lru_cache
def _regions(code: str) -> dict[str, str]:
    """Return the parts of a country that have holidays of their own, by their names, folded."""
    import holidays

    return {fold(name): part for name, part in getattr(holidays, code).subdivisions_aliases.items() if len(name) > 3}


def region(place: Value, code: str) -> str | None:
    """Return the part of a country that a place names or, by a name that both bear, lies in; None where it names none.

    Bern, Berlin and Vienna lie in Bern, Berlin and Vienna; `Springfield, IL` names a state.
    """
    import holidays

    if not isinstance(place, Text) or code not in holidays.list_supported_countries():
        return None
    if code == "US" and (state := regex.search(r",\s*([A-Z]{2})\b(?:\s+\d{5}(?:-\d{4})?)?\s*$", place.text)):
        return state[1] if state[1] in holidays.list_supported_countries()[code] else None
    found = {_regions(code)[part] for part in _parts(place.text) if part in _regions(code)}
    return found.pop() if len(found) == 1 else None


def is_working_day(day: date, place: Value | None, part: str | None = None) -> bool:
    """Return whether a day is neither of the weekend nor a holiday; without a place, whether it is Monday to Friday.

    Args:
        day: it.
        place: the country.
        part: the part of the country, where it is known.

    Raises:
        Fault: that differs between the regions of the country, or is not known.
    """
    if is_weekend(day, place):
        return False
    if place is None:
        return True
    code = country(place).code
    if part is not None:
        return day not in _year_of(code, part, day.year)
    national, regional = _holidays(code, day.year)
    if day in national and all(day in part for part in regional):
        return False
    if day in national or any(day in part for part in regional):
        raise Fault("no_fact", "whether a day of these is a holiday differs between the regions of this country")
    return True


def is_weekend(day: date, place: Value | None) -> bool:
    """Return whether a day is of the weekend of a place; without one, whether it is a Saturday or Sunday."""
    first, last = weekend(country(place).code) if place is not None else (5, 6)
    return (day.weekday() - first) % 7 <= (last - first) % 7


def weekend(code: str) -> tuple[int, int]:
    """Return the first and the last day of the weekend, Monday being 0."""
    known = locale_of(f"und-{code}")
    return known.weekend_start, known.weekend_end


def working_days(start: date, place: Value | None, step: int = 1, part: str | None = None) -> Iterator[date]:
    """Yield the working days after (or, with a step of -1, before) a day."""
    day = start
    while True:
        try:
            day += timedelta(days=step)
        except OverflowError:
            raise Fault("limit", "the dates of this formula leave the calendar") from None
        if is_working_day(day, place, part):
            yield day
