"""The contract of a solver: what it is asked, and what it gives."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from langchain_core.language_models import BaseChatModel

from gama.evals.datasets.problem import Problem


@dataclass(frozen=True)
class Models:
    """The models of a run, by role."""

    public: BaseChatModel
    private: BaseChatModel | None = None
    judge: BaseChatModel | None = None


class Usage(NamedTuple):
    """What a solution cost at the public model."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True)
class Solution:
    """What a solver gives."""

    answer: str
    """The final answer, private values put back where the method puts them back."""
    sent: tuple[str, ...]
    """Every text that reached a public model, in order: all messages of each request, joined by line breaks."""
    used: Usage = Usage()
    notes: tuple[str, ...] = ()
    """What went otherwise than usual (an unreadable plan, a formula that fails), without private text."""
    trace: Mapping[str, Any] = field(default_factory=dict)
    """What the plots need: `rounds`, `rules`, drafts, roles, experts."""


class Solver(Protocol):
    """Solves one problem at a time; one instance serves many at once."""

    name: str
    """As the tables show it: `Std`, `SPP`, `GAMA strict`."""
    about: str
    """One line on what it is, and where it is described."""

    def facts(self) -> Mapping[str, str]:
        """Return what its figures depend on: models, options, versions."""
        ...

    async def solve(self, problem: Problem) -> Solution:
        """Solve a problem.

        Raises:
            GamaError: no answer could be had; the message quotes nothing private.
        """
        ...
