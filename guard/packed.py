"""What stands in a text in the signs of base64, base32, hexadecimal or binary, whatever stands between the signs.

All that is no sign of an alphabet is taken out, and the rest is read from every sign on that a byte may begin with:
lines of any length, separators, dumps in pairs, bytes that are no text in front, and UTF-16 make no difference. Only
those blocks of a text are read that have as many capitals and digits as encoded text has and prose has not.

Short tokens of base64, from six signs on, are read one by one (`encoded`). Most are words that only look encoded, and
come again and again: each is read once. All else is for `packed`.
"""

import binascii
import re
from collections.abc import Callable, Iterator
from enum import IntEnum
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

from gama.guard.folding import BLANK, SHORTEST

_CAPITALS, _DIGITS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", b"0123456789"
_BLOCK = 64
_MORE = 12
"""Bytes of the shortest text in which more may be encoded."""
_CHANCE = 4
"""Bytes in front of a text that may look like its beginning: it is read without the first, two, three as well."""
_PART, _OVERLAP = 1 << 16, 1 << 10
_AHEAD = 48
"""Bytes of a text that are read again without its beginning."""
_NEW_LINE = 10
_WIDE = 4
"""Letters of the shortest text in UTF-16."""
_APART = bytes(2 * _CHANCE)
# `-` is a sign of base64 itself: where it parts several pieces it is a separator.
_HYPHENS = re.compile(rb"-[A-Za-z0-9+/]{1,80}-(?:[A-Za-z0-9+/]{1,80}-)+")
_BEFORE, _BEHIND = re.compile(rb"[A-Za-z0-9+/]*\Z"), re.compile(rb"[A-Za-z0-9+/]{0,80}")
# A line of a dump: offset and pairs; behind them stands the text, which is no part of it.
_DUMP = re.compile(rb"\b[0-9a-fA-F]{6,8}:? {1,2}((?:[0-9a-fA-F]{2}(?:[0-9a-fA-F]{2})?  ?){1,16})")
_DUMPED = 32
"""Digits of a line of a dump."""
# Bytes as numbers: `69, 109, 109, 97`.
_NUMBERS = re.compile(rb"\b\d{2,3}(?:[,; ]{1,2}\d{2,3}){3,}\b")


def _from_base64(part: bytes) -> Iterator[bytes]:
    hyphens = b" ".join(
        b"".join([_BEFORE.findall(part[max(0, match.start() - 80) : match.start()])[0], match[0],
                  *_BEHIND.findall(part[match.end() : match.end() + 80])[:1]]).replace(b"-", b"")
        for match in _HYPHENS.finditer(part)
    )  # fmt: skip
    for written in (part.replace(b"-", b"+").replace(b"_", b"/"), hyphens):
        signs = written.translate(None, _all_but(_CAPITALS + _CAPITALS.lower() + _DIGITS + b"+/")) + b"AAA"
        for first in range(4 if len(signs) > 3 else 0):
            yield binascii.a2b_base64(signs[first : first + (len(signs) - first) // 4 * 4])


def _from_hex(part: bytes) -> Iterator[bytes]:
    bare = part.replace(b"0x", b"") if b"0x" in part else part
    digits = bare.translate(None, _all_but(_DIGITS + b"abcdefABCDEF"))
    for first in range(2):
        yield binascii.a2b_hex(digits[first : first + (len(digits) - first) // 2 * 2])


def _from_lists(part: bytes) -> Iterator[bytes]:
    lines = (b"".join(match[1].split())[:_DUMPED] for match in _DUMP.finditer(part))
    yield binascii.a2b_hex(b"".join(line[: len(line) // 2 * 2] for line in lines))
    for match in _NUMBERS.finditer(part):
        yield bytes(int(number) & 255 for number in re.findall(rb"\d+", match[0]))


def _from_bits(alphabet: bytes, size: int, part: bytes) -> Iterator[bytes]:
    import numpy as np

    signs = np.frombuffer(part.translate(_numbers(alphabet), _all_but(alphabet)), dtype=np.uint8)
    bits = np.unpackbits(signs[:, None], axis=1)[:, 8 - size :].ravel()
    for first in range(8):
        yield np.packbits(bits[first * size :]).tobytes()


class Packing(NamedTuple):
    """A way to write bytes in signs of text."""

    telling: tuple[tuple[int, int], ...]
    """Which signs two blocks of a text must have to be read, see `_Signs`, and how many: any of them will do."""
    least: tuple[int, int]
    """Bytes of the shortest text that is taken for one: of ASCII, and with other letters, which chance makes more."""
    read: Callable[[bytes], Iterator[bytes]]
    """Gives the bytes, from each sign on that one may begin with."""


class _Signs(IntEnum):
    """What is counted in the blocks of a text."""

    CHANGES = 0
    """A digit or capital behind a small letter and the like, as words do not have them."""
    PAIRS = 1
    """Two digits of hexadecimal side by side, one of which is no letter."""
    DIGITS = 2
    ALONE = 3
    """Letters and digits that stand by themselves."""


PACKINGS = (
    # Anywhere in a text: what is shorter is found where a token begins, see `encoded`.
    Packing(((_Signs.CHANGES, 2), (_Signs.ALONE, 10)), (9, 12), _from_base64),
    Packing(((_Signs.PAIRS, 4), (_Signs.ALONE, 10)), (4, 4), _from_hex),
    Packing(((_Signs.DIGITS, 16),), (4, 4), _from_lists),
    Packing(((_Signs.CHANGES, 2), (_Signs.ALONE, 10)), (4, 4), lambda part: _from_bits(_CAPITALS + b"234567", 5, part)),
    Packing(((_Signs.DIGITS, 30),), (4, 4), lambda part: _from_bits(b"01", 1, part)),
)
"""Base64, hexadecimal, dumps and lists of numbers, base32, binary."""


_CAPITAL_SIGNS = bytes(code in _CAPITALS + b"234567" for code in range(256))
_CAPITAL_ROW = 8
_CAPITAL_ROWS = re.compile(rb"[A-Z2-7]{8,}(?:\s{1,4}[A-Z2-7]+)*")
_LEET = tuple(bytes.maketrans(b"0134578", b"o" + one + b"eastb") for one in (b"i", b"l"))
"""Digits that are written for letters."""
_WORD_BEFORE, _WORD_BEHIND = re.compile(rb"[A-Za-z0-9\x80-\xff]*\Z"), re.compile(rb"[A-Za-z0-9\x80-\xff]*")


def packed(text: bytes) -> tuple[str, str]:
    """Return what a text says in packed form, and those parts of it in which more may be encoded."""
    if not text:
        return "", ""
    read: dict[tuple[int, int], list[bytes]] = {}
    said: list[str] = []
    again: list[str] = []
    for packing, dense in _dense_blocks(text):
        read.setdefault(packing.least, []).extend(packing.read(_parts(text, dense)))
        if packing is PACKINGS[0]:
            words = _whole_words(text, dense)
            said += (words.translate(table).decode("utf-8", "replace") for table in _LEET)
    if text.translate(_CAPITAL_SIGNS).find(b"\1" * _CAPITAL_ROW) >= 0:
        # Some of base32 has no digits: capitals in a row, and what goes on behind a space or line.
        rows = b"".join(_CAPITAL_ROWS.findall(text))
        read.setdefault((4, 4), []).extend(_from_bits(_CAPITALS + b"234567", 5, rows))
    for least, pieces in read.items():
        whole = _APART.join(pieces)
        # In pieces that the processor's cache holds; what lies across their ends is looked at twice.
        for first in range(0, len(whole), _PART):
            said += _texts_in(whole[first : first + _PART + _OVERLAP], least, again)
    return "\n".join(said), "\n".join(again)


def _dense_blocks(text: bytes) -> Iterator[tuple[Packing, Any]]:
    """Yield the packings with a flag for each block of a text: whether it has as many of their signs as encoded text.

    Two blocks behind such a one are flagged with it.
    """
    import numpy as np

    padded = text + bytes(-len(text) % _BLOCK)
    counts = np.concatenate([_counts(padded[at : at + _PART]) for at in range(0, len(padded), _PART)], axis=1)
    # Of two blocks, so that what lies across their ends counts whole.
    counts[:, :-1] += counts[:, 1:]
    for packing in PACKINGS:
        dense = np.any([counts[sign] >= least for sign, least in packing.telling], axis=0)
        if dense.any():
            dense[1:] |= dense[:-1].copy()
            dense[1:] |= dense[:-1].copy()
            yield packing, dense


def _parts(text: bytes, dense: Any) -> bytes:
    """Return the flagged blocks of a text, one behind the other."""
    import numpy as np

    blocks = np.frombuffer(text + bytes(-len(text) % _BLOCK), dtype=np.uint8).reshape(-1, _BLOCK)
    flagged: bytes = blocks[dense].tobytes()
    return flagged


def _whole_words(text: bytes, dense: Any) -> bytes:
    """Return the flagged blocks of a text, each row of them a line that cuts no word at its ends."""
    import numpy as np

    edges = (np.flatnonzero(np.diff(dense, prepend=False, append=False)) * _BLOCK).tolist()
    return b"\n".join(
        _WORD_BEFORE.findall(text, max(0, start - _BLOCK), start)[0]
        + text[start:end]
        + _WORD_BEHIND.findall(text, end, end + _BLOCK)[0]
        for start, end in zip(edges[::2], edges[1::2], strict=True)
    )


def _counts(part: bytes) -> Any:
    """Return how many of each of `_Signs` the blocks of a text have."""
    import numpy as np

    kinds = np.frombuffer(part.translate(_sign_kinds()), dtype=np.uint8)
    behind = np.append(kinds[1:], np.uint8(0))
    # Bits: small letter, capital, digit; those of these that are a change when they stand behind; of hexadecimal.
    changes = (kinds >> 3 & behind & 7).astype(bool).view(np.uint8)
    digits = kinds >> 2
    pairs = (digits & behind >> 6) | (kinds >> 6 & behind >> 2)
    letters = kinds > 0
    alone = letters.copy()
    alone[:-1] &= ~letters[1:]
    alone[1:] &= ~letters[:-1]
    flags = np.stack((changes, pairs & 1, digits & 1, alone.view(np.uint8)))
    return flags.reshape(4, -1, _BLOCK).sum(axis=2, dtype=np.uint8)


@cache
def _sign_kinds() -> bytes:
    small, capital, digit, hexadecimal = 1, 2, 4, 64
    kinds = bytearray(256)
    for signs, kind in (
        (_CAPITALS.lower(), small | (capital | digit) << 3), (_CAPITALS, capital | digit << 3),
        (_DIGITS + b"+/", digit | (small | capital) << 3), (_DIGITS + b"abcdefABCDEF", hexadecimal),
    ):  # fmt: skip
        for code in signs:
            kinds[code] |= kind
    return bytes(kinds)


@cache
def _numbers(alphabet: bytes) -> bytes:
    return bytes(max(0, alphabet.find(code)) for code in range(256))


@cache
def _all_but(signs: bytes) -> bytes:
    return bytes(code for code in range(256) if code not in signs)


def _texts_in(whole: bytes, least: tuple[int, int], again: list[str]) -> Iterator[str]:
    """Yield the stretches of some bytes that are text; those in which more may be encoded go to the list as well."""
    import numpy as np

    raw = np.frombuffer(whole, dtype=np.uint8)
    plain, letters, others = _whole_letters(raw)
    runs = _rows(plain, least[0]) | _rows(letters, least[1]) | others
    if runs.any():
        yield _stretches(raw, runs)
        for _ in range(_CHANCE - 1):
            runs[1:] &= runs[:-1].copy()
            # What stands further behind is found in the whole.
            yield _stretches(raw, runs & ~np.append(np.zeros(_AHEAD, dtype=bool), runs[:-_AHEAD])[: len(runs)])
        if (longer := _rows(letters, _MORE)).any():
            again.append(_stretches(raw, longer))
    # The upper bytes of letters in UTF-16 are small, but for Han and its neighbours, and the lower ones are not 0.
    padded = np.concatenate(([np.uint8(0)], raw, [np.uint8(0)]))
    for lower in (padded[:-2], padded[2:]):
        wide = _rows((raw < 16) & (lower > 0), _WIDE, step=2)
        if not wide.any():
            continue
        before, behind = np.append([False] * 2, wide[:-2]), np.append(wide[2:], [False] * 2)
        # At either end a letter may be there by chance.
        for kept in (wide, wide & before, wide & behind, wide & before & behind):
            at = np.flatnonzero(kept)
            gaps = np.where(np.diff(at, prepend=-2) == 2, 0, _NEW_LINE)
            units = np.stack((gaps, raw[at] * np.uint16(256) + lower[at]), axis=1).astype("<u2").ravel()
            said = units[units != 0].tobytes().decode("utf-16-le", "replace")
            again.append(said)
            yield said


def _stretches(raw: Any, kept: Any) -> str:
    """Return the marked stretches of some bytes as text, a line each."""
    import numpy as np

    at = np.flatnonzero(kept | np.append(False, kept[:-1]))
    return np.where(kept[at], raw[at], _NEW_LINE).tobytes().decode("utf-8", "replace")


def _rows(flags: Any, size: int, step: int = 1) -> Any:
    """Return the flags that stand in a row of so many or more, each a step from the next."""
    found, reached = flags, 1
    while reached < size:
        ahead = min(reached, size - reached)
        if len(found) <= ahead * step:
            return flags & False
        found = found[: -ahead * step] & found[ahead * step :]
        reached += ahead
    spread, reached = flags & False, 1
    if not found.any():
        return spread
    spread[: len(found)] = found
    while reached < size:
        ahead = min(reached, size - reached)
        spread[ahead * step :] |= spread[: -ahead * step].copy()
        reached += ahead
    return spread


def _whole_letters(raw: Any) -> tuple[Any, Any, Any]:
    """Return which bytes are printable ASCII; those and letters of two or three bytes; rows of such letters alone."""
    import numpy as np

    kinds = np.frombuffer(raw.tobytes().translate(_kinds()), dtype=np.uint8)
    inside, plain = kinds == 2, kinds == 1
    letters, rows = plain.copy(), np.zeros(len(kinds), dtype=bool)
    two = np.append((kinds[:-1] > 2) & inside[1:], False)
    three = two & np.append(inside[2:], [False] * 2)[: len(two)] & (kinds == 4)
    two &= kinds == 3
    for begins, size, least in ((two, 2, 3), (three, 3, 2)):
        for flags, which in ((letters, begins), (rows, _rows(begins, least, step=size))):
            for place in range(size):
                flags[place:] |= which[: len(which) - place]
    return plain, letters, rows


@cache
def _sextets() -> bytes:
    """Return what each sign of base64 stands for, for `bytes.translate`, and a number of its own for all others."""
    alphabet = _CAPITALS + _CAPITALS.lower() + _DIGITS
    table = bytearray([_NONE] * 256)
    for number, sign in (*enumerate(alphabet + b"+/"), *enumerate(b"-_", len(alphabet))):
        table[sign] = number
    return bytes(table)


@cache
def _kinds() -> bytes:
    """Return kinds of bytes for `bytes.translate`: printable ASCII, inside a letter, the first of two, of three."""
    kinds = bytearray(256)
    for kind, codes in enumerate(
        ((9, 10, 13, *range(32, 127)), range(0x80, 0xC0), range(0xC2, 0xE0), range(0xE0, 0xF0)), 1
    ):
        for code in codes:
            kinds[code] = kind
    return bytes(kinds)


_SHORTEST_TOKEN = 6
_ROW, _TOKENS = re.compile(rb"[A-Za-z0-9+/_-]*"), re.compile(rb"[A-Za-z0-9+/_-]{6,}")
_PIECE, _FEW = 1 << 18, 1 << 14
# A place inside a token at which another may begin, as in a path: its slashes are signs of base64 too.
_INNER_START = re.compile(rb"[+/_-](?=[C-Za-fw-z0-9][A-Za-z0-9+/_-]{5})")
_INNER = 256
"""Longest token that is read inside another, in signs: a bound on the work."""
_TOKEN = 8
"""Signs of the shortest token that is looked for inside another."""
_WORD = 24
"""Up to so many bytes what decodes may be a word by chance, and must be whole."""
_UNPRINTABLE = bytes([*range(32), 127])
_NO_LETTER = bytes(code for code in range(128) if not chr(code).isalnum())
_LETTERS = bytes(code >= 128 or chr(code).isalnum() for code in range(256))
_NONE = 64
_JOINS = 62
"""What the signs `+`, `-`, `/` and `_` stand for, but for the last bit."""
_URL_SAFE = bytes.maketrans(b"-_", b"+/")
# What the first sign says of the first byte: that a text may begin with it.
_BEGINS = frozenset(b"CDEFGHIJKLMNOPQRSTUVWXYZabcdefwxyz0123456789")


def encoded(text: bytes) -> tuple[str, str]:
    """Return what the base64 tokens of a text say, and those of it in which more may be encoded."""
    tokens: dict[bytes, None] = {}
    first = 0
    while first < len(text):
        # In parts that the processor's cache holds, none of which ends within a token.
        row = _ROW.match(text, first + _PIECE)
        last = row.end() if row else len(text)
        tokens.update(dict.fromkeys(_tokens_in(text[first:last])))
        first = last
    starts = ((token, match.end()) for token in tokens for match in _INNER_START.finditer(token))
    inner = dict.fromkeys(token[start : start + _INNER] for token, start in starts)
    pieces = list(filter(None, map(_said_by, chain(tokens, inner))))
    # What is encoded once more is ASCII; chance words are not.
    again = [piece for piece in pieces if len(piece) > _WORD or (len(piece) >= _TOKEN and piece.isascii())]
    return BLANK.join(pieces), BLANK.join(again)


def _tokens_in(text: bytes) -> list[bytes]:
    """Return the rows of six or more signs of base64 that may say something, or in which another may begin.

    Most are words, and begin with bytes that begin no text: those are told apart all at once.
    """
    if len(text) < _FEW:
        return _TOKENS.findall(text)
    import numpy as np

    # Eight more behind the last one, so that eight can be read from everywhere.
    signs = np.frombuffer(text.translate(_sextets()) + bytes([_NONE]) * 8, dtype=np.uint8)
    edges = np.flatnonzero(np.diff(signs < _NONE, prepend=False))
    sizes = edges[1::2] - edges[::2]
    # By their places, which is several times as fast as by flags.
    long = np.flatnonzero(sizes >= _SHORTEST_TOKEN)
    if not len(long):
        return []
    starts, sizes = edges[::2][long], sizes[long]
    # Where the first byte begins no text, which is so of two in three words, the others say nothing more.
    byte = signs[starts] << 2 | signs[starts + 1] >> 4
    near = np.flatnonzero((byte < 0x80) | ((byte >= 0xC2) & (byte < 0xF5)))
    eight = np.ndarray(len(text) + 1, dtype="<u8", buffer=signs, strides=(1,))[starts[near]]
    first, second, third, fourth, fifth, sixth = (
        (eight >> np.uint64(8 * place)).astype(np.uint8) & 63 for place in range(_SHORTEST_TOKEN)
    )
    raw = (first << 2 | second >> 4, second << 4 | third >> 2, third << 6 | fourth, fifth << 2 | sixth >> 4)
    begins = [(byte >= 0xC2) & (byte < 0xF5) for byte in raw]
    within = [byte >> 6 == 2 for byte in raw]
    alone = [byte < 0x80 for byte in raw]
    # What is wrong may be a last letter that was cut off (`_said_by`): of four bytes the second, of five the third.
    size = sizes[near]
    may = alone[0] | (begins[0] & within[1])
    letters = sum((np.frombuffer(_LETTERS, dtype=np.uint8)[byte] for byte in raw), start=np.uint8(0))
    several = (begins[0] & within[1]) | (begins[1] & within[2]) | (begins[2] & within[3]) | (letters >= SHORTEST)
    may &= several | (size > _SHORTEST_TOKEN)
    may &= ~alone[0] | alone[1] | (begins[1] & within[2]) | (size <= _SHORTEST_TOKEN)
    may &= ~(alone[0] & alone[1]) | alone[2] | begins[2] | (size <= _SHORTEST_TOKEN + 1)
    read = np.zeros(len(starts), dtype=np.bool_)
    read[near] = may
    joined = np.flatnonzero(signs & 0xFE == _JOINS)
    read[np.searchsorted(starts, joined, side="right") - 1] = True
    found = np.flatnonzero(read)
    spans = zip(starts[found].tolist(), sizes[found].tolist(), strict=True)
    return [text[start : start + size] for start, size in spans]


def _said_by(token: bytes) -> str:
    if token[0] not in _BEGINS:
        return ""
    body = token.translate(_URL_SAFE)
    body = body[:-1] if len(body) % 4 == 1 else body
    raw = binascii.a2b_base64(body + b"=" * (-len(body) % 4))
    # Most tokens are words that only look encoded: what decodes to no text is passed over. Its last letter may be cut
    # off; a stretch of text among other bytes is found by `packed`.
    try:
        said = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(raw) - 3:
            return ""
        said = raw.decode("utf-8", "ignore")
    if len(raw.translate(None, _UNPRINTABLE)) <= 0.8 * len(raw):
        return ""
    # What has fewer letters is no value; a letter beyond ASCII may be one that folds to several.
    return "" if said.isascii() and len(raw.translate(None, _NO_LETTER)) < SHORTEST else said
