"""`Problem`: one item of a data set, as every solver is asked it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Problem:
    """One item of a data set, as every solver is asked it."""

    id: str
    dataset: str
    """Name of the data set: `tcw5`, `tcw10`, `lgp`, `kpp`, `lpp`, `plens`, `answers`, …"""
    prompt: str
    """What a user would paste, private text included."""
    cue: str = ""
    """What the final answer is announced by (`Answer:`), where the data set's scorer looks for it."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What the data set knows besides, for solvers whose prompts are made of parts: `topic`, `questions`, `choices`,
    `letter`, `private` (the annotated private strings by category)."""
