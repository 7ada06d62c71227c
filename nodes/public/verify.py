"""The substitution check of the logic route: the answer is put back into the task's clues (spec 01 §1.6)."""

from typing import Any

from langchain_core.runnables import Runnable

from gama.models.calls import PublicCall
from gama.models.verdicts import VERDICT_SCHEMA, read_verdict
from gama.nodes.public.calling import Clients, Outcome, check_budget
from gama.nodes.public.model_node import call_of, noting, turn, why
from gama.state.public import PublicState
from gama.tools.domains.prompts import prompts_of, quote


def verify_solution(clients: Clients) -> Runnable[Any, Any]:
    """Return the node: the answer stands when all clues hold, or when no verdict can be had (flagged)."""
    return turn("verify", clients, _call, _record)


def _call(state: PublicState) -> PublicCall:
    check_budget(state, 1)
    task, draft = state["task"], state["draft"]
    reasons = tuple(c.reason for c in state["contradictions"])
    blocks = [quote("TASK", task.text), quote("ANSWER", draft)]
    system = prompts_of(task).system("verify")
    # The clues are gone through first: held to the object alone, a model would decide before it has looked.
    verdict = {"schema": VERDICT_SCHEMA, "reasoned": True}
    return call_of(task, "verify", system, blocks, **verdict, draft=draft, contradictions=reasons)


def _record(state: PublicState, call: PublicCall, outcome: Outcome) -> dict[str, Any]:
    number = state.get("rounds", 0) + 1
    update = outcome.update("verify", call) | {"rounds": number}
    verdict = read_verdict(outcome.reply.text) if outcome.reply else None
    if outcome.reply is None or verdict is None:
        problem = "its verdict could not be read" if outcome.reply else why(outcome)
        update = noting(update, f"The substitution check ended without a verdict in round {number} ({problem}).")
        return update | {"answer": state["draft"], "verdict": "no verdict"}
    if not verdict.contradiction:
        return update | {"answer": state["draft"], "verdict": "converged"}
    # What is short enough need not be condensed; else the whole check is.
    short = verdict.reason and len(verdict.reason.split()) <= 50
    return update | {"finding": verdict.reason if short else outcome.reply.text}
