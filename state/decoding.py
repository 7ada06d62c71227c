r"""What a payload says with its escapes and encodings undone: JSON, HTML, URL, base64, hexadecimal.

Every step is linear, and the long ones run over bytes at hundreds of megabytes a second: a word that merely looks
encoded is sorted out by what its first signs would decode to.
"""

import base64
import binascii
import html
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import unquote_plus

from gama.state.folding import BLANK

_ESCAPE = re.compile(r"\\+(?:u\{?([0-9a-fA-F]{4,6})\}?|x([0-9a-fA-F]{2}))")
_SPACES = list(b"nrtbf")
# A tag of HTML or XML, closing or opening; no placeholder, which has a hyphen and a number.
_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9:]{0,20}(?:\s[^<>]{0,200})?/?>")
_PERCENT = re.compile(r"%[0-9a-fA-F]{2}")
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{6,}={0,2}")
_HEX = re.compile(rb"(?:[0-9a-fA-F]{2}[ :]?){4,}")
_INNER = 256
"""Longest token that is read inside another, in signs: a bound on the work."""
_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_URL_SAFE = _ALPHABET[:-2] + b"-_"


def decoded(leveled: bytes) -> Iterator[str]:
    """Yield what a text says with its escapes undone, one layer of each kind, and JSON's together with the others.

    Args:
        leveled: the text, see `gama.state.folding.level`.
    """
    plain = _without_escapes(leveled)
    text = plain.decode("utf-8", "surrogatepass")
    if plain is not leveled:
        if "\\u" in text or "\\x" in text:
            # Characters beyond the basic plane stand as two escapes: joined here.
            halves = _ESCAPE.sub(_unescape, text)
            text = halves.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        yield text
    if "&" in text and (undone := html.unescape(text)) != text:
        yield undone
    if "%" in text and _PERCENT.search(text):
        yield unquote_plus(text)
    if "</" in text or "/>" in text:
        yield _TAG.sub("", text)
    if pieces := [piece for piece in _encoded(plain) if piece]:
        yield BLANK.join(pieces)


def _without_escapes(text: bytes) -> bytes:
    r"""Return a text with spaces for the escapes of white space (`\n` and its kin); itself if it has none."""
    if b"\\" not in text:
        return text
    import numpy as np

    signs = np.frombuffer(text, dtype=np.uint8).copy()
    at = np.flatnonzero(signs[:-1] == ord("\\"))
    at = at[np.isin(signs[at + 1], _SPACES)]
    signs[at] = signs[at + 1] = ord(" ")
    return signs.tobytes()


def _unescape(match: "re.Match[str]") -> str:
    value = int(match[1] or match[2], 16)
    return chr(value) if value < 0x110000 else " "


def _encoded(text: bytes) -> Iterator[str]:
    """Yield what the base64 and hexadecimal tokens of a text say."""
    sixty_four, pairs = _starts(text)
    readers: tuple[tuple[list[int], re.Pattern[bytes], Callable[[bytes], str]], ...] = (
        (sixty_four, _BASE64, _from_base64),
        (pairs, _HEX, _from_hex),
    )
    for starts, pattern, read in readers:
        passed = 0
        for start in starts:
            # Inside a token another may begin, as in a path: its slashes are signs of base64 too.
            end = len(text) if start >= passed else start + _INNER
            if match := pattern.match(text, start, end):
                passed = max(passed, match.end())
                yield read(match[0])


class _Classes(NamedTuple):
    """Which bytes may stand where, as tables of 256 truth values.

    Four signs of base64 are three bytes; which sign it is tells the highest bits of a byte, and by them whether it is
    ASCII, begins another letter of UTF-8, or goes on with one.
    """

    starts: bytes
    """For `bytes.translate`: a first sign of base64 counts 1, a letter or digit 2, a hexadecimal digit 4."""
    sign: Any
    digit: Any
    plain: tuple[Any, Any, Any]
    """The first, second and third sign, where the first, second and third byte is ASCII."""
    lead: tuple[Any, Any, Any]
    """The same, where that byte begins another letter."""
    more: tuple[Any, Any, Any]
    """The second, third and first sign, where the byte begun in the sign before it goes on with another letter."""


@cache
def _classes() -> _Classes:
    import numpy as np

    def table(signs: Iterable[int]) -> Any:
        truth = np.zeros(256, dtype=bool)
        truth[list(signs)] = True
        return truth

    def where(holds: Callable[[int], bool]) -> Any:
        return table(sign for letters in (_ALPHABET, _URL_SAFE) for index, sign in enumerate(letters) if holds(index))

    plain = (where(lambda i: i < 32), where(lambda i: not i & 8), where(lambda i: not i & 2))
    lead = (where(lambda i: 48 <= i < 62), where(lambda i: i & 12 == 12), where(lambda i: i & 3 == 3))
    more = (where(lambda i: i & 12 == 8), where(lambda i: i & 3 == 2), where(lambda i: 32 <= i < 48))
    digit = table(b"0123456789abcdefABCDEF")
    sign = table(_ALPHABET + _URL_SAFE)
    alnum = table(code for code in range(128) if chr(code).isalnum())
    starts = (plain[0] | lead[0]) + 2 * alnum + 4 * digit
    return _Classes(starts.astype(np.uint8).tobytes(), sign, digit, plain, lead, more)


def _starts(text: bytes) -> tuple[list[int], list[int]]:
    """Return where tokens of base64 and of hexadecimal pairs may begin that stand for text."""
    import numpy as np

    classes = _classes()
    # Room before and behind, so that a token may stand at either end.
    kinds = np.frombuffer(b"\0" + text.translate(classes.starts), dtype=np.uint8)
    codes = np.frombuffer(text + bytes(12), dtype=np.uint8)

    def are(at: Any, *tables: tuple[int, Any]) -> Any:
        for place, table in tables:
            at = at[table[codes[at + place]]]
        return at

    here, before = kinds[1:], kinds[:-1]
    (one, two, three), (lead, _, lead_three), (more, _, more_one) = classes.plain, classes.lead, classes.more
    words = are(np.flatnonzero((here & 1) > (before >> 1 & 1)), (5, classes.sign), (4, classes.sign))
    latin = are(words, (0, one), (1, two))
    sixty_four = [
        are(latin, (2, three), (4, one), (5, two)),
        are(latin, (2, lead_three), (4, more_one)),
        are(words, (0, lead), (1, more)),
    ]
    digits = are(np.flatnonzero((here & 4) > (before & 4)), *((place, classes.digit) for place in (1, 4, 7)))
    pairs = [are(digits, *((place, classes.digit) for place in places)) for places in ((2, 3, 5, 6), (3, 6, 9, 10))]
    both = (are(np.unique(np.concatenate(sixty_four)), (2, classes.sign), (3, classes.sign)), np.concatenate(pairs))
    return both[0].tolist(), np.unique(both[1]).tolist()


def _from_base64(token: bytes) -> str:
    body = token.rstrip(b"=").replace(b"-", b"+").replace(b"_", b"/")
    body = body[: len(body) - 1] if len(body) % 4 == 1 else body
    return _text_of(lambda: base64.b64decode(body + b"=" * (-len(body) % 4)))


def _from_hex(token: bytes) -> str:
    return _text_of(lambda: bytes.fromhex(token.translate(None, b" :").decode("ascii")))


def _text_of(decode: Callable[[], bytes]) -> str:
    try:
        raw = decode()
    except (binascii.Error, ValueError):
        return ""
    # Most tokens are words that only look encoded: what decodes to no text is passed over.
    printable = len(raw.translate(None, _UNPRINTABLE))
    return raw.decode("utf-8", "ignore") if printable > 0.8 * len(raw) else ""


_UNPRINTABLE = bytes([*range(32), 127])
