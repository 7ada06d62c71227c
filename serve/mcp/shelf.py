"""The shelf of boxes: one for each conversation, sealed in the home folder under the conversation's key."""

import os
import re
import threading
import uuid
from pathlib import Path

from gama.state.box import PrivacyBox
from gama.state.errors import InputError
from gama.state.options import Options
from gama.state.sealed import Sealed
from gama.vault.database import private_folder
from gama.vault.seal import Vault

_NAME = re.compile(r"[0-9a-f]{32}")


class Shelf:
    """Keeps the boxes of conversations."""

    def __init__(self, home: Path) -> None:
        """Open the shelf of a home folder; files are made on first use."""
        self._folder = home / "conversations"
        self._vault = Vault.at(home)
        self._locks: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    def new(self) -> str:
        """Return the name of a new conversation."""
        return uuid.uuid4().hex

    def lock(self, conversation: str) -> threading.Lock:
        """Return the lock of a conversation: one change at a time."""
        with self._lock:
            return self._locks.setdefault(conversation, threading.Lock())

    def take(self, conversation: str, options: Options) -> PrivacyBox:
        """Return the box of a conversation, or an empty one for a new conversation.

        Raises:
            InputError: the name is none that this shelf has given.
            SealError: the conversation was forgotten.
        """
        path = self._path(conversation)
        if not path.exists():
            return PrivacyBox(style=options.style, order=options.index_order, seed=options.seed)
        content = self._vault.open(conversation, Sealed(ct=path.read_bytes()))
        return PrivacyBox.model_validate_json(content)

    def has(self, conversation: str) -> bool:
        """Return whether the conversation has a box."""
        return self._path(conversation).exists()

    def put(self, conversation: str, box: PrivacyBox) -> None:
        """Keep the box of a conversation."""
        path = self._path(conversation)
        private_folder(path.parent)
        sealed = self._vault.seal(conversation, box.model_dump_json().encode("utf-8", "surrogatepass"))
        scratch = path.with_suffix(".new")
        handle = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(sealed.ct)
        os.replace(scratch, path)

    def forget(self, conversation: str) -> bool:
        """Erase a conversation's key and box. Return whether there was one."""
        path = self._path(conversation)
        known = self._vault.forget(conversation)
        if path.exists():
            path.unlink()
            known = True
        return known

    def _path(self, conversation: str) -> Path:
        if not is_name(conversation):
            raise InputError("There is no such conversation. Leave it out to begin a new one.")
        return self._folder / f"{conversation}.box"


def is_name(text: str) -> bool:
    """Return whether a text may be the name of a conversation."""
    return bool(_NAME.fullmatch(text))
