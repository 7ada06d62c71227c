"""State of the public graph: input, state, output and context. Everything in it has crossed the airlock."""

from typing import Annotated, Literal, NotRequired, TypeVar

from pydantic import Field
from typing_extensions import TypedDict

from gama.state.task import Crossing, DomainRule, PublicTask, Term

T = TypeVar("T")
N = TypeVar("N", int, float)


# Reducers are named functions: two lambdas compare equal in LangGraph.
def append(left: list[T] | None, right: list[T] | None) -> list[T]:
    """Join two lists, left first."""
    return [*(left or []), *(right or [])]


def add_each(left: dict[str, N] | None, right: dict[str, N] | None) -> dict[str, N]:
    """Add two tables key by key: counts, or the seconds of a stage that runs twice."""
    total = dict(left or {})
    for key, number in (right or {}).items():
        total[key] = total.get(key, 0) + number
    return total


Verdict = Literal["converged", "exhausted", "unconverged", "no verdict", "off"]
"""How disproof ended: nothing speaks against the answer (v1) or its rival is refuted (v2); no rival is left to test
(v2); the round limit; an unreadable verdict; not run."""

Taken = Literal["both", "knowledge", "logic"]
"""The route a task went."""


class ExpertTask(TypedDict):
    """What one expert receives by `Send`, built field by field."""

    task: PublicTask
    rule: DomainRule
    question: NotRequired[str]
    """The sub-question it is asked; without one it is asked the whole task."""
    spare: NotRequired[int]
    """Further calls that it may make for its tools; none where it is missing."""


class VoteTask(TypedDict):
    """What one vote on the route receives by `Send`."""

    task: PublicTask
    number: int
    """Which of the votes it is, counted from 1."""


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


class Counterfactual(Crossing):
    """An answer assumed to be the right one in place of the confirmed one (GAMA 003, Eq. 11)."""

    round: int
    """The round that tested it, counted from 1."""
    against: str
    """The answer that was confirmed at that time."""
    text: str
    contradicted: bool | None
    """Whether the assistant found it contradictory; None when its verdict could not be had."""
    reason: str = ""
    """What contradicts it."""


class Membership(Crossing):
    """The IF-part of a rule that fired: a domain, and how much a question belongs to it."""

    domain: str
    term: Term
    score: float


class Check(Crossing):
    """One turn of the check loop of a sub-question (spec 01 §1.6)."""

    round: int
    correct: bool | None
    """The assistant's verdict; None when there was none to be read, which counts as correct."""
    replacement: str = ""
    """The answer it put in the place of a wrong one."""


class Part(Crossing):
    """A sub-question with all that led to its answer."""

    number: int
    """Its place in the task, counted from 1."""
    question: str
    domains: tuple[Membership, ...] = ()
    answers: tuple[ExpertAnswer, ...] = ()
    failures: tuple[ExpertFailure, ...] = ()
    checks: tuple[Check, ...] = ()
    answer: str = ""
    """Its answer; empty when no expert gave one."""
    verdict: Verdict = "off"


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
    route: NotRequired[Taken]
    """The route; written by `receive`, or by `choose_route` after the votes."""
    votes: Annotated[list[str], append]
    """Whether the task needs background knowledge: `yes`, `no` or `unclear`; written by `vote`."""
    draft: NotRequired[str]
    """The answer under test; written by `fuse`, `revise`, `solve` and `assemble`."""
    earlier: NotRequired[str]
    """The answer that the one under test was written in the place of; written by `revise` in v1."""
    contradictions: Annotated[list[Contradiction], append]
    """Every contradiction found so far; written by `disprove` and `condense`."""
    counterfactual: NotRequired[str]
    """The rival answer under test; written by `revise` in v2."""
    counterfactuals: Annotated[list[Counterfactual], append]
    """Every rival answer tested so far; written by `disprove` in v2."""
    objection: NotRequired[str]
    """What the assistant holds against the solution; empty when it agrees; written by `discuss`."""
    turns: NotRequired[int]
    """Turns of the expert in the dialogue of this round; written by `solve` and `condense`."""
    finding: NotRequired[str]
    """What the substitution check found, in full; written by `verify`."""
    questions: NotRequired[list[str]]
    """The sub-questions; written by `split`."""
    parts: Annotated[list[Part], append]
    """The sub-questions with their answers, in the order of the task; written by `answer_part`."""
    quality: NotRequired[Literal["approved", "rewritten", "unclear"]]
    """What quality assurance did to the assembled answer; written by `assure`."""
    rounds: NotRequired[int]
    """Rounds of disproof done; written by `disprove` and `verify`."""
    verdict: NotRequired[Verdict]
    answer: NotRequired[str]
    """The final anonymized answer; written by the last node."""
    usage: Annotated[dict[str, int], add_each]
    """`calls`, `input_tokens`, `output_tokens`; by stage too, as `expert.calls` and so on."""
    timings: Annotated[dict[str, float], add_each]
    """Seconds per stage."""
    warnings: Annotated[list[str], append]
    """Notes for the user, such as that the stand-in answered."""


class PublicOutput(TypedDict):
    """What the public graph gives back."""

    answer: str
    answers: list[ExpertAnswer]
    failures: list[ExpertFailure]
    contradictions: list[Contradiction]
    counterfactuals: list[Counterfactual]
    route: Taken
    votes: list[str]
    parts: list[Part]
    quality: str
    rounds: int
    verdict: Verdict
    usage: dict[str, int]
    timings: dict[str, float]
    warnings: list[str]


class PartInput(TypedDict):
    """What the graph of one sub-question receives by `Send`."""

    task: PublicTask
    question: str
    number: int
    allowance: int
    """Calls it may make."""


class PartState(TypedDict):
    """What travels through the graph of one sub-question."""

    task: PublicTask
    question: str
    number: int
    allowance: int
    rules: NotRequired[list[DomainRule]]
    """Its fired rules; written by `choose_domains`."""
    answers: Annotated[list[ExpertAnswer], append]
    failures: Annotated[list[ExpertFailure], append]
    draft: NotRequired[str]
    """Its answer so far; written by `fuse` and `check`."""
    checks: Annotated[list[Check], append]
    """Written by `check`."""
    verdict: NotRequired[Verdict]
    parts: Annotated[list[Part], append]
    """Itself, finished; written by `close_part`."""
    usage: Annotated[dict[str, int], add_each]
    timings: Annotated[dict[str, float], add_each]
    warnings: Annotated[list[str], append]


class PartOutput(TypedDict):
    """What the graph of one sub-question gives back to the public graph."""

    parts: list[Part]
    usage: dict[str, int]
    timings: dict[str, float]
    warnings: list[str]
