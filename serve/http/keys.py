"""API keys: who may call the server, and how much.

The file is TOML; a key stands in it in clear, or better as its SHA-256:

    [keys.alice]
    sha256 = "…"              # or key = "…"
    requests_per_minute = 60
    concurrent = 4

A name has no colon, which parts it from the names of its threads.
"""

import asyncio
import hashlib
import hmac
import re
import tomllib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import anyio
from starlette.requests import Request

from gama.serve.http.cookie import owner_of
from gama.serve.http.limits import UNBOUND, Bound, Limits, LocalLimits
from gama.state.errors import InputError, OptionError

HEADER = "x-gama-key"
"""The header that is this server's alone; a key of the upstream's may stand in `authorization` beside it."""

NOBODY = "anyone"
"""Stands where the owner's name would: no other face of the same home folder makes threads that begin so."""

# Accepts the names that the server makes, and short ones of the caller's own.
_THREAD = re.compile(r"[A-Za-z0-9_-]{1,64}")


# Accepts names of keys. A thread's name is its owner's, a colon, and its own: `a:b` would own what begins with `a:b:`.
_NAME = re.compile(r"(?! )[^:\x00-\x1f\x7f]{1,64}(?<! )")
_TAKEN = frozenset({NOBODY, "gateway", "thinking", "response"})
"""What the server's own conversations begin with."""


class Caller(NamedTuple):
    """Who has called."""

    name: str
    """The name of the key; empty where the server has none."""
    own_key: bool
    """Whether the key headers hold the user's own key, for the upstream."""
    owner: str = ""
    """The browser whose threads are meant, where the server has no keys; empty for a program without the cookie."""

    # Inside, a thread's name begins with its owner's, so that nobody can get at another's. The owner is an API key; on
    # a server without keys it is the token of the browser (see `cookie`). A program with neither owns nothing: it
    # reaches the threads that such programs made by their names alone, and can list none of them.

    def inside(self, thread: str) -> str:
        """Return the name that a thread of this caller has inside.

        Raises:
            InputError: the name of the thread is invalid.
        """
        if not _THREAD.fullmatch(thread):
            raise InputError("A thread is named by 1 to 64 letters, digits, hyphens and underscores.")
        return self._begin + thread

    def outside(self, thread: str) -> str:
        """Return the name by which this caller knows a thread."""
        return thread.removeprefix(self._begin)

    def owns(self, thread: str) -> bool:
        """Return whether a thread, by its name inside, is this caller's."""
        return bool(self.name or self.owner) and thread.startswith(self._begin)

    @property
    def _begin(self) -> str:
        return f"{self.name or self.owner or NOBODY}:"


def caller_of(request: Request) -> Caller:
    """Return who calls, as the gate found out."""
    caller: Caller = request.state.caller
    return caller


class KeyRing:
    """Knows the keys. Safe to share between threads."""

    def __init__(
        self,
        keys: Mapping[str, Mapping[str, Any]] | None = None,
        *,
        bound: Bound = UNBOUND,
        limits: Limits | None = None,
    ) -> None:
        """Take the entries of a file.

        Args:
            keys: the entries, by name.
            bound: what each key may do, where its entry says nothing else.
            limits: where requests are counted; in memory by default.

        Raises:
            OptionError: an entry cannot be used.
        """
        self.limits = limits or LocalLimits()
        self._digests: dict[str, bytes] = {}
        self._bounds: dict[str, Bound] = {}
        self._executor = ThreadPoolExecutor(2, thread_name_prefix="gama-limits")
        for name, entry in (keys or {}).items():
            _check_name(name)
            self._digests[name] = _digest(name, entry)
            per_minute = entry.get("requests_per_minute", bound.per_minute)
            self._bounds[name] = Bound(per_minute, entry.get("concurrent", bound.at_once))
        if not self._digests:
            self._bounds[""] = bound

    @classmethod
    def load(cls, path: Path | None, *, bound: Bound = UNBOUND, limits: Limits | None = None) -> "KeyRing":
        """Read a file of keys.

        Raises:
            OptionError: it cannot be read, or has no key in it.
        """
        if path is None:
            return cls(bound=bound, limits=limits)
        try:
            entries = tomllib.loads(path.read_text(encoding="utf-8")).get("keys")
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise OptionError(f"The key file {str(path)!r} has no keys to be read: {reason}.") from None
        except ValueError:
            entries = None
        if not isinstance(entries, dict) or not entries:
            raise OptionError(
                f"The key file {str(path)!r} has no keys in it. Write it like this: [keys.alice] and below it "
                'sha256 = "…", made by `printf %s KEY | sha256sum`.'
            )
        return cls(entries, bound=bound, limits=limits)

    @property
    def required(self) -> bool:
        """Whether a key is needed."""
        return bool(self._digests)

    def caller(self, headers: Mapping[str, str]) -> Caller | None:
        """Return who calls, by the headers; None where a key is needed and none of ours is there."""
        if not self.required:
            return Caller("", own_key=True, owner=owner_of(headers))
        ours = next((name for given in _given(headers) if (name := self._find(given)) is not None), None)
        if (given := headers.get(HEADER)) is not None:
            name = self._find(given)
            # A key of ours in the other headers as well goes nowhere.
            return None if name is None else Caller(name, own_key=ours is None)
        return None if ours is None else Caller(ours, own_key=False)

    @asynccontextmanager
    async def turn(self, name: str) -> AsyncIterator[None]:
        """Count a request of a caller while it runs.

        Raises:
            TooMuch: it is one too many.
            StoreError: the place where all workers count cannot be used.
        """
        bound = self._bounds[name]
        if bound == UNBOUND:
            yield
            return
        await self._on_thread(self.limits.enter, name, bound)
        try:
            yield
        finally:
            if bound.at_once is not None:
                # Also where the request was cancelled: else it would count for ever.
                with anyio.CancelScope(shield=True):
                    await self._on_thread(self.limits.leave, name)

    def close(self) -> None:
        """Let go of the place where requests are counted."""
        self.limits.close()
        self._executor.shutdown(wait=False)

    async def _on_thread(self, function: Callable[..., None], *args: Any) -> None:
        if self.limits.waits:
            # Threads of its own: nobody is let in later because others work.
            await asyncio.get_running_loop().run_in_executor(self._executor, function, *args)
        else:
            function(*args)

    def _find(self, given: str) -> str | None:
        digest = hashlib.sha256(given.encode("utf-8", "surrogatepass")).digest()
        found = None
        for name, known in self._digests.items():
            # All are compared, each in constant time.
            if hmac.compare_digest(known, digest):
                found = name
        return found


def _check_name(name: str) -> None:
    """Refuse a name of a key under which somebody could get at another's threads, or at the server's own.

    Raises:
        OptionError: it is one.
    """
    if not _NAME.fullmatch(name):
        raise OptionError(
            f"API key {name!r}: a name has 1 to 64 letters, digits, spaces and signs, but no colon and no line break."
        )
    if name in _TAKEN:
        raise OptionError(f"API key {name!r}: the server uses that name itself. Give the key another one.")


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
