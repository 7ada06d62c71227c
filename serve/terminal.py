"""The terminal: what is written to it, to pipes and files, what it shows of a run meanwhile, and Ctrl-C in it."""

import io
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from gama.guard.terminal import clean, say
from gama.nodes.steps import STAGES


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
