"""The words of placeholders: the types' own, their plurals and translations, numbers as words, slips of one letter.

Words are compared levelled: no case, no accents, nothing but letters. The tables are `data/words.tsv` and
`data/numbers.tsv`.
"""

import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal, NamedTuple

from gama.state.entities import PLACEHOLDER_KINDS

LONGEST_WORD = 40
"""Letters of the longest word, of any language, with room to spare."""

_SHORTEST_SLIP = 4
"""Letters of the shortest word in which a slip is looked for: `<ag-1>` may be anything."""

# English words one letter away from a type word, and those that a translation is written like. They are read as
# themselves: `[data-1]` is no date, `<game-1>` nobody's name.
ENGLISH = frozenset(
    """
    ace aces addressed ages alter amounts ate ban bender brace came candle cate curation dale dame dare data dated
    dater dave daze decree dime diploma dote eight ender face fame fate fender game gander gate genre grace grad
    grade handicap handled handler hate heigh hight initial iphone iran ivan lace lame late lateral lender liberal
    lieu lime local locution mace mail mate mender mime mount mounts named nap nape nave nicknamed note pace phase
    phoney phono phony profession prone pseudo race raced racer rack racy rage rake rale rape rare ras rate
    rationality rave raze religious remail render rental rice rime same secrete sender sex shone tame taste tender
    tide tie tike tile timed timer tine tire title tome trace vender vocation weigh weighs weighty year
    """.split()
)


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
    if len(word) < _SHORTEST_SLIP - 1 or len(word) > LONGEST_WORD or word in ENGLISH or word in number_words():
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
    text = (files("gama.tools.placeholders") / "data" / name).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]
