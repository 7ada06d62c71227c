"""Disproof, first variant (GAMA v1, Algorithm 1; spec 01 §1.8): the assistant hunts a contradiction."""

from typing import Any

from langchain_core.runnables import Runnable, RunnableLambda

from gama.models.calls import PublicCall
from gama.models.verdicts import VERDICT_SCHEMA, read_verdict
from gama.nodes.public.calling import Clients, Outcome, aask, ask, check_budget
from gama.state.public import Contradiction, PublicState
from gama.tools.domains.prompts import load_prompts, quote


def disprove_answer(clients: Clients) -> Runnable[Any, Any]:
    """Return the node: it ends the loop when no contradiction is found, or when no verdict can be read."""

    def disprove(state: PublicState) -> dict[str, Any]:
        call = _call(state)
        return _record(state, call, ask(clients(), call))

    async def adisprove(state: PublicState) -> dict[str, Any]:
        call = _call(state)
        return _record(state, call, await aask(clients(), call))

    return RunnableLambda(disprove, afunc=adisprove, name="disprove")


def blocks_of(state: PublicState) -> list[str]:
    """Return the task, the answer under test and the contradictions so far, each in a block of its own."""
    blocks = [quote("TASK", state["task"].text), quote("ANSWER", state["draft"])]
    blocks += [quote(f"CONTRADICTION {n}", c.reason) for n, c in enumerate(state["contradictions"], 1)]
    return blocks


def _call(state: PublicState) -> PublicCall:
    check_budget(state, 1)
    task = state["task"]
    return PublicCall(
        role="disprove",
        system=load_prompts().disprove(),
        user="\n\n".join(blocks_of(state)),
        task=task.text,
        kind=task.kind,
        options=task.options,
        draft=state["draft"],
        contradictions=tuple(c.reason for c in state["contradictions"]),
        schema=VERDICT_SCHEMA,
        max_chars=task.limits.max_answer_chars,
        timeout_s=task.limits.timeout_s,
    )


def _record(state: PublicState, call: PublicCall, outcome: Outcome) -> dict[str, Any]:
    update = outcome.update("disprove", call)
    round_number = state.get("rounds", 0) + 1
    update["rounds"] = round_number
    verdict = read_verdict(outcome.reply.text) if outcome.reply else None
    if verdict is None:
        problem = f"{outcome.error}: {outcome.reason}" if outcome.reply is None else "its verdict could not be read"
        update["warnings"] = [
            *update["warnings"],
            f"Disproof ended without a verdict in round {round_number} ({problem}).",
        ]
        return update | {"answer": state["draft"], "verdict": "no verdict"}
    if not verdict.contradiction:
        return update | {"answer": state["draft"], "verdict": "converged"}
    reason = verdict.reason or "The assistant found a contradiction and gave no reason."
    return update | {"contradictions": [Contradiction(round=round_number, reason=reason)]}
