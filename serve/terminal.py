"""The terminal: what is written to it, to pipes and files, as data and never as commands; and Ctrl-C in it."""

import io
import os
import re
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

# C0 but tab and line feed, DEL and C1, overrides of the writing direction, and lone surrogates: what moves a
# cursor, hides text, shows it in another order, or cannot be encoded.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def clean(text: str) -> str:
    """Return a text with control characters made visible, safe to show on a terminal."""
    return _CONTROL.sub("\ufffd", text.replace("\r\n", "\n"))


def say(line: str) -> None:
    """Write a line to standard error."""
    print(clean(line), file=sys.stderr)


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
