"""A name that is hidden is the same written otherwise: `Radim` beside the hidden `Radima`, `POTAKA` beside `Pōtaka`.

Another case of its language, capitals without accents, the initials of three words or more, and a part of a handle.
"""

import re
import unicodedata
from collections.abc import Sequence

import regex

from gama.privacy.decide import by_person
from gama.state.entities import Entity, Spread
from gama.tools.knowledge.index import look_up, may_be_forename

_NAMES = frozenset(("full_name", "first_name", "last_name"))
LEAST = 4
"""Letters that two forms of a name begin with alike."""
# Accepts a word with a capital.
_WORD = regex.compile(r"(?<![\p{L}\p{N}_])\p{Lu}\p{Ll}{2,24}(?![\p{L}\p{N}_])")
# Accepts what such languages have and others have not, or seldom: their letters.
_DECLINES = re.compile(r"[ąęćłńśźżěščřžýůďťňőűğışőćđäö]", re.IGNORECASE)


# Accepts what one signs with: `GLT`, `JvdB`. Refuses what has an article: `an MRI`.
_INITIALS = regex.compile(
    r"(?<!\b(?:an?|the|no) )(?<![\p{L}\p{N}_./-])\p{Lu}(?:\p{Lu}{2,4}|\p{Ll}{1,3}\p{Lu})(?![\p{L}\p{N}_-])"
)
# Accepts a word in capitals: `POTAKA`.
_CAPITALS = regex.compile(r"(?<![\p{L}\p{N}_])\p{Lu}{4,25}(?![\p{L}\p{N}_])")
# Accepts a part of a handle, and a word of small letters that may be the same: `dele` of `@coach_dele`.
_HANDLED = regex.compile(r"(?<!\p{L})\p{Ll}{4,16}(?!\p{L})")
_SMALL = regex.compile(r"(?<![\p{L}\p{N}_@.#/-])\p{L}\p{Ll}{3,15}(?![\p{L}\p{N}_@/-]|\.\p{L})")
WORDS = 3
"""Words of a name whose initials stand for it: those of two are too often something else's."""


def in_any_form(text: str, found: Sequence[Entity], allowed: Sequence[tuple[int, int]] = ()) -> list[Entity]:
    """Return mentions with those words that are a hidden name in another case or in capitals, or its initials.

    Args:
        text: the raw text.
        found: its mentions.
        allowed: where what is never private stands, start and end.
    """
    hidden = [one for one in found if one.private and not one.needed]
    names = [one for one in hidden if one.subtype in _NAMES]
    small = [one for one in hidden if one.subtype == "handle" or (one.type == "PER" and one.text.islower())]
    called = {part for one in small for part in _HANDLED.findall(one.text)}
    if not (names or called):
        return list(found)
    words = {_plain(word): one for one in names for word in _PART.findall(one.text) if len(word) >= LEAST}
    short = {made: one for one in names for made in _initials_of(one.text)}
    taken, more = Spread([one for one in found if one.private or by_person(one)]), list[Entity]()

    def is_free(match: "regex.Match[str]") -> bool:
        return not taken.met(*match.span()) and not _lies_in(match, allowed)

    for match in _CAPITALS.finditer(text) if words else ():
        like = words.get(_plain(match[0]))
        if like is not None and is_free(match):
            subtype = "first_name" if like.subtype == "first_name" else "last_name"
            more.append(Entity.at(text, *match.span(), subtype, views=("fusion",), score=like.score))
    for match in _SMALL.finditer(text) if called else ():
        if match[0].lower() in called and may_be_forename(match[0].title()) and is_free(match):
            more.append(Entity.at(text, *match.span(), "first_name", views=("fusion",)))
    for match in _INITIALS.finditer(text) if short else ():
        like = short.get(match[0]) if is_free(match) else None
        if like is not None and look_up(match[0]) is None:
            more.append(Entity.at(text, *match.span(), "initials", views=("fusion",), score=like.score))
    if more:
        new = Spread(more)
        kept = [one for one in found if one.private or not new.met(one.start, one.end)]
        found = sorted([*kept, *more], key=lambda one: one.start)
    return _in_any_case(text, found, [*names, *(one for one in hidden if one.subtype == "nickname")], allowed)


def _lies_in(match: "regex.Match[str]", stretches: Sequence[tuple[int, int]]) -> bool:
    return any(start <= match.start() and match.end() <= end for start, end in stretches)


# Accepts a word of a name: `van`, `Ll`, `Tancock`.
_PART = regex.compile(r"[\p{L}\p{M}'’-]+")


def _initials_of(name: str) -> set[str]:
    """Return what somebody with a name of several words may sign with: all capitals, or particles as they are."""
    words = _PART.findall(name)
    if len(words) < WORDS:
        return set()
    made = "".join(word[0] for word in words)
    return {made, made.upper()}


def _in_any_case(
    text: str, found: Sequence[Entity], hidden: Sequence[Entity], allowed: Sequence[tuple[int, int]]
) -> list[Entity]:
    """Return mentions with those words that are a hidden name in another case, where the language declines names."""
    names = {
        word: one
        for one in hidden
        for word in _WORD.findall(one.text)
        if len(word) > LEAST and (one.subtype != "nickname" or may_be_forename(word))
    }
    if not names or len(_DECLINES.findall(text)) < 2:
        return list(found)
    # One word that was judged public alone is weighed anew.
    taken = Spread([one for one in found if one.private or by_person(one) or one.type != "PER" or " " in one.text])
    whole = {word for one in hidden if one.subtype != "nickname" for word in _WORD.findall(one.text)}
    stems = {stem: one for word, one in names.items() for stem in _stems(word)}
    more = []
    for match in _WORD.finditer(text):
        word = match[0]
        if word in whole or taken.met(*match.span()) or _lies_in(match, allowed):
            continue
        like = next((stems[stem] for stem in _stems(word) if stem in stems), None)
        if like is not None and (look_up(word) is None or may_be_forename(word)):
            subtype = "first_name" if like.subtype == "first_name" else "last_name"
            more.append(Entity.at(text, *match.span(), subtype, views=("fusion",), score=like.score))
    new = Spread(more)
    kept = [one for one in found if one.private or by_person(one) or not new.met(one.start, one.end)]
    return sorted([*kept, *more], key=lambda one: one.start) if more else list(found)


def _stems(word: str) -> set[str]:
    """Return a name without each ending that it may have, and whole, in small letters without accents."""
    low = _plain(word)
    cut = (low.removesuffix(ending) for ending in _ENDINGS if low.endswith(ending))
    return {low, *(stem for stem in cut if len(stem) >= LEAST)}


def _plain(word: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFD", word.lower()) if not unicodedata.combining(char))


# Endings that names take in the languages that decline them.
_ENDINGS = {
    _plain(ending)
    for ending in (
        "kowi kiem ek ku "
        "owie ovi ově owi iego ego iem emu imi ami ach ich ová ové ovou ski ska skiej skiego ską skim ssa ssä lla llä "
        "lle lta ltä sta stä nak nek hoz hez höz vel val nél nál ban ben ból ből től tól nin nın ya ye da de in ın ce "
        "cie dze dzie rze em om ou ej nen sen selle sella sellä sesta sestä selta seltä seen ię ą ę a e i o u y é á ů"
    ).split()
}
