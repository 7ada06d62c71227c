"""The expert's new answer, knowing every contradiction found so far (GAMA v1, Algorithm 1).

The task's text stays as it was; the contradictions are kept beside it.
"""

from typing import Any

from langchain_core.runnables import Runnable, RunnableLambda

from gama.models.calls import PublicCall
from gama.nodes.public.calling import Clients, Outcome, aask, ask, check_budget
from gama.nodes.public.disprove import blocks_of
from gama.state.public import PublicState
from gama.tools.domains.prompts import load_prompts


def revise_answer(clients: Clients) -> Runnable[Any, Any]:
    """Return the node: the expert of the strongest rule answers again; at the round limit the loop ends."""

    def revise(state: PublicState) -> dict[str, Any]:
        call = _call(state)
        return _record(state, call, ask(clients(), call))

    async def arevise(state: PublicState) -> dict[str, Any]:
        call = _call(state)
        return _record(state, call, await aask(clients(), call))

    return RunnableLambda(revise, afunc=arevise, name="revise")


def _call(state: PublicState) -> PublicCall:
    check_budget(state, 1)
    task = state["task"]
    return PublicCall(
        role="revise",
        system=load_prompts().revise(task.kind),
        user="\n\n".join(blocks_of(state)),
        task=task.text,
        kind=task.kind,
        options=task.options,
        domain=task.rules[0].domain,
        term=task.rules[0].term,
        draft=state["draft"],
        contradictions=tuple(c.reason for c in state["contradictions"]),
        max_chars=task.limits.max_answer_chars,
        timeout_s=task.limits.timeout_s,
    )


def _record(state: PublicState, call: PublicCall, outcome: Outcome) -> dict[str, Any]:
    update = outcome.update("revise", call)
    if outcome.reply is None:
        update["warnings"] = [
            *update["warnings"],
            f"The answer could not be revised ({outcome.error}: {outcome.reason}); the last one stands.",
        ]
        return update | {"answer": state["draft"], "verdict": "unconverged"}
    update["draft"] = outcome.reply.text
    if state.get("rounds", 0) >= state["task"].limits.max_rounds:
        update |= {"answer": outcome.reply.text, "verdict": "unconverged"}
    return update
