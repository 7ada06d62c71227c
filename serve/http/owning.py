"""Whose a thread is: inside, its name begins with its owner's, so that nobody can get at another's.

The owner is an API key; on a server without keys it is the browser's token (see `cookie`). A program that has neither
owns nothing: it reaches the threads that such programs made by their names alone, and can list none of them.
"""

import re

from gama.serve.http.keys import Caller
from gama.state.errors import InputError

# Accepts the names that the server makes, and short ones of the caller's own.
_THREAD = re.compile(r"[A-Za-z0-9_-]{1,64}")

_NOBODY = "anyone"
"""Stands where the owner's name would: no other face of the same home folder makes threads that begin so."""


def inside(caller: Caller, thread: str) -> str:
    """Return the name that a caller's thread has inside.

    Raises:
        InputError: the name is invalid.
    """
    if not _THREAD.fullmatch(thread):
        raise InputError("A thread is named by 1 to 64 letters, digits, hyphens and underscores.")
    return _begin(caller) + thread


def outside(caller: Caller, thread: str) -> str:
    """Return the name by which a caller knows a thread."""
    return thread.removeprefix(_begin(caller))


def owned(caller: Caller, thread: str) -> bool:
    """Return whether a thread, by its name inside, is a caller's."""
    return bool(caller.name or caller.owner) and thread.startswith(_begin(caller))


def _begin(caller: Caller) -> str:
    return f"{caller.name or caller.owner or _NOBODY}:"
