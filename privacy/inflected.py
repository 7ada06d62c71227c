"""A name in one case of its language is the same in another: `Radim` beside the hidden `Radima`, `Agnieszce`."""

import re
import unicodedata
from collections.abc import Sequence

import regex

from gama.state.entities import Entity, Spread
from gama.tools.knowledge.index import look_up

_NAMES = frozenset(("full_name", "first_name", "last_name"))
LEAST = 4
"""Letters that two forms of a name begin with alike."""
# Accepts a word with a capital.
_WORD = regex.compile(r"(?<![\p{L}\p{N}_])\p{Lu}\p{Ll}{2,24}(?![\p{L}\p{N}_])")
# Accepts what such languages have and others have not, or seldom: their letters.
_DECLINES = re.compile(r"[ąęćłńśźżěščřžýůďťňőűğışőćđäö]", re.IGNORECASE)


def in_any_case(text: str, found: Sequence[Entity]) -> list[Entity]:
    """Return mentions with those words that are a hidden name in another case, where the language declines names.

    Args:
        text: the raw text.
        found: its mentions.
    """
    names = {
        word: one
        for one in found
        if one.private and one.subtype in _NAMES and not one.needed
        for word in _WORD.findall(one.text)
        if len(word) > LEAST
    }
    if not names or len(_DECLINES.findall(text)) < 2:
        return list(found)
    taken = Spread(found)
    stems = {stem: one for word, one in names.items() for stem in _stems(word)}
    more = []
    for match in _WORD.finditer(text):
        word = match[0]
        if word in names or taken.met(*match.span()):
            continue
        like = next((stems[stem] for stem in _stems(word) if stem in stems), None)
        if like is not None and look_up(word) is None:
            subtype = "first_name" if like.subtype == "first_name" else "last_name"
            more.append(Entity.at(text, *match.span(), subtype, views=("fusion",), score=like.score))
    return sorted([*found, *more], key=lambda one: one.start) if more else list(found)


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
        "owie ovi ově owi iego ego iem emu imi ami ach ich ová ové ovou ski ska skiej skiego ską skim ssa ssä lla llä "
        "lle lta ltä sta stä nak nek hoz hez höz vel val nél nál ban ben ból ből től tól nin nın ya ye da de in ın ce "
        "cie dze dzie rze em om ou ej nen sen selle sella sellä sesta sestä selta seltä seen ię ą ę a e i o u y é á ů"
    ).split()
}
