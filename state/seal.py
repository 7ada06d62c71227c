"""Sealing: authenticated encryption of everything private that a state holds.

A `Vault` has a master key and, for each thread, a data key of its own, wrapped by the master key
in a small SQLite file. What is sealed under a thread's key opens only for that thread (the thread
id is the associated data of AES-256-GCM) and never again once the thread's key is gone: erasing
the key is what `forget` does first.
"""

import base64
import os
import secrets
import sqlite3
import stat
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from gama.state.errors import SealError

_NONCE = 12
_KEY = 32


class Sealed(BaseModel):
    """Ciphertext of a private value: nonce, then AES-256-GCM output."""

    model_config = ConfigDict(frozen=True, ser_json_bytes="base64", val_json_bytes="base64")

    ct: bytes = Field(repr=False)


def default_home() -> Path:
    """Return the folder for keys and checkpoints: `GAMA_HOME`, or the platform's place for user data."""
    if home := os.environ.get("GAMA_HOME"):
        return Path(home)
    from platformdirs import user_data_path

    return user_data_path("gama", appauthor=False)


def private_folder(path: Path) -> Path:
    """Make a folder that only its owner may read."""
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    return path


class Vault:
    """Seals and opens values, one key per thread.

    Args:
        master: 32 bytes, or what gives them on first use.
        keys: SQLite file of the wrapped thread keys, or None to keep them in memory only.
    """

    def __init__(self, master: bytes | Callable[[], bytes], keys: Path | None = None) -> None:
        """Open the vault; its files are touched on first use."""
        self._given = master
        self._keys = keys
        self._master_cache: bytes | None = None
        self._cache: dict[str, bytes] = {}
        self._lock = threading.RLock()

    @classmethod
    def at(cls, home: Path) -> "Vault":
        """Open the vault of a home folder.

        The master key comes from the environment variable `GAMA_KEY` (base64), else from the file
        `master.key` in the folder, made on first use and readable by its owner only. First use
        raises `SealError` when the key is malformed or others may read its file.
        """
        return cls(lambda: _master_key(home), home / "keys.sqlite")

    @classmethod
    def ephemeral(cls) -> "Vault":
        """Open a vault that lives and dies with this process."""
        return cls(secrets.token_bytes(_KEY))

    def seal(self, thread: str, value: bytes) -> Sealed:
        """Encrypt a value for a thread."""
        return Sealed(ct=_encrypt(self._thread_key(thread, make=True), value, thread))

    def open(self, thread: str, sealed: Sealed) -> bytes:
        """Decrypt a value.

        Raises:
            SealError: another thread's value, another key, damaged, or the thread was forgotten.
        """
        return _decrypt(self._thread_key(thread, make=False), sealed.ct, thread)

    def seal_file(self, label: str, value: bytes) -> Sealed:
        """Encrypt a value under the master key itself, for a file that belongs to no thread."""
        return Sealed(ct=_encrypt(self._master, value, "file:" + label))

    def open_file(self, label: str, sealed: Sealed) -> bytes:
        """Decrypt what `seal_file` made.

        Raises:
            SealError: another key, another label, or damaged.
        """
        return _decrypt(self._master, sealed.ct, "file:" + label)

    def knows(self, thread: str) -> bool:
        """Tell whether the thread has a key."""
        try:
            self._thread_key(thread, make=False)
        except SealError:
            return False
        return True

    def threads(self) -> list[str]:
        """List the threads that have a key."""
        if self._keys is None:
            return sorted(self._cache)
        with closing(self._connect()) as db:
            return [row[0] for row in db.execute("SELECT thread FROM keys ORDER BY thread")]

    def forget(self, thread: str) -> bool:
        """Erase a thread's key: what it sealed can never be read again. Tells whether there was one."""
        with self._lock:
            known = self._cache.pop(thread, None) is not None
        if self._keys is not None:
            with closing(self._connect()) as db:
                with db:
                    known = db.execute("DELETE FROM keys WHERE thread = ?", (thread,)).rowcount > 0 or known
                db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return known

    @property
    def _master(self) -> bytes:
        with self._lock:
            if self._master_cache is None:
                master = self._given if isinstance(self._given, bytes) else self._given()
                if len(master) != _KEY:
                    raise SealError(
                        f"The master key must have {_KEY} bytes. "
                        "Set GAMA_KEY to a key made by `openssl rand -base64 32`."
                    )
                if self._keys is not None:
                    self._make_table(self._keys)
                self._master_cache = master
            return self._master_cache

    def _make_table(self, keys: Path) -> None:
        private_folder(keys.parent)
        with closing(sqlite3.connect(keys, timeout=30)) as db, db:
            db.execute("CREATE TABLE IF NOT EXISTS keys (thread TEXT PRIMARY KEY, wrapped BLOB NOT NULL)")
        if os.name == "posix":
            keys.chmod(0o600)

    def _connect(self) -> sqlite3.Connection:
        assert self._keys is not None and self._master
        db = sqlite3.connect(self._keys, timeout=30)
        db.execute("PRAGMA secure_delete=ON")
        return db

    def _thread_key(self, thread: str, *, make: bool) -> bytes:
        with self._lock:
            if self._keys is None and thread in self._cache:
                return self._cache[thread]
            # The file is asked every time: another process may have forgotten the thread.
            key = self._stored_key(thread) if self._keys is not None else None
            if key is None:
                if not make:
                    raise SealError(
                        "This thread's key is not here: it was forgotten, or belongs to another home folder. "
                        "Start a new thread, or point GAMA_HOME at the folder it was made with."
                    )
                key = secrets.token_bytes(_KEY)
                if self._keys is None:
                    self._cache[thread] = key
                else:
                    key = self._store_key(thread, key)
            return key

    def _stored_key(self, thread: str) -> bytes | None:
        with closing(self._connect()) as db:
            row = db.execute("SELECT wrapped FROM keys WHERE thread = ?", (thread,)).fetchone()
        return None if row is None else _decrypt(self._master, row[0], "key:" + thread)

    def _store_key(self, thread: str, key: bytes) -> bytes:
        wrapped = _encrypt(self._master, key, "key:" + thread)
        with closing(self._connect()) as db, db:
            db.execute("INSERT OR IGNORE INTO keys VALUES (?, ?)", (thread, wrapped))
            row = db.execute("SELECT wrapped FROM keys WHERE thread = ?", (thread,)).fetchone()
        return _decrypt(self._master, row[0], "key:" + thread)

    def __repr__(self) -> str:
        """Name the place, never the keys."""
        return f"Vault({'memory' if self._keys is None else self._keys.parent.name!r})"

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Refuse to be pickled."""
        raise TypeError("A Vault cannot be pickled")


def _encrypt(key: bytes, value: bytes, thread: str) -> bytes:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    nonce = os.urandom(_NONCE)
    return nonce + AESGCM(key).encrypt(nonce, value, thread.encode())


def _decrypt(key: bytes, ct: bytes, thread: str) -> bytes:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    try:
        return AESGCM(key).decrypt(ct[:_NONCE], ct[_NONCE:], thread.encode())
    except (InvalidTag, ValueError):
        pass
    raise SealError("Sealed data does not open: it belongs to another thread or key, or it is damaged.")


def _master_key(home: Path) -> bytes:
    if given := os.environ.get("GAMA_KEY"):
        try:
            key = base64.b64decode(given, validate=True)
        except ValueError:
            key = b""
        if len(key) != _KEY:
            raise SealError("GAMA_KEY is not a base64 key of 32 bytes. Make one with `openssl rand -base64 32`.")
        return key
    path = private_folder(home) / "master.key"
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _read_key(path)
    with os.fdopen(handle, "wb") as file:
        file.write(base64.b64encode(secrets.token_bytes(_KEY)))
    return _read_key(path)


def _read_key(path: Path) -> bytes:
    if os.name == "posix" and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise SealError(f"Others may read the key file {str(path)!r}. Run `chmod 600` on it, or set GAMA_KEY.")
    # Another process may have made the file and not yet written it.
    for _ in range(50):
        if len(key := base64.b64decode(path.read_bytes() or b"")) == _KEY:
            return key
        threading.Event().wait(0.02)
    raise SealError(f"The key file {str(path)!r} is damaged. Restore it from a backup, or move it away to start anew.")
