"""What final answers are announced by."""

import re

from gama.evals.datasets.problem import Problem

ANSWER = "Answer:"

_WRITING = ("tcw", "kpp")
"""What the names of data sets begin with whose answers are texts: a story, a letter."""


def writes(problem: Problem) -> bool:
    """Return whether a text is asked for, not an answer of a few words."""
    return problem.dataset.startswith(_WRITING)


def cue_of(problem: Problem) -> str:
    """Return what the final answer is announced by: the data set's own cue where it has one."""
    return problem.cue.strip() or ANSWER


def after(cue: str, text: str) -> str | None:
    """Return what stands behind the last line that begins with a cue, however it is emphasised; None without one."""
    # No line break is passed over: a reply of blank lines is read in time that grows with its length.
    words = r"\s+".join(map(re.escape, cue.strip().rstrip(":").split()))
    found = list(re.finditer(rf"^[ \t*_#>]*+{words}[ \t*_]*+:[*_]*+", text, re.IGNORECASE | re.MULTILINE))
    return text[found[-1].end() :].strip() if found else None
