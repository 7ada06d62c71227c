"""Reads what stands between two brackets as a type and a number: `First&nbsp;Name – 01`, `nombre-uno`, `nmae-3`."""

import html
import unicodedata
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote

import regex

from gama.tools.placeholders.words import ENGLISH, letters, level, may_begin, meaning, number_of, number_words

_FLAGS = regex.IGNORECASE | regex.VERSION1


class Reading(NamedTuple):
    """What the inside of a pair of brackets says."""

    kinds: tuple[str, ...]
    """Types that come into question, the nearest first."""
    how: str
    """`own` word, `translated` or `slip`."""
    nearest: int
    """How many of the types are as near as the first."""
    number: int
    letter: str
    after: str
    """A possessive `'s` behind the number."""
    joined: bool
    """Whether a hyphen, underscore or dash joins word and number."""
    plain: bool
    """Whether it may be read in square and curly brackets too, which texts have for reasons of their own."""


# Facts of an enriched tag behind the number, ` kind=city country=PL`: with commas, colons, quotes too.
_FACT = r"""[ \t\r\n,;]{1,3}(?P<name>[a-z_]{2,20}) ?[=:] ?(?:["'][a-z0-9_.+\-]{1,24}["']|[a-z0-9_.+\-]{1,24})"""
_FACTS = regex.compile(rf"(?:{_FACT}){{1,4}}+(?P<after>['’]s)?[\s)]*$", _FLAGS)
_GROWING_FACTS = regex.compile(rf"(?:{_FACT}){{0,4}}+(?:['’]s?)?[\s)]*", _FLAGS)

# Escapes of signs that join or part, of emphasis, and tags of emphasis.
_ESCAPES = regex.compile(
    r"(?P<url>(?:%(?:25)?[\da-f]{2})+)|\\u(?P<json>[\da-f]{4})|\\{1,2}(?P<line>[nt])(?![a-z]{2})"
    r"|\\{1,2}(?P<sign>[\-_*.\#~`\"'])|(?P<html>&[a-z#0-9]{2,8};)|</?(?:b|i|u|em|strong|code|mark)>",
    _FLAGS,
)
# Behind the digits: the letter of another spelling, a possessive, and nothing more.
_TAIL = regex.compile(r"(?P<letter>[a-z]{0,2})(?P<after>['’]s)?[\s)]*", _FLAGS)
_HALF_TAIL = regex.compile(r"[a-z]{0,2}(?:['’]s?)?[\s)]*", _FLAGS)
# An escape or a tag that a chunk of a stream has cut in two.
_CUT = regex.compile(r"(?:\s?/)?(?:&[a-z#0-9;]{0,12}|%[0-9a-f]{0,5}|\\{1,8}[a-z0-9]{0,4}|</?[a-z]{0,6})?$", _FLAGS)
_NUMERO = ("number", "no", "nr", "num")
_MOST_DIGITS = 9
_SIGNS = " \t\r\n\xa0-_.:#()'’" + "".join(map(chr, (*range(0x2010, 0x2016), 0x2212, 0x2116)))


@lru_cache(maxsize=8192)
def read(inner: str, facts: frozenset[str] | None = None) -> Reading | None:
    """Return what the inside of a pair of brackets says, or None if it is no placeholder's.

    Args:
        inner: the inside.
        facts: names of facts that may stand behind the number; any when None.
    """
    text = _plain(inner)
    if (found := _read(text)) or facts == frozenset() or not any(sign in text for sign in "=:"):
        return found
    told = _FACTS.search(text)
    if told is None or (facts is not None and not facts.issuperset(told.captures("name"))):
        return None
    found = _read(text[: told.start()])
    return found._replace(after=found.after or told["after"] or "") if found else None


def _read(text: str) -> Reading | None:
    at = _first_digit(text)
    if at is None:
        return _numbered_in_words(text)
    end = next((place for place in range(at, len(text)) if not text[place].isdecimal()), len(text))
    tail = _TAIL.fullmatch(text, end)
    if tail is None or end - at > _MOST_DIGITS:
        return None
    word = text[:at].rstrip(_SIGNS)
    return _reading(word, text[len(word) : at], int(text[at:end]), tail["letter"], tail["after"] or "")


def may_read(inner: str, facts: frozenset[str] | None = None) -> bool:
    """Return whether the beginning of an inside may become one that can be read, with facts of these names or any."""
    text = _plain(_CUT.sub("", inner))
    at = _first_digit(text)
    if at is None:
        return may_begin(letters(text))
    end = next((place for place in range(at, len(text)) if not text[place].isdecimal()), len(text))
    key = letters(text[:at])
    known = meaning(key) or any(key.endswith(more) and meaning(key.removesuffix(more)) for more in _NUMERO)
    if not known or end - at > _MOST_DIGITS:
        return False
    tail = _HALF_TAIL.match(text, end)
    if tail and tail.end() == len(text):
        return True
    if facts == frozenset():
        return False
    letter = _TAIL.match(text, end)
    stops = (end, letter.end("letter"), letter.end("after")) if letter else (end,)
    return any(stop >= 0 and _GROWING_FACTS.fullmatch(text, stop, partial=True) for stop in stops)


def _first_digit(text: str) -> int | None:
    return next((place for place, sign in enumerate(text) if sign.isdecimal()), None)


def _plain(inner: str) -> str:
    text = _ESCAPES.sub(_undo, inner) if any(sign in inner for sign in "%\\&<") else inner
    return regex.sub(r"[*~`]+", "", level(text))


def _undo(match: "regex.Match[str]") -> str:
    if match["url"]:
        return unquote(regex.sub("%25(?=[0-9a-f]{2})", "%", match["url"], flags=regex.I))
    if match["json"]:
        return chr(int(match["json"], 16))
    if match["html"]:
        return html.unescape(match["html"])
    return match["sign"] or (" " if match["line"] else "")


def _numbered_in_words(text: str) -> Reading | None:
    """Read `name one`, `nombre-uno`, `name twenty-one`, and `姓名一`, which has no joint."""
    words = [word for word in regex.split(r"[^\p{L}]+", text) if word]
    for count in (2, 1):
        number = "".join(words[-count:])
        if len(words) > count and number in number_words():
            return _in_words("".join(words[:-count]), text, number)
    for width in (2, 1):
        if len(words) == 1 and not words[0].isascii() and words[0][-width:] in number_words():
            return _in_words(words[0][:-width], text, words[0][-width:])
    return None


def _in_words(word: str, text: str, number: str) -> Reading | None:
    said = number_of(number, word)
    if said is None:
        return None
    reading = _reading(word, "-" if _joined(text) else " ", said, "", "")
    return reading and reading._replace(plain=reading.joined)


def _reading(word: str, joint: str, number: int, letter: str, after: str) -> Reading | None:
    key = letters(word)
    found = meaning(key)
    for more in _NUMERO:
        # `name no. 1`: the word for "number" belongs to the number.
        if found is None and key.endswith(more):
            found = meaning(key.removesuffix(more))
    if found is None:
        return None
    joined = _joined(joint)
    own = found.how == "own" and ":" not in word + joint
    plain = own or (found.how != "own" and joined and key not in ENGLISH)
    return Reading(found.kinds, found.how, found.nearest, number, letter, after, joined, plain)


def _joined(joint: str) -> bool:
    return any(sign == "_" or unicodedata.category(sign) == "Pd" for sign in joint)
