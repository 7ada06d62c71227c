"""`PrivacyBox`: the bijection of one conversation with what it is for: to guard, to restore, to be kept."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from pydantic import ValidationError

from gama.guard.search import Guard
from gama.state.box import Bijection
from gama.state.errors import InputError, SealError
from gama.state.options import Options
from gama.state.restoring import Restoring
from gama.state.sealed import Sealed
from gama.tools.placeholders.remapping import Restored, remap_text
from gama.tools.placeholders.stream import StreamRestorer
from gama.vault.seal import Vault, default_home

_FILE_VERSION = 1
_LABEL = "gama-box-file"


class PrivacyBox(Bijection):
    """The private values of one conversation and their placeholders (GAMA Eq. 4).

    Example:
        >>> box = PrivacyBox()
        >>> box.add("Emma Williams", "full_name")
        '<name-1>'
        >>> box.restore("Dear <name-1>,").text
        'Dear Emma Williams,'
    """

    @classmethod
    def of(cls, options: Options) -> Self:
        """Return an empty box whose placeholders are numbered and bracketed as the options say."""
        return cls(style=options.style, order=options.index_order, seed=options.seed)

    def guard(self, fixed: Sequence[str] = ()) -> Guard:
        """Return what searches texts for the values of the box.

        Args:
            fixed: our own prompt texts; see `Guard`.
        """
        return Guard(self.values(), fixed, list(self.placeholders()), self.kept)

    def restore(self, reply: str, how: Restoring | None = None) -> Restored:
        """Put the private values back into a reply (Eq. 6).

        Returns:
            The text, what stayed unresolved, and what was not used.
        """
        return remap_text(reply, self, how or Restoring())

    def restorer(self, how: Restoring | None = None) -> StreamRestorer:
        """Return what restores a reply that comes in pieces."""
        return StreamRestorer(self, how or Restoring())

    def save(self, path: Path | str, *, encrypt: bool = True, home: Path | None = None) -> None:
        """Write the box to a file that only its owner may read. Values without a way back are left out.

        Args:
            path: the file; it is replaced whole or not at all.
            encrypt: seal it with the master key of the home folder (the default), or write it in clear.
            home: the home folder; the default one when None.
        """
        lasting = self.model_copy(update={"entries": [entry for entry in self.entries if entry.reversible]})
        body = lasting.model_dump_json()
        content: dict[str, object] = {"gama_box": _FILE_VERSION}
        if encrypt:
            vault = Vault.at(home or default_home())
            sealed = vault.seal_file(_LABEL, body.encode())
            content |= {"sealed": sealed.model_dump(mode="json"), "key": vault.keys.ring().current}
        else:
            content |= {"box": json.loads(body)}
        target = Path(path)
        scratch = target.with_name(target.name + ".new")
        handle = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(content, file, ensure_ascii=False)
        os.replace(scratch, target)

    @classmethod
    def load(cls, path: Path | str, *, home: Path | None = None) -> Self:
        """Read a box back.

        Raises:
            InputError: the file is missing or no box.
            SealError: it was sealed with another key.
        """
        name = str(path)
        try:
            content = json.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            reason = error.strerror or type(error).__name__
        except ValueError:
            reason = "it is not JSON"
        else:
            return cls._read(content, name, home)
        raise InputError(f"The box file {name!r} cannot be read: {reason}. Give the file that `--box` wrote.")

    @classmethod
    def _read(cls, content: object, name: str, home: Path | None) -> Self:
        problem = "it has no box in it"
        if isinstance(content, dict) and content.get("gama_box") == _FILE_VERSION:
            try:
                if "sealed" in content:
                    sealed = Sealed.model_validate(content["sealed"])
                    vault = Vault.at(home or default_home())
                    if (key := content.get("key")) not in (None, *vault.keys.ring().ids):
                        raise SealError(
                            f"The box file {name!r} was sealed with the master key {key!r}, which is not here. "
                            "Give that key (GAMA_KEY, GAMA_KEY_SOURCE, --home); the file was not changed."
                        )
                    return cls.model_validate_json(vault.open_file(_LABEL, sealed))
                return cls.model_validate_json(json.dumps(content.get("box")))
            except SealError:
                raise
            except (ValidationError, ValueError):
                problem = "its entries are damaged"
        raise InputError(f"The box file {name!r} cannot be used: {problem}. Give the file that `--box` wrote.")
