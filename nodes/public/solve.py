"""The expert of the logic route: it solves the task by reasoning from what it states (spec 01 §1.6)."""

from typing import Any

from langchain_core.runnables import Runnable

from gama.models.calls import PublicCall
from gama.nodes.public.calling import Clients, Outcome, check_budget
from gama.nodes.public.disproof.chosen import is_off
from gama.nodes.public.model_node import call_of, noting, turn, why
from gama.state.errors import ExpertsFailed
from gama.state.public import PublicState
from gama.tools.domains.prompts import prompts_of, quote


def solve_task(clients: Clients) -> Runnable[Any, Any]:
    """Return the node; it comes again after an objection, and after every contradiction."""
    return turn("solve", clients, _call, _record)


def _call(state: PublicState) -> PublicCall:
    check_budget(state, 1)
    task, draft, objection = state["task"], state.get("draft", ""), state.get("objection", "")
    reasons = tuple(c.reason for c in state["contradictions"])
    blocks = [quote("TASK", task.text)]
    blocks += [quote("ANSWER", draft)] if draft else []
    blocks += [quote("OBJECTION", objection)] if objection else []
    blocks += [quote(f"CONTRADICTION {n}", reason) for n, reason in enumerate(reasons, 1)]
    return call_of(
        task,
        "solve",
        prompts_of(task).system("solve", task.kind),
        blocks,
        draft=draft,
        note=objection,
        contradictions=reasons,
    )


def _record(state: PublicState, call: PublicCall, outcome: Outcome) -> dict[str, Any]:
    """Keep the solution.

    Raises:
        ExpertsFailed: there is none yet, and the call failed.
    """
    update = outcome.update("solve", call) | {"objection": "", "turns": state.get("turns", 0) + 1}
    if outcome.reply is None:
        if not state.get("draft"):
            raise ExpertsFailed(f"The expert did not answer ({why(outcome)}).")
        update = noting(update, f"The task could not be solved again ({why(outcome)}); the last answer stands.")
        return update | {"answer": state["draft"], "verdict": "unconverged"}
    update |= {"draft": outcome.reply.text, "rounds": state.get("rounds", 0)}
    if is_off(state["task"]):
        update |= {"answer": outcome.reply.text, "verdict": "off"}
    return update
