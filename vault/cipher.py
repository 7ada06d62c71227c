"""The ciphers that everything sealed uses: of a thread, and of the master keys. Neither shows its keys.

AES-256-GCM: nonce first, what a value belongs to as associated data.
"""

import base64
import hashlib
import os
import re
import secrets
from collections.abc import Sequence
from typing import final

from gama.state.errors import SealError
from gama.state.private_text import Unpicklable

KEY_BYTES = 32
MAKE_ONE = "Make one with `openssl rand -base64 32`."
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


class ThreadCipher(Unpicklable):
    """Seals and opens many values of one thread; for a moment, it holds the thread's key."""

    def __init__(self, key: bytes, thread: str) -> None:
        """Take the key."""
        self._key = key
        self._thread = thread

    def seal(self, value: bytes, context: str = "") -> bytes:
        """Encrypt a value that belongs to a context, such as a channel of a checkpoint."""
        return encrypt(self._key, value, self._name(context))

    def open(self, ct: bytes, context: str = "") -> bytes:
        """Decrypt a value.

        Raises:
            SealError: another thread's or context's value, another key, or damaged.
        """
        return decrypt(self._key, ct, self._name(context))

    def _name(self, context: str) -> str:
        return f"{self._thread}\0{context}" if context else self._thread

    def __repr__(self) -> str:
        """Show nothing of the key."""
        return "ThreadCipher()"


@final
class MasterRing(Unpicklable):
    """The master keys of a home folder, newest first: it seals, the older ones still open. Shows their ids only."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        """Take the keys.

        Raises:
            SealError: there is none, or one has not 32 bytes.
        """
        if not keys or any(len(key) != KEY_BYTES for key in keys):
            raise SealError(f"A master key must have {KEY_BYTES} bytes. {MAKE_ONE}")
        self._keys = {key_id(key): key for key in keys}

    @classmethod
    def fresh(cls) -> "MasterRing":
        """Make a ring of one new key."""
        return cls([secrets.token_bytes(KEY_BYTES)])

    @classmethod
    def parse(cls, text: str, name: str) -> "MasterRing":
        """Read keys in base64 with spaces, commas or line ends between them.

        Raises:
            SealError: one of them is no key; `name` says where they stand.
        """
        try:
            keys = [base64.b64decode(item, validate=True) for item in re.split(r"[\s,]+", text.strip())]
        except ValueError:
            keys = []
        if not keys or any(len(key) != KEY_BYTES for key in keys):
            raise SealError(f"{name} is not a base64 key of {KEY_BYTES} bytes. {MAKE_ONE}")
        return cls(keys)

    @property
    def current(self) -> str:
        """Id of the key that seals."""
        return next(iter(self._keys))

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of all keys, newest first."""
        return tuple(self._keys)

    def wrap(self, value: bytes, context: str) -> bytes:
        """Encrypt under the current key."""
        return encrypt(self._keys[self.current], value, context)

    def unwrap(self, ct: bytes, context: str, master: str | None = None) -> bytes:
        """Decrypt what a key of the ring wrapped.

        Raises:
            SealError: none did, or it is damaged.
        """
        for name, key in self._keys.items():
            if master in (None, name):
                try:
                    return decrypt(key, ct, context)
                except SealError:
                    continue
        raise SealError("Sealed data does not open: it belongs to another thread or key, or it is damaged.")

    def rotated(self) -> "MasterRing":
        """Return the ring with a new key in front."""
        return MasterRing([secrets.token_bytes(KEY_BYTES), *self._keys.values()])

    def retired(self) -> "MasterRing":
        """Return a ring of the current key alone."""
        return MasterRing([self._keys[self.current]])

    def dump(self) -> str:
        """Return the keys in base64, one a line: for the source they are kept in, and nothing else."""
        return "".join(base64.b64encode(key).decode() + "\n" for key in self._keys.values())

    def __eq__(self, other: object) -> bool:
        """Compare the keys, in their order."""
        return isinstance(other, MasterRing) and self.dump() == other.dump()

    def __hash__(self) -> int:
        """Hash by the ids."""
        return hash(self.ids)

    def __repr__(self) -> str:
        """Name the keys, never show them."""
        return f"MasterRing({', '.join(self.ids)})"
