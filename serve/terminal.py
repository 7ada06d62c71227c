"""The command line's input and output: a task read from an argument, a file, or standard input; and the terminal.

The terminal: what is written to it, to pipes and files, what it shows of a run meanwhile, and Ctrl-C in it.
"""

import codecs
import io
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, BinaryIO, NamedTuple

from gama.guard.terminal import clean, say
from gama.nodes.steps import STAGES
from gama.state.errors import InputError, LimitReached
from gama.state.option_table import rows
from gama.state.options import Options


def write_text(text: str, *, verbatim: bool) -> None:
    """Write a text to standard output.

    Args:
        text: the text; a terminal gets it cleaned, a pipe or file gets it as it is.
        verbatim: whether to add nothing: what came from a file goes into a file unchanged, to the byte.
            Else, and always on a terminal, the text ends with a line break.
    """
    if sys.stdout.isatty():
        text, verbatim = clean(text), False
    sys.stdout.write(text if verbatim or text.endswith("\n") else text + "\n")


def prepare_streams() -> None:
    """Make output work everywhere: UTF-8 with plain line feeds on pipes, never an error for an odd character.

    A terminal keeps its own encoding, and so does whoever names one in `PYTHONIOENCODING`.
    """
    for stream in (sys.stdout, sys.stderr):
        if not isinstance(stream, io.TextIOWrapper):
            continue
        if stream.isatty() or os.environ.get("PYTHONIOENCODING"):
            stream.reconfigure(errors="replace")
        else:
            stream.reconfigure(encoding="utf-8", errors="replace", newline="\n")


@contextmanager
def holding_interrupts() -> Iterator[None]:
    """Within, Ctrl-C waits for the end, so that what is written is whole; pressed again, it does not."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came = False

    def hold(number: int, frame: FrameType | None) -> None:
        nonlocal came
        if came:
            raise KeyboardInterrupt
        came = True

    before = signal.signal(signal.SIGINT, hold)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came:
        raise KeyboardInterrupt


INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""

_SHOW_CURSOR = "\x1b[?25h\r\x1b[K"


@contextmanager
def leave_on_interrupt(message: str) -> Iterator[None]:
    """Within, Ctrl-C writes a message to standard error and ends the process with `INTERRUPTED`.

    An ordinary KeyboardInterrupt would wait for the threads that wait for the model, up to the timeout of a call.
    Ending at once is safe: every finished step is on disk before the next begins.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def leave(number: int, frame: FrameType | None) -> None:
        if sys.stderr.isatty():
            sys.stderr.write(_SHOW_CURSOR)  # the progress line hides it
        say(message)
        sys.stderr.flush()
        os._exit(INTERRUPTED)

    before = signal.signal(signal.SIGINT, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def follow(steps: Iterator[Any], *, silent: bool) -> dict[str, Any]:
    """Take the steps of a run and return the last reply; on a terminal say meanwhile what goes on.

    Args:
        steps: what `Gama.watch` yields.
        silent: show nothing, whatever standard error is.
    """
    reply: dict[str, Any] = {}
    if silent or not sys.stderr.isatty():
        for step in steps:
            reply = step.reply
        return reply
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("starting", total=None)
        answered = 0
        for step in steps:
            answered += step.stage == "public.expert"
            if step.stage in STAGES and (doing := STAGES[step.stage].next):
                told = f" ({answered} answered)" if step.stage == "public.expert" else ""
                progress.update(task, description=doing + told)
            reply = step.reply
    return reply


MAX_CHARS: int = rows(Options)["max_chars"].default
BYTES_PER_CHAR = 4
"""No encoding that is read here needs more."""

_KINDS = {
    b"%PDF": "a PDF",
    b"PK\x03\x04": "a zip, Word or OpenDocument file",
    b"\xd0\xcf\x11\xe0": "an old Office file",
    b"{\\rtf": "an RTF file",
    b"\x1f\x8b": "a gzip file",
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
}
"""First bytes of files that people take for texts."""


class Task(NamedTuple):
    """What was read."""

    text: str
    from_argument: bool
    """Whether it stood on the command line itself, not in a file or on standard input."""
    mark: str = ""
    """The byte order mark before it, which belongs before what is made of it."""


def read_task(given: str | None, *, encoding: str | None = None, max_chars: int = MAX_CHARS) -> Task:
    """Read a task. Line ends stay as they are; a byte order mark is no part of the text.

    Args:
        given: a text, the path of a file, `-` for standard input, or None for piped standard input.
        encoding: of a file or standard input; by default UTF-8, or UTF-16 with its mark.
        max_chars: the longest text that is taken.

    Raises:
        InputError: there is none, it is no text, its encoding does not fit, or the file cannot be read.
        LimitReached: it is longer.
    """
    most = max_chars * BYTES_PER_CHAR + BYTES_PER_CHAR
    if given is None or given == "-":
        if sys.stdin is None or (given is None and sys.stdin.isatty()):
            raise InputError("There is no task. Give a text, a file, or pipe a text in (see `gama ask --help`).")
        return _task(sys.stdin.buffer.read(most), "standard input", encoding, max_chars)
    path = Path(given)
    if given.strip() and _exists(path):
        if path.is_dir():
            raise InputError(f"{given!r} is a folder. Give one of its files.")
        try:
            with path.open("rb") as file:
                raw = file.read(most)
        except OSError as error:
            reason = error.strerror or type(error).__name__
        else:
            return _task(raw, f"the file {given!r}", encoding, max_chars)
        raise InputError(f"The file {given!r} cannot be read: {reason}.")
    if _looks_like_path(given):
        raise InputError(f"There is no file {given!r}. Check the path, or put a question in words.")
    if len(given) > max_chars:
        raise too_long("the text", max_chars)
    if any("\ud800" <= char <= "\udfff" for char in given):
        raise InputError("The text on the command line is not in the terminal's encoding. Put it into a file.")
    return Task(given, True)


def _task(raw: bytes, what: str, encoding: str | None, max_chars: int) -> Task:
    text = decode(raw, what, encoding, max_chars)
    marked = raw.startswith(codecs.BOM_UTF8) and not text.startswith("\ufeff")
    return Task(text, False, "\ufeff" if marked else "")


def read_lines(given: str | None, encoding: str | None) -> tuple[Iterator[bytes], int | None]:
    """Open lines, which are then read one by one, each as soon as it is there.

    Args:
        given: the path of a file, or `-` or None for standard input.
        encoding: theirs; UTF-8 by default.

    Returns:
        The lines in UTF-8, and the bytes of the file, where that is known.

    Raises:
        InputError: there are none, or the file cannot be read; later, a line is not in the encoding.
    """
    chosen = encoding or "utf-8"
    try:
        fits = b"{\n".decode(chosen) == "{\n"
    except (LookupError, UnicodeError):
        fits = False
    if not fits:
        raise InputError(f"There is no encoding {chosen!r} for lines. Use utf-8, or a name such as latin-1 or cp1252.")
    if given is None or given == "-":
        if sys.stdin is None or (given is None and sys.stdin.isatty()):
            raise InputError("There are no lines. Give a file of JSON lines, or pipe them in.")
        return _decoded(sys.stdin.buffer, chosen), None
    try:
        stream = Path(given).open("rb")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise InputError(f"The lines cannot be read: {reason}. Give a file of JSON lines.") from None
    return _decoded(stream, chosen), os.fstat(stream.fileno()).st_size


def _decoded(stream: BinaryIO, encoding: str) -> Iterator[bytes]:
    with stream:
        for number, line in enumerate(stream, 1):
            try:
                text = line.removeprefix(b"\xef\xbb\xbf").decode(encoding)
            except UnicodeError:
                raise InputError(
                    f"Line {number} is not in the encoding {encoding}: name it by --encoding. Earlier lines are done."
                ) from None
            yield text.encode("utf-8", "surrogatepass")


def decode(raw: bytes, what: str, encoding: str | None, max_chars: int) -> str:
    """Turn bytes into text.

    Args:
        raw: at most a few bytes more than `max_chars` characters need.
        what: names the source in messages.
        encoding: None to take UTF-8, or UTF-16 with its mark.
        max_chars: the longest text that is taken.

    Raises:
        InputError: they are empty, or no text in the encoding.
        LimitReached: they are too long.
    """
    name = what[0].upper() + what[1:]
    kind = next((kind for first, kind in _KINDS.items() if raw.startswith(first)), None)
    if kind:
        raise InputError(f"{name} is {kind}, not plain text. Save its text as a .txt file in UTF-8.")
    if len(raw) > max_chars * BYTES_PER_CHAR:
        raise too_long(what, max_chars)
    marked = raw[:2] in (b"\xff\xfe", b"\xfe\xff") and raw[:4] != b"\xff\xfe\x00\x00"
    chosen = encoding or ("utf-16" if marked else "utf-8-sig")
    binary = f"{name} is binary, not text: there are NUL bytes in it. Give plain text, or name its --encoding."
    if encoding is None and not marked and b"\x00" in raw:
        raise InputError(binary)
    try:
        text = raw.decode(chosen)
    except LookupError:
        problem = f"There is no text encoding {chosen!r}. Use a name such as utf-8, latin-1 or cp1252."
    except UnicodeError as error:
        at = f" (byte {error.start:,})" if isinstance(error, UnicodeDecodeError) else ""
        problem = (
            f"{name} is not {chosen.removesuffix('-sig').upper()}{at}. "
            "If it is text, name its encoding: --encoding latin-1 (or cp1252, utf-16 …)."
        )
    else:
        problem = binary if "\x00" in text else ""
        if not text.strip() and not problem:
            problem = f"{name} is empty. Give a text with a question or a task in it."
        if len(text) > max_chars:
            raise too_long(what, max_chars)
    if problem:
        raise InputError(problem)
    return text


def too_long(what: str, max_chars: int) -> LimitReached:
    """Return the error for a text beyond the limit."""
    name = what[0].upper() + what[1:]
    return LimitReached(f"{name} has more than {max_chars:,} characters. Shorten it, or raise --max-chars.")


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False  # a text too long or too odd to be a path


def _looks_like_path(given: str) -> bool:
    """Return whether an argument was meant as a path: no spaces, and a suffix or a separator in it."""
    return not any(char.isspace() for char in given) and (bool(Path(given).suffix) or "/" in given or "\\" in given)
