"""The assistant's turn of disproof: it examines what the expert proposed (spec 01 §1.8)."""

from typing import Any

from langchain_core.runnables import Runnable

from gama.models.calls import PublicCall
from gama.models.verdicts import read_verdict
from gama.nodes.public.calling import Clients, Outcome, check_budget
from gama.nodes.public.disproof.chosen import disproof_of
from gama.nodes.public.model_node import noting, turn, why
from gama.state.public import PublicState


def disprove_answer(clients: Clients) -> Runnable[Any, Any]:
    """Return the node; what its verdict means is the variant's."""
    return turn("disprove", clients, _call, _record)


def _call(state: PublicState) -> PublicCall:
    check_budget(state, 1)
    return disproof_of(state["task"]).examine(state)


def _record(state: PublicState, call: PublicCall, outcome: Outcome) -> dict[str, Any]:
    number = state.get("rounds", 0) + 1
    update = outcome.update(call.role, call) | {"rounds": number}
    verdict = read_verdict(outcome.reply.text) if outcome.reply else None
    if verdict is None:
        problem = "its verdict could not be read" if outcome.reply else why(outcome)
        update = noting(update, f"Disproof ended without a verdict in round {number} ({problem}).")
    return update | disproof_of(state["task"]).judge(state, number, verdict)
