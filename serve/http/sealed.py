"""Sealed words: what a caller keeps and gives back, readable by this server and for that caller alone."""

import base64
from collections.abc import Callable
from typing import TypeVar

from gama.serve.http.keys import Caller
from gama.state.errors import InputError, SealError
from gama.state.private_text import Sealed
from gama.vault.seal import Vault

Read = TypeVar("Read")


def seal_word(vault: Vault, label: str, caller: Caller, data: bytes) -> str:
    """Return data as a sealed word.

    Args:
        vault: seals it.
        label: what sort of data it is; a word of another sort is refused.
        caller: who gets it.
        data: what is sealed.
    """
    return base64.urlsafe_b64encode(vault.seal_file(label + caller.name, data).ct).decode()


def open_word(
    vault: Vault, label: str, caller: Caller, word: str, read: Callable[[str | bytes], Read], otherwise: str
) -> Read:
    """Read a sealed word.

    Args:
        vault: opens it.
        label: what sort of data it is.
        caller: who gives it.
        word: it.
        read: makes of the data what it is; a ValueError says that it is none.
        otherwise: what the caller is told where it is none.

    Raises:
        InputError: it is none.
        SealError: it is another server's or another key's.
    """
    try:
        return read(vault.open_file(label + caller.name, Sealed(ct=base64.urlsafe_b64decode(word.encode()))))
    except SealError:
        raise
    except ValueError:
        pass
    raise InputError(otherwise)
