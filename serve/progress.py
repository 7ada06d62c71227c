"""What is shown while a task runs: the step that is going on, and the seconds."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from gama.nodes.steps import STAGES


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
