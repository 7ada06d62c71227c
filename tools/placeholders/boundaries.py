"""Where words and placeholders begin and end: edges of words; brackets, and what models and encoders make of them."""

import unicodedata
from functools import lru_cache
from typing import NamedTuple

import regex


def boundary(text: str, at: int) -> bool:
    """Return whether a word may begin or end at an offset.

    Letters and digits of scripts that put spaces between words bind to each other; the underscore,
    and the signs of Chinese, Japanese, Thai and other scripts written without spaces, do not.
    """
    if at <= 0 or at >= len(text):
        return True
    return not (_binds(text[at - 1]) and (_binds(text[at]) or unicodedata.combining(text[at]) > 0))


def _binds(char: str) -> bool:
    if char.isascii():
        return char.isalnum()
    return char.isalnum() and not _spaceless(ord(char))


def _spaceless(code: int) -> bool:
    return (
        0x0E00 <= code <= 0x0EFF  # Thai, Lao
        or 0x1000 <= code <= 0x109F  # Myanmar
        or 0x1780 <= code <= 0x17FF  # Khmer
        or 0x2E80 <= code <= 0x9FFF  # CJK, kana
        or 0xF900 <= code <= 0xFAFF
        or 0x20000 <= code <= 0x3FFFF
    )


_FLAGS = regex.IGNORECASE | regex.VERSION1

# Opening and closing signs of one family, in clear. Doubled brackets count as one pair only within a family.
_FAMILIES = ("<>", "[]", "{}", "‹›", "«»", "〈〉", "⟨⟩", "《》", "【】", "「」", "『』", "〔〕")
_WIDE = str.maketrans("＜＞［］｛｝", "<>[]{}")

ANGLES = frozenset("<‹«〈⟨《")
"""Families that read as the angle brackets of the styles. A text has few of them for reasons of its own."""

_OPENING = "".join(pair[0] for pair in _FAMILIES).replace("<", "").replace("[", "").replace("{", "") + "＜［｛"
_CLOSING = "".join(pair[1] for pair in _FAMILIES).replace(">", "").replace("]", "").replace("}", "") + "＞］｝"

# One bracket in clear, after a backslash, or escaped: HTML (&lt; &#60; &#x3c; and those once more escaped, &amp;lt;),
# URL (%3C, %253C), JSON (\u003c) and Python (\x3c). A dollar sign belongs to the brace of a template.
LEFT = (
    rf"(?:\\{{0,4}}<|\\{{0,4}}\[|\$?\\{{0,4}}\{{|[{_OPENING}]"
    r"|&(?:amp;){0,2}(?:lt|laquo|lsaquo|lang|lsqb|lbrack|lcub|lbrace|\#0{0,5}(?:60|91|123)|\#x0{0,4}(?:3c|5b|7b));"
    r"|%(?:25){0,2}(?:3c|5b|7b)|\\{1,8}u00(?:3c|5b|7b)|\\{1,4}x(?:3c|5b|7b))"
)
RIGHT = (
    rf"(?:\\{{0,4}}>|\\{{0,4}}\]|\\{{0,4}}\}}|[{_CLOSING}]"
    r"|&(?:amp;){0,2}(?:gt|raquo|rsaquo|rang|rsqb|rbrack|rcub|rbrace|\#0{0,5}(?:62|93|125)|\#x0{0,4}(?:3e|5d|7d));"
    r"|%(?:25){0,2}(?:3e|5d|7d)|\\{1,8}u00(?:3e|5d|7d)|\\{1,4}x(?:3e|5d|7d))"
)

_ONE = regex.compile(rf"{LEFT}|{RIGHT}", _FLAGS)
_RIGHT = regex.compile(RIGHT, _FLAGS)
_LONGEST = 24
_NAMED = (
    ("[", ("lsqb", "rsqb", "brack", "91", "93", "5b", "5d")),
    ("{", ("lcub", "rcub", "brace", "123", "125", "7b", "7d")),
    ("«", ("laquo", "raquo")),
    ("‹", ("lsaquo", "rsaquo")),
    ("⟨", ("lang", "rang")),
)


class Bracket(NamedTuple):
    """One bracket as it stands, and the family it belongs to."""

    text: str
    family: str
    """The opening sign of the family."""


@lru_cache(maxsize=1024)
def split(brackets: str) -> tuple[Bracket, ...]:
    """Split a run of brackets into single ones."""
    return tuple(Bracket(one, family(one)) for one in _ONE.findall(brackets))


def may_close(text: str) -> bool:
    """Return whether a text is the beginning of a closing bracket, such as half an escape."""
    return len(text) < _LONGEST and bool(text) and bool(_RIGHT.fullmatch(text, partial=True))


def family(bracket: str) -> str:
    """Return the opening sign of the family that a bracket belongs to, escaped or not."""
    sign = bracket[-1].translate(_WIDE)
    for pair in _FAMILIES:
        if sign in pair:
            return pair[0]
    word = bracket.casefold().rstrip(";")
    return next((opening for opening, names in _NAMED if word.endswith(names)), "<")
