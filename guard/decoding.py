r"""What a payload says with its escapes and encodings undone: JSON, HTML, URL, quoted-printable, base64, hexadecimal.

Every step is linear. What comes out is looked at again, since one encoding may stand inside another.
"""

import html
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple
from urllib.parse import unquote_plus

from gama.guard.folding import BLANK, CARRIERS, level
from gama.guard.packed import encoded, packed

# Every pattern begins with fixed signs: it is then found at the speed of a plain search. Of two signs a pattern finds
# the first faster than `in` does, three times over.
# `\u00fc`, `\u{fc}`, `\U000000fc`; four digits and no more, for `\u00fcbe` is two letters behind a sign.
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))")
# `%u00fc`, as old scripts write it.
_OLD_ESCAPE = re.compile(r"%u([0-9a-fA-F]{4})")
# Bytes one by one: `\xc3\xb6`, `\303\266`.
_BYTES = re.compile(r"\\(?:x[0-9a-fA-F]{2}|[0-3][0-7]{2})(?:\\{1,8}(?:x[0-9a-fA-F]{2}|[0-3][0-7]{2}))*")
# `=C3=B6` of quoted-printable, and a letter within a word, but no `x=20`.
_QUOTED = re.compile(
    r"=(?:[89A-F][0-9A-F](?:=[0-9A-F]{2})*|[0-7][0-9A-F](?:=[0-9A-F]{2})+|[0-9a-f]{2}(?:=[0-9a-f]{2})+"
    r"|(?<=[A-Za-z]=)[4-7][0-9A-F](?=[a-z])|(?<=\S=)20(?=\S))"
)
_BYTE = re.compile(r"x([0-9a-fA-F]{2})|=([0-9a-fA-F]{2})|([0-3][0-7]{2})")
_SPACES = list(b"nrtbf")
# A tag of HTML or XML, closing or opening; no placeholder, which has a hyphen and a number.
_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9:]{0,20}(?:\s[^<>]{0,200})?/?>")
# What has no tags of these kinds has none to speak of, and placeholders look like the others.
_TAGGED, _EMPTY = re.compile(r"<(?:[/!]|(?:w?br|hr|img)\b)"), re.compile("/>")
_PERCENT = re.compile(r"%[0-9a-fA-F]{2}")
_DEPTH = 6
"""Encodings inside one another that are undone: escapes of JSON, and five more."""
_NESTED = 4
"""Times that one kind of escapes is undone in what stands inside itself, before others are looked for."""
# What encoded text has and words have not: a capital or digit behind a small letter, and the signs of escapes.
_HINT = re.compile(r"[a-z][A-Z0-9+/]|[0-9][A-Za-z]|[A-Z][0-9]|[0-9]{6}|[%&\\=<]")
_SHORTEST = 6
"""Bytes of the shortest text in which more may be encoded."""
_ROOM = 5
"""How many times its own length a text is looked at again below the first layer: a bound on the work."""


class Decoded(NamedTuple):
    """What a text says in one way of reading it."""

    text: str
    leveled: bytes | None = None
    """The text levelled, where it is at hand."""


def decoded(leveled: bytes) -> Iterator[Decoded]:
    """Yield what a text says with its escapes undone: kind after kind, and what stands inside them again.

    Args:
        leveled: the text, see `gama.guard.folding.level`.
    """
    room = _ROOM * len(leveled) + 2**16
    for _ in range(_DEPTH):
        deeper: list[str] = []
        yield from _undone(leveled, deeper)
        text = BLANK.join(deeper)[:room]
        leveled = level(text)
        room -= len(leveled)
        if leveled:
            yield Decoded(text, leveled)
        if len(leveled) < _SHORTEST or room <= 0:
            return


def _undone(leveled: bytes, deeper: list[str]) -> Iterator[Decoded]:
    """Yield what one layer of a text says; what may hold another layer, and is yet to be searched, goes to the list."""
    plain = without_escapes(leveled)
    if plain is not leveled:
        yield Decoded(plain.decode("utf-8", "surrogatepass"), plain)
    if halves := _carriers(plain):
        deeper += _carried(plain, halves)
        plain = plain.translate(None, _INVISIBLE)
    first = plain.decode("utf-8", "surrogatepass")
    if (text := _to_the_end(_from_escapes, first)) != first:
        # All else is read with the next layer: what escapes are written with looks like encoded text.
        deeper.insert(0, text)
        return
    for undo in (_from_html, _from_url, _from_bytes):
        # Bytes once only: a backslash that is left in front of a digit would make it one.
        if (undone := undo(text) if undo is _from_bytes else _to_the_end(undo, text)) != text:
            if text is not first:
                yield Decoded(text)
            text = undone
    if text is not first:
        deeper.append(text)
    if _TAGGED.search(text) or _EMPTY.search(text):
        yield Decoded(_TAG.sub("", _without_comments(text)))
    for read in (encoded, packed):
        said, again = read(plain)
        if said:
            yield Decoded(said)
        if _HINT.search(again):
            deeper.append(again)


def _to_the_end(undo: Callable[[str], str], text: str) -> str:
    for _ in range(_NESTED):
        if (undone := undo(text)) == text:
            return text
        text = undone
    return text


def _carriers(leveled: bytes) -> bytes:
    """Return the control characters of a levelled text that stand for carried bytes, see `CARRIERS` of folding."""
    return leveled.translate(None, _NO_CARRIERS)


def _carried(leveled: bytes, carriers: bytes) -> list[str]:
    """Return what invisible signs carry, among what is seen and by itself; nothing where it is no text."""
    import numpy as np

    halves = np.frombuffer(carriers, dtype=np.uint8) & 15
    # A control character that stands there may have shifted the pairs.
    pairs = [(part[: len(part) // 2 * 2 : 2] << 4) | part[1::2] for part in (halves, halves[1:])]
    said = [part.tobytes().decode("utf-8", "ignore") for part in pairs]
    said = [text for text in said if any(map(str.isalnum, text))]
    if not said:
        # Emoji end with one, too.
        return []
    among = _CARRIERS.sub(lambda match: bytes([(match[0][0] & 15) << 4 | match[0][1] & 15]), leveled)
    return [among.decode("utf-8", "replace"), *said]


_NO_CARRIERS = bytes(code for code in range(256) if code not in CARRIERS)
_CARRIERS = re.compile(rb"[\x10-\x1f]{2}")
_INVISIBLE = bytes(code for code in (*range(32), 127) if code not in b"\t\n\r")


def _without_comments(text: str) -> str:
    """Return a text without the comments of HTML: a pattern for them would be slow on many that do not end."""
    first, *others = text.split("<!--")
    parted = [part.partition("-->") for part in others]
    return first + "".join(behind if end else f"<!--{inside}" for inside, end, behind in parted)


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
