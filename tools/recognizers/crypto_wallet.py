"""Addresses of crypto wallets."""

import re
from collections.abc import Iterator

from gama.state.entities import Span
from gama.tools.recognizers._text import FIRST, LEFT, RIGHT, plain
from gama.tools.recognizers.base import hit

# Accepts: bc1q…, tb1…, ltc1…, addr1… (bech32 alphabet, single case). Refuses: other prefixes, mixed case.
_BECH32 = re.compile(
    rf"{LEFT}(?:(?:bc|tb|ltc)1[02-9ac-hj-np-z]{{20,87}}|(?:bc|tb|ltc)1[a-z0-9]{{30,60}}"
    rf"|addr1[02-9ac-hj-np-z]{{50,110}}|(?:BC|TB|LTC)1[02-9AC-HJ-NP-Z]{{20,87}}){RIGHT}"
)

# Accepts: 0x and 40 hex digits (Ethereum and its kin). Refuses: other lengths.
_HEX = re.compile(rf"{LEFT}0x[0-9a-fA-F]{{40}}{RIGHT}")

# Accepts: 25 to 35 base58 characters that begin as Bitcoin, Litecoin, Dogecoin, Ripple or Tron addresses do.
# Refuses: words and keys of other alphabets (0, O, I, l); without its checksum a mix of cases and digits is asked.
_BASE58 = re.compile(rf"[13LMDTrA]{FIRST}[1-9A-HJ-NP-Za-km-z]{{24,34}}{RIGHT}")

# Accepts: 43 or 44 base58 characters (Solana) or 95 (Monero) beside a word about crypto.
_LONG58 = re.compile(
    rf"[1-9A-HJ-NP-Za-km-z]{FIRST}(?:[1-9A-HJ-NP-Za-km-z]{{42,43}}|(?<=4)[1-9A-HJ-NP-Za-km-z]{{94}}){RIGHT}"
)
_WORDS = (
    "wallet",
    "addr",
    "sol",
    "btc",
    "eth",
    "usdt",
    "crypto",
    "bitcoin",
    "coin",
    "solana",
    "monero",
    "xmr",
    "tron",
    "trc",
    "sent",
)

_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def _base58check(value: str) -> bool:
    """Check the four checksum bytes of a base58check string (double SHA-256)."""
    import hashlib

    number = 0
    for char in value:
        number = number * 58 + _ALPHABET.index(char)
    raw = number.to_bytes(max(25, (number.bit_length() + 7) // 8), "big")
    return hashlib.sha256(hashlib.sha256(raw[:-4]).digest()).digest()[:4] == raw[-4:]


def _mixed(value: str) -> bool:
    return any(c.islower() for c in value) and any(c.isupper() for c in value) and sum(c.isdigit() for c in value) >= 2


class CryptoWalletRecognizer:
    """Finds wallet addresses; base58check and bech32 checksums validate them."""

    name = "crypto_wallet"
    subtypes = ("crypto_wallet",)
    priority = 3

    def find(self, text: str) -> Iterator[Span]:
        """Yield addresses."""
        body = plain(text)
        if not body.has_digit:
            return
        from stdnum import bitcoin

        if any(word in body.low for word in ("bc1", "tb1", "ltc1", "addr1")):
            for match in _BECH32.finditer(body):
                yield self._hit(match, 0.95, validated=bool(bitcoin.is_valid(match[0])))
        if "0x" in body:
            for match in _HEX.finditer(body):
                yield self._hit(match, 0.97)
        for match in _BASE58.finditer(body):
            if _base58check(match[0]):
                yield self._hit(match, 1.0, validated=True)
            elif _mixed(match[0]) and self._about(body.low, match.start()):
                yield self._hit(match, 0.85)
        for match in _LONG58.finditer(body):
            if _mixed(match[0]) and self._about(body.low, match.start()):
                yield self._hit(match, 0.85)

    @staticmethod
    def _about(low: str, start: int) -> bool:
        before = low[max(0, start - 80) : start]
        return any(word in before for word in _WORDS)

    def _hit(self, match: re.Match[str], score: float, *, validated: bool = False) -> Span:
        return hit(
            *match.span(),
            "crypto_wallet",
            self.name,
            score=1.0 if validated else score,
            private=1.0,
            validated=validated,
        )


def crypto_wallet_recognizer() -> CryptoWalletRecognizer:
    """Return the recognizer of crypto wallets."""
    return CryptoWalletRecognizer()
