"""Files of object stores, by fsspec: read piece by piece as files are, and there whole once they are written."""

import contextlib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import IO

from gama.serve.bulk.work import replacing
from gama.state.errors import GamaError, InputError, Retold, StoreError

DRIVERS = {
    "s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "az": "adlfs", "abfs": "adlfs", "abfss": "adlfs",
    "file": "", "local": "", "memory": "",
}  # fmt: skip
"""The beginnings of URLs that are files, and the package that reads each; every other URL is a database's."""


def is_object(place: str) -> bool:
    """Return whether a place is the URL of a file."""
    scheme, mark, _ = place.partition("://")
    return bool(mark) and scheme in DRIVERS


class Remote:
    """A file of an object store, with what sources ask a path for.

    Args:
        url: where it is.
    """

    def __init__(self, url: str) -> None:
        """Find the store; nothing is read yet.

        Raises:
            InputError: fsspec or the driver of the store is not installed.
            StoreError: the store cannot be used.
        """
        self.url = url
        scheme = url.partition("://")[0]
        driver = DRIVERS[scheme]
        if find_spec("fsspec") is None or (driver and find_spec(driver) is None):
            wanted = f'"gama-privacy[bulk]" {driver}'.rstrip()
            raise InputError(f"Files at {scheme}:// need a driver: install it with pip install {wanted}.")
        from fsspec.core import url_to_fs

        with _telling("reached"):
            self._store, self._path = url_to_fs(url)
        self._path = str(self._path)
        self.name = PurePosixPath(self._path).name
        self.suffix = PurePosixPath(self._path).suffix

    def __str__(self) -> str:
        """Return the URL."""
        return self.url

    def exists(self) -> bool:
        """Return whether it is there."""
        with _telling("read"):
            # What a listing said a while ago is nothing to go by.
            self._store.invalidate_cache()
            return bool(self._store.exists(self._path))

    def is_dir(self) -> bool:
        """Return whether it is a folder."""
        with _telling("read"):
            return bool(self._store.isdir(self._path))

    def size(self) -> int:
        """Return its bytes."""
        with _telling("read"):
            return int(self._store.size(self._path))

    def told(self) -> str:
        """Return what tells this file, as it is now, from others: the store's mark of its version, if there is one."""
        with _telling("read"):
            self._store.invalidate_cache()
            return f"{self.url} {self._store.size(self._path)} {self._store.ukey(self._path)}"

    def open(self, mode: str = "rb") -> IO[bytes]:
        """Open it to be read."""
        with _telling("read"):
            found: IO[bytes] = self._store.open(self._path, mode)
            return found

    @contextlib.contextmanager
    def writing(self) -> Iterator[IO[bytes]]:
        """Write it: it is there once the block has ended, and nothing of it where that fails."""
        with _telling("written"), self._store.transaction, self._store.open(self._path, "wb") as file:
            yield file


Place = Path | Remote
"""Where a file is."""


def place_of(place: str) -> Place:
    """Return the file that a path or URL names."""
    return Remote(place) if is_object(place) else Path(place)


def size_of(place: Place) -> int:
    """Return a file's bytes."""
    return place.size() if isinstance(place, Remote) else place.stat().st_size


def told_of(place: Place) -> str:
    """Return what tells a file, as it is now, from others."""
    if isinstance(place, Remote):
        return place.told()
    found = place.lstat()
    return f"{place} {found.st_size} {found.st_mtime_ns}"


def writing(place: str, within: Path) -> contextlib.AbstractContextManager[IO[bytes]]:
    """Return what an outcome is written in: it is there whole or not at all.

    Args:
        place: its path or URL.
        within: a folder on the same disk, for what is not yet whole.
    """
    return Remote(place).writing() if is_object(place) else replacing(Path(place), within)


def _telling(done: str) -> Retold:
    """Return what turns a store's errors, which quote what they like, into ones that do not."""

    def told(error: Exception) -> Exception | None:
        if isinstance(error, GamaError):
            return None
        return StoreError(f"A file of the object store cannot be {done} ({type(error).__name__}).")

    return Retold(told)
