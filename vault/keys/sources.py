"""Where the master key comes from: an environment variable, a file that its owner alone may read, the OS keyring.

`key_source` reads the choice: an argument, `GAMA_KEY_SOURCE`, else `GAMA_KEY` if it is set, else what
`gama keys move` noted in the home folder, else the file `master.key` in it.
"""

import contextlib
import os
import secrets
import stat
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gama.state.errors import OptionError, SealError
from gama.vault.cipher import MasterRing
from gama.vault.database import private_folder

VARIABLE = "GAMA_KEY"
SERVICE = "gama"
NOTE = "key-source"
"""File of the home folder that says where its master key lies, when it lies neither in the environment nor beside."""


class KeySource(ABC):
    """A place that keeps a ring of master keys."""

    def __init__(self, spec: str, name: str) -> None:
        """Take how `key_source` would be told of it, and what messages call it."""
        self.spec = spec
        self.name = name

    @abstractmethod
    def read(self) -> MasterRing | None:
        """Return the ring, or None where there is none yet.

        Raises:
            SealError: it cannot be read, is malformed, or others may read it.
        """

    @abstractmethod
    def make(self) -> MasterRing:
        """Make a first key and keep it, unless another process was faster.

        Raises:
            SealError: this place cannot be written to.
        """

    @abstractmethod
    def write(self, ring: MasterRing) -> None:
        """Keep another ring in the old one's place.

        Raises:
            SealError: this place cannot be written to.
        """

    @abstractmethod
    def erase(self) -> None:
        """Destroy what is kept, as far as the place allows."""


class EnvironmentSource(KeySource):
    """Keys in an environment variable: base64, the newest first, spaces or commas between."""

    def __init__(self, variable: str = VARIABLE) -> None:
        """Take the variable's name."""
        super().__init__(f"env:{variable}", variable)
        self.variable = variable

    def read(self) -> MasterRing | None:
        """Return the ring."""
        text = os.environ.get(self.variable, "")
        return MasterRing.parse(text, self.variable) if text.strip() else None

    def make(self) -> MasterRing:
        """Refuse: a program cannot set its own environment for later."""
        raise SealError(f"{self.variable} is not set. Set it to a base64 key of 32 bytes: `openssl rand -base64 32`.")

    def write(self, ring: MasterRing) -> None:
        """Refuse, and say how it is done."""
        raise SealError(
            f"The master key is in the environment, which a program cannot change. Set {self.variable} to the new key "
            "and the old one, with a space between; `gama keys reseal`; then set it to the new one alone."
        )

    def erase(self) -> None:
        """Leave it: the environment is the caller's."""


class FileSource(KeySource):
    """Keys in a file that its owner alone may read: base64, one a line, the newest first."""

    def __init__(self, path: Path) -> None:
        """Take the path."""
        super().__init__(f"file:{path}", f"the key file {str(path)!r}")
        self.path = path

    def read(self) -> MasterRing | None:
        """Return the ring."""
        try:
            handle = os.open(self.path, os.O_RDONLY)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise SealError(f"{_capital(self.name)} cannot be read: {error.strerror}.") from None
        with os.fdopen(handle, "rb") as file:
            if os.name == "posix" and os.fstat(handle).st_mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise SealError(f"Others may read {self.name}. Run `chmod 600` on it, or set {VARIABLE}.")
            text = file.read().decode("ascii", "replace")
        with contextlib.suppress(SealError):
            return MasterRing.parse(text, self.name)
        raise SealError(f"{_capital(self.name)} is damaged. Restore it from a backup, or move it away to start anew.")

    def make(self) -> MasterRing:
        """Make the file, with one new key. It is there whole or not at all: another process may read at any time."""
        with _scratch(self.path, MasterRing.fresh(), f".{secrets.token_hex(4)}.new") as scratch:
            try:
                os.link(scratch, self.path)
            except FileExistsError:
                pass
            except OSError:
                # A file system without links.
                if not self.path.exists():
                    os.replace(scratch, self.path)
            _sync_folder(self.path.parent)
        ring = self.read()
        assert ring is not None
        return ring

    def write(self, ring: MasterRing) -> None:
        """Replace the file whole or not at all; the old content is overwritten where it stood."""
        with _scratch(self.path, ring, ".new") as scratch:
            old = os.open(self.path, os.O_RDWR) if self.path.exists() else -1
            os.replace(scratch, self.path)
        _sync_folder(self.path.parent)
        if old >= 0:
            _fill(old, b"\0" * os.fstat(old).st_size)

    def erase(self) -> None:
        """Overwrite the file and delete it."""
        with contextlib.suppress(FileNotFoundError):
            handle = os.open(self.path, os.O_RDWR)
            _fill(handle, b"\0" * os.fstat(handle).st_size)
            self.path.unlink()
            _sync_folder(self.path.parent)


class KeyringSource(KeySource):
    """Keys in the OS keyring: macOS Keychain, Windows Credential Locker, Secret Service, KWallet."""

    def __init__(self, account: str) -> None:
        """Take the name of the entry."""
        super().__init__(f"keyring:{account}", f"the entry {account!r} of the OS keyring")
        self.account = account

    def read(self) -> MasterRing | None:
        """Return the ring."""
        text = self._ask("get_password", SERVICE, self.account)
        return MasterRing.parse(text, self.name) if text else None

    def make(self) -> MasterRing:
        """Make the entry, with one new key."""
        ring = self.read() or MasterRing.fresh()
        self.write(ring)
        return ring

    def write(self, ring: MasterRing) -> None:
        """Replace the entry, and look that it is there."""
        self._ask("set_password", SERVICE, self.account, ring.dump())
        if self.read() != ring:
            raise SealError(f"The OS keyring has not kept the master key. {_ELSE}")

    def erase(self) -> None:
        """Delete the entry."""
        if self.read() is not None:
            self._ask("delete_password", SERVICE, self.account)

    def _ask(self, question: str, *arguments: str) -> Any:
        import keyring
        from keyring.errors import KeyringError, NoKeyringError

        try:
            return getattr(keyring, question)(*arguments)
        except NoKeyringError:
            problem = "There is no OS keyring on this machine"
        except KeyringError as error:
            problem = f"The OS keyring refused ({type(error).__name__}): is it locked?"
        raise SealError(f"{problem.rstrip('.')}. {_ELSE}")


_ELSE = f"Use a key file (GAMA_KEY_SOURCE=file) or the environment variable {VARIABLE} instead."


def key_source(home: Path, spec: str | None = None) -> KeySource:
    """Return the source of a home folder's master key.

    Args:
        home: the home folder.
        spec: `env`, `env:NAME`, `file`, `file:PATH`, `keyring` or `keyring:NAME`; None to look it up.

    Raises:
        OptionError: it is none of these.
    """
    spec = spec or os.environ.get("GAMA_KEY_SOURCE") or (f"env:{VARIABLE}" if os.environ.get(VARIABLE) else "")
    if not spec:
        with contextlib.suppress(OSError):
            spec = (home / NOTE).read_text(encoding="utf-8").strip()
    kind, _, place = (spec or "file").partition(":")
    if kind == "env":
        return EnvironmentSource(place or VARIABLE)
    if kind == "file":
        return FileSource(Path(place).expanduser() if place else home / "master.key")
    if kind == "keyring":
        return KeyringSource(place or str(home.expanduser().resolve()))
    raise OptionError(f"no source of keys is called {kind!r}; known: env[:NAME], file[:PATH], keyring[:NAME]")


def move(home: Path, spec: str) -> tuple[KeySource, KeySource]:
    """Move the master keys of a home folder to another source, and note it there; nothing is lost on the way.

    Returns:
        The old source, erased unless it is the environment, and the new one.

    Raises:
        OptionError: the new source is the old one, or the environment.
        SealError: there is no key yet, the new source has another one, or it cannot be written to.
    """
    old, new = key_source(home), key_source(home, spec)
    if old.spec == new.spec or isinstance(new, EnvironmentSource):
        raise OptionError(f"the master key cannot be moved from {old.name} to {new.name}; known: file[:PATH], keyring")
    ring = old.read()
    if ring is None:
        raise SealError(f"There is no master key in {old.name} yet: it is made when something is sealed.")
    if (there := new.read()) not in (None, ring):
        raise SealError(f"{_capital(new.name)} has another key already ({there!r}). Nothing was changed.")
    private_folder(home)
    new.write(ring)
    if new.read() != ring:
        raise SealError(f"{_capital(new.name)} has not kept the master key. Nothing was changed.")
    note = home / NOTE
    if new.spec == f"file:{home / 'master.key'}":
        note.unlink(missing_ok=True)
    else:
        note.write_text(new.spec + "\n", encoding="utf-8")
    old.erase()
    return old, new


@contextlib.contextmanager
def _scratch(path: Path, ring: MasterRing, suffix: str) -> Iterator[Path]:
    """Write keys to a file beside another one; what is left of it afterwards goes."""
    private_folder(path.parent)
    scratch = path.with_name(path.name + suffix)
    scratch.unlink(missing_ok=True)
    _fill(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), ring.dump().encode())
    try:
        yield scratch
    finally:
        scratch.unlink(missing_ok=True)


def _fill(handle: int, content: bytes) -> None:
    """Write a file's content from its start, to the disk, and close it."""
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(path: Path) -> None:
    if os.name == "posix":
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
