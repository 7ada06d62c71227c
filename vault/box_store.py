"""`BoxStore`: the boxes of conversations, as those who keep them write them down, each sealed under its key.

One place for all of them: conversations of the graph, of an MCP server, of the gateway with every response that
continues one. Every process finds them there, a rotation of the master key covers them, and a conversation that is
forgotten takes all that belongs to it along.
"""

import contextlib
import time
import uuid
from collections.abc import Callable
from typing import NamedTuple

from gama.state.errors import SealError, StoreError
from gama.vault.seal import Vault


class KeptTurn(NamedTuple):
    """What is kept of one turn of a conversation."""

    content: bytes
    conversation: str


class BoxStore:
    """Keeps boxes in a vault. Does disk work: call it on a thread.

    Args:
        vault: seals them.
        prefix: what the names of the conversations begin with, which `expire` forgets.
        clock: gives the time in seconds since 1970.
    """

    def __init__(self, vault: Vault, prefix: str = "", clock: Callable[[], float] = time.time) -> None:
        """Take the vault; nothing is opened yet."""
        self._vault = vault
        self._prefix = prefix
        self._clock = clock

    def new(self) -> str:
        """Name a new conversation."""
        return f"{self._prefix}{uuid.uuid4().hex}"

    def load(self, name: str) -> tuple[int, bytes | None]:
        """Return the box of a conversation with its version: 0 and None where none is kept.

        Raises:
            SealError: its key is not here: it was forgotten, or belongs to another home folder.
        """
        return self._vault.load_box(name)

    def save(self, name: str, version: int, content: bytes) -> bool:
        """Keep the box of a conversation as the next version; return whether `version` was still the latest.

        Raises:
            SealError: the conversation is being forgotten, or there is no master key.
        """
        return self._vault.save_box(name, version, content)

    def load_turn(self, turn: str) -> KeptTurn | None:
        """Return what is kept of a turn; None where it is not here, or its conversation was forgotten."""
        with contextlib.suppress(SealError):
            content, conversation = self.load(turn)[1], self._vault.owner(turn)
            if content is not None and conversation is not None:
                return KeptTurn(content, conversation)
        return None

    def save_turn(self, turn: str, content: bytes, conversation: str, *, begins: bool = False) -> None:
        """Keep the box of a turn under a name of its own, which belongs to the conversation.

        Args:
            turn: its name.
            content: its box.
            conversation: what it belongs to.
            begins: whether the conversation begins with it. One that went on is not revived if it was forgotten.

        Raises:
            SealError: the conversation was forgotten meanwhile.
        """
        if begins:
            self._vault.cipher(conversation)
        self._vault.tie(turn, conversation)
        self._vault.touch(conversation)
        self.save(turn, self.load(turn)[0], content)

    def forget(self, name: str) -> bool:
        """Erase the key and the box of a conversation or a turn; with its last turn a conversation goes.

        Returns:
            Whether there was one.
        """
        conversation = self._vault.owner(name)
        known = self._vault.forget(name)
        if conversation is not None and not self._vault.tied(conversation):
            self._vault.forget(conversation)
        return known

    def expire(self, age_s: float, most: int | None = None) -> None:
        """Forget the conversations of this store's prefix that were not used for long.

        Args:
            age_s: how long, in seconds.
            most: how many stay; of more those go that were not used for longest.
        """
        limit = self._vault.follow(self._clock()) - age_s
        used = {name: when for name, when in self._vault.used().items() if name.startswith(self._prefix)}
        newest = sorted(used, key=lambda name: used[name], reverse=True)
        old = [name for at, name in enumerate(newest) if used[name] < limit or (most is not None and at >= most)]
        # Another worker may hold the file, or do the same: there is a next time.
        with contextlib.suppress(StoreError):
            gone = [part for name in old for part in (name, *self._vault.destroy(name))]
            if gone:
                self._vault.remove(gone)
