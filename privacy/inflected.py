"""A name that is hidden is the same written otherwise: `Radim` beside the hidden `Radima`, `POTAKA` beside `Pōtaka`.

Another case of its language, capitals without accents, the initials of three words or more, and a part of a handle.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import pairwise

import regex

from gama.privacy.decide import by_person
from gama.state.entities import Entity, Spread
from gama.tools.knowledge.index import is_forename, look_up, may_be_forename
from gama.tools.memo import Memo

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
_SMALL = regex.compile(r"(?<![\p{L}\p{N}_@.#/-])\p{L}\p{Ll}{2,15}(?![\p{L}\p{N}_@/-]|\.\p{L})")
# Accepts a word that is joined to others, as in names of functions and machines: `yewande` of `pay_for_yewande`.
_JOINED = regex.compile(r"(?<=[_.:/-])\p{L}{5,16}(?!\p{L})|(?<!\p{L})\p{L}{5,16}(?=[_.:-]\p{L})")
# Accepts what may be a family by its name: `the Braithwaites`.
_PLURAL = regex.compile(r"(?<![\p{L}\p{N}_])(?P<v>\p{Lu}\p{Ll}{4,24})s(?![\p{L}\p{N}_])")
# Accepts what an account may be called: `kmarchetti`.
_ACCOUNT = regex.compile(r"(?<![\p{L}\p{N}_@.-])[a-z][a-z._-]{3,38}[a-z](?![\p{L}\p{N}_]|[.-][\p{L}\p{N}])")
# Accepts a hashtag or a handle: `#teamLinhTran`.
_TAG = regex.compile(r"(?<![\p{L}\p{N}_/])[#@](?P<v>[\p{L}\p{M}\p{N}_.]{6,40})")
# Accepts two to four capitals where somebody signs, speaks, does something or is named: alone in a line, before a colon
# or a verb, behind `by`. Accepts: `> PK, 0301 22`, `NK was walking`.
_SIGNED = regex.compile(
    r"(?:(?m:^)[ \t>*–—-]{0,6}|[.!?] )(?P<v>\p{Lu}{2,4}|\p{Lu}\p{Ll}{0,2}\p{Lu})"
    r"(?=[ \t]*(?m:$)|, ?(?:\+?\d|\()|: \P{Lu}"
    r"| (?:was|is|has|had|said|says|will|asked|asks|told|rang|called|and I|walked|saw|me dit|dit|a dit|demande|rappelle"
    r"|sagt|meldet|ruft|dice|dijo|llamó|zegt|belt|vraagt|mówi|säger)\b)"
    r"|(?<!\w)(?:by|with|from|per|FE:|cc|w/|and|told|asked|for|handler|initials?|sgd\.?|gez\.|ttd\.?)"
    r" (?P<v>\p{Lu}{2,4})(?![\w&/.-])"
)
# Accepts what stands between two names of a list, with others in it: `, Martha Elena, los cuates Beto y `; one of them.
_IN_A_ROW = regex.compile(
    r"(?:(?:[,;/&]+|\b(?:and|und|et|y|e|i|en|och|og|ve|с|и|the|los|las|les|my|our|mi|mes|meine|cuates|twins)\b|"
    r"(?<![\p{L}-])\p{Lu}\p{Ll}{2,15}(?![\p{L}-]))\s*+)++",
    regex.VERBOSE,
)
_NAMED = regex.compile(r"(?<![\p{L}\p{N}_-])(?P<v>\p{Lu}\p{Ll}{2,15})(?: \p{Lu}\p{Ll}{2,15})?(?![\p{L}\p{N}_-])")
# Accepts who speaks in a chat, or whose line it is: `Sky: sync is flaky`.
_SPEAKS = regex.compile(r"(?m)^[ \t>*•-]{0,4}(?:\[[^\]\n]{1,24}\]\s?)?(?P<v>\p{L}\p{Ll}{1,15})(?=: \S)")
# Accepts what somebody is called, in quotes before the name in brackets: `"Bouncer" (`.
_QUOTED = regex.compile(r"[\"“„«](?P<v>\p{Lu}[\p{L}'’ -]{1,24})[\"”“»] \($")
# Accepts a word that begins a list before the names in it: `Sage, ` at a sentence's beginning.
_LEADS = regex.compile(r"(?:^|[.:;(\n–—] ?)(?P<v>\p{Lu}\p{Ll}{2,15}), $")
# Accepts a list of somebody's family: `Grandchildren: Praise, Joy, Tobi`; one of whom it lists.
_FAMILY = regex.compile(
    r"(?<!\p{L})(?i:(?:great-?)?(?:grand)?(?:children|sons|daughters)|kids|siblings|brothers|sisters|nephews|nieces"
    r"|in-laws|survivors|pallbearers|kinder|enkel(?:kinder)?|geschwister|enfants|petits-enfants|hij[oa]s|nietos|figli"
    r"|nipoti|kinderen|kleinkinderen|dzieci|wnuki|barn|barnbarn|filhos|netos)\s?:\s(?P<list>[^\n.;]{2,300})"
)
_MEMBER = regex.compile(
    r"(?:(?<=[,&/:] )|(?<=\b(?:and|und|et|y|e|en|och|i|late) ))(?P<v>\p{Lu}[\p{L}'’-]{1,20})"
    r"(?=\s?[,&/(.;\n]|\s(?:and|und|et|y|e|en|och|i)\b|\s*$)"
)
ROW = 70
"""Characters between two names of a list, at most."""
WORDS = 3
"""Words of a name whose initials stand for it: those of two are too often something else's."""


_ALIKE = Memo[tuple[tuple[int, int, str, dict[str, float]], ...]](20_000)
"""Where names stand in another form, as what, and with what score."""


def in_any_form(text: str, found: Sequence[Entity], allowed: Sequence[tuple[int, int]] = ()) -> list[Entity]:
    """Return mentions with those words that are a hidden name in another case or in capitals, or its initials.

    Args:
        text: the raw text.
        found: its mentions.
        allowed: where what is never private stands, start and end.
    """
    hidden = [one for one in found if one.private and not one.needed]
    names = [one for one in hidden if one.subtype in _NAMES]
    taken = Spread([one for one in found if one.private or by_person(one)])
    # A conversation comes again with every turn of it.
    given = f"{[(one.start, one.end, one.type, one.subtype, one.score) for one in hidden]}{text}"
    if (alike := _ALIKE.get(given)) is None:
        alike = _ALIKE.put(given, tuple(_alike(text, hidden, names)))
    more = {
        start: Entity.at(text, start, end, subtype, views=("fusion",), **score)
        for start, end, subtype, score in alike
        if not taken.met(start, end) and not any(first <= start and end <= last for first, last in allowed)
    }
    if more:
        new = Spread(list(more.values()))
        kept = [one for one in found if one.private or not new.met(one.start, one.end)]
        found = sorted([*kept, *more.values()], key=lambda one: one.start)
    return _in_any_case(text, found, [*names, *(one for one in hidden if one.subtype == "nickname")], allowed)


def _alike(
    text: str, hidden: Sequence[Entity], names: Sequence[Entity]
) -> Iterator[tuple[int, int, str, dict[str, float]]]:
    """Yield where a hidden name stands in another form: start, end, as what, and its score where that is known."""
    small = [one for one in hidden if one.subtype == "handle" or (one.type == "PER" and one.text.islower())]
    called = {part for one in small for part in _HANDLED.findall(one.text)}
    rare = _rare(part for one in hidden if one.type == "PER" for part in _PART.findall(one.text))
    if called or rare:
        for match in _SMALL.finditer(text):
            if match[0] in rare or (match[0].lower() in called and may_be_forename(match[0].title())):
                yield *match.span(), "first_name", {}
    parts = {word: one for one in names for word in _PART.findall(one.text)}
    within = _unusual(word for word in (*called, *map(str.lower, parts)) if len(word) > LEAST)
    if within:
        for match in _JOINED.finditer(text):
            if not within.isdisjoint((match[0].lower(), match[0].lower().removesuffix("s"))):
                yield *match.span(), "first_name", {}
    tagged = within | {_plain("".join(_PART.findall(one.text))) for one in names if " " in one.text}
    for match in _TAG.finditer(text) if tagged else ():
        if _holds(_plain(match["v"]), tagged):
            yield *match.span("v"), "handle", {}
    if not names:
        return
    accounts = {made for one in names for made in _accounts_of(one.text)}
    for match in _ACCOUNT.finditer(text) if accounts else ():
        if match[0] in accounts:
            yield *match.span(), "handle", {}
    words = {_plain(word): one for word, one in parts.items() if len(word) >= LEAST}
    for match in _CAPITALS.finditer(text):
        if (like := words.get(_plain(match[0]))) is not None:
            yield *match.span(), "first_name" if like.subtype == "first_name" else "last_name", {"score": like.score}
    for match in _PLURAL.finditer(text):
        if match["v"] in parts and match[0] not in parts:
            yield *match.span(), "last_name", {}
    short = {made: one for one in names for made in _initials_of(one.text)}
    for match in _INITIALS.finditer(text) if short else ():
        if (like := short.get(match[0])) is not None and look_up(match[0]) is None:
            yield *match.span(), "initials", {"score": like.score}
    people = [one for one in hidden if one.type == "PER"]
    starts = {one.start for one in people}
    lines = list(_SPEAKS.finditer(text))
    if any(match.start("v") in starts for match in lines):
        for match in lines:
            if may_be_forename(match["v"].title()):
                yield *match.span("v"), "first_name", {}
    for one in people:
        if one.subtype == "full_name" and (told := _QUOTED.search(text, max(0, one.start - 40), one.start)):
            yield *told.span("v"), "nickname", {}
    for before, after in pairwise(people):
        if after.start - before.end < ROW and _IN_A_ROW.fullmatch(text[before.end : after.start].strip()):
            for match in _NAMED.finditer(text, before.end, after.start):
                if may_be_forename(match["v"]) and look_up(match[0]) is None or is_forename(match["v"]):
                    yield *match.span(), "first_name", {}
            led = _LEADS.search(text, max(0, before.start - 20), before.start)
            if led and (is_forename(led["v"]) or (may_be_forename(led["v"]) and look_up(led["v"]) is None)):
                yield *led.span("v"), "first_name", {}
    for family in _FAMILY.finditer(text):
        first, last = family.span("list")
        if any(first <= start < last for start in starts):
            yield from ((*match.span("v"), "first_name", {}) for match in _MEMBER.finditer(text, first, last))
    ends = {pair for one in names for pair in _ends_of(one.text)}
    for match in _SIGNED.finditer(text) if ends else ():
        if (match["v"][0], match["v"][-1]) in ends and not _is_office(match["v"]):
            yield *match.span("v"), "initials", {}


def _rare(words: Iterable[str]) -> set[str]:
    """Return those words in small letters that are forenames and nothing else: `rens`, but no `rose`."""
    return _unusual(
        word.lower() for word in words if 2 < len(word) < 17 and word[0].isupper() and may_be_forename(word)
    )


def _unusual(words: Iterable[str]) -> set[str]:
    """Return those words that nobody uses as words."""
    from gama.models.shipped import word_vectors

    return {word for word in words if word not in word_vectors()}


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


def _accounts_of(name: str) -> Iterator[str]:
    """Yield what somebody's account may be called: of `Katia Marchetti` kmarchetti, katiam, katia.marchetti."""
    words = [_plain(word) for word in _PART.findall(name)]
    if len(words) > 1 and len(words[-1]) > 2:
        first, last = words[0], words[-1]
        yield from (first[0] + last, first + last[0], last + first[0], first + last)
        yield from (f"{first}{sign}{last}" for sign in "._-")


def _ends_of(name: str) -> Iterator[tuple[str, str]]:
    """Yield the first and last letters of what somebody signs with: of `Roth, Ida-Maria` IR, IM and RI."""
    words = _PART.findall(name)
    if len(words) > 1:
        yield words[0][0], words[-1][0]
        if "," in name:
            yield words[-1][0], words[0][0]
    for word in words:
        first, joined, second = word.partition("-")
        if joined and first and second[:1].isupper():
            yield first[0], second[0]


def _is_office(letters: str) -> bool:
    """Return whether capitals are an office, a word or a unit, and nobody's initials."""
    from gama.tools.recognizers.declared import declaration

    told = declaration("person_small").words
    return letters in told["offices"] or letters in told["units"]


def _holds(tag: str, names: Set[str]) -> bool:
    """Return whether a hashtag or handle has one of some names in it, in steps that grow with the tag alone."""
    return any(tag[start:end] in names for start in range(len(tag)) for end in range(start + LEAST + 2, len(tag) + 1))


def _in_any_case(
    text: str, found: Sequence[Entity], hidden: Sequence[Entity], allowed: Sequence[tuple[int, int]]
) -> list[Entity]:
    """Return mentions with those words that are a hidden name in another case, where the language declines names."""
    if len(_DECLINES.findall(text)) < 2:
        return list(found)
    names = {
        word: one
        for one in hidden
        for word in _WORD.findall(one.text)
        if len(word) > LEAST and (one.subtype != "nickname" or may_be_forename(word))
    }
    if not names:
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
