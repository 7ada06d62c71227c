"""The contract of what hides a task before a baseline solves it, and puts its answer back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from gama.evals.solvers.desk import Desk
from gama.guard.egress import Egress


@dataclass(frozen=True)
class Covered:
    """A text as it may leave."""

    text: str
    restore: Callable[[str], str] = field(repr=False)
    """Puts the values back into an answer."""
    guard: Egress | None = field(default=None, repr=False)
    """What searches the requests that follow; None where the method promises nothing."""


class Hider(Protocol):
    """Hides what is private in a task."""

    name: str
    about: str

    def facts(self) -> Mapping[str, str]:
        """Return what it depends on."""
        ...

    async def cover(self, text: str, desk: Desk) -> Covered:
        """Hide what is private in a text.

        Args:
            text: the raw text.
            desk: of the run: gets notes, and is asked where a model hides.
        """
        ...


def put_back(answer: str, values: Mapping[str, str]) -> str:
    """Return an answer with its placeholders replaced by what they stand for, the longest first."""
    for placeholder in sorted(values, key=len, reverse=True):
        answer = answer.replace(placeholder, values[placeholder])
    return answer
