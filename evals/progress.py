"""What is shown while an evaluation runs: how far it is, and the time left."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def counting(total: int) -> Iterator[Callable[[str], None]]:
    """Count the steps of a long run; on a terminal show how many are done, which goes on, and the time left.

    Args:
        total: how many steps there are.

    Yields:
        What is called after each step, with the name of what goes on.
    """
    if not sys.stderr.isatty():
        yield lambda name: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("loading", total=total)
        yield lambda name: progress.update(task, advance=1, description=name)
