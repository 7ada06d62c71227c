"""The text as patterns read it: one spelling for digits, spaces, dashes and quotes, offsets unchanged."""

import re
from functools import cached_property

LEFT = r"(?<![0-9A-Za-z_À-ӿ])"
"""A value begins here: no Latin, Greek or Cyrillic letter, digit or underscore before it.

`\\b` would not do: beside Chinese, Japanese or Korean text, which has no spaces, it sees no boundary.
"""

RIGHT = r"(?![0-9A-Za-z_À-ӿ])"
"""A value ends here."""

FIRST = r"(?<![0-9A-Za-z_À-ӿ].)"
"""Like `LEFT`, but written behind the value's first character.

An expression that begins with a class of characters is searched several times faster than one that begins
with an assertion.
"""

_NUMBER = re.compile("[0-9]+")

# The zeros of the decimal digits in use: Arabic, Persian, Indian scripts, Thai, Lao, Tibetan, Myanmar, Khmer,
# Mongolian, full width.
_ZEROS = (
    0x0660, 0x06F0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66, 0x0E50, 0x0ED0,
    0x0F20, 0x1040, 0x17E0, 0x1810,
)  # fmt: skip

_SPELLING: dict[int, str] = {
    **{code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},
    **{zero + digit: str(digit) for zero in _ZEROS for digit in range(10)},
    **dict.fromkeys((0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000), " "),
    **dict.fromkeys((*range(0x2010, 0x2016), 0x2212, 0xFE58, 0xFE63), "-"),
    **dict.fromkeys((0x2018, 0x2019, 0x201B, 0x2032, 0x02BC), "'"),
    **dict.fromkeys((0x201C, 0x201D, 0x201E, 0x201F, 0x2033), '"'),
}


class PlainText(str):
    """A text in one spelling, as long as the original; it dies with the call that made it."""

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
    def has_digit(self) -> bool:
        """Whether any ASCII digit occurs: the cheapest reason to look no further."""
        return any(digit in self for digit in "0123456789")


def plain(text: str) -> PlainText:
    """Return `text` with digits, spaces, dashes, quotes and full-width forms in their ASCII spelling.

    Each character becomes exactly one, so offsets hold in the original. Calling it again costs nothing.
    """
    if isinstance(text, PlainText):
        return text
    return PlainText(text if text.isascii() else text.translate(_SPELLING))


def digits(text: str) -> str:
    """Return the ASCII digits of a text, in order."""
    return "".join(char for char in text if char in "0123456789")


def word_char(char: str) -> bool:
    """Say whether a character belongs to a word in the sense of `LEFT` and `RIGHT`."""
    return char == "_" or ("0" <= char <= "9") or ("A" <= char <= "Z") or ("a" <= char <= "z") or "À" <= char <= "ӿ"
