"""The logic route: the expert reasons, the assistant objects, the answer is put back into the task (spec 01 §1.6).

solve ⟲ discuss ─► verify ─► condense ⟲ solve
"""

from typing import Any

from gama.models.calls import PublicCall
from gama.models.replies import OPINION_SCHEMA, VERDICT_SCHEMA, in_words, read_verdict
from gama.nodes.public.asking import Outcome, add_warning, call_of, numbered
from gama.nodes.public.disproof import form_of, is_off
from gama.nodes.public.model_node import ModelNode
from gama.state.errors import ExpertsFailed
from gama.state.public import Contradiction, PublicState

TURNS = 2
"""Turns of the expert in one round's dialogue: its solution, and one answer to an objection."""
LONGEST_OBJECTION = 120
"""Words of an objection that are kept."""
LONGEST_CONTRADICTION = 50
"""Words of a contradiction that are kept."""


def _solving_call(state: PublicState) -> PublicCall:
    draft, objection = state.get("draft", ""), state.get("objection", "")
    reasons = tuple(c.reason for c in state["contradictions"])
    said = {"ANSWER": draft, "OBJECTION": objection} | numbered("CONTRADICTION", reasons)
    blocks = {label: text for label, text in said.items() if text}
    return call_of(state["task"], "solve", blocks, draft=draft, note=objection, contradictions=reasons)


def _keep_solution(state: PublicState, call: PublicCall, outcome: Outcome) -> dict[str, Any]:
    """Keep the solution.

    Raises:
        ExpertsFailed: there is no solution yet, and the call failed or its reply is no answer.
    """
    update = outcome.update(call) | {"objection": "", "turns": state.get("turns", 0) + 1}
    if outcome.text is None:
        reason = outcome.failure_reason()
        if not state.get("draft"):
            raise ExpertsFailed(f"The expert did not answer ({reason}).")
        update = add_warning(update, f"The task could not be solved again ({reason}); the last answer stands.")
        return update | {"answer": state["draft"], "verdict": "unconverged"}
    update |= {"draft": outcome.text, "rounds": state.get("rounds", 0)}
    if is_off(state["task"]):
        update |= {"answer": outcome.text, "verdict": "off"}
    return update


SOLVE = ModelNode(_solving_call, _keep_solution)
"""The expert; it comes again after an objection, and after every contradiction."""


def _discussing_call(state: PublicState) -> PublicCall:
    draft = state["draft"]
    return call_of(state["task"], "discuss", {"ANSWER": draft}, schema=OPINION_SCHEMA, draft=draft)


def _keep_objection(state: PublicState, call: PublicCall, outcome: Outcome) -> dict[str, Any]:
    update, opinion = outcome.update(call), outcome.data
    if opinion is None:
        note = f"The assistant said nothing to the solution ({outcome.failure_reason()})."
        return add_warning(update, note) | {"objection": ""}
    return update | {"objection": "" if opinion["agree"] else in_words(opinion["objection"], LONGEST_OBJECTION)}


DISCUSS = ModelNode(_discussing_call, _keep_objection)
"""The assistant follows the steps and objects. If its call fails there is no objection: the check follows anyway."""


def _verifying_call(state: PublicState) -> PublicCall:
    draft = state["draft"]
    reasons = tuple(c.reason for c in state["contradictions"])
    # The clues are gone through first: held to the object alone, a model would decide before it has looked.
    verdict: dict[str, Any] = {"schema": VERDICT_SCHEMA, "reasoned": True}
    blocks = {"ANSWER": draft} | form_of(state["task"])
    return call_of(state["task"], "verify", blocks, **verdict, draft=draft, contradictions=reasons)


def _keep_finding(state: PublicState, call: PublicCall, outcome: Outcome) -> dict[str, Any]:
    number = state.get("rounds", 0) + 1
    update = outcome.update(call) | {"rounds": number}
    verdict = read_verdict(outcome.reply.text) if outcome.reply else None
    if outcome.reply is None or verdict is None:
        problem = outcome.failure_reason("its verdict could not be read")
        note = f"The substitution check ended without a verdict in round {number} ({problem})."
        return add_warning(update, note) | {"answer": state["draft"], "verdict": "no verdict"}
    if not verdict.contradiction:
        return update | {"answer": state["draft"], "verdict": "converged"}
    # What is short enough need not be condensed; else the whole check is.
    short = verdict.reason and len(verdict.reason.split()) <= LONGEST_CONTRADICTION
    return update | {"finding": verdict.reason if short else outcome.reply.text}


VERIFY = ModelNode(_verifying_call, _keep_finding)
"""The substitution check: the answer stands when all clues hold, or when no verdict can be had (flagged)."""


def _condensing_call(state: PublicState) -> PublicCall | None:
    finding = state["finding"]
    if len(finding.split()) <= LONGEST_CONTRADICTION:
        return None
    return call_of(state["task"], "condense", {"FINDING": finding}, note=finding)


def _keep_condensed(state: PublicState, call: PublicCall, outcome: Outcome) -> dict[str, Any]:
    update = outcome.update(call)
    if outcome.text is None:
        note = f"A contradiction could not be condensed ({outcome.failure_reason()}): it was cut."
        update = add_warning(update, note)
    return update | _contradicted(state, outcome.text or state["finding"])


def _contradicted(state: PublicState, reason: str) -> dict[str, Any]:
    number = state["rounds"]
    contradiction = Contradiction(round=number, reason=in_words(reason, LONGEST_CONTRADICTION))
    update: dict[str, Any] = {"contradictions": [contradiction], "turns": 0}
    if number >= state["task"].limits.max_rounds:
        update |= {"answer": state["draft"], "verdict": "unconverged"}
    return update


CONDENSE = ModelNode(_condensing_call, _keep_condensed, lambda state: _contradicted(state, state["finding"]))
"""What the check found, in at most fifty words; a finding that is short enough is kept as it is, without a call.

At the round limit the answer stands, unconverged.
"""
