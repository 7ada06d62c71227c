"""What the tokens of base64 in a text say, from six signs on.

Most tokens are words that only look encoded, and come again and again: each is read once. Longer stretches, and those
with separators in them, are for `gama.guard.packed`.
"""

import binascii
import re
from itertools import chain

from gama.guard.folding import BLANK, SHORTEST

_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{6,}")
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
_URL_SAFE = bytes.maketrans(b"-_", b"+/")
# What the first sign says of the first byte: that a text may begin with it.
_BEGINS = frozenset(b"CDEFGHIJKLMNOPQRSTUVWXYZabcdefwxyz0123456789")


def encoded(text: bytes) -> tuple[str, str]:
    """Return what the base64 tokens of a text say, and those of it in which more may be encoded."""
    tokens = dict.fromkeys(_BASE64.findall(text))
    starts = ((token, match.end()) for token in tokens for match in _INNER_START.finditer(token))
    inner = dict.fromkeys(token[start : start + _INNER] for token, start in starts)
    pieces = list(filter(None, map(_from_base64, chain(tokens, inner))))
    # What is encoded once more is ASCII; chance words are not.
    again = [piece for piece in pieces if len(piece) > _WORD or (len(piece) >= _TOKEN and piece.isascii())]
    return BLANK.join(pieces), BLANK.join(again)


def _from_base64(token: bytes) -> str:
    if token[0] not in _BEGINS:
        return ""
    body = token.translate(_URL_SAFE)
    body = body[:-1] if len(body) % 4 == 1 else body
    raw = binascii.a2b_base64(body + b"=" * (-len(body) % 4))
    # Most tokens are words that only look encoded: what decodes to no text is passed over. Its last letter may be cut
    # off; a stretch of text among other bytes is found by `gama.guard.packed`.
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
