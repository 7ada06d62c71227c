"""The contract of a recognizer, the hit it reports, and the text as it reads it.

A recognizer finds one kind of value in a text. It keeps no state between calls, so that one
instance serves many threads, and it never puts a piece of the text into an exception or a log.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from gama.state.entities import TYPE_OF, Span
from gama.tools.contract import Recognizer

__all__ = ["PlainText", "Recognizer", "digits", "hit", "is_plain", "label_ends", "plain", "word_char"]

_NUMBER = re.compile("[0-9]+")
# Letters of other scripts than Latin, and those that in Latin script mark Turkish and Vietnamese. Refuses signs, emoji,
# and letters with the accents of the other languages.
_FOREIGN = re.compile(
    "[ğĞşŞıİăĂđĐơƠưƯ\u0370-\u1dff\u1ea0-\u1fff\u2c00-\u2dff\u3040-\ua71f\ua800-\uabff\uac00-\ud7ff\uf900-\ufdff\ufe70-\ufefe"
    "\U00010000-\U0001cfff\U00020000-\U0003ffff]"
)

# The zeros of the decimal digits in use: Arabic, Persian, Indian scripts, Thai, Lao, Tibetan, Myanmar, Khmer,
# Mongolian, full width.
_ZEROS = "٠۰०০੦૦୦௦౦೦൦๐໐༠၀០᠐"

_SPELLING: dict[int, str] = {
    **{code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},
    **{ord(zero) + digit: str(digit) for zero in _ZEROS for digit in range(10)},
    **dict.fromkeys((0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000), " "),
    **dict.fromkeys((*range(0x2010, 0x2016), 0x2212, 0xFE58, 0xFE63), "-"),
    **dict.fromkeys((0x2018, 0x2019, 0x201B, 0x2032, 0x02BC), "'"),
    **dict.fromkeys((0x201C, 0x201D, 0x201E, 0x201F, 0x2033), '"'),
}


_SPELT = re.compile(f"[{re.escape(''.join(map(chr, _SPELLING)))}]")


class PlainText(str):
    """A text in one spelling, as long as the original; it dies with the call that made it."""

    missing: frozenset[str] = frozenset()
    """Words that `low` does not have, nowhere inside of others either: those that somebody has looked for."""

    @cached_property
    def low(self) -> str:
        """The text in lower case, of the same length."""
        low = self.lower()
        if len(low) == len(self):
            return low
        # One capital (İ) grows when lowered, which would shift every later offset.
        return "".join(char if len(char.lower()) > 1 else char.lower() for char in self)

    @cached_property
    def numbers(self) -> list[int]:
        """Where each run of digits begins that no letter, digit or underscore precedes."""
        return [at for match in _NUMBER.finditer(self) if (at := match.start()) == 0 or not word_char(self[at - 1])]

    @cached_property
    def is_foreign(self) -> bool:
        """Whether a letter is of another script than Latin, or one that marks Turkish or Vietnamese."""
        return not is_plain(self)

    @cached_property
    def has_digit(self) -> bool:
        """Whether any ASCII digit occurs: the cheapest reason to look no further."""
        return any(digit in self for digit in "0123456789")


def plain(text: str) -> PlainText:
    """Return `text` with digits, spaces, dashes, quotes and full-width forms in their ASCII spelling.

    Each character becomes exactly one, so offsets hold in the original. Calling it again costs nothing.
    """
    if isinstance(text, PlainText):
        return text
    return PlainText(text if text.isascii() else _SPELT.sub(lambda sign: _SPELLING[ord(sign[0])], text))


def is_plain(text: str) -> bool:
    """Return whether a text has no letter of another script than Latin, nor one that marks Turkish or Vietnamese."""
    return text.isascii() or _FOREIGN.search(text) is None


def digits(text: str) -> str:
    """Return the ASCII digits of a text, in order."""
    return "".join(char for char in text if char in "0123456789")


def word_char(char: str) -> bool:
    """Return whether a character belongs to a word in the sense of `left` and `right`."""
    return char == "_" or ("0" <= char <= "9") or ("A" <= char <= "Z") or ("a" <= char <= "z") or "À" <= char <= "ӿ"


def label_ends(text: PlainText, words: tuple[str, ...], *, glued: bool = False) -> Iterator[int]:
    """Yield where each occurrence of the words ends; a word is never found inside a longer one."""
    return (end for end, _ in labels(text, words, glued=glued))


def labels(text: PlainText, words: Iterable[str], *, glued: bool = False) -> Iterator[tuple[int, str]]:
    """Yield where each occurrence of the words ends, as `label_ends` does, and which word it is; word by word."""
    low, missing = text.low, text.missing
    size = len(low)
    for word in words:
        if word in missing:
            continue
        at = low.find(word)
        while at >= 0:
            end = at + len(word)
            open_left = at == 0 or glued or low[at - 1] == "_" or not word_char(low[at - 1]) or not word_char(word[0])
            open_right = end == size or low[end] == "_" or not low[end].isalpha() or not word_char(word[-1])
            # Chinese and its neighbours write no spaces: a label in them borders on anything.
            if open_left and (open_right or low[end] > "\u2e80") and not (glued and _is_word(low, at, end)):
                yield end, word
            at = low.find(word, end)


_WORDS = frozenset("bypass underpass overpass compass encompass trespass surpass".split())
"""Words that end as a label does and announce nothing."""


def _is_word(low: str, at: int, end: int) -> bool:
    while at and low[at - 1].isalpha():
        at -= 1
    return low[at:end] in _WORDS


def hit(
    start: int,
    end: int,
    subtype: str,
    source: str,
    *,
    score: float,
    private: float | None = None,
    validated: bool = False,
) -> Span:
    """Return a span of the pattern view; the type follows from the subtype.

    Args:
        start: first character.
        end: one past the last character.
        subtype: one of `SUBTYPES`.
        source: the recognizer's name.
        score: confidence in [0, 1]; below 1 unless `validated`.
        private: 1.0 where such a value is personal whatever the context, 0.0 where it is nobody's (a loopback address),
            None where context decides.
        validated: a checksum or a library's grammar confirmed the value.

    Raises:
        KeyError: the subtype is unknown.
    """
    return Span(start, end, TYPE_OF[subtype], subtype, score, "regex", private, validated, source)
