"""Forgetting: the key first, then the rows; and how long conversations are kept."""

import re
import time
from datetime import timedelta

from gama.state.errors import OptionError
from gama.vault.seal import Vault
from gama.vault.storage import Storage

_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def forget(vault: Vault, storage: Storage, thread: str) -> bool:
    """Erase a conversation: its keys, then its rows, private and public, then its name. Return whether there was one.

    Once the keys are destroyed nothing of it can be read, wherever a copy of the rows lies. Needs no master key.
    """
    known = vault.knows(thread) or thread in storage.last_used()
    # Its name stays beside the destroyed keys until the rows are deleted: what a crash interrupts can be finished.
    public = vault.destroy(thread)
    storage.delete(thread, public)
    vault.remove([thread, *public])
    return known


def finish(vault: Vault, storage: Storage) -> None:
    """Finish what an earlier process could not: delete the rows of conversations whose keys are destroyed."""
    for thread in vault.destroyed():
        forget(vault, storage, thread)


def older_than(vault: Vault, storage: Storage, age: timedelta) -> list[str]:
    """List the conversations that were last used longer ago, of those whose keys are here.

    Others in the same store may be another machine's.
    """
    limit = time.time() - age.total_seconds()
    saved = storage.last_used()
    # Conversations of agents and of the gateway have no checkpoints here: theirs is the time at which they last sealed.
    return sorted(thread for thread, sealed in vault.used().items() if max(saved.get(thread, 0.0), sealed) < limit)


def age_of(text: str | timedelta) -> timedelta:
    """Read an age such as `30d`, `12h`, `90m` or `2w`.

    Raises:
        OptionError: it is none.
    """
    if isinstance(text, timedelta):
        return text
    # A whole number and one letter, with or without a space: 30d, 2 w. No fractions, no sign, no bare number.
    found = re.fullmatch(r"([0-9]{1,6})\s?([mhdw])", text.strip().lower())
    if found is None:
        raise OptionError(f"{text!r} is no age: write 30d, 12h, 90m or 2w")
    return timedelta(**{_UNITS[found[2]]: int(found[1])})
