"""Boxes in files of their own, which their owner alone may read: sealed with the master key of a home folder, or not.

What a box says is nobody's business here: its caller writes it down as JSON, and reads it again.
"""

import json
import os
from pathlib import Path

from gama.state.errors import InputError, SealError
from gama.state.private_text import Sealed
from gama.vault.seal import Vault, default_home

_VERSION = 1
_LABEL = "gama-box-file"


def write_box_file(path: Path | str, content: str, *, encrypt: bool = True, home: Path | None = None) -> None:
    """Write a box to a file, which is replaced whole or not at all.

    Args:
        path: the file.
        content: the box, as JSON.
        encrypt: whether to seal it with the master key of the home folder; else it is written in clear.
        home: the home folder; the default one when None.

    Raises:
        SealError: there is no master key, or it cannot be used.
    """
    written: dict[str, object] = {"gama_box": _VERSION}
    if encrypt:
        vault = Vault.at(home or default_home())
        sealed = vault.seal_file(_LABEL, content.encode())
        written |= {"sealed": sealed.model_dump(mode="json"), "key": vault.keys.ring().current}
    else:
        written |= {"box": json.loads(content)}
    target = Path(path)
    scratch = target.with_name(target.name + ".new")
    handle = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(written, file, ensure_ascii=False)
    os.replace(scratch, target)


def read_box_file(path: Path | str, *, home: Path | None = None) -> str:
    """Return the box that a file holds, as JSON.

    Args:
        path: the file.
        home: the home folder with the master key; the default one when None.

    Raises:
        InputError: the file is missing, or it holds no box.
        SealError: it was sealed with another key.
    """
    name = str(path)
    try:
        written = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        reason = error.strerror or type(error).__name__
    except ValueError:
        reason = "it is not JSON"
    else:
        if not isinstance(written, dict) or written.get("gama_box") != _VERSION:
            raise unusable_box_file(path, "it has no box in it")
        return _opened(written, name, home) if "sealed" in written else json.dumps(written.get("box"))
    raise InputError(f"The box file {name!r} cannot be read: {reason}. Give the file that `--box` wrote.")


def unusable_box_file(path: Path | str, problem: str = "its entries are damaged") -> InputError:
    """Return the error of a file whose box cannot be used, for callers that cannot read what it holds."""
    return InputError(f"The box file {str(path)!r} cannot be used: {problem}. Give the file that `--box` wrote.")


def _opened(written: dict[str, object], name: str, home: Path | None) -> str:
    vault = Vault.at(home or default_home())
    try:
        sealed = Sealed.model_validate(written["sealed"])
        if (key := written.get("key")) not in (None, *vault.keys.ring().ids):
            raise SealError(
                f"The box file {name!r} was sealed with the master key {key!r}, which is not here. "
                "Give that key (GAMA_KEY, GAMA_KEY_SOURCE, --home); the file was not changed."
            )
        return vault.open_file(_LABEL, sealed).decode()
    except ValueError:
        pass
    raise unusable_box_file(name)
