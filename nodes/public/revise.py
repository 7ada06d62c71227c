"""The expert's turn of disproof: a better answer (v1), or a rival of the confirmed one (v2) (spec 01 §1.8)."""

from typing import Any

from langchain_core.runnables import Runnable

from gama.models.calls import PublicCall
from gama.nodes.public.calling import Clients, Outcome, check_budget
from gama.nodes.public.disproof.chosen import disproof_of
from gama.nodes.public.model_node import noting, turn, why
from gama.state.public import PublicState


def revise_answer(clients: Clients) -> Runnable[Any, Any]:
    """Return the node; what the expert proposes is the variant's."""
    return turn("revise", clients, _call, _record, _skip)


def _call(state: PublicState) -> PublicCall | None:
    proposal = disproof_of(state["task"]).propose(state)
    if not isinstance(proposal, PublicCall):
        return None
    check_budget(state, 1)
    return proposal


def _record(state: PublicState, call: PublicCall, outcome: Outcome) -> dict[str, Any]:
    variant = disproof_of(state["task"])
    update = outcome.update(call.role, call)
    if outcome.reply is None:
        note = f"The answer could not be revised ({why(outcome)}); the last one stands."
        return noting(update, note) | variant.surrender(state)
    return update | variant.accept(state, outcome.reply.text)


def _skip(state: PublicState) -> dict[str, Any]:
    variant = disproof_of(state["task"])
    known = variant.propose(state)
    return variant.accept(state, known if isinstance(known, str) else None)
