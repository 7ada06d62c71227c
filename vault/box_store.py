"""The boxes of conversations at rest: `BoxStore`, each sealed under its key, and files of their own.

One store for all who keep them: conversations of the graph, of an MCP server, of the gateway with every response that
continues one. Every process finds them there, a rotation of the master key covers them, and a conversation that is
forgotten takes all that belongs to it along. A file of its own is sealed with the master key of a home folder, or not,
and its owner alone may read it. What a box says is nobody's business here: its caller writes it down as JSON.
"""

import contextlib
import json
import os
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from gama.state.errors import InputError, SealError, StoreError
from gama.state.private_text import Sealed
from gama.vault.seal import Vault, default_home


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


_VERSION = 1
_LABEL = "gama-box-file"


def write_box_file(path: Path | str, content: str, *, encrypt: bool = True, home: Path | None = None) -> None:
    """Write a box to a file, which is replaced whole or not at all.

    Args:
        path: the file.
        content: the box, as JSON.
        encrypt: whether to seal it with the master key of the home folder; else it is written in clear.
        home: the home folder; the default one when None.

    Raises:
        SealError: there is no master key, or it cannot be used.
    """
    written: dict[str, object] = {"gama_box": _VERSION}
    if encrypt:
        vault = Vault.at(home or default_home())
        sealed = vault.seal_file(_LABEL, content.encode())
        written |= {"sealed": sealed.model_dump(mode="json"), "key": vault.keys.ring().current}
    else:
        written |= {"box": json.loads(content)}
    target = Path(path)
    scratch = target.with_name(target.name + ".new")
    handle = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(written, file, ensure_ascii=False)
    os.replace(scratch, target)


def read_box_file(path: Path | str, *, home: Path | None = None) -> str:
    """Return the box that a file holds, as JSON.

    Args:
        path: the file.
        home: the home folder with the master key; the default one when None.

    Raises:
        InputError: the file is missing, or it holds no box.
        SealError: it was sealed with another key.
    """
    name = str(path)
    try:
        written = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        reason = error.strerror or type(error).__name__
    except ValueError:
        reason = "it is not JSON"
    else:
        if not isinstance(written, dict) or written.get("gama_box") != _VERSION:
            raise unusable_box_file(path, "it has no box in it")
        return _opened(written, name, home) if "sealed" in written else json.dumps(written.get("box"))
    raise InputError(f"The box file {name!r} cannot be read: {reason}. Give the file that `--box` wrote.")


def unusable_box_file(path: Path | str, problem: str = "its entries are damaged") -> InputError:
    """Return the error of a file whose box cannot be used, for callers that cannot read what it holds."""
    return InputError(f"The box file {str(path)!r} cannot be used: {problem}. Give the file that `--box` wrote.")


def _opened(written: dict[str, object], name: str, home: Path | None) -> str:
    vault = Vault.at(home or default_home())
    try:
        sealed = Sealed.model_validate(written["sealed"])
        if (key := written.get("key")) not in (None, *vault.keys.ring().ids):
            raise SealError(
                f"The box file {name!r} was sealed with the master key {key!r}, which is not here. "
                "Give that key (GAMA_KEY, GAMA_KEY_SOURCE, --home); the file was not changed."
            )
        return vault.open_file(_LABEL, sealed).decode()
    except ValueError:
        pass
    raise unusable_box_file(name)
