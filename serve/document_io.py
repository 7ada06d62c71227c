"""Documents on the command line: which file is one, and where its outcome goes."""

import os
import sys
from pathlib import Path
from typing import NamedTuple

from gama.state.errors import InputError, OptionError
from gama.tools.documents.kinds import BINARY, KINDS, kind_of

MOST_BYTES = 512 * 1024 * 1024
"""Largest file that is read."""
PLAIN = frozenset(("txt", "md"))
"""Kinds that are read as a text unless a format is named."""
UNREAD = ("refuse", "keep", "remove")


class Paper(NamedTuple):
    """A document as it was given."""

    data: bytes
    kind: str
    source: Path | None
    """Its file; None for standard input."""


def read_paper(task: str | None, form: str | None) -> Paper | None:
    """Read a document; None where the task is none but a text.

    Args:
        task: a text, the path of a file, `-`, or None for standard input.
        form: the kind, where it is named.

    Raises:
        InputError: the kind is unknown or cannot be handled, or the file cannot be read.
    """
    if form is not None and form not in KINDS:
        raise InputError(f"There is no format {form!r}. Known formats: {', '.join(KINDS)}.")
    if task is None or task == "-":
        if form is None:
            return None
        if sys.stdin is None or sys.stdin.isatty():
            raise InputError("There is no document. Give a file, or pipe one in.")
        return Paper(sys.stdin.buffer.read(MOST_BYTES + 1), form, None)
    path = Path(task)
    try:
        if not path.is_file():
            return None
    except (OSError, ValueError):
        return None
    kind = form or kind_of(task)
    if kind is None or (form is None and kind in PLAIN):
        return None
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise InputError(f"The file {task!r} cannot be read: {error.strerror or type(error).__name__}.") from None
    if len(data) > MOST_BYTES:
        raise InputError(f"The file {task!r} is larger than 512 MiB.")
    return Paper(data, kind, path)


def check_output(output: Path | None, *others: str | Path | None, lines: bool = False) -> None:
    """Refuse a place for the outcome that cannot hold it, before any work is done for it.

    Args:
        output: the place.
        others: files that are read, or hold a box: the outcome is not written over them.
        lines: whether the outcome is lines, which are printed as they are done.

    Raises:
        OptionError: lines go to no such place.
        InputError: it is a folder, in one that is not there or may not be written, or one of the others.
    """
    if output is None:
        return
    if lines:
        raise OptionError(
            "option --output: lines go to standard output as they are done; write them to a file by > FILE"
        )
    if any(_is_same(output, other) for other in others if other is not None):
        raise InputError(f"{str(output)!r} is the input or its box: it would be lost. Name another: --output FILE.")
    if output.is_dir():
        raise InputError(f"{str(output)!r} is a folder. Name a file in it: --output {output / 'FILE'}")
    if not output.parent.is_dir():
        raise InputError(f"There is no folder {str(output.parent)!r} for the output. Make it first.")
    if not os.access(output.parent, os.W_OK):
        raise InputError(f"You may not write into the folder {str(output.parent)!r}. Name another: --output FILE.")


def _is_same(output: Path, other: str | Path) -> bool:
    try:
        return output.samefile(other)
    except (OSError, ValueError):
        return output.absolute() == Path(other).absolute() if str(other).strip() and "\0" not in str(other) else False


def write_paper(data: bytes, kind: str, output: Path | None, source: Path | None, word: str) -> Path | None:
    """Write the outcome: into the file that is named, beside the source, or to standard output.

    Args:
        data: its bytes.
        kind: its kind; what is no text never goes to a terminal.
        output: the file that the user names.
        source: the file it was made of.
        word: what stands in the name of a file that is not named: `anonymized` or `restored`.

    Returns:
        The file; None for standard output.

    Raises:
        InputError: a file of the name that it would get is there already, or there is no name for it.
    """
    if output is None and kind in BINARY:
        if source is None:
            if sys.stdout.isatty():
                raise InputError("A document of this format is no text for a terminal: name a file, --output FILE.")
        else:
            output = source.with_name(f"{source.stem.removesuffix('.anonymized')}.{word}.{kind}")
            if output.exists():
                raise InputError(f"There is a file {str(output)!r} already. Name another one: --output FILE.")
    if output is not None:
        scratch = output.with_name(output.name + ".new")
        try:
            scratch.write_bytes(data)
            os.replace(scratch, output)
        except OSError:
            scratch.unlink(missing_ok=True)
            raise
        return output
    if kind in BINARY or not sys.stdout.isatty():
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
    else:
        from gama.serve.terminal import write_text

        write_text(data.decode("utf-8", "replace"), verbatim=False)
    return None
