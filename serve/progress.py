"""What is shown while a task runs: the step that is going on, and the seconds."""

import sys
from collections.abc import Iterator
from typing import Any

_NEXT = {
    "seal": "looking for what is private",
    "find_entities": "looking for what is private",
    "judge_context": "looking for what is private",
    "fuse_views": "linking mentions",
    "link_mentions": "replacing by placeholders",
    "anonymize": "choosing domains",
    "write_prompts": "checking at the airlock",
    "airlock": "asking the experts",
    "public.receive": "asking the experts",
    "public.expert": "asking the experts",
    "public.fuse": "looking for contradictions",
    "public.disprove": "looking for contradictions",
    "public.revise": "looking for contradictions",
    "consult_experts": "restoring",
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
