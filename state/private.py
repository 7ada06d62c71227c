"""States of the whole graph: what a user may send, what travels at home, what a user gets back.

Everything private in `GamaState` is `Sealed`.
"""

from typing import Annotated, Any, NotRequired

from langgraph.channels import LastValue
from pydantic import Field
from typing_extensions import TypedDict

from gama.state.private_text import Sealed
from gama.state.public import PublicOutput, add_each, append
from gama.state.task import DomainRule, PublicTask, Turn


class Passing(LastValue[Any]):
    """Channel whose value is in no checkpoint, so that the next turn does not begin with it.

    Unlike LangGraph's `UntrackedValue` it is saved with the writes of its step: a run that is killed when the step is
    done and its checkpoint is not there yet gives the value when it is resumed.
    """

    def checkpoint(self) -> Any:
        """Return what an empty channel keeps: nothing."""
        return LastValue(self.typ, self.key).checkpoint()


class GamaInput(TypedDict):
    """What the world may send."""

    question: Annotated[
        str,
        Field(title="Question", description="Your text with a question or task in it. It is anonymized here first."),
    ]
    """The task, as the user wrote it."""
    query: Annotated[
        NotRequired[str | None],
        Field(title="Query", description="What is asked about the text: then only what this does not need is hidden."),
    ]
    """What is asked about it, where the question is not in the text itself: it leaves behind the text, anonymized like
    it, and what it needs stays in clear (query-aware masking)."""
    decisions: NotRequired[list[dict[str, Any]]]
    """What a person has decided about stretches of it: the fields of `Decision`."""
    reviewed: NotRequired[str | None]
    """The anonymized text that a person has looked at: if another would leave, the run stops."""
    refinement: NotRequired[str | None]
    """The refinement that a person has looked at, as JSON: where it begins with the same text, that is not refined
    again."""


class FoundSpan(TypedDict):
    """One span of a view, without its text: safe to show."""

    start: int
    end: int
    type: str
    subtype: str
    score: float
    view: str
    private: float | None
    validated: bool
    source: str


class GamaState(TypedDict):
    """What travels through the whole graph."""

    question: Any
    """The text, sealed at the door of the graph; written by the caller, sealed again by `seal`."""
    query: NotRequired[Any]
    """The query about it, likewise, or None."""
    decisions: NotRequired[list[dict[str, Any]]]
    """What a person has decided, as offsets without text; written by the caller and by `review`."""
    reviewed: NotRequired[str | None]
    """The anonymized text that a person has looked at; written by the caller."""
    refinement: NotRequired[Any]
    """The refinement that a person has looked at, sealed at the door of the graph; written by the caller."""
    query_at: NotRequired[int]
    """Where in the task the query begins, 0 where none was given; written by `seal`."""
    question_spans: NotRequired[list[list[int]]]
    """Which stretches of the task were taken for the question, as offsets without text; written by `select_needed`."""
    thread: str
    """The thread whose key seals this state; written by `seal`."""
    sealed_question: Sealed
    """The task: the text with the query behind it; written by `seal`."""
    pner: list[FoundSpan]
    """View 1 (Eq. 1): the tagger's and the patterns' spans; written by `find_entities`."""
    pia: list[FoundSpan]
    """View 2 (Eq. 2): spans that are private in context; written by `judge_context`."""
    sealed_entities: Sealed
    """The fused mentions with their subjects; written by `fuse_views`, `link_mentions`, `select_needed` and
    `anonymize`."""
    sealed_box: NotRequired[Sealed]
    """The privacy box of the conversation; written by `anonymize`, kept over turns."""
    review_done: NotRequired[bool]
    """Whether the person has said the last word on this turn; written by `review`, taken back by `seal`."""
    review_problem: NotRequired[str]
    """Why the changes that a person leaves cannot be left, to be told; written by `refine`, emptied by `review`."""
    left_changes: NotRequired[list[int]]
    """Numbers of the changes of the refinement that a person leaves; written by `review`, emptied by `refine`."""
    anonymized: str
    """The text that may leave; written by `anonymize`, and by `refine` where it was rewritten."""
    sealed_refinement: NotRequired[Sealed | None]
    """What the rounds of refinement gave so far; written by `refine`, and by `seal` what was looked at before."""
    rules: list[DomainRule]
    """The fired domain rules with their experts' prompts; written by `write_prompts`."""
    task: PublicTask
    """What crosses; written by `airlock`, and by `try_formulas` where the answer goes back."""
    public_thread: str
    """Thread of the public graph, unrelated to this one's name; written by `airlock` and `try_formulas`."""
    outcome: PublicOutput
    """What came back; written by `call_public_graph`, put together by `try_formulas`. Untrusted."""
    repairs: NotRequired[int]
    """How often the answer was sent back to have its formulas mended; written by `airlock` and `try_formulas`."""
    kept: NotRequired[PublicOutput]
    """What had come back before that: the best answer so far, and what all calls cost; written by `try_formulas`."""
    sealed_reply: NotRequired[Sealed]
    """The whole reply; written by `restore`."""
    conversation: NotRequired[list[Turn]]
    """Earlier turns, as they crossed, the oldest first; written by `restore`."""
    levels: NotRequired[list[int]]
    """Under how open a level of privacy each of them left; written by `restore`."""
    turns: NotRequired[int]
    """How many turns have ended, those that are not kept too; written by `restore`."""
    reply: Annotated[Any, Passing]
    """The same, for the caller: `SealedGraph` opens it; written by `restore`, in no checkpoint."""
    timings: Annotated[dict[str, float], add_each]
    """Seconds per stage of this turn."""
    warnings: Annotated[list[str], append]
    """Notes for the user, without private values."""


class GamaOutput(TypedDict):
    """What a user gets back."""

    reply: "Reply"


class Reply(TypedDict):
    """The whole answer to a task. `answer`, `entities`, `refinement` and `formulas` are private; the rest may cross."""

    answer: str
    """The restored answer."""
    anonymized: str
    """The text that left."""
    entities: list[dict[str, Any]]
    """Every mention found: the fields of `Entity` and its `placeholder`, or None where it was left in clear."""
    question_spans: list[list[int]]
    """Which stretches of the raw text, start and end, were taken for the question and stood in for a query; none where
    one was given apart, or the option `privacy` lets nothing stay in clear."""
    domains: list[dict[str, Any]]
    """The rules that fired: `domain`, `term`, `score`; over all sub-questions on the knowledge route, none on logic."""
    experts: list[dict[str, Any]]
    """One per fired rule: `domain`, `term`, `answer` (anonymized), `model`, `seconds`, `error`; the number of the
    `question` where it was asked a sub-question."""
    route: str
    """The route that was taken: `both`, `knowledge` or `logic`."""
    votes: list[str]
    """The votes on the route, where it was `auto`: `yes`, `no` or `unclear` (does it need background knowledge?)."""
    questions: list[dict[str, Any]]
    """The sub-questions of the knowledge route: `number`, `question`, `domains`, `answer`, `checks`, `verdict`."""
    quality: str
    """What quality assurance did on the knowledge route: `approved`, `rewritten` or `unclear`; else empty."""
    rounds: int
    """Rounds of disproof."""
    verdict: str
    """`converged`, `exhausted`, `unconverged`, `no verdict` or `off`; see `gama.state.public.Verdict`."""
    contradictions: list[dict[str, Any]]
    """What disproof found in the answers: `round`, `reason` (anonymized)."""
    counterfactuals: list[dict[str, Any]]
    """The rival answers that disproof v2 tested: `round`, `against`, `text`, `contradicted`, `reason` (anonymized)."""
    usage: dict[str, int]
    """`calls`, `input_tokens`, `output_tokens`, in all and by stage."""
    timings: dict[str, float]
    """Seconds per stage."""
    switches: dict[str, bool]
    """Which modules ran: `ampp`, `drke`, `dle`."""
    models: dict[str, str]
    """Names of the models: `public`, `private`, `identify`."""
    warnings: list[str]
    """What the user should know."""
    restored: list[dict[str, Any]]
    """Where values were put back in `answer`: `start`, `end`, and the `placeholder` that stood there."""
    unresolved: list[str]
    """What reads as a placeholder in the answer and is none of this box; and formulas that gave nothing, with why."""
    refinement: dict[str, Any] | None
    """What became of the text under the option `refine`: `before` and `after` (what a stranger infers: `attribute`,
    `guesses`, `certainty`, `reason`), `rounds`, `utility`, the `changes` (`before`, `after`), and to which of them the
    answer `referred`; None where it was off. Private."""
    formulas: list[dict[str, Any]]
    """The formulas of the answer: `formula`, its `inputs` (placeholders), the `result` that stands from `start` to
    `end` in `answer`, the `reason` where it gave none, and a `note` on what its result leaves out."""
    earlier: int
    """How many earlier turns of the conversation went along, anonymized."""
    thread: str
    """The thread, for later turns and for `gama forget`."""
