"""Fusion of the experts' answers by the memberships of their rules (spec 01 §1.7)."""

from typing import Any

from langchain_core.runnables import Runnable, RunnableLambda

from gama.models.calls import PublicCall
from gama.nodes.public.calling import Clients, Outcome, aask, ask, check_budget
from gama.state.errors import ExpertsFailed
from gama.state.public import ExpertAnswer, PublicState
from gama.state.task import TERMS
from gama.tools.domains.prompts import load_prompts, quote


def fuse_answers(clients: Clients) -> Runnable[Any, Any]:
    """Return the node: one call that sees all answers with their domains and terms."""

    def fuse(state: PublicState) -> dict[str, Any]:
        call = _call(state)
        return _record(state, call, ask(clients(), call))

    async def afuse(state: PublicState) -> dict[str, Any]:
        call = _call(state)
        return _record(state, call, await aask(clients(), call))

    return RunnableLambda(fuse, afunc=afuse, name="fuse")


def _call(state: PublicState) -> PublicCall:
    """Build the call.

    Raises:
        ExpertsFailed: no expert answered.
    """
    task, answers = state["task"], state["answers"]
    if not answers:
        failures = "; ".join(f"{f.domain}: {f.error}: {f.reason}" for f in state["failures"])
        raise ExpertsFailed(f"None of the {len(task.rules)} experts answered ({failures}).")
    check_budget(state, 1)
    blocks = [quote("TASK", task.text)]
    blocks += [quote(f"ANSWER {n} (domain {a.domain}, membership {a.term})", a.text) for n, a in enumerate(answers, 1)]
    return PublicCall(
        role="fuse",
        system=load_prompts().fuse(task.kind),
        user="\n\n".join(blocks),
        task=task.text,
        kind=task.kind,
        options=task.options,
        answers=tuple(answers),
        max_chars=task.limits.max_answer_chars,
        timeout_s=task.limits.timeout_s,
    )


def _record(state: PublicState, call: PublicCall, outcome: Outcome) -> dict[str, Any]:
    update = outcome.update("fuse", call)
    if outcome.reply is not None:
        draft = outcome.reply.text
    else:
        # The experts have answered and been paid: the strongest rule's answer stands in for the fusion.
        draft = strongest(state["answers"]).text
        update["warnings"] = [
            *update["warnings"],
            f"The answers could not be fused ({outcome.error}: {outcome.reason}); the strongest expert's was taken.",
        ]
    update |= {"draft": draft, "rounds": 0}
    if state["task"].disprove == "off" or state["task"].limits.max_rounds == 0:
        update |= {"answer": draft, "verdict": "off"}
    return update


def strongest(answers: list[ExpertAnswer]) -> ExpertAnswer:
    """Return the answer of the highest term; of equals, the first."""
    return max(answers, key=lambda answer: TERMS.index(answer.term))
