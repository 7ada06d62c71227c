"""Routing by votes (spec 01 §1.6): a classifier is asked three times whether the task needs background knowledge."""

from typing import Any

from langchain_core.runnables import Runnable

from gama.models.calls import PublicCall
from gama.models.replies import read_vote
from gama.nodes.public.calling import Clients, Outcome
from gama.nodes.public.model_node import call_of, noting, turn, why
from gama.state.public import PublicState, VoteTask
from gama.tools.domains.prompts import prompts_of, quote

VOTES = 3
"""How often it is asked (CODE, spec 01 §1.9)."""
MAJORITY = 2


def cast_vote(clients: Clients) -> Runnable[Any, Any]:
    """Return the node; it gets a `VoteTask` by `Send`. A vote that fails or cannot be read is `unclear`."""
    return turn("vote", clients, _call, _record)


def _call(state: VoteTask) -> PublicCall:
    task = state["task"]
    return call_of(task, "vote", prompts_of(task).system("vote"), [quote("TASK", task.text)], sample=state["number"])


def _record(state: VoteTask, call: PublicCall, outcome: Outcome) -> dict[str, Any]:
    update = outcome.update("vote", call)
    if outcome.reply is None:
        return noting(update, f"A vote on the route failed ({why(outcome)}).") | {"votes": ["unclear"]}
    return update | {"votes": [{True: "yes", False: "no", None: "unclear"}[read_vote(outcome.reply.text)]]}


def choose_route(state: PublicState) -> dict[str, Any]:
    """Count: two of three decide; undecided, the task takes the knowledge route."""
    votes = state["votes"]
    if votes.count("no") >= MAJORITY:
        return {"route": "logic"}
    if votes.count("yes") >= MAJORITY:
        return {"route": "knowledge"}
    note = f"The votes on the route were undecided ({', '.join(votes)}): the knowledge route was taken."
    return {"route": "knowledge", "warnings": [note]}
