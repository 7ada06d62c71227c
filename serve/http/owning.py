"""Whose a thread is: inside, its name begins with the key's, so that no key can get at another's."""

import re

from gama.serve.http.keys import Caller
from gama.state.errors import InputError

# Accepts the names that the server makes, and short ones of the caller's own.
_THREAD = re.compile(r"[A-Za-z0-9_-]{1,64}")


def inside(caller: Caller, thread: str) -> str:
    """Return the name that a caller's thread has inside.

    Raises:
        InputError: it is no name of a thread.
    """
    if not _THREAD.fullmatch(thread):
        raise InputError("A thread is named by 1 to 64 letters, digits, hyphens and underscores.")
    return f"{caller.name}:{thread}" if caller.name else thread


def outside(caller: Caller, thread: str) -> str:
    """Return the name by which a caller knows a thread."""
    return thread.removeprefix(f"{caller.name}:") if caller.name else thread


def owned(caller: Caller, thread: str) -> bool:
    """Return whether a thread, by its name inside, is a caller's."""
    return thread.startswith(f"{caller.name}:") if caller.name else ":" not in thread
