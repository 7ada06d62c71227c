"""What is shown while a task runs: the step that is going on, and the seconds."""

import sys
from collections.abc import Iterator
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
