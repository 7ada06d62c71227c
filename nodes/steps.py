"""The steps of the graphs: their names, and the words in which a run tells of them.

Every step stands here once. The graphs take the names of their nodes from here; progress, the tables of stages and
the drawing take their words from here. A new step is a row in one of the two tables.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple


class Step(NamedTuple):
    """One step of a graph."""

    name: str
    """Its node's name; a step of the public graph is reported as `public.NAME`, and its calls have it as their role."""
    label: str = ""
    """What a table of stages calls it; empty where it has no row there."""
    next: str = ""
    """What goes on once it has ended; empty where that is left unsaid."""
    key: str = ""
    """Under which its seconds are counted, where that is not its name."""
    sent: str = ""
    """How many of it are sent out at once, as the drawing says it; empty for one."""
    bar: str = ""
    """The stretch of the page's bar that its end completes; the public steps of one stretch take turns by the route."""
    of: str = ""
    """The node that asks in this role, for a role without a node of its own."""


_SEARCH = "looking for what is private"
_REPLACING = "replacing by placeholders"
_AIRLOCK = "checking at the airlock"
_EXPERTS = "asking the experts"
_DISPROOF = "looking for contradictions"
_ROUTE = "choosing the route"
_PARTS = "answering the sub-questions"
_SOLVING = "following the solution"

PRIVATE: Final = (
    Step("seal", "seal", _SEARCH),
    Step("find_entities", "view 1 (tagger, patterns)", _SEARCH, key="pner"),
    Step("judge_context", "view 2 (context)", _SEARCH, key="pia"),
    Step("fuse_views", "fuse views", "linking mentions", key="fuse", bar="Find"),
    Step("link_mentions", "link mentions", _REPLACING, key="link"),
    Step("select_needed", "select for the query", _REPLACING, key="select"),
    Step("anonymize", "anonymize", "choosing domains", bar="Replace"),
    Step("refine", "refine", "choosing domains"),
    Step("write_prompts", "choose domains", _AIRLOCK, key="prompt", bar="Choose experts"),
    Step("review", next=_AIRLOCK),
    Step("airlock", "airlock", _EXPERTS, bar="Last check"),
    Step("call_public_graph", next="restoring", bar="Cross-check"),
    Step("try_formulas", "try formulas", next="restoring"),
    Step("restore", "restore", bar="Put back"),
)
"""The steps at home, in the order in which they run."""

PUBLIC: Final = (
    Step("receive", next=_EXPERTS),
    Step("vote", "vote on the route", _ROUTE, sent="Send × 3"),
    Step("choose_route", next=_ROUTE),
    Step("split", "take apart", _PARTS),
    Step("choose_domains", next=_EXPERTS),
    Step("expert", "experts", _EXPERTS, sent="Send × K"),
    Step("fuse", "fuse answers", _DISPROOF, bar="Experts"),
    Step("check", "check sub-answers", "checking the answers to the sub-questions"),
    Step("close_part", next=_PARTS),
    Step("answer_part", next="putting the answers together", sent="Send × N"),
    Step("assemble", "put together", "looking the answer over", bar="Experts"),
    Step("assure", "quality assurance", "restoring"),
    Step("solve", "solve", _SOLVING, bar="Experts"),
    Step("discuss", "discuss", _SOLVING),
    Step("verify", "substitution check", "putting the answer back into the task"),
    Step("condense", "condense", "solving the task again"),
    Step("disprove", "disprove", _DISPROOF),
    Step("revise", "answer again", _DISPROOF),
    Step("mend", "mend formulas", next="restoring"),
    Step("rival", "rival answer", of="revise"),
    Step("refute", "contradict rival", of="disprove"),
)
"""The steps and roles outside, in the order in which a table of stages lists them."""

STAGES: Final[Mapping[str, Step]] = {
    **{step.name: step for step in PRIVATE},
    **{f"public.{step.name}": step for step in PUBLIC if not step.of},
}
"""The steps by the name under which a run reports them."""

_AWAY = next(place for place, step in enumerate(PRIVATE) if step.name == "call_public_graph")
BAR: Final[Mapping[str, list[str]]] = {
    word: [name for name, step in STAGES.items() if step.bar == word]
    for word in dict.fromkeys(step.bar for step in (*PRIVATE[:_AWAY], *PUBLIC, *PRIVATE[_AWAY:]) if step.bar)
}
"""The stretches of the page's bar, in their order, and the stages with whose end each is complete."""
