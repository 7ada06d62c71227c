"""A file that keeps what was paid for, a line each, so that a stopped run goes on where it stopped."""

import hashlib
import json
import os
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gama.state.errors import InputError

KEPT = "kept"
"""The folder within a run's folder that keeps what was paid for."""


class Ledger:
    """Rows of a run in their order; what a killed run has half written is dropped.

    Args:
        path: the file, which only its owner may read; None keeps the rows in memory alone.
        settings: what the rows depend on; a file of other settings is refused.
        command: what the file is made by, for messages.

    Raises:
        InputError: the file was made with other settings, or is not such a file.
    """

    def __init__(self, path: Path | None, settings: Mapping[str, Any], command: str) -> None:
        """Read what is there."""
        self.rows: list[dict[str, Any]] = []
        """What was kept before; what is added is the caller's."""
        self._path, self._lock = path, threading.Lock()
        if path is None:
            return
        head = {"settings": dict(settings), "digest": digest_settings(settings)}
        lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
        if lines and not lines[-1].endswith(b"\n"):
            lines.pop()
            os.truncate(path, sum(map(len, lines)))
        if not lines:
            self._write(head)
            return
        try:
            first, *rows = map(json.loads, lines)
            same = first["digest"] == head["digest"]
            if not all(isinstance(row, dict) for row in rows):
                raise TypeError
        except (ValueError, KeyError, TypeError):
            raise InputError(f"{path}: not a file of `{command}`; name another one") from None
        if not same:
            raise InputError(f"{path}: made with other settings; name another one, or the same settings")
        self.rows = rows

    def add(self, row: Mapping[str, Any]) -> None:
        """Write one more row; it is there when this returns, whatever becomes of the process."""
        with self._lock:
            self._write(row)

    def _write(self, row: Mapping[str, Any]) -> None:
        if self._path is None:
            return
        line = json.dumps(row, ensure_ascii=False, default=str) + "\n"
        handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with open(handle, "ab") as out:
            out.write(line.encode("utf-8", "replace"))


def digest_settings(settings: Mapping[str, Any]) -> str:
    """Return a hash of settings, the same in whatever order they are given."""
    return hashlib.sha256(json.dumps(settings, sort_keys=True, default=str).encode()).hexdigest()


@contextmanager
def alone(out: Path) -> Iterator[None]:
    """Keep the folder of a run to this process: two runs in it would pay twice for the same.

    Raises:
        InputError: another run is under way in it.
    """
    if sys.platform == "win32":  # there is no such lock
        yield
        return
    import fcntl

    (out / KEPT).mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(os.open(out / KEPT / "lock", os.O_RDWR | os.O_CREAT, 0o600), "ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(f"another run is under way in {str(out)!r}: wait for it, or name another folder") from None
        yield
