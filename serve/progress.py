"""What is shown while a task runs: the step that is going on, and the seconds."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_EXPERTS = "asking the experts"
_DISPROOF = "looking for contradictions"
_NEXT = {
    "seal": "looking for what is private",
    "find_entities": "looking for what is private",
    "judge_context": "looking for what is private",
    "fuse_views": "linking mentions",
    "link_mentions": "replacing by placeholders",
    "select_needed": "replacing by placeholders",
    "anonymize": "choosing domains",
    "write_prompts": "checking at the airlock",
    "review": "checking at the airlock",
    "airlock": _EXPERTS,
    "public.receive": _EXPERTS,
    "public.expert": _EXPERTS,
    "public.fuse": _DISPROOF,
    "public.disprove": _DISPROOF,
    "public.revise": _DISPROOF,
    "public.vote": "choosing the route",
    "public.choose_route": "choosing the route",
    "public.split": "answering the sub-questions",
    "public.choose_domains": _EXPERTS,
    "public.check": "checking the answers to the sub-questions",
    "public.close_part": "answering the sub-questions",
    "public.answer_part": "putting the answers together",
    "public.assemble": "looking the answer over",
    "public.assure": "restoring",
    "public.solve": "following the solution",
    "public.discuss": "following the solution",
    "public.verify": "putting the answer back into the task",
    "public.condense": "solving the task again",
    "call_public_graph": "restoring",
}
"""What goes on after a stage has finished."""


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
            doing = _NEXT.get(step.stage)
            if doing and step.stage == "public.expert":
                doing += f" ({answered} answered)"
            if doing:
                progress.update(task, description=doing)
            reply = step.reply
    return reply


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
