"""Ctrl-C during a run: the program ends at once, whatever a server keeps it waiting for."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from gama.serve.terminal import say

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
