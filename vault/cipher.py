"""AES-256-GCM as everything sealed uses it: nonce first, what a value belongs to as associated data."""

import hashlib
import os

from gama.state.errors import SealError

KEY_BYTES = 32
_NONCE = 12


def encrypt(key: bytes, value: bytes, context: str) -> bytes:
    """Return nonce and ciphertext of a value; it opens only under the same key and context."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    nonce = os.urandom(_NONCE)
    return nonce + AESGCM(key).encrypt(nonce, value, context.encode("utf-8", "surrogatepass"))


def decrypt(key: bytes, ct: bytes, context: str) -> bytes:
    """Return the value of a ciphertext.

    Raises:
        SealError: another key, another context, or damaged.
    """
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    try:
        return AESGCM(key).decrypt(ct[:_NONCE], ct[_NONCE:], context.encode("utf-8", "surrogatepass"))
    except (InvalidTag, ValueError):
        pass
    raise SealError("Sealed data does not open: it belongs to another thread or key, or it is damaged.")


def key_id(key: bytes) -> str:
    """Return the name of a key: eight hexadecimal digits that tell nothing of it."""
    return hashlib.sha256(b"gama key id:" + key).hexdigest()[:8]
