"""Reading a task from an argument, a file, or standard input."""

import sys
from pathlib import Path

from gama.state.errors import InputError, LimitReached

BYTES_PER_CHAR = 4
"""No encoding that is read here needs more."""


def read_task(given: str | None, *, encoding: str | None = None, max_chars: int = 200_000) -> str:
    """Return the text of a task.

    Args:
        given: a text, the path of a file, `-` for standard input, or None for piped standard input.
        encoding: of a file or standard input; by default UTF-8, or UTF-16 with its mark.
        max_chars: the longest text that is taken.

    Raises:
        InputError: there is none, it is no text, its encoding does not fit, or the file cannot be read.
        LimitReached: it is longer.
    """
    if given is None and sys.stdin.isatty():
        raise InputError("There is no task. Give a text, a file, or pipe a text in (see `gama ask --help`).")
    if given in (None, "-"):
        return decode(sys.stdin.buffer.read(max_chars * BYTES_PER_CHAR + 1), "standard input", encoding, max_chars)
    assert given is not None
    path = Path(given)
    if _is_file(path):
        size = path.stat().st_size
        if size > max_chars * BYTES_PER_CHAR:
            raise _too_long(f"The file {given!r} has {size:,} bytes", max_chars)
        try:
            raw = path.read_bytes()
        except OSError as error:
            reason = error.strerror or type(error).__name__
        else:
            return decode(raw, f"the file {given!r}", encoding, max_chars)
        raise InputError(f"The file {given!r} cannot be read: {reason}.")
    if _looks_like_path(given):
        raise InputError(f"There is no file {given!r}. Check the path, or put a question in words.")
    if len(given) > max_chars:
        raise _too_long(f"The text has {len(given):,} characters", max_chars)
    return given


def decode(raw: bytes, what: str, encoding: str | None, max_chars: int) -> str:
    """Turn bytes into text.

    Raises:
        InputError: they are no text in the encoding.
        LimitReached: they are too long.
    """
    chosen = encoding or ("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    if encoding is None and chosen != "utf-16" and b"\x00" in raw[:100_000]:
        raise InputError(f"{what.capitalize()} is binary, not text. Give plain text (txt, md, eml …).")
    try:
        text = raw.decode(chosen)
    except LookupError:
        problem = f"There is no encoding {chosen!r}. Use a name such as utf-8, latin-1 or cp1252."
    except UnicodeDecodeError as error:
        problem = (
            f"{what.capitalize()} is not {chosen.removesuffix('-sig').upper()} (byte {error.start}). "
            "If it is text, name its encoding: --encoding latin-1 (or cp1252, utf-16 …)."
        )
    else:
        if len(text) > max_chars:
            raise _too_long(f"{what.capitalize()} has more than {max_chars:,} characters", max_chars)
        return text.replace("\r\n", "\n")
    raise InputError(problem)


def _too_long(what: str, max_chars: int) -> LimitReached:
    return LimitReached(f"{what}; the limit is {max_chars:,} characters. Shorten it, or raise --max-chars.")


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False  # a text too long or odd to be a path


def _looks_like_path(given: str) -> bool:
    """Tell whether an argument was meant as a path: no spaces, and a suffix or a separator in it."""
    return not any(char.isspace() for char in given) and (bool(Path(given).suffix) or "/" in given or "\\" in given)
