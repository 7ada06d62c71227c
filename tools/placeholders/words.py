"""Words of placeholders, and what two brackets say with them: `First&nbsp;Name – 01`, `nombre-uno`, `nmae-3`.

A type's own word, its plurals and translations, numbers as words, slips of one letter. Words are compared levelled: no
case, no accents, nothing but letters. The tables are `data/words.tsv`, `data/numbers.tsv` and `data/english.txt`.
"""

import html
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal, NamedTuple
from urllib.parse import unquote

import regex

from gama.state.entities import PLACEHOLDER_KINDS

LONGEST_WORD = 40
"""Letters of the longest word, of any language, with room to spare."""

_SHORTEST_SLIP = 4
"""Letters of the shortest word in which a slip is looked for: `<ag-1>` may be anything."""


class Meaning(NamedTuple):
    """Which types a word may stand for."""

    how: Literal["own", "translated", "slip"]
    kinds: tuple[str, ...]
    """The nearest first."""
    nearest: int
    """How many of them are as near as the first."""


def level(text: str) -> str:
    """Return a text without case, accents, width and invisible characters.

    Raised and circled numbers stay what they are: `1²` is not 12.
    """
    if text.isascii():
        return text.casefold()
    apart = "".join(c if unicodedata.category(c) == "No" else unicodedata.normalize("NFKD", c) for c in text.casefold())
    return "".join(c for c in apart if not unicodedata.combining(c) and unicodedata.category(c) != "Cf").casefold()


def fold_case(text: str) -> str:
    """Fold case character by character, so that offsets stay."""
    return "".join(low if len(low := char.casefold()) == 1 else char for char in text)


def letters(text: str) -> str:
    """Return the letters of a levelled text."""
    return "".join(c for c in text if c.isalpha())


@lru_cache(maxsize=4096)
def meaning(word: str) -> Meaning | None:
    """Return what a levelled word, letters only, stands for, or None."""
    if own := own_words().get(word):
        return Meaning("own", (own,), 1)
    if found := _translations().get(word):
        near = tuple(kind for kind, nearest in found.items() if nearest)
        return Meaning("translated", near + tuple(kind for kind in found if kind not in near), len(near))
    if slips := _slips(word):
        return Meaning("slip", slips, len(slips))
    return None


@cache
def own_words() -> dict[str, str]:
    """Return the types' own words and their plurals, with their type."""
    found = {letters(kind): kind for kind in PLACEHOLDER_KINDS}
    for word, kind in list(found.items()):
        plural = word[:-1] + "ies" if word.endswith("y") else word + ("es" if word.endswith("s") else "s")
        found.setdefault(plural, kind)
    # British spelling and the two ways to write e-mail differ by a hyphen or a letter.
    return found | {"organisation": "organization", "organisations": "organization"}


@cache
def english_words() -> frozenset[str]:
    """Return English words that are like a type's word and are read as themselves: `[data-1]` is no date."""
    lines = _text("english.txt").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def languages() -> list[str]:
    """Return the languages whose words are known."""
    return _rows("words.tsv")[0][1:]


@cache
def translations_of(language: str) -> dict[str, str]:
    """Return the nearest translation of every type's word, as it is written."""
    column = languages().index(language) + 1
    return {row[0]: row[column].split(",")[0] for row in _rows("words.tsv")[1:]}


@cache
def numbers_in(language: str) -> dict[int, str]:
    """Return the numbers from one to twenty as words."""
    row = next(row for row in _rows("numbers.tsv") if row[0] == language)
    return {number: cell.split(",")[0] for number, cell in enumerate(row[1:], start=1)}


def number_of(number: str, word: str) -> int | None:
    """Return the number that a levelled number word says beside a type word, in one language that has both.

    A language for itself: the Italian *due* makes two of `<nome-due>`, and nothing of `<date-due>`.
    """
    said = {numbers[number] for language, numbers in _numbers().items() if number in numbers and _has(language, word)}
    return said.pop() if len(said) == 1 else None


def _has(language: str, word: str) -> bool:
    return word in (own_words() if language == "en" else _words_in(language))


@cache
def _words_in(language: str) -> frozenset[str]:
    column = languages().index(language) + 1
    return frozenset(letters(level(word)) for row in _rows("words.tsv")[1:] for word in row[column].split(","))


@cache
def _numbers() -> dict[str, dict[str, int]]:
    """Return the number words of every language: from one to twenty, in English to 99."""
    found: dict[str, dict[str, int]] = {}
    for language, *cells in _rows("numbers.tsv"):
        words = {letters(level(word)): n for n, cell in enumerate(cells, start=1) for word in cell.split(",")}
        found[language] = words
    english = found["en"]
    ones = [(word, number) for word, number in english.items() if number < 10]
    for ten, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2):
        english[word] = ten * 10
        english |= {word + one: ten * 10 + number for one, number in ones}
    return found


@cache
def number_words() -> frozenset[str]:
    """Return all number words, levelled."""
    return frozenset(word for numbers in _numbers().values() for word in numbers)


@lru_cache(maxsize=4096)
def may_begin(word: str) -> bool:
    """Return whether a levelled word, letters only, may be the beginning of one that has a meaning or of a number."""
    if len(word) > LONGEST_WORD:
        return False
    starts = _beginnings()
    if word in starts or any(word in starts for word in _split_numbers(word)):
        return True
    # A slip of one letter: everything one letter away from a beginning of the types' own words.
    return any(near in _own_beginnings() for near in _one_away(word))


def _split_numbers(word: str) -> Iterator[str]:
    """Yield what follows a whole type word: the beginning of a number word."""
    for at in range(2, len(word)):
        if word[:at] in own_words() or word[:at] in _translations():
            yield word[at:]


@cache
def _beginnings() -> frozenset[str]:
    words = [*own_words(), *_translations(), *number_words()]
    return frozenset(word[:at] for word in words for at in range(len(word) + 1))


@cache
def _own_beginnings() -> frozenset[str]:
    words = [letters(kind) for kind in PLACEHOLDER_KINDS if len(letters(kind)) >= _SHORTEST_SLIP]
    return frozenset(word[:at] for word in words for at in range(1, len(word) + 1))


@cache
def _translations() -> dict[str, dict[str, bool]]:
    """Return levelled words with their types, each with whether it is the nearest one in some language."""
    found: dict[str, dict[str, bool]] = {}
    for kind, *cells in _rows("words.tsv")[1:]:
        for cell in cells:
            for place, word in enumerate(cell.split(",")):
                kinds = found.setdefault(letters(level(word)), {})
                kinds[kind] = kinds.get(kind, False) or place == 0
    return found


def _slips(word: str) -> tuple[str, ...]:
    """Return the types whose own word is one slip away: a letter lost, doubled, wrong, or two letters swapped."""
    if len(word) < _SHORTEST_SLIP - 1 or len(word) > LONGEST_WORD or word in english_words() or word in number_words():
        return ()
    known = {letters(kind): kind for kind in PLACEHOLDER_KINDS}
    found = {known[near] for near in _one_away(word) if near in known and len(near) >= _SHORTEST_SLIP}
    return tuple(sorted(found))


def _one_away(word: str) -> Iterator[str]:
    """Yield every word that differs by one letter, or by two neighbours swapped."""
    for at in range(len(word) + 1):
        head, tail = word[:at], word[at:]
        for letter in "abcdefghijklmnopqrstuvwxyz":
            yield head + letter + tail
            if tail:
                yield head + letter + tail[1:]
        if tail:
            yield head + tail[1:]
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]


@cache
def _rows(name: str) -> list[list[str]]:
    return [line.split("\t") for line in _text(name).splitlines() if line and not line.startswith("#")]


def _text(name: str) -> str:
    return (files("gama.tools.placeholders") / "data" / name).read_text(encoding="utf-8")


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
_EMPHASIS = dict.fromkeys(map(ord, "*~`"))
_NO_LETTERS = regex.compile(r"[^\p{L}]+")
_NUMERO = ("number", "no", "nr", "num")
_MOST_DIGITS = 9
_SIGNS = " \t\r\n\xa0-_.:#()'’" + "".join(map(chr, (*range(0x2010, 0x2016), 0x2212, 0x2116)))


@lru_cache(maxsize=8192)
def read(inner: str, facts: frozenset[str] | None = None) -> Reading | None:
    """Return what the inside of a pair of brackets says, or None if it cannot be a placeholder.

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
    return level(text).translate(_EMPHASIS)


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
    words = [word for word in _NO_LETTERS.split(text) if word]
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
    plain = own or (found.how != "own" and joined and key not in english_words())
    return Reading(found.kinds, found.how, found.nearest, number, letter, after, joined, plain)


def _joined(joint: str) -> bool:
    return any(sign == "_" or unicodedata.category(sign) == "Pd" for sign in joint)
