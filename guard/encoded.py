"""What the short tokens of base64 in a text say.

The long steps run over all bytes at once, at hundreds of megabytes a second: a word that merely looks encoded is sorted
out by what its first signs would decode to. Longer stretches, and those with separators in them, are for
`gama.guard.packed`.
"""

import binascii
import re
from functools import cache
from typing import Any, NamedTuple

from gama.guard.folding import BLANK, SHORTEST, text_bytes

_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{6,}")
_INNER = 256
"""Longest token that is read inside another, in signs: a bound on the work."""
_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_URL_SAFE = _ALPHABET[:-2] + b"-_"
_TOKEN = 8
"""Signs of the shortest token that is looked for inside another."""
_WORD = 24
"""Up to so many bytes what decodes may be a word by chance, and must be whole."""
_UNPRINTABLE = bytes([*range(32), 127])


def encoded(text: bytes) -> tuple[str, str]:
    """Return what the base64 tokens of a text say, and those of it in which more may be encoded."""
    starts, said, again = _starts(text)
    pieces: list[str] = []
    passed = 0
    for start in starts:
        # Inside a token another may begin, as in a path: its slashes are signs of base64 too.
        end = len(text) if start >= passed else start + _INNER
        if match := _BASE64.match(text, start, end):
            pieces.append(_from_base64(match[0]))
            passed = max(passed, match.end())
    # What is encoded once more is ASCII; chance words are not.
    inner = [piece for piece in pieces if len(piece) > _WORD or (len(piece) >= _TOKEN and piece.isascii())]
    return BLANK.join([said, *filter(None, pieces)]), BLANK.join([again, *inner])


class _Tables(NamedTuple):
    """What the bytes of a text may mean, as tables."""

    starts: bytes
    """For `bytes.translate`: a first sign of base64 counts 1, a letter or digit 2, any sign of base64 4."""
    bytes_of: bytes
    """Likewise, for what a sign of base64 says of the byte whose upper part it holds. As the first sign: it
    begins a letter of several bytes, 64. As the second: likewise, 1; it begins no letter, 2. As the third: it goes on
    with a letter, 4; begins one of several bytes, 8. As the fifth: it goes on with one, 16; is in no text, 32."""
    value: Any
    """The number of a sign of base64; `_NO_SIGN` of any other."""
    letters: Any
    """How many letters and digits a byte may stand for when folded, `SHORTEST` at the most."""
    utf8: Any
    """Automaton of printable UTF-8: by state (letters complete, or bytes still to come) and byte, the next state."""


_BLOCK = 1 << 16
"""Bytes of a text that are asked at once where tokens may begin."""
_AHEAD = 16
"""Bytes behind a place that are looked at, or more."""
_NO_SIGN = 255
_BROKEN = 4
_SHORT = 12
"""Signs of a token of base64 up to which all tokens of a text are read at once."""


@cache
def _tables() -> _Tables:
    import numpy as np

    value = np.full(256, _NO_SIGN, dtype=np.uint8)
    for letters in (_ALPHABET, _URL_SAFE):
        value[list(letters)] = range(64)
    utf8 = np.full((5, 256), _BROKEN, dtype=np.uint8)
    utf8[0, [9, 10, 13, *range(32, 127)]] = 0
    for state, first, last in ((1, 0xC2, 0xDF), (2, 0xE0, 0xEF), (3, 0xF0, 0xF4)):
        utf8[0, first : last + 1] = state
        utf8[state, 0x80:0xC0] = state - 1
    # A first sign has the upper six bits of a first byte: enough to tell whether a text may begin there.
    begins = (value < 32) & (value > 1) | (value >= 48) & (value < 62)
    alnum = np.array([code < 128 and chr(code).isalnum() for code in range(256)])
    starts = begins + 2 * alnum + 4 * (value != _NO_SIGN)
    low, lowest = value & 15, value & 3
    control = (value < 2) | (value > 3) & (value < 8) | (value > 61)
    upper = (low > 11) + 2 * ((low == 1) | (low > 7) & (low < 12)) + 4 * (lowest == 2) + 8 * (lowest == 3)
    bytes_of = upper + 16 * ((value > 31) & (value < 48)) + 32 * control + 64 * (value > 47)
    kinds = np.where(np.arange(256) > 127, SHORTEST, alnum).astype(np.uint8)
    return _Tables(starts.astype(np.uint8).tobytes(), bytes_of.astype(np.uint8).tobytes(), value, kinds, utf8)


def _starts(text: bytes) -> tuple[list[int], str, str]:
    """Return where tokens of base64 may begin that stand for text.

    Returns:
        The places of the longer ones; then what the short ones say, and that part of it in which more may be encoded.
    """
    import numpy as np

    table, other = _tables().starts, _tables().bytes_of
    words: list[Any] = []
    # All is asked of every place at once, in blocks that the processor's cache holds: of the many words of a text few
    # are left to be looked at one by one. Room before and behind, so that a token may stand at either end.
    for first in range(0, len(text), _BLOCK):
        block = (b"" if first else b"\0") + text[max(0, first - 1) : first + _BLOCK + _AHEAD] + bytes(_AHEAD)
        signs = np.frombuffer(block.translate(table), dtype=np.uint8)
        size = min(_BLOCK, len(text) - first)
        before = signs[:size]
        s0, s1, s2, s3, s4, s5 = (signs[1 + place : 1 + place + size] for place in range(6))
        # Each bit is a question of its own, see `_Tables.starts`.
        words_at = s0 & ((s1 & s2 & s3 & s4 & s5) >> 2) & ~(before >> 1)
        says = np.frombuffer(block.translate(other), dtype=np.uint8)
        s0, s1, s2, s4 = (says[1 + place : 1 + place + size] for place in (0, 1, 2, 4))
        longer = s0 >> 6
        broken = ((s1 >> 1) & ~longer) | (s4 >> 5)
        longer = longer | s1
        broken |= (s2 >> 2) & ~longer
        longer |= s2 >> 3
        broken |= (s4 >> 4) & ~longer
        words.append(np.flatnonzero((words_at & ~broken & 1).view(bool)) + first)
    if not words:
        return [], "", ""
    codes = np.frombuffer(text + bytes(_AHEAD), dtype=np.uint8)
    at, shortest = _apart(np.concatenate(words), codes)
    at, said, again = _split(_words(at, codes), codes)
    more = _split(_words(np.arange(0, len(shortest), _AHEAD), shortest), shortest)[1]
    return at.tolist(), said + more, again


def _apart(at: Any, codes: Any) -> tuple[Any, Any]:
    """Part the places of tokens of six or seven signs, most of which are words, from the longer ones.

    Returns:
        The places of the longer ones, and the others themselves, each once: in a row, every one with zeros behind it.
    """
    import numpy as np

    value = _tables().value
    six, seven = (value[codes[at + size]] == _NO_SIGN for size in (6, 7))
    eights = np.ndarray(len(codes) - 7, dtype="<u8", buffer=codes, strides=(1,))
    # The first sign is the lowest byte.
    found = np.concatenate([eights[at[six]] & (2**48 - 1), eights[at[seven & ~six]] & (2**56 - 1)])
    tokens = np.unique(found)
    row = np.zeros((len(tokens), _AHEAD), dtype=np.uint8)
    row[:, :8] = tokens.view(np.uint8).reshape(-1, 8)
    return at[~(six | seven)], row.ravel()


def _words(at: Any, codes: Any) -> Any:
    """Return those of the places at which six signs of base64 or more begin that decode to letters."""
    import numpy as np

    tables = _tables()
    state, ended = np.zeros(len(at), dtype=np.uint8), np.zeros(len(at), dtype=bool)
    # Nine bytes, three by four signs; as many of the last ones as the token has.
    low = at
    for number in range(9):
        part = number % 3
        place, left, right = 4 * (number // 3) + part, 2 + 2 * part, 4 - 2 * part
        high = low if part else tables.value[codes[at + place]]
        low = tables.value[codes[at + place + 1]]
        byte = (high << left) & 255 | (low >> right)
        ended |= (high == _NO_SIGN) | (low == _NO_SIGN)
        state = np.where(ended, state, tables.utf8[state, byte])
        whole = state != _BROKEN
        at, state, ended, low = at[whole], state[whole], ended[whole], low[whole]
    return at


def _split(at: Any, codes: Any) -> tuple[Any, str, str]:
    """Part the places of longer tokens of base64 from the short ones, and read these all at once; see `_starts`."""
    import numpy as np

    tables = _tables()
    values = tables.value[codes[at + np.arange(_SHORT + 1)[:, None]]]
    ended = values == _NO_SIGN
    short = ended.any(axis=0)
    sizes = ended[:, short].argmax(axis=0) * 6 // 8
    high, low = values[:-1, short], values[1:, short]
    raw = np.stack([
        high[place] << (2 + 2 * (place % 4)) | low[place] >> (4 - 2 * (place % 4))
        for place in range(_SHORT) if place % 4 != 3
    ])  # fmt: skip
    kept = np.arange(len(raw))[:, None] < sizes
    raw[~kept] = 0
    # What has fewer letters is no value; a byte beyond ASCII may be part of one that folds to several.
    some = (tables.letters[raw].sum(axis=0) >= SHORTEST).nonzero()[0]
    raw, kept, sizes = raw[:, some], kept[:, some], sizes[some]
    again = (sizes >= _TOKEN) & (raw < 128).all(axis=0)
    # A blank behind each.
    blank = np.frombuffer(text_bytes(BLANK), dtype=np.uint8)[:, None]
    raw = np.concatenate((raw, np.broadcast_to(blank, (len(blank), len(sizes))))).T
    kept = np.concatenate((kept, np.ones((len(blank), len(sizes)), dtype=bool))).T
    said = raw[kept].tobytes().decode("utf-8", "ignore")
    # Most are words that only look encoded, which come again and again.
    said = BLANK.join(dict.fromkeys(said.split(BLANK)))
    return at[~short], said, raw[again][kept[again]].tobytes().decode("utf-8", "ignore")


def _from_base64(token: bytes) -> str:
    body = token.replace(b"-", b"+").replace(b"_", b"/")
    body = body[: len(body) - 1] if len(body) % 4 == 1 else body
    raw = binascii.a2b_base64(body + b"=" * (-len(body) % 4))
    # Most tokens are words that only look encoded: what decodes to no text is passed over. Its last letter may be cut
    # off; a stretch of text among other bytes is found by `gama.guard.packed`.
    if len(raw.translate(None, _UNPRINTABLE)) <= 0.8 * len(raw):
        return ""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return raw.decode("utf-8", "ignore") if error.start >= len(raw) - 3 else ""
