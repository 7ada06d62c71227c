"""Names of the same gender and culture, from the name lists that Faker has by country."""

from functools import cache
from random import Random
from typing import Any, Literal, NamedTuple

import regex

from gama.guard.folding import fold
from gama.tools.styles.sources import known_words, needed

# A word of a name with its apostrophes; hyphens and full stops set words off.
WORD = regex.compile(r"[\p{L}\p{M}'’]+")

Gender = Literal["f", "m"]
_GENDERS: dict[str | None, str] = {"f": "female", "m": "male"}


class Culture(NamedTuple):
    """What a name says of its bearer."""

    locale: str
    gender: Gender | None


class _Lists(NamedTuple):
    female: frozenset[str]
    male: frozenset[str]
    last: frozenset[str]


def culture_of(name: str) -> Culture:
    """Return the country whose lists know a name best, and the gender of its given names."""
    words = [fold(word) for word in WORD.findall(name) if word.casefold() not in known_words("titles")]
    locales = known_words("locales")
    scripts = (locale for script, locale in known_words("scripts").items() if regex.search(script, name))
    best, most = next(scripts, locales[0]), 0
    for locale in locales if words else ():
        lists = name_lists(locale)
        known = sum(2 * (word in lists.female or word in lists.male) + (word in lists.last) for word in words)
        if known > most:
            best, most = locale, known
    for locale in dict.fromkeys((best, *locales)):
        lists = name_lists(locale)
        for word in words[:-1] or words:
            if (word in lists.female) != (word in lists.male):
                return Culture(best, "f" if word in lists.female else "m")
    return Culture(best, None)


@cache
def name_lists(locale: str) -> _Lists:
    """Return the folded names of a country."""
    provider = needed(f"faker.providers.person.{locale}").Provider

    def names(*kinds: str) -> frozenset[str]:
        return frozenset(fold(name) for kind in kinds for name in getattr(provider, kind, None) or ())

    female, male = names("first_names_female"), names("first_names_male")
    kinds = ("last_names", "last_names_female", "last_names_male", "unisex_last_names", "male_last_names")
    return _Lists(female - male, male - female, names(*kinds))


_FAKER = cache(lambda locale: needed("faker").Faker(locale))


def faker_of(locale: str, random: Random) -> Any:
    """Return a Faker of a country whose choices are those of the random numbers."""
    made = _FAKER(locale)
    made.seed_instance(random.getrandbits(64))
    return made


def surrogate_name(surface: str, subtype: str, words: "dict[str, str]", random: Random) -> str | None:
    """Return another name of the same build, gender and culture.

    Args:
        surface: the real name.
        subtype: `full_name`, `first_name` or `last_name`.
        words: for levelled words of real names what stands for them already.
        random: where the choices come from.

    Returns:
        The name; None for what does not read as one.
    """
    culture = culture_of(surface)
    found = [match for match in WORD.finditer(surface) if match.group().casefold() not in known_words("titles")]
    if not found or regex.search(r"[\d@/\\<>\[\]{}]", surface):
        return None
    if regex.fullmatch(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]{1,5}", surface):
        return _unspaced(surface, subtype, culture, random)
    last = _last_place(surface, found, subtype)
    chosen = dict(words)
    out, at = [], 0
    for n, match in enumerate(found):
        word = match.group()
        known = chosen.get(word.casefold())
        if known is None:
            family = subtype == "last_name" or (subtype == "full_name" and n in last)
            known = _initial(word, random) if len(word) == 1 else _draw(culture, random, family=family)
            if known is None:
                return None
            chosen[word.casefold()] = known
        out += [surface[at : match.start()], _cased(known, word)]
        at = match.end()
    return "".join([*out, surface[at:]])


def _last_place(surface: str, found: "list[regex.Match[str]]", subtype: str) -> set[int]:
    """Return which words are the family name: the last one, or all before a comma."""
    if subtype != "full_name" or len(found) == 1:
        return set()
    comma = surface.find(",")
    if comma > 0 and any(match.start() > comma for match in found):
        return {n for n, match in enumerate(found) if match.start() < comma}
    # The parts of a double name belong together.
    places = {len(found) - 1}
    if len(found) > 2 and surface[found[-2].end() : found[-1].start()] == "-":
        places.add(len(found) - 2)
    return places


def _draw(culture: Culture, random: Random, *, family: bool) -> str | None:
    faker = faker_of(culture.locale, random)
    gender = culture.gender or random.choice(("f", "m"))
    draw = getattr(faker, f"{'last' if family else 'first'}_name_{_GENDERS[gender]}")
    drawn = (str(draw()) for _ in range(20))
    return next((name for name in drawn if regex.fullmatch(r"[\p{L}\p{M}]{3,14}", name)), None)


def _unspaced(surface: str, subtype: str, culture: Culture, random: Random) -> str | None:
    faker = faker_of(culture.locale, random)
    gender = culture.gender or random.choice(("f", "m"))
    first = getattr(faker, f"first_name_{_GENDERS[gender]}")()
    named = {"first_name": first, "last_name": faker.last_name()}
    name = str(named.get(subtype, f"{faker.last_name()}{first}"))
    return name if regex.fullmatch(r"\p{L}{2,6}", name) else None


def _initial(letter: str, random: Random) -> str:
    return random.choice([other for other in "ABCDEFGHJKLMNPRSTVW" if other != letter.upper()])


def _cased(name: str, like: str) -> str:
    if like.isupper() and len(like) > 1:
        return name.upper()
    return name.lower() if like.islower() else name
