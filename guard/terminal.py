"""What is shown to people: written as data, never as commands to a terminal."""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# C0 but tab and line feed, DEL and C1, overrides of the writing direction, and lone surrogates: what moves a
# cursor, hides text, shows it in another order, or cannot be encoded.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def clean(text: str) -> str:
    """Return a text with control characters made visible, safe to show on a terminal."""
    return _CONTROL.sub("\ufffd", text.replace("\r\n", "\n"))


def say(line: str) -> None:
    """Write a line to standard error."""
    print(clean(line), file=sys.stderr)


@contextmanager
def counting(total: float | None, *, beside: bool = False) -> Iterator[Callable[..., None]]:
    """Count the steps of a long run; on a terminal show how many are done, which goes on, and the time left.

    Args:
        total: how many steps there are: a whole number is shown, of anything else the share; None if nobody knows.
        beside: whether the outcome is written meanwhile: on a terminal that shows it, nothing else is shown.

    Yields:
        What is called after each step, with the name of what goes on, and how many steps that was if not one.
    """
    if not sys.stderr.isatty() or (beside and sys.stdout.isatty()):
        yield lambda name, by=1: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn() if isinstance(total, int) else TaskProgressColumn(),
        TimeElapsedColumn() if total is None else TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("loading", total=total)
        yield lambda name, by=1: progress.update(task, advance=by, description=name)
