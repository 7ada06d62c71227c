r"""Folding: levels case, width, diacritics and look-alike letters, and drops all but letters and digits.

Two texts that a reader takes for the same fold to the same string: `E\\u200bmma-Williams` and `EMMA  WILLIAMS`,
`+44 (0)20` and `+44020`, `Ｅｍｍａ` and `Еmma` with a Cyrillic letter. What no reader sees is dropped.
Here is also where a word begins and ends for the guard.
"""

import codecs
import re
import unicodedata
from functools import cache
from typing import Any

BLANK = "\ue000"
"""A sign that folding keeps and that stands in no text: what is left and right of it is not joined."""

SHORTEST = 4
"""Letters and digits of the shortest value that is searched in folded form, but for Han."""

_OTHER_LETTERS = {"ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ŋ": "n"}
"""Letters of two parts, and those of old alphabets: as one writes them without."""

_LATIN = re.compile(r"(?:LATIN|INDICATOR SYMBOL)\b.* ([A-Z])(?: WITH .+)?$")
"""The names of letters that Unicode does not take apart: with a stroke or a hook, small capitals, turned, in shapes."""

IGNORABLE = frozenset(code for first, last in (
    (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
    (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
) for code in range(first, last + 1))  # fmt: skip
"""Unicode's Default_Ignorable_Code_Point: signs that are not seen, some of which count as letters."""


class _Fold(dict[int, str]):
    """Table for `str.translate`, filled as characters come up."""

    def __missing__(self, code: int) -> str:
        if code in IGNORABLE:
            self[code] = ""
            return ""
        level = unicodedata.normalize("NFKD", chr(code))
        level = "".join(c for c in level if not unicodedata.combining(c)).casefold()
        level = "".join(_OTHER_LETTERS.get(c) or _latin(c) or _digit(c) or _lookalikes().get(c, c) for c in level)
        self[code] = folded = "".join(c for c in level if c.isalnum())
        return folded


def _latin(char: str) -> str:
    """Return the letter of which a sign is another form, or nothing."""
    form = None if char.isascii() else _LATIN.search(unicodedata.name(char, ""))
    return form[1].lower() if form else ""


_FOLD = _Fold({ord(BLANK): BLANK})


class _Level(dict[int, str]):
    """Table for `str.translate` that keeps words apart: a space stands for a sign that folding drops."""

    def __missing__(self, code: int) -> str:
        # But not for one that is not seen, nor for what belongs to a letter.
        dropped = " " if unicodedata.category(chr(code))[0] in "PSZ" else ""
        self[code] = leveled = _FOLD[code] or _carrier(code) or dropped
        return leveled


_LEVELED = _Level()
_LOWER = bytes(ord(chr(code).lower()) if code < 128 else code for code in range(256))
_DROPPED = bytes(code for code in range(128) if not chr(code).isalnum())


def fold(text: str) -> str:
    """Return the folded text."""
    return fold_bytes(level(text)).decode("utf-8", "surrogatepass")


def level(text: str) -> bytes:
    """Return a text in UTF-8, with what is beyond ASCII folded and the rest as it is: escapes can still be read.

    A sign beyond ASCII that folding drops, and that can be seen, becomes a space; one that can carry a byte becomes two
    control characters (`CARRIERS`).
    """
    return text.encode("ascii", _LEVEL)


def fold_bytes(leveled: bytes) -> bytes:
    """Return the folded text in UTF-8, at several hundred megabytes a second."""
    return leveled.translate(_LOWER, _DROPPED)


def _fold_run(error: UnicodeError) -> tuple[bytes, int]:
    """Fold a run of characters that ASCII lacks: called by the codec, which finds them faster than a pattern."""
    end: int = error.end  # type: ignore[attr-defined]
    run: str = error.object[error.start : end]  # type: ignore[attr-defined]
    try:
        return _RUNS[run], end
    except KeyError:
        folded = text_bytes(run.translate(_LEVELED))
    if len(run) < 3 and len(_RUNS) < _MOST_RUNS:
        _RUNS[run] = folded
    return folded, end


_RUNS: dict[str, bytes] = {}
"""What the shortest runs fold to, which most are: one sign between ASCII."""
_MOST_RUNS = 1 << 16
_LEVEL = "gama-level"
codecs.register_error(_LEVEL, _fold_run)


def spaceless(char: str) -> bool:
    """Return whether a sign belongs to a script that puts no spaces between words, or joins endings to names."""
    code = ord(char)
    return code >= 0x0E00 and (
        code <= 0x0EFF  # Thai, Lao
        or 0x1000 <= code <= 0x11FF  # Myanmar, Hangul letters
        or 0x1780 <= code <= 0x17FF  # Khmer
        or 0x2E80 <= code <= 0x9FFF  # Han, kana
        or 0xAC00 <= code <= 0xD7FF  # Hangul
        or 0xF900 <= code <= 0xFAFF
        or 0x20000 <= code <= 0x3FFFF
    )


def is_han(char: str) -> bool:
    """Return whether a sign is a Han character: two of them are a name."""
    return "\u3400" <= char <= "\u9fff" or "\U00020000" <= char <= "\U0003ffff" or "\uf900" <= char <= "\ufaff"


def carried_byte(code: int) -> int | None:
    """Return the byte that an invisible sign can carry: tags are ASCII, variation selectors count bytes."""
    for first, last, byte in ((0xE0001, 0xE007F, 1), (0xFE00, 0xFE0F, 0), (0xE0100, 0xE01EF, 16)):
        if first <= code <= last:
            return code - first + byte
    return None


def _carrier(code: int) -> str:
    """Return an invisible sign as two control characters, halves of the byte it carries, which folding drops."""
    byte = carried_byte(code)
    return "" if byte is None else chr(CARRIERS[0] + (byte >> 4)) + chr(CARRIERS[0] + (byte & 15))


CARRIERS = range(0x10, 0x20)
"""Control characters that stand in a leveled text for the halves of a carried byte."""


def carried_text(text: str) -> str:
    """Return a text with the letters that invisible signs carry in their places: itself where there are none."""
    if text.isascii() or not _CARRYING.search(text):
        return text
    return _CARRYING.sub(lambda match: chr(carried_byte(ord(match[0])) or 0), text)


_CARRYING = re.compile("[\ufe00-\ufe0f\U000e0001-\U000e007f\U000e0100-\U000e01ef]")


def _digit(char: str) -> str:
    """Return a decimal digit of another script, or a number in a circle, as ASCII writes it."""
    value = unicodedata.decimal(char, None)
    if value is None and unicodedata.category(char) == "No":
        number = unicodedata.numeric(char)
        value = int(number) if number.is_integer() else None
    return "" if value is None else str(value)


def fold_char(char: str) -> str:
    """Return one character folded: nothing, or one character or more."""
    return _FOLD[ord(char)]


def text_bytes(text: str) -> bytes:
    """Return a text in UTF-8, lone surrogates too."""
    return text.encode("utf-8", "surrogatepass")


def origins(text: str) -> Any:
    """Return, for each character of the folded text, the offset of the one it came from: an array of int64."""
    import numpy as np

    codes, inverse = np.unique(
        np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32), return_inverse=True
    )
    widths = np.fromiter((len(_FOLD[int(code)]) for code in codes), dtype=np.int64, count=len(codes))
    return np.repeat(np.arange(len(text)), widths[inverse])


@cache
def _lookalikes() -> dict[str, str]:
    """Return letters of other scripts that look like one Latin letter or digit, with that letter."""
    from confusable_homoglyphs import confusables

    table: dict[str, str] = {}
    data: dict[str, list[dict[str, str]]] = confusables.confusables_data
    for plain in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ":
        for twin in data.get(plain, ()):
            char = twin["c"]
            if len(char) == 1 and char.isalpha() and not char.casefold().isascii():
                table.setdefault(char.casefold() if len(char.casefold()) == 1 else char, plain.casefold())
    return table


def starts_word(text: str, at: int) -> bool:
    """Return whether a word begins at an offset, the little words that Arabic and Hebrew write with it aside."""
    if at == 0 or not (fold_char(text[at - 1]) and _alike(text[at - 1], text[at])):
        return True
    if not _CLITIC.intersection(text[at - 1]):
        return False
    before = text[max(0, at - _LONGEST_CLITIC - 1) : at]
    joined = len(before) - len(before.rstrip(_CLITICS))
    return joined <= _LONGEST_CLITIC and (joined == len(before) or not before[-joined - 1].isalnum())


def ends_word(text: str, start: int, end: int) -> bool:
    """Return whether a word ends at an offset, its plural and genitive endings aside."""
    if end >= len(text) or not (fold_char(text[end]) and _alike(text[end - 1], text[end])):
        return True
    if not (text[start].isupper() and text[end - 1].isalpha()):
        return False
    ending = text[end : end + _LONGEST_ENDING + 1].casefold()
    return any(
        ending.startswith(one) and (len(ending) == len(one) or not ending[len(one)].isalnum()) for one in _ENDINGS
    )


_ENDINGS = ("s", "es", "n", "en", *"а у ом ым ой е ы и ю я ем ою".split())
"""What a name takes on in a plural, a genitive, and the cases of Russian."""
_LONGEST_ENDING = max(map(len, _ENDINGS))
_CLITICS = "وفبكلاسהובכלמש"
"""`and`, `to`, `by`, `the` and their kin, as Arabic and Hebrew write them at a name."""
_CLITIC = frozenset(_CLITICS)
_LONGEST_CLITIC = 3


def _alike(left: str, right: str) -> bool:
    """Return whether two characters run on as one word: both letters, or both digits; `aB` begins a new one."""
    if BLANK in (left, right) or spaceless(left) or spaceless(right):
        return False
    return left.isdigit() == right.isdigit() and not (left.islower() and right.isupper())
