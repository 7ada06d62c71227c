"""State of the public graph: input, state, output and context. Everything in it has crossed the airlock."""

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from gama.state.reducers import add_counts, add_seconds, append
from gama.state.task import Crossing, DomainRule, PublicTask, Term


class ExpertTask(TypedDict):
    """What one expert receives by `Send`, built field by field."""

    task: PublicTask
    rule: DomainRule


class ExpertAnswer(Crossing):
    """One expert's answer to the anonymized task."""

    domain: str
    term: Term
    text: str
    model: str = ""
    """The model that answered, as it named itself."""
    seconds: float = Field(default=0.0, ge=0)


class ExpertFailure(Crossing):
    """An expert that gave no answer; `reason` is a fixed message without quotes from the task."""

    domain: str
    error: str
    """Class name of the error."""
    reason: str


class Contradiction(Crossing):
    """A contradiction the assistant found between the task and an answer."""

    round: int
    """The round that found it, counted from 1."""
    reason: str


class PublicInput(TypedDict):
    """What the public graph may be sent: the task, whole, as `PublicTask` or its JSON object."""

    task: PublicTask


class PublicState(TypedDict):
    """What travels through the public graph."""

    task: PublicTask
    """The task that crossed; written once, by the caller."""
    answers: Annotated[list[ExpertAnswer], append]
    """The experts' answers in the order of the rules; written by `expert`."""
    failures: Annotated[list[ExpertFailure], append]
    """Experts that failed; written by `expert`."""
    draft: NotRequired[str]
    """The answer under test; written by `fuse` and `revise`."""
    contradictions: Annotated[list[Contradiction], append]
    """Every contradiction found so far; written by `disprove`."""
    rounds: NotRequired[int]
    """Rounds of disproof done; written by `disprove`."""
    verdict: NotRequired[Literal["converged", "unconverged", "no verdict", "off"]]
    """How disproof ended: no contradiction left, the round limit, an unreadable verdict, or not run."""
    answer: NotRequired[str]
    """The final anonymized answer; written by the last node."""
    usage: Annotated[dict[str, int], add_counts]
    """`calls`, `input_tokens`, `output_tokens`; by stage too, as `expert.calls` and so on."""
    timings: Annotated[dict[str, float], add_seconds]
    """Seconds per stage."""
    warnings: Annotated[list[str], append]
    """Notes for the user, such as that the stand-in answered."""


class PublicOutput(TypedDict):
    """What the public graph gives back."""

    answer: str
    answers: list[ExpertAnswer]
    failures: list[ExpertFailure]
    contradictions: list[Contradiction]
    rounds: int
    verdict: str
    usage: dict[str, int]
    timings: dict[str, float]
    warnings: list[str]
