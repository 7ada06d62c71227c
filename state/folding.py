r"""Folding: levels case, width, diacritics and look-alike letters, and drops all but letters and digits.

Two texts that a reader takes for the same fold to the same string: `E\\u200bmma-Williams` and `EMMA  WILLIAMS`,
`+44 (0)20` and `+44020`, `Ｅｍｍａ` and `Еmma` with a Cyrillic letter.
"""

import codecs
import unicodedata
from functools import cache
from typing import Any

BLANK = "\ue000"
"""A sign that folding keeps and that stands in no text: what is left and right of it is not joined."""

_STROKES = {
    "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ħ": "h", "ŧ": "t", "ı": "i", "ŋ": "n",
}  # fmt: skip
"""Letters with a stroke or of two parts, which Unicode does not take apart: as one writes them without."""


class _Fold(dict[int, str]):
    """Table for `str.translate`, filled as characters come up."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        level = "".join(c for c in unicodedata.normalize("NFKD", char) if not unicodedata.combining(c)).casefold()
        level = "".join(_STROKES.get(c) or _lookalikes().get(c, c) for c in level)
        self[code] = folded = "".join(c for c in level if c.isalnum())
        return folded


_FOLD = _Fold({ord(BLANK): BLANK})
_LOWER = bytes(ord(chr(code).lower()) if code < 128 else code for code in range(256))
_DROPPED = bytes(code for code in range(128) if not chr(code).isalnum())


def fold(text: str) -> str:
    """Return the folded text."""
    return fold_bytes(level(text)).decode("utf-8", "surrogatepass")


def level(text: str) -> bytes:
    """Return a text in UTF-8, with what is beyond ASCII folded and the rest as it is: escapes can still be read."""
    return text.encode("ascii", _LEVEL)


def fold_bytes(leveled: bytes) -> bytes:
    """Return the folded text in UTF-8, at several hundred megabytes a second."""
    return leveled.translate(_LOWER, _DROPPED)


def _fold_run(error: UnicodeError) -> tuple[bytes, int]:
    """Fold a run of characters that ASCII lacks: called by the codec, which finds them faster than a pattern."""
    assert isinstance(error, UnicodeEncodeError)
    return text_bytes(error.object[error.start : error.end].translate(_FOLD)), error.end


_LEVEL = "gama-level"
codecs.register_error(_LEVEL, _fold_run)


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
