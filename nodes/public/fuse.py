"""Fusion of the experts' answers by the memberships of their rules (spec 01 §1.7)."""

from collections.abc import Sequence
from typing import Any

from langchain_core.runnables import Runnable

from gama.models.calls import PublicCall
from gama.models.majority import weighted_majority
from gama.nodes.public.calling import Clients, Outcome, check_budget
from gama.nodes.public.disproof.chosen import is_off
from gama.nodes.public.expert import about, question_blocks
from gama.nodes.public.model_node import call_of, noting, turn, why
from gama.state.errors import ExpertsFailed
from gama.state.public import ExpertAnswer, ExpertFailure, PublicState
from gama.state.task import PublicTask
from gama.tools.domains.prompts import prompts_of, quote


def fuse_answers(clients: Clients) -> Runnable[Any, Any]:
    """Return the node: one call that sees all answers with their domains and terms.

    Without domain rules the one expert's answer is the draft, and no call is made.
    """
    return turn("fuse", clients, _call, _record, _skip)


def _call(state: PublicState) -> PublicCall | None:
    """Build the call.

    Raises:
        ExpertsFailed: no expert answered.
    """
    task, answers = state["task"], state["answers"]
    if not answers:
        raise nobody_answered(len(task.rules), state["failures"])
    if not task.drke:
        return None
    check_budget(state, 1)
    return fusing_call(task, answers)


def fusing_call(task: PublicTask, answers: Sequence[ExpertAnswer], question: str = "") -> PublicCall:
    """Return the call that fuses the answers to the task, or to one of its sub-questions."""
    blocks = question_blocks(task.text, question)
    blocks += [quote(f"ANSWER {n} (domain {a.domain}, membership {a.term})", a.text) for n, a in enumerate(answers, 1)]
    kind = "open" if question else task.kind
    return call_of(task, "fuse", prompts_of(task).fuse(kind), blocks, answers=tuple(answers), **about(question))


def fused(answers: Sequence[ExpertAnswer], call: PublicCall, outcome: Outcome) -> tuple[str, dict[str, Any]]:
    """Return the fused answer with the update that the call leaves.

    When the fusion failed, the experts have answered and been paid: the answer that most of their
    weight stands behind takes its place.
    """
    update = outcome.update("fuse", call)
    if outcome.reply is not None:
        return outcome.reply.text, update
    note = f"The answers could not be fused ({why(outcome)}); the one with most weight behind it was taken."
    return weighted_majority(answers, call.kind, call.options).text, noting(update, note)


def nobody_answered(asked: int, failures: Sequence[ExpertFailure]) -> ExpertsFailed:
    """Return the error for a task that no expert answered."""
    told = "; ".join(dict.fromkeys(f"{f.domain}: {f.error}: {f.reason}" for f in failures))
    return ExpertsFailed(f"None of the {asked} experts answered ({told}).")


def _record(state: PublicState, call: PublicCall, outcome: Outcome) -> dict[str, Any]:
    draft, update = fused(state["answers"], call, outcome)
    return update | _drafted(state, draft)


def _skip(state: PublicState) -> dict[str, Any]:
    return _drafted(state, state["answers"][0].text)


def _drafted(state: PublicState, draft: str) -> dict[str, Any]:
    update: dict[str, Any] = {"draft": draft, "rounds": 0}
    return update | {"answer": draft, "verdict": "off"} if is_off(state["task"]) else update
