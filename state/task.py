"""`PublicTask`: the only type that crosses from the private to the public space.

Strict, frozen and without room for extra fields: what is not named here cannot leave.
"""

from collections.abc import Iterable
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

Term = Literal["Extremely Low", "Low", "Medium", "Moderately High", "High", "Extremely High"]
"""The six linguistic terms of a domain's membership (GAMA, IF-part of Eq. 10)."""

GENERAL = "General"
"""What stands in the place of a domain where none is asked for: a generalist."""

TERMS: tuple[Term, ...] = ("Extremely Low", "Low", "Medium", "Moderately High", "High", "Extremely High")
"""The terms from lowest to highest; a term's weight in a fusion is its place, 1 to 6."""

AnswerKind = Literal["open", "boolean", "choice"]
"""What sort of answer the task asks for."""

DisproofMode = Literal["v1", "v2", "off"]
"""Which disproof loop runs: `v1` hunts contradictions in the answer (GAMA 001, Algorithm 1), `v2` proves it by
contradicting its rivals (GAMA 003, Eq. 11)."""

Route = Literal["both", "auto", "knowledge", "logic"]
"""How a task is solved (spec 01 §1.6): `both` asks the domain experts, then disproves (the paper's picture for every
task); `knowledge` splits it into sub-questions; `logic` solves and substitutes back; `auto` lets three votes decide
between the two."""

Effort = Literal["full", "auto"]
"""How much is asked on the route `both`: `full` asks every expert, as the papers do; `auto` one, and the others where
its draft is unsure or disproof finds a contradiction in it."""

TopKMode = Literal["learned", "paper", "code", "threshold"]
"""How target domains are chosen from the matrix of Eq. 9."""

ValueKind = Literal[
    "percentage", "number", "count", "working days", "measure", "money", "money a year", "money a quarter",
    "money a month", "money a week", "money a day", "money an hour", "date", "date without year", "month", "year",
    "date and time", "time", "weekday", "day of the month", "duration", "duration of months", "duration a year",
    "duration a quarter", "duration a month", "duration a week", "duration a day", "range", "range of dates",
    "range of times", "range of numbers", "ambiguous", "unreadable",
    "money in EUR", "money in USD", "money in GBP", "money in CHF", "money in PLN", "money in SEK", "money in NOK",
    "money in DKK", "money in CZK", "money in CAD", "money in AUD", "money in JPY", "money in INR", "money in $",
    "money in kr",
]  # fmt: skip
"""What may be said of a value behind a placeholder whose name does not say it; nothing else of it is told.

Of money also the currency, if it is a large one: a rare one would tell the country."""

Collapse = Literal["max", "mean"]
"""How the rows of the matrix of Eq. 9 are joined into one."""

DomainSet = Literal["twenty", "ten"]
"""Which reference domains there are: the paper's, or those of its code."""

# What both sides bound alike: the options at home, and the task that crosses.
Experts = Annotated[int, Field(ge=1, le=20)]
Weight = Annotated[float, Field(ge=0.0, le=1.0)]
HighOrder = Annotated[int, Field(ge=1, le=50)]
Rounds = Annotated[int, Field(ge=0, le=20)]
Checks = Annotated[int, Field(ge=0, le=20)]
Calls = Annotated[int, Field(ge=1, le=1000)]
Tokens = Annotated[int, Field(ge=1)]
Cost = Annotated[float, Field(gt=0)]
Earlier = Annotated[int, Field(ge=0, le=50)]


class Crossing(BaseModel):
    """Base of everything that crosses: strict types, frozen, no extra field."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    @classmethod
    def model_construct(cls, _fields_set: set[str] | None = None, **values: Any) -> Self:
        """Validate values whose lists stand for tuples, as a checkpoint gives them back.

        Pydantic's own `model_construct` would skip validation; nothing here may.
        """
        return cls.model_validate(values, strict=False)


class DomainRule(Crossing):
    """IF the task belongs to `domain` to the degree `term` THEN its expert is asked (Eq. 10)."""

    domain: str
    """Name of the reference domain."""
    term: Term
    score: float = Field(ge=0.0, le=1.0)
    """Membership degree of Eq. 9 after Top-K, from 0 to 1."""
    prompt: str
    """System prompt of this domain's expert, generated from a template."""


class DomainChoice(Crossing):
    """How the public space chooses the domains of a sub-question; the same settings as at home."""

    k: Experts = 3
    alpha: Weight = 0.95
    high_order: HighOrder = 5
    topk_mode: TopKMode = "learned"
    threshold: Weight = 0.4
    collapse: Collapse = "max"
    domain_set: DomainSet = "twenty"


class PromptFile(Crossing):
    """A template of the user's own, as its file reads; it takes the place of the built-in one of that name."""

    name: str = Field(max_length=40)
    text: str = Field(max_length=40_000)


class TaskValue(Crossing):
    """What sort of value stands behind a placeholder, where its name does not say it: a range, a percentage."""

    placeholder: str = Field(pattern=r"^<{1,2}[a-z_]{1,41}-\d{1,6}[a-z]{0,3}>{1,2}$")
    kind: ValueKind


class FormulaFault(Crossing):
    """What is wrong with a formula of a draft, as a compiler would say it."""

    formula: str = Field(max_length=4_000)
    """The formula, as the draft has it."""
    message: str = Field(max_length=1_000)
    """It names placeholders, their kinds and units; never a value or a result."""


class Turn(Crossing):
    """What was asked before in the conversation, and answered: both have crossed already."""

    text: str
    """The anonymized text, as it left; what has become private since is hidden in it too."""
    answer: str
    """What the public side answered, with placeholders."""


def with_earlier(turns: Iterable[Turn], text: str) -> str:
    """Return the texts of the user: those of earlier turns, then a new one."""
    return "\n\n".join((*(turn.text for turn in turns), text))


class PublicLimits(Crossing):
    """Bounds the public space keeps."""

    max_rounds: Rounds = 3
    """Rounds of disproof; 0 switches it off."""
    max_checks: Checks = 4
    """Checks of each sub-question on the knowledge route; 0 switches them off."""
    max_calls: Calls = 64
    """Calls to the public model for this task."""
    max_answer_chars: int = Field(default=40_000, ge=100)
    """A longer reply is cut and flagged."""
    timeout_s: float = Field(default=120.0, gt=0)
    """Seconds one call may take."""
    max_tokens: Tokens | None = None
    """Tokens, input and output together, that this task may spend; None sets no bound."""
    max_cost: Cost | None = None
    """US dollars that this task may spend; None sets no bound."""


class PublicTask(Crossing):
    """The anonymized task with the prompts of its experts."""

    text: str
    """The anonymized question: placeholders instead of private values."""
    conversation: tuple[Turn, ...] = Field(default=(), max_length=50)
    """Earlier turns of the conversation, the oldest first, for what the text refers to."""
    rules: tuple[DomainRule, ...] = Field(min_length=1)
    """The fired domain rules, strongest first; one expert each."""
    kind: AnswerKind = "open"
    options: tuple[str, ...] = ()
    """The closed set of answers when `kind` is `choice`."""
    route: Route = "both"
    effort: Effort = "full"
    drke: bool = True
    """Whether domain rules fire; without them one generic expert is asked (spec 01 §1.10)."""
    domains: DomainChoice = DomainChoice()
    disprove: DisproofMode = "v1"
    formulas: bool = False
    """Whether formulas over placeholders are evaluated when the answer is restored."""
    kinds: tuple[TaskValue, ...] = Field(default=(), max_length=60)
    """What sort of value some placeholders stand for, so that formulas fit them."""
    prompts: tuple[PromptFile, ...] = Field(default=(), max_length=40)
    """The user's own templates, by which the public space writes its prompts."""
    model: str = ""
    """Public model asked for, as a name; the public space decides whether it serves it."""
    limits: PublicLimits = PublicLimits()
    draft: str = ""
    """An answer of the public side's own that comes back to be mended; empty for a task that is to be solved."""
    faults: tuple[FormulaFault, ...] = ()
    """What is wrong with the formulas of the draft; with them the task is to mend it, and nothing else."""

    @property
    def whole_text(self) -> str:
        """The texts of the user, those of earlier turns first."""
        return with_earlier(self.conversation, self.text)

    @property
    def own_words(self) -> tuple[str, ...]:
        """What of its JSON form is none of the user's, so that a private value in it says nothing.

        The bounds, the model's name and the form itself are no part of the text: 40000 in a letter is not theirs. A
        draft came from the public side.
        """
        blank = {"text": "", "conversation": (), "options": (), "rules": (), "prompts": (), "draft": "", "faults": ()}
        return self.model_copy(update=blank).model_dump_json(), self.draft
