"""API keys: who may call the server, and how much.

The file is TOML; a key stands in it in clear, or better as its SHA-256:

    [keys.alice]
    sha256 = "…"              # or key = "…"
    requests_per_minute = 60
    concurrent = 4
"""

import hashlib
import hmac
import threading
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from gama.state.errors import OptionError

HEADER = "x-gama-key"
"""The header that is this server's alone; a key of the upstream's may stand in `authorization` beside it."""


class Caller(NamedTuple):
    """Who has called."""

    name: str
    """The name of the key; empty where the server has none."""
    own_key: bool
    """Whether the key headers hold the user's own key, for the upstream."""


class TooMuch(Exception):
    """A caller has reached a limit."""

    def __init__(self, message: str, wait_s: float) -> None:
        """Say which, and how long to wait."""
        super().__init__(message)
        self.wait_s = wait_s


class _Limits:
    """What one key may do, and how much of it it has done."""

    def __init__(self, per_minute: int | None, at_once: int | None) -> None:
        self.per_minute = per_minute
        self.at_once = at_once
        self.running = 0
        self.left = float(per_minute or 0)
        self.seen = 0.0


class KeyRing:
    """Knows the keys. Safe to share between threads."""

    def __init__(
        self,
        keys: Mapping[str, Mapping[str, Any]] | None = None,
        *,
        requests_per_minute: int | None = None,
        concurrent: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take the entries of a file.

        Raises:
            OptionError: an entry cannot be used.
        """
        self._clock = clock
        self._digests: dict[str, bytes] = {}
        self._limits: dict[str, _Limits] = {}
        self._lock = threading.Lock()
        for name, entry in (keys or {}).items():
            self._digests[name] = _digest(name, entry)
            per_minute = entry.get("requests_per_minute", requests_per_minute)
            self._limits[name] = _Limits(per_minute, entry.get("concurrent", concurrent))
        if not self._digests:
            self._limits[""] = _Limits(requests_per_minute, concurrent)

    @classmethod
    def load(cls, path: Path | None, **limits: int | None) -> "KeyRing":
        """Read a file of keys.

        Raises:
            OptionError: it cannot be read, or has no key in it.
        """
        if path is None:
            return cls(requests_per_minute=limits.get("requests_per_minute"), concurrent=limits.get("concurrent"))
        try:
            entries = tomllib.loads(path.read_text(encoding="utf-8")).get("keys")
        except (OSError, ValueError):
            entries = None
        if not isinstance(entries, dict) or not entries:
            raise OptionError(
                f"The key file {str(path)!r} has no keys in it. Write it like this: [keys.alice] and below it "
                'sha256 = "…", made by `printf %s KEY | sha256sum`.'
            )
        return cls(
            entries, requests_per_minute=limits.get("requests_per_minute"), concurrent=limits.get("concurrent")
        )  # fmt: skip

    @property
    def required(self) -> bool:
        """Whether a key is needed."""
        return bool(self._digests)

    def caller(self, headers: Mapping[str, str]) -> Caller | None:
        """Return who calls, by the headers; None where a key is needed and none of ours is there."""
        if not self.required:
            return Caller("", own_key=True)
        ours = next((name for given in _given(headers) if (name := self._find(given)) is not None), None)
        if (given := headers.get(HEADER)) is not None:
            name = self._find(given)
            # A key of ours in the other headers as well goes nowhere.
            return None if name is None else Caller(name, own_key=ours is None)
        return None if ours is None else Caller(ours, own_key=False)

    @contextmanager
    def turn(self, name: str) -> Iterator[None]:
        """Count a request of a caller while it runs.

        Raises:
            TooMuch: it is one too many.
        """
        limits = self._limits[name]
        with self._lock:
            self._admit(limits)
            limits.running += 1
        try:
            yield
        finally:
            with self._lock:
                limits.running -= 1

    def _admit(self, limits: _Limits) -> None:
        if limits.at_once is not None and limits.running >= limits.at_once:
            raise TooMuch(f"This key has {limits.at_once} request(s) running, which is its limit.", 1.0)
        if limits.per_minute is None:
            return
        now = self._clock()
        rate = limits.per_minute / 60
        limits.left = min(float(limits.per_minute), limits.left + (now - limits.seen) * rate)
        limits.seen = now
        if limits.left < 1:
            raise TooMuch(f"This key may make {limits.per_minute} requests a minute.", (1 - limits.left) / rate)
        limits.left -= 1

    def _find(self, given: str) -> str | None:
        digest = hashlib.sha256(given.encode("utf-8", "surrogatepass")).digest()
        found = None
        for name, known in self._digests.items():
            # All are compared, each in constant time.
            if hmac.compare_digest(known, digest):
                found = name
        return found


def _given(headers: Mapping[str, str]) -> Iterator[str]:
    """Yield the keys in the headers that an upstream's clients use."""
    bearer = headers.get("authorization", "")
    for given in (bearer[7:].strip() if bearer[:7].lower() == "bearer " else "", headers.get("x-api-key", ""),
                  headers.get("api-key", "")):  # fmt: skip
        if given:
            yield given


def _digest(name: str, entry: Any) -> bytes:
    problem = 'it needs key = "…" (16 characters or more) or sha256 = "…"'
    if not isinstance(entry, Mapping):
        raise OptionError(f"API key {name!r}: {problem}.")
    for limit in ("requests_per_minute", "concurrent"):
        if limit in entry and (not isinstance(entry[limit], int) or entry[limit] < 1):
            raise OptionError(f"API key {name!r}: {limit} must be a whole number of at least 1.")
    if isinstance(entry.get("key"), str) and len(entry["key"]) >= 16:
        return hashlib.sha256(entry["key"].encode()).digest()
    try:
        digest = bytes.fromhex(str(entry.get("sha256", "")))
    except ValueError:
        digest = b""
    if len(digest) != 32:
        raise OptionError(f"API key {name!r}: {problem}.")
    return digest
