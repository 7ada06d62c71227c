"""The folder beside the outcome, in which a run keeps what is done, so that it can be killed and go on.

It holds a manifest without private values, sealed finds and boxes, and pieces of the outcome. Its owner alone may read
it. A piece is there whole or not at all; the mark of a unit is written last, and a unit without a mark is done again.
"""

import contextlib
import hashlib
import hmac
import json
import os
import pickle
import shutil
from collections.abc import Iterator
from itertools import count, takewhile
from pathlib import Path
from typing import IO, Any

from gama.state.errors import InputError, StoreError
from gama.state.private_text import Sealed
from gama.vault.seal import Vault, default_home

try:
    import fcntl
except ImportError:  # Windows has no such locks: there nobody may start one run twice at once.
    fcntl = None  # type: ignore[assignment]

_VERSION = 1
_LABEL = "gama-bulk"
_WAY = "gama-bulk-way"


class Work:
    """The working folder of one run.

    Args:
        folder: where it is.
        home: the home folder, whose master key seals what is private.
    """

    def __init__(self, folder: Path, home: Path | None = None) -> None:
        """Take the folder; nothing is touched yet."""
        self.folder = folder
        self.home = home
        self._vault = Vault.at(home or default_home())

    @property
    def manifest(self) -> dict[str, Any] | None:
        """What the run is, and how far; None where none has begun.

        Raises:
            InputError: what is there is no manifest.
        """
        path = self.folder / "manifest.json"
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError):
            found = None
        if not isinstance(found, dict) or found.get("gama_bulk") != _VERSION:
            raise InputError(f"The manifest {str(path)!r} cannot be used. Delete its folder to begin anew.")
        return found

    def begin(self, told: dict[str, Any], fingerprint: str) -> None:
        """Write the manifest of a new run; its folder may be read by nobody else.

        Args:
            told: what the manifest says, without private values.
            fingerprint: what the run is about; the manifest keeps a keyed digest.
        """
        key = os.urandom(32)
        self._save_manifest(
            {"gama_bulk": _VERSION, "state": "begun", "key": self.seal(key), "run": _keyed(key, fingerprint)} | told
        )

    def fits(self, fingerprint: str) -> bool:
        """Return whether the run here is about this.

        Raises:
            SealError: it was begun with another master key.
        """
        manifest = self.manifest
        return manifest is not None and manifest["run"] == _keyed(self.unseal(manifest["key"]), fingerprint)

    def note(self, **told: Any) -> None:
        """Change what the manifest says."""
        self._save_manifest((self.manifest or {}) | told)

    def _save_manifest(self, told: dict[str, Any]) -> None:
        write_whole(self.folder / "manifest.json", json.dumps(told, indent=1).encode())

    # Pieces of units

    def path(self, number: int, what: str) -> Path:
        """Return where a piece of a unit lies."""
        return self.folder / f"{number:08d}.{what}"

    def has(self, number: int, what: str) -> bool:
        """Return whether a piece is there."""
        return self.path(number, what).exists()

    def put(self, number: int, what: str, data: bytes) -> None:
        """Write a piece that holds nothing private."""
        write_whole(self.path(number, what), data)

    def get(self, number: int, what: str) -> bytes | None:
        """Read a piece as it was written; None where there is none."""
        try:
            return self.path(number, what).read_bytes()
        except FileNotFoundError:
            return None

    def put_sealed(self, number: int, what: str, value: Any) -> None:
        """Write a piece that may hold what is private."""
        self.put(number, what, json.dumps(self.seal(json.dumps(value).encode())).encode())

    def get_sealed(self, number: int, what: str) -> Any:
        """Read such a piece; None where there is none."""
        written = self.get(number, what)
        return None if written is None else json.loads(self.unseal(json.loads(written)))

    def put_file(self, path: Path, data: bytes) -> None:
        """Write a file of the outcome, and the folders that it lies in."""
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, data, self.folder)

    def numbers(self) -> Iterator[int]:
        """Yield the numbers of the units that were read or are done: all of them, once a pass has ended."""
        return takewhile(lambda number: self.has(number, "found") or self.has(number, "done"), count())

    def mark(self, number: int) -> dict[str, Any]:
        """Return what the mark of a unit that is done says."""
        found: dict[str, Any] = json.loads(self.path(number, "done").read_bytes())
        return found

    def seal(self, value: bytes) -> dict[str, Any]:
        """Return a value sealed by the master key, as JSON."""
        return self._vault.seal_file(_LABEL, value).model_dump(mode="json")

    def unseal(self, written: dict[str, Any]) -> bytes:
        """Open what was sealed.

        Raises:
            SealError: it was sealed with another key.
        """
        return self._vault.open_file(_LABEL, Sealed.model_validate(written))

    def pack(self, value: Any) -> bytes:
        """Return any value sealed by the master key, for the way to a worker on another machine and back."""
        return self._vault.seal_file(_WAY, pickle.dumps(value)).ct

    def unpack(self, sealed: bytes) -> Any:
        """Open what `pack` gave: only who has the master key can have made it.

        Raises:
            SealError: it was packed with another key.
        """
        return pickle.loads(self._vault.open_file(_WAY, Sealed(ct=sealed)))

    def has_key(self) -> bool:
        """Return whether there is a master key; none is made."""
        source = self._vault.keys.source
        return source is not None and source.read() is not None

    def clear(self) -> None:
        """Delete all but the manifest; the run is done."""
        left = True
        while left:
            left = False
            # Name by name, for there may be millions; some systems pass over names when others go meanwhile.
            with os.scandir(self.folder) as found:
                for one in found:
                    if one.name not in ("manifest.json", "run.lock", "workers.lock"):
                        os.unlink(one.path)
                        left = True

    def drop(self) -> None:
        """Delete the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)

    # One run at a time

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Within, no other run works here; workers whose run was killed have ended.

        Raises:
            StoreError: another run is at it.
        """
        with self._locked("run.lock", exclusive=True, wait=False):
            with self._locked("workers.lock", exclusive=True):
                pass
            yield

    def working(self) -> contextlib.AbstractContextManager[None]:
        """Return what a worker is in while it works here."""
        return self._locked("workers.lock", exclusive=False)

    @contextlib.contextmanager
    def _locked(self, name: str, *, exclusive: bool, wait: bool = True) -> Iterator[None]:
        with _opened(self.folder / name) as file:
            if fcntl is not None:
                how = (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | (0 if wait else fcntl.LOCK_NB)
                try:
                    fcntl.flock(file, how)
                except BlockingIOError:
                    raise StoreError(f"Another run works in {str(self.folder)!r}. Wait until it has ended.") from None
            yield


def _opened(path: Path) -> IO[bytes]:
    return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b")


def _keyed(key: bytes, text: str) -> str:
    return hmac.new(key, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def write_whole(path: Path, data: bytes, within: Path | None = None) -> None:
    """Write a file that only its owner may read; see `replacing`."""
    with replacing(path, within) as file:
        file.write(data)


@contextlib.contextmanager
def replacing(path: Path, within: Path | None = None) -> Iterator[IO[bytes]]:
    """Write a file piece by piece: it stands in its place, whole and its owner's alone, once the block has ended.

    Args:
        path: the file.
        within: the folder on the same disk where it is written first; its own by default.
    """
    scratch = (within or path.parent) / f"{path.name}.{os.getpid()}.new"
    try:
        with os.fdopen(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(scratch, path)
    except BaseException:
        scratch.unlink(missing_ok=True)
        raise
