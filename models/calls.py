"""What one call to the public model carries, and what comes back."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from gama.models.tooling import ToolRequest, ToolSpec, ToolTurn
from gama.state.public import ExpertAnswer
from gama.state.task import AnswerKind, Term

Role = Literal["expert", "fuse", "disprove", "revise"]


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
    kind: AnswerKind = "open"
    options: tuple[str, ...] = ()
    domain: str = ""
    term: Term = "Medium"
    answers: tuple[ExpertAnswer, ...] = ()
    draft: str = ""
    contradictions: tuple[str, ...] = ()
    max_chars: int = 40_000
    """A longer reply is cut."""
    timeout_s: float | None = None
    """Seconds until the reply must be here; the client's own bound holds where it is shorter."""
    tools: tuple[ToolSpec, ...] = ()
    """What the model may call in the provider's own way."""
    turns: tuple[ToolTurn, ...] = ()
    """The model's calls of tools so far, with their results."""
    closed: bool = False
    """Whether the model must answer now and call no further tool."""
    said: tuple[str, ...] = ()
    """Further texts in it that the public space wrote itself, or that are fixed words of ours."""

    @property
    def quoted(self) -> tuple[str, ...]:
        """The texts in it that came from the public space itself."""
        return (*(answer.text for answer in self.answers), self.draft, *self.contradictions, *self.said)


@dataclass(frozen=True)
class PublicReply:
    """One reply, cleaned: data, never instructions."""

    text: str
    model: str
    input_tokens: int = 0
    output_tokens: int = 0
    cut: bool = False
    """Whether it was longer than allowed."""
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

    def complete(self, call: PublicCall) -> PublicReply:
        """Answer a call.

        Raises:
            LeakError: something private was in it; nothing was sent.
            ModelError: the model could not be reached or used.
        """

    async def acomplete(self, call: PublicCall) -> PublicReply:
        """Answer a call; see `complete`."""


# Control characters but tab and line feed, and overrides of the writing direction.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_THINKING = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)


def without_controls(text: str) -> str:
    """Take control characters and direction overrides out of a text from outside."""
    return _CONTROL.sub("", text.replace("\r\n", "\n"))


def clean_reply(text: str, max_chars: int) -> tuple[str, bool]:
    """Take a model's thinking and control characters out of a reply and cut it; tells whether it was cut."""
    text = without_controls(_THINKING.sub("", text[: 4 * max_chars])).strip()
    return text[:max_chars], len(text) > max_chars


def total(replies: Sequence[PublicReply], role: Role) -> dict[str, int]:
    """Count calls and tokens, in all and for the role."""
    counts = {
        "calls": len(replies),
        "input_tokens": sum(reply.input_tokens for reply in replies),
        "output_tokens": sum(reply.output_tokens for reply in replies),
    }
    return counts | {f"{role}.{key}": count for key, count in counts.items()}
