"""The boxes of conversations that the upstream keeps (`previous_response_id`), sealed, by the response's id.

Without its box a kept conversation cannot be continued: a new one would give its placeholders other
meanings. So a response whose box is not here is not continued, for nobody's values may be restored
into another's answer.
"""

import hashlib
import os
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path

from gama.serve.gateway.errors import ConversationUnknown
from gama.serve.gateway.masking import Masked
from gama.state.box import PrivacyBox
from gama.state.errors import SealError
from gama.state.seal import Sealed, Vault, private_folder

KEPT_S = 30 * 86_400
"""How long a box is kept: as long as OpenAI keeps a response."""

_LABEL = "gateway-box:"


class BoxStore:
    """Keeps sealed boxes in a SQLite file, or in memory. Does disk work: call it on a thread."""

    def __init__(self, vault: Vault, path: Path | None = None, clock: Callable[[], float] = time.time) -> None:
        """Open or make the file, readable by its owner only."""
        self._vault = vault
        self._clock = clock
        self._lock = threading.Lock()
        if path is not None:
            private_folder(path.parent)
        self._db = sqlite3.connect(path or ":memory:", check_same_thread=False, timeout=30)
        self._db.execute("PRAGMA secure_delete=ON")
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS boxes (id TEXT PRIMARY KEY, sealed BLOB NOT NULL, at REAL NOT NULL)"
        )
        self._db.commit()
        if path is not None and os.name == "posix":
            path.chmod(0o600)

    def put(self, caller: str, response: str, masked: Masked) -> None:
        """Keep the box of a response."""
        name = _name(caller, response)
        sealed = self._vault.seal_file(_LABEL + name, masked.box.model_dump_json().encode())
        now = self._clock()
        with self._lock, self._db:
            self._db.execute("INSERT OR REPLACE INTO boxes VALUES (?, ?, ?)", (name, sealed.ct, now))
            self._db.execute("DELETE FROM boxes WHERE at < ?", (now - KEPT_S,))

    def get(self, caller: str, response: str) -> PrivacyBox:
        """Return the box of a response.

        Raises:
            ConversationUnknown: it is not here: too old, another key's, or not made through this gateway.
        """
        name = _name(caller, response)
        with self._lock:
            row = self._db.execute(
                "SELECT sealed FROM boxes WHERE id = ? AND at >= ?", (name, self._clock() - KEPT_S)
            ).fetchone()
        if row is not None:
            try:
                return PrivacyBox.model_validate_json(self._vault.open_file(_LABEL + name, Sealed(ct=row[0])))
            except (SealError, ValueError):
                row = None
        raise ConversationUnknown(
            "The placeholders of that response are not kept here: it was not made through this gateway with this key, "
            "or too long ago. Send the whole conversation instead."
        )

    def forget(self, caller: str, response: str) -> None:
        """Erase the box of a response."""
        with self._lock, self._db:
            self._db.execute("DELETE FROM boxes WHERE id = ?", (_name(caller, response),))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()


def _name(caller: str, response: str) -> str:
    return hashlib.sha256(f"{caller}\0{response}".encode("utf-8", "surrogatepass")).hexdigest()
