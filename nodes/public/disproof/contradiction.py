"""Disproof v2: proof by contradiction (GAMA 003, Eq. 11; spec 01 §1.8).

    (Γ ∧ Q ∧ ¬A → ⊥) ≡ (Q → A)

The expert proposes the strongest rival of the confirmed answer A. When the assistant finds that the
rival leads to a contradiction, A is proved. Otherwise the rival is tenable: it becomes the confirmed
answer, and the next rival is neither it nor one that was tried. So the cycle always ends: by a
contradiction, by want of rivals, or at the round limit.

For true-or-false tasks the rival is the negation, for closed sets the next of the remaining options;
neither needs a call.
"""

from typing import Any, Literal

from gama.models.calls import PublicCall
from gama.models.replies import leading_option, normal
from gama.models.verdicts import VERDICT_SCHEMA, Verdict
from gama.nodes.public.model_node import call_of
from gama.state.public import Counterfactual, PublicState
from gama.tools.domains.prompts import prompts_of, quote

NOTHING_LEFT = "none"
"""What the expert writes, in normal form, when it sees no rival."""


class ProofByContradiction:
    """Ends when a rival is contradicted, when none is left, or at the round limit with the last tenable answer."""

    first: Literal["disprove", "revise"] = "revise"

    def propose(self, state: PublicState) -> PublicCall | str | None:
        """Return the next rival of a closed set, or the call that asks for one."""
        task, tried = state["task"], _tried(state)
        if (closed := _closed_set(state)) is not None:
            own = leading_option(state["draft"], task.kind, task.options)
            return next((rival for rival in closed if rival not in (own, *tried)), None)
        blocks = [quote("TASK", task.text), quote("ANSWER", state["draft"])]
        blocks += [quote(f"TRIED {n}", text) for n, text in enumerate(tried, 1)]
        return call_of(
            task,
            "rival",
            prompts_of(task).system("rival", task.kind),
            blocks,
            domain=task.rules[0].domain,
            term=task.rules[0].term,
            draft=state["draft"],
            tried=tried,
        )

    def accept(self, state: PublicState, text: str | None) -> dict[str, Any]:
        """Put a rival to the test; one that is the answer itself or was tried before is none."""
        if text is not None and _closed_set(state) is None:
            known = {normal(one) for one in (state["draft"], *_tried(state))}
            text = None if normal(text) in known | {NOTHING_LEFT} else text
        if text is None:
            return {"answer": state["draft"], "verdict": "exhausted"}
        return {"counterfactual": text}

    def examine(self, state: PublicState) -> PublicCall:
        """Ask whether the rival leads to a contradiction."""
        task, rival = state["task"], state["counterfactual"]
        blocks = [quote("TASK", task.text), quote("ASSUMED", rival)]
        system = prompts_of(task).system("refute")
        return call_of(task, "refute", system, blocks, schema=VERDICT_SCHEMA, rival=rival, draft=state["draft"])

    def judge(self, state: PublicState, number: int, verdict: Verdict | None) -> dict[str, Any]:
        """Confirm the answer, or let the tenable rival take its place."""
        answer, rival = state["draft"], state["counterfactual"]
        found = verdict.contradiction if verdict else None
        reason = verdict.reason if verdict else ""
        tested = Counterfactual(round=number, against=answer, text=rival, contradicted=found, reason=reason)
        update: dict[str, Any] = {"counterfactuals": [tested]}
        if found is None:
            return update | {"answer": answer, "verdict": "no verdict"}
        if found:
            return update | {"answer": answer, "verdict": "converged"}
        if number >= state["task"].limits.max_rounds:
            return update | {"draft": rival, "answer": rival, "verdict": "unconverged"}
        return update | {"draft": rival}

    def surrender(self, state: PublicState) -> dict[str, Any]:
        """Keep the confirmed answer."""
        return {"answer": state["draft"], "verdict": "unconverged"}


def _tried(state: PublicState) -> tuple[str, ...]:
    return tuple(tested.text for tested in state["counterfactuals"])


def _closed_set(state: PublicState) -> tuple[str, ...] | None:
    """Return all answers there can be; None where the expert must be asked for one."""
    task = state["task"]
    if task.kind == "choice" and task.options:
        return task.options
    # A draft that says neither true nor false has no negation.
    return ("True", "False") if task.kind == "boolean" and leading_option(state["draft"], "boolean") else None
