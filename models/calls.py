"""What one call to the public model carries, and what comes back."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from gama.guard.egress import EGRESS, NoPrivateSpace
from gama.models.names import Price
from gama.state.public import ExpertAnswer
from gama.state.task import AnswerKind, Term

Role = str
"""Who is asked: the name of a step of the public graph, or of a turn of its own in one; see `gama.nodes.steps`."""


class ToolSpec(NamedTuple):
    """A tool as a model is told of it."""

    name: str
    description: str
    schema: Mapping[str, Any]


class ToolRequest(NamedTuple):
    """A model's wish to have a tool called."""

    id: str
    name: str
    arguments: str
    """What the model wrote, as JSON; it may be broken."""


@dataclass(frozen=True)
class ToolTurn:
    """One round: what a model asked for, and what came of it."""

    requests: tuple[ToolRequest, ...]
    results: tuple[str, ...]
    """One for each request."""
    text: str = ""
    """What it wrote beside its requests."""
    message: object = None
    """The provider's message; it may hold more than the requests."""


@dataclass(frozen=True)
class PublicCall:
    """One call. A chat model gets `system` and `user`; the built-in reader reads the fields.

    All of it has crossed the airlock or came from the public space.
    """

    role: Role
    system: str
    """Prompt from a template."""
    user: str
    """The task and what else the role needs, in delimited blocks."""
    task: str
    before: str = ""
    """The user's earlier texts in the conversation."""
    kind: AnswerKind = "open"
    options: tuple[str, ...] = ()
    domain: str = ""
    term: Term = "Medium"
    answers: tuple[ExpertAnswer, ...] = ()
    draft: str = ""
    contradictions: tuple[str, ...] = ()
    question: str = ""
    """The sub-question it is about; empty for the whole task."""
    rival: str = ""
    """The counterfactual answer under test."""
    tried: tuple[str, ...] = ()
    """Counterfactual answers tested before."""
    parts: tuple[tuple[str, str], ...] = ()
    """The sub-questions with their answers."""
    note: str = ""
    """An objection or finding of the assistant's."""
    said: tuple[str, ...] = ()
    """Further texts in it that the public side wrote, such as a reply that is asked for once more, or that are fixed
    words of ours."""
    schema: Mapping[str, Any] | None = None
    """JSON schema of the object that is asked for; None asks for free text. See `gama.models.json_replies`."""
    reasoned: bool = False
    """Whether the prompt asks for reasoning in free text before the object: the server is then told no schema."""
    attempts: int = 2
    """Calls it may take until the object can be read."""
    sample: int = 0
    """Which of several calls with the same prompt it is: each is made, as the votes on a route."""
    max_chars: int = 40_000
    """A longer reply is cut."""
    max_tokens: int | None = None
    """Tokens the reply may have, where the provider takes such a bound; set by the task's budget."""
    timeout_s: float | None = None
    """Seconds until the reply must be here, retries included; the client's own bound holds where it is shorter."""
    tools: tuple[ToolSpec, ...] = ()
    """What the model may call in the provider's own way; a call with tools has no schema."""
    turns: tuple[ToolTurn, ...] = ()
    """The model's calls of tools so far, with their results."""
    closed: bool = False
    """Whether the model must answer now and call no further tool."""

    @property
    def sent_schema(self) -> Mapping[str, Any] | None:
        """The schema that the server is told."""
        return None if self.reasoned else self.schema

    @property
    def texts(self) -> tuple[str, ...]:
        """Everything that a model is sent: prompt, material, and what tools add: words, requests and results."""
        added = [json.dumps(tool._asdict(), default=dict, ensure_ascii=False) for tool in self.tools]
        for turn in self.turns:
            added += [turn.text, *(f"{r.name} {r.arguments}" for r in turn.requests), *turn.results]
        return (self.system, self.user, *(["\n".join(added)] if added else []))

    @property
    def quoted(self) -> tuple[str, ...]:
        """The texts in it that came from the public space itself."""
        parts = (text for part in self.parts for text in part)
        answers = (answer.text for answer in self.answers)
        said = (
            *answers, self.draft, *self.contradictions, self.question, self.rival, *self.tried, *parts, self.note,
            *self.said,
        )  # fmt: skip
        # A task that could not be taken apart is its own sub-question: it came from home.
        return tuple(text for text in said if text != self.task)


@dataclass(frozen=True)
class PublicReply:
    """One reply, cleaned: data, never instructions."""

    text: str
    """What was written; of a call with a schema, the text in which the object is looked for."""
    model: str
    input_tokens: int = 0
    output_tokens: int = 0
    cut: bool = False
    """Whether it was longer than allowed."""
    unfinished: bool = False
    """Whether the model stopped at its limit of tokens."""
    estimated: bool = False
    """Whether the server counted no tokens, so that the counts are ours."""
    cost: float | None = None
    """US dollars; None where the model's price is not known."""
    calls: int = 1
    """Calls to the model it took; 0 when an identical call of the task had been answered."""
    requests: tuple[ToolRequest, ...] = ()
    """The tools it asks for instead of, or beside, an answer."""
    message: object = None
    """The provider's message behind requests, to be sent back to it with the results."""


class PublicClient(Protocol):
    """The one client that all calls to the public model pass."""

    @property
    def name(self) -> str:
        """Name of the model behind it."""

    @property
    def note(self) -> str:
        """What the user must know about its answers; empty for a model."""

    @property
    def price(self) -> Price | None:
        """What its tokens cost; None where that is not known."""

    def fingerprint(self, call: PublicCall) -> str:
        """Return what the reply depends on: calls that share it need one answer only."""

    def complete(self, call: PublicCall) -> PublicReply:
        """Answer a call.

        Raises:
            LeakError: something private was in it; nothing was sent.
            ModelError: the model could not be reached or used.
        """

    async def acomplete(self, call: PublicCall) -> PublicReply:
        """Answer a call; see `complete`."""


def admit(standalone: bool) -> None:
    """Let a standalone public graph pass where no egress is set; everything else fails closed."""
    if standalone and EGRESS.get() is None:
        EGRESS.set(NoPrivateSpace())


# Control characters but tab and line feed, overrides of the writing direction, and halves of characters (lone
# surrogates, which no encoding takes: a reply may escape them in its JSON).
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_THINKING = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)


def without_controls(text: str) -> str:
    """Take control characters and direction overrides out of a text from outside."""
    return _CONTROL.sub("", text.replace("\r\n", "\n"))


def without_thinking(text: str) -> str:
    """Take out what a model thought aloud; thinking without an end goes to the end of the text.

    Where a server has put the opening mark into the prompt, the reply has the closing one only.
    """
    return _THINKING.sub("", text).rpartition("</think>")[2]


def clean_reply(text: str, max_chars: int) -> tuple[str, bool]:
    """Take a model's thinking and control characters out of a reply and cut it; tells whether it was cut."""
    # Thinking goes first: it may be many times as long as the answer behind it.
    text = without_controls(without_thinking(text)[: 4 * max_chars]).strip()
    return text[:max_chars], len(text) > max_chars


def total(replies: Sequence[PublicReply], role: Role) -> dict[str, int]:
    """Count calls and tokens, in all and for the role.

    Keys that come only where there is something to tell: `reused` (calls answered by an identical
    one), `estimated_calls` (their tokens are estimates), `cost_microusd` (millionths of a US dollar).
    """
    counts = {
        "calls": sum(reply.calls for reply in replies),
        "input_tokens": sum(reply.input_tokens for reply in replies),
        "output_tokens": sum(reply.output_tokens for reply in replies),
    }
    rare = {
        "reused": sum(not reply.calls for reply in replies),
        "estimated_calls": sum(reply.calls for reply in replies if reply.estimated),
        "cost_microusd": round(1e6 * sum(reply.cost or 0 for reply in replies)),
    }
    counts |= {key: count for key, count in rare.items() if count}
    return counts | {f"{role}.{key}": count for key, count in counts.items()}
