"""The final answer out of the answers to the sub-questions: completeness before fluency (spec 01 §1.6)."""

from typing import Any

from langchain_core.runnables import Runnable

from gama.models.calls import PublicCall
from gama.nodes.public.calling import Clients, Outcome, check_budget
from gama.nodes.public.fuse import nobody_answered
from gama.nodes.public.model_node import call_of, noting, turn, why
from gama.state.public import Part, PublicState, Verdict
from gama.tools.domains.prompts import prompts_of, quote

OPEN = "No expert answered this question."


def assemble_answer(clients: Clients) -> Runnable[Any, Any]:
    """Return the node: one call that sees every sub-question with its answer."""
    return turn("assemble", clients, _call, _record)


def _call(state: PublicState) -> PublicCall:
    """Build the call.

    Raises:
        ExpertsFailed: no sub-question has an answer.
    """
    task, parts = state["task"], state["parts"]
    if not any(part.answer for part in parts):
        failures = [failure for part in parts for failure in part.failures]
        raise nobody_answered(sum(len(part.domains) for part in parts), failures)
    check_budget(state, 1)
    blocks = [quote("TASK", task.text)]
    for part in parts:
        blocks += [quote(f"QUESTION {part.number}", part.question)]
        blocks += [quote(f"ANSWER {part.number}", part.answer or OPEN)]
    told = tuple((part.question, part.answer) for part in parts)
    return call_of(task, "assemble", prompts_of(task).system("assemble", task.kind), blocks, parts=told)


def _record(state: PublicState, call: PublicCall, outcome: Outcome) -> dict[str, Any]:
    parts = state["parts"]
    update = outcome.update("assemble", call)
    if outcome.reply is None:
        update = noting(update, f"The answers could not be put together ({why(outcome)}); they stand one by one.")
    draft = outcome.reply.text if outcome.reply else "\n\n".join(part.answer for part in parts if part.answer)
    return update | {
        "draft": draft,
        "rounds": max(len(part.checks) for part in parts),
        "verdict": together([part for part in parts if part.answer]),
    }


def together(parts: list[Part]) -> Verdict:
    """Return the verdict on all parts: the least certain one."""
    found = {part.verdict for part in parts}
    order: tuple[Verdict, ...] = ("unconverged", "no verdict", "off")
    return next((verdict for verdict in order if verdict in found), "converged")
