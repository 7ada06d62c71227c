r"""What a payload says with its escapes and encodings undone: JSON, HTML, URL, quoted-printable, base64, hexadecimal.

Every step is linear. What comes out is looked at again, since one encoding may stand inside another.
"""

import html
import re
from collections.abc import Iterator
from urllib.parse import unquote_plus

from gama.guard.encoded import encoded
from gama.guard.folding import level

# Every pattern begins with fixed signs: it is then found at the speed of a plain search. Of two signs a pattern finds
# the first faster than `in` does, three times over.
# `\u00fc`, `\u{fc}`, `\U000000fc`; four digits and no more, for `\u00fcbe` is two letters behind a sign.
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))")
# `%u00fc`, as old scripts write it.
_OLD_ESCAPE = re.compile(r"%u([0-9a-fA-F]{4})")
# Bytes one by one: `\xc3\xb6`, `\303\266`.
_BYTES = re.compile(r"\\(?:x[0-9a-fA-F]{2}|[0-3][0-7]{2})(?:\\{1,8}(?:x[0-9a-fA-F]{2}|[0-3][0-7]{2}))*")
# `=C3=B6` of quoted-printable, but no `x=20`.
_QUOTED = re.compile(r"=(?:[89A-F][0-9A-F](?:=[0-9A-F]{2})*|[0-7][0-9A-F](?:=[0-9A-F]{2})+)")
_BYTE = re.compile(r"x([0-9a-fA-F]{2})|=([0-9a-fA-F]{2})|([0-3][0-7]{2})")
_SPACES = list(b"nrtbf")
# A tag of HTML or XML, closing or opening; no placeholder, which has a hyphen and a number.
_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9:]{0,20}(?:\s[^<>]{0,200})?/?>")
_CLOSING, _EMPTY = re.compile("</"), re.compile("/>")
_PERCENT = re.compile(r"%[0-9a-fA-F]{2}")
_DEPTH = 3
"""Encodings inside one another that are undone."""
_ROOM = 4
"""How many times its own length a text is looked at again below the first layer: a bound on the work."""


def decoded(leveled: bytes) -> Iterator[str]:
    """Yield what a text says with its escapes undone: kind after kind, and what stands inside them again.

    Args:
        leveled: the text, see `gama.guard.folding.level`.
    """
    room = _ROOM * len(leveled) + 2**16
    layer = [leveled]
    for depth in range(_DEPTH):
        inner: list[bytes] = []
        for one in layer:
            room -= len(one) if depth else 0
            if room >= 0:
                deeper: list[str] = []
                yield from _undone(one, deeper)
                inner += [level(text) for text in deeper]
        layer = inner


def _undone(leveled: bytes, deeper: list[str]) -> Iterator[str]:
    """Yield a text with one layer of its escapes undone; what may hold another layer goes to the list."""
    plain = without_escapes(leveled)
    first = text = plain.decode("utf-8", "surrogatepass")
    for undo in (_from_escapes, _from_html, _from_url, _from_bytes):
        if (undone := undo(text)) != text:
            text = undone
            yield text
    if text is not first:
        deeper.append(text)
    elif plain is not leveled:
        yield text
    if _CLOSING.search(text) or _EMPTY.search(text):
        yield _TAG.sub("", text)
    said, again = encoded(plain)
    if said:
        yield said
    if again:
        deeper.append(again)


def _from_escapes(text: str) -> str:
    text = _OLD_ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)
    if "\\" not in text:
        return text
    halves = _ESCAPE.sub(_unescape, text)
    # Characters beyond the basic plane stand as two escapes: joined here.
    return halves if halves == text else halves.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _from_html(text: str) -> str:
    return html.unescape(text) if "&" in text else text


def _from_url(text: str) -> str:
    return unquote_plus(text) if "%" in text and _PERCENT.search(text) else text


def _from_bytes(text: str) -> str:
    if "\\" in text:
        text = _BYTES.sub(_unbyte, text)
    return _QUOTED.sub(_unbyte, text) if "=" in text else text


def without_escapes(text: bytes, *, json: bool = False) -> bytes:
    r"""Return a text with spaces for the escapes of white space (`\n` and its kin); itself if it has none.

    Args:
        text: the text.
        json: whether it is JSON, in which two backslashes stand for one: the second of them escapes nothing. What is
            no JSON, or JSON in JSON, may mean either.
    """
    if b"\\" not in text:
        return text
    import numpy as np

    signs = np.frombuffer(text, dtype=np.uint8).copy()
    slashes = np.flatnonzero(signs[:-1] == ord("\\"))
    at = np.isin(signs[slashes + 1], _SPACES)
    if json:
        # An odd number of backslashes of a row stands before the second, fourth … of it.
        rows = np.flatnonzero(np.diff(slashes, prepend=-2) > 1)
        before = np.arange(len(slashes)) - np.repeat(rows, np.diff(rows, append=len(slashes)))
        at &= before % 2 == 0
    if not at.any():
        return text
    places = slashes[at]
    signs[places] = signs[places + 1] = ord(" ")
    return signs.tobytes()


def _unescape(match: "re.Match[str]") -> str:
    value = int(match[1] or match[2] or match[3], 16)
    return chr(value) if value < 0x110000 else " "


def _unbyte(match: "re.Match[str]") -> str:
    raw = bytes(
        int(found[1] or found[2], 16) if found[1] or found[2] else int(found[3], 8) & 255
        for found in _BYTE.finditer(match[0])
    )
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")
