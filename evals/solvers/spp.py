"""SPP: one call in which the model plays several persons who work on the task together."""

from functools import partial
from typing import Literal

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from gama.evals.solvers.cues import after
from gama.evals.solvers.desk import Desk
from gama.evals.solvers.graph_solver import Graph, State

Variant = Literal["spp", "profile", "fixed"]

ABOUT: dict[Variant, str] = {
    "spp": "one call: the model names participants, who discuss and criticise until all agree (Wang et al. 2024)",
    "profile": "the same, each participant with a profile (SPP-Profile)",
    "fixed": "the same with two fixed participants, an assistant and an expert (SPP-Fixed-Persona)",
}

CUE = "Final answer:"
MAX_TOKENS = 5_000
"""Bound of the reply in the publication."""

_HOW: dict[Variant, str] = {
    "spp": "First list the participants whose knowledge the task needs; the AI assistant leads and is always one of "
    "them.",
    "profile": "First list the participants whose knowledge the task needs, each with a profile of one or two "
    "sentences on what he or she knows; the AI assistant leads and is always one of them.",
    "fixed": "The participants are always these two: the AI assistant, who leads, and an Expert.",
}

_SUMS = {
    "spp": "AI assistant (leader); Shopkeeper; Careful reckoner",
    "profile": "AI assistant (leader): writes drafts and gathers advice; Shopkeeper: sells by the dozen and knows "
    "prices by heart; Careful reckoner: checks every sum twice",
    "fixed": "AI assistant (leader); Expert",
}
_VERSE = {
    "spp": "AI assistant (leader); Astronomer; Poet for children",
    "profile": "AI assistant (leader): writes drafts and gathers advice; Astronomer: studies the planets; Poet for "
    "children: rhymes in short, plain lines",
    "fixed": "AI assistant (leader); Expert",
}
_FIRST: dict[Variant, tuple[str, str]] = {
    "spp": ("Shopkeeper", "Careful reckoner"),
    "profile": ("Shopkeeper", "Careful reckoner"),
    "fixed": ("Expert", "Expert"),
}
_SECOND: dict[Variant, tuple[str, str]] = {
    "spp": ("Astronomer", "Poet for children"),
    "profile": ("Astronomer", "Poet for children"),
    "fixed": ("Expert", "Expert"),
}

_PROMPT = """You solve a task by letting several participants work on it together. $how Then they talk: the \
participants give advice, the AI assistant writes a draft, each participant criticises it, and the assistant mends it, \
over as many rounds as it takes until everybody agrees. Then write a line \
"{cue}" and behind it nothing but the finished answer.

Example 1
Task: A box holds three dozen eggs and costs 9 euros. What does one egg cost, in cents?
Participants: {sums}
{first}: Three dozen are 36 eggs.
{second}: 9 euros are 900 cents, and 900 / 36 is 25.
AI assistant: Draft: one egg costs 25 cents. Is it right?
{first}: 36 times 25 is 900. I agree.
{second}: I agree.
{cue} 25

Example 2
Task: Write two lines for children that name the largest planet of the solar system.
Participants: {verse}
{third}: The largest planet is Jupiter.
{fourth}: Keep the lines short, and let them rhyme.
AI assistant: Draft: "Saturn is the biggest ball, it is larger than them all." Is it right?
{third}: No: Saturn comes second. Jupiter is the largest.
{fourth}: The rhyme is good; keep it.
AI assistant: Draft: "Jupiter, the biggest ball, outshines and outweighs them all." Is it right?
{third}: I agree.
{fourth}: I agree.
{cue} Jupiter, the biggest ball,
outshines and outweighs them all.

Now the task to be solved.
Task: $problem"""


def build(variant: Variant = "spp") -> Graph:
    """Return the graph of a variant."""
    (first, second), (third, fourth) = _FIRST[variant], _SECOND[variant]
    prompt = _PROMPT.format(
        cue=CUE, sums=_SUMS[variant], verse=_VERSE[variant], first=first, second=second, third=third, fourth=fourth
    )
    builder = StateGraph(State, context_schema=Desk)
    builder.add_node("collaborate", partial(collaborate, prompt=prompt, how=_HOW[variant]))
    builder.add_edge(START, "collaborate")
    builder.add_edge("collaborate", END)
    return builder.compile(name="spp")


async def collaborate(state: State, runtime: Runtime[Desk], *, prompt: str, how: str) -> dict[str, str]:
    """Ask for the whole talk, and take the answer out."""
    desk = runtime.context
    reply = await desk.ask("spp", prompt, {"how": how, "problem": state["problem"].prompt}, max_tokens=MAX_TOKENS)
    desk.trace["reply"] = reply
    answer = after(CUE, reply)
    if answer is None:
        desk.note("spp: the reply announces no answer; it is scored as it is")
    return {"answer": answer or reply}
