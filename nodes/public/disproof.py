"""Disproof: the two published variants of the logic enhancement behind one contract (GAMA's DLE; spec 01 §1.8).

Both are the same cycle of two nodes, the assistant's turn (`disprove`) and the expert's (`revise`). They differ in
what the expert proposes, in what the assistant's verdict means, and in which of the two begins:

    v1  disprove ─► revise ─► disprove …   until no contradiction is found in the answer
    v2  revise ─► disprove ─► revise …     until a contradiction is found in a rival of the answer

A cycle ends when a turn sets `verdict`; `answer` is then the answer. Variants are pure: the nodes make the calls,
count them and keep the budget.
"""

from typing import Any, Final, Literal, Protocol

from gama.models.calls import PublicCall
from gama.models.replies import (
    EXAMINATION_SCHEMA,
    REFUTATION_SCHEMA,
    Verdict,
    given_option,
    in_words,
    normal,
    read_verdict,
)
from gama.nodes.public.asking import Outcome, add_warning, call_of, numbered
from gama.nodes.public.model_node import ModelNode
from gama.state.public import Contradiction, Counterfactual, PublicState
from gama.state.task import DisproofMode, PublicTask
from gama.tools.domains.prompts import prompts_of, without_earlier_answer

LONGEST = 50
"""Words of a contradiction that is kept (CODE, spec 01 §1.8)."""
NOTHING_LEFT = "none"
"""What the expert writes, in normal form, when it sees no rival."""


class Disproof(Protocol):
    """One variant."""

    first: Literal["disprove", "revise"]
    """Whose turn it is first."""

    def examine(self, state: PublicState) -> PublicCall:
        """Return the assistant's call."""

    def judge(self, state: PublicState, number: int, verdict: Verdict | None) -> dict[str, Any]:
        """Return what follows of the assistant's verdict.

        Args:
            state: the state before it.
            number: the round, counted from 1.
            verdict: None when there is none, because the call failed or its reply cannot be read: the cycle ends.
        """

    def propose(self, state: PublicState) -> PublicCall | str | None:
        """Return the expert's call; or its text, where none is needed; or None when it has nothing left to say."""

    def accept(self, state: PublicState, text: str | None) -> dict[str, Any]:
        """Return what follows of the expert's text, which is None when it has nothing left to say."""


def _surrender(state: PublicState) -> dict[str, Any]:
    """Keep the last answer, unconverged."""
    return {"answer": state["draft"], "verdict": "unconverged"}


def _reasons(state: PublicState) -> tuple[str, ...]:
    return tuple(c.reason for c in state["contradictions"])


class Falsification:
    """Disproof v1: falsification (GAMA 001, Algorithm 1).

    The assistant looks for a contradiction between task and answer. While it finds one, the expert answers again,
    knowing every contradiction found so far. The task's text stays as it was; the contradictions are kept beside it.
    It ends when no contradiction is found, or at the round limit with the last answer. The assistant also compares a
    new answer with the one it was written in the place of: where that was better, it comes back, and the user is told.
    """

    first: Literal["disprove", "revise"] = "disprove"

    def examine(self, state: PublicState) -> PublicCall:
        """Ask for a contradiction between the task and the answer, and whether the answer before it was better."""
        earlier, form = state.get("earlier", ""), form_of(state["task"])
        if earlier:
            more = {"EARLIER ANSWER": earlier}
            return self._call(state, "disprove", form, more, schema=EXAMINATION_SCHEMA, note=earlier)
        system = without_earlier_answer(prompts_of(state["task"]).system("disprove", state["task"].kind))
        return self._call(state, "disprove", form, schema=REFUTATION_SCHEMA, system=system)

    def judge(self, state: PublicState, number: int, verdict: Verdict | None) -> dict[str, Any]:
        """Keep a contradiction; without one the answer stands."""
        if verdict is None:
            return {"answer": state["draft"], "verdict": "no verdict"}
        if verdict.earlier_better and state.get("earlier"):
            note = "A revised answer was found worse than the one before it, which stands."
            ended = "unconverged" if verdict.contradiction else "converged"
            return {"draft": state["earlier"], "answer": state["earlier"], "verdict": ended, "warnings": [note]}
        if not verdict.contradiction:
            return {"answer": state["draft"], "verdict": "converged"}
        reason = verdict.reason or "The assistant found a contradiction and gave no reason."
        return {"contradictions": [Contradiction(round=number, reason=in_words(reason, LONGEST))]}

    def propose(self, state: PublicState) -> PublicCall:
        """Ask the expert of the strongest rule for a better answer."""
        rule = state["task"].rules[0]
        return self._call(state, "revise", domain=rule.domain, term=rule.term)

    def accept(self, state: PublicState, text: str | None) -> dict[str, Any]:
        """Put the new answer to the test, unless the rounds are used up: then it is the last one."""
        if text is None:
            return _surrender(state)
        if state.get("rounds", 0) >= state["task"].limits.max_rounds:
            return {"draft": text, "answer": text, "verdict": "unconverged"}
        return {"draft": text, "earlier": state["draft"]}

    def _call(self, state: PublicState, role: str, *more: dict[str, str], **fields: Any) -> PublicCall:
        """Return a call with the answer under test and the contradictions so far, each in a block of its own."""
        draft, reasons = state["draft"], _reasons(state)
        blocks = {"ANSWER": draft} | numbered("CONTRADICTION", reasons)
        for added in more:
            blocks |= added
        return call_of(state["task"], role, blocks, draft=draft, contradictions=reasons, **fields)


class ProofByContradiction:
    """Disproof v2: proof by contradiction (GAMA 003, Eq. 11).

        (Γ ∧ Q ∧ ¬A → ⊥) ≡ (Q → A)

    The expert proposes the strongest rival of the confirmed answer A. When the assistant finds that the rival leads to
    a contradiction, A is proved. Otherwise the rival is tenable: it becomes the confirmed answer, and the next rival
    is neither it nor one that was tried. So the cycle always ends: by a contradiction, by want of rivals, or at the
    round limit with the last tenable answer.

    For true-or-false tasks the rival is the negation, for closed sets the next of the remaining options; neither needs
    a call.
    """

    first: Literal["disprove", "revise"] = "revise"

    def propose(self, state: PublicState) -> PublicCall | str | None:
        """Return the next rival of a closed set, or the call that asks for one."""
        task, draft, tried = state["task"], state["draft"], _tried(state)
        if (closed := _closed_set(state)) is not None:
            own = given_option(draft, task.kind, task.options)
            return next((rival for rival in closed if rival not in (own, *tried)), None)
        blocks = {"ANSWER": draft} | numbered("TRIED", tried)
        rule = task.rules[0]
        return call_of(task, "rival", blocks, domain=rule.domain, term=rule.term, draft=draft, tried=tried)

    def accept(self, state: PublicState, text: str | None) -> dict[str, Any]:
        """Put a rival to the test; one that is the answer itself or was tried before does not count."""
        if text is not None and _closed_set(state) is None:
            known = {normal(one) for one in (state["draft"], *_tried(state))}
            text = None if normal(text) in known | {NOTHING_LEFT} else text
        if text is None:
            return {"answer": state["draft"], "verdict": "exhausted"}
        return {"counterfactual": text}

    def examine(self, state: PublicState) -> PublicCall:
        """Ask whether the rival leads to a contradiction."""
        rival = state["counterfactual"]
        fields: dict[str, Any] = {"schema": REFUTATION_SCHEMA, "rival": rival, "draft": state["draft"]}
        return call_of(state["task"], "refute", {"ASSUMED": rival} | form_of(state["task"]), **fields)

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


def form_of(task: PublicTask) -> dict[str, str]:
    """Return the form that an answer must have as a block, for whoever examines one; none where it is free."""
    return {} if task.kind == "open" else {"FORM": prompts_of(task).answer_form(task.kind)}


def _tried(state: PublicState) -> tuple[str, ...]:
    return tuple(tested.text for tested in state["counterfactuals"])


def _closed_set(state: PublicState) -> tuple[str, ...] | None:
    """Return all answers there can be; None where the expert must be asked for one."""
    task = state["task"]
    if task.kind == "choice" and task.options:
        return task.options
    # A draft that says neither true nor false has no negation.
    return ("True", "False") if task.kind == "boolean" and given_option(state["draft"], "boolean") else None


VARIANTS: Final[dict[DisproofMode, Disproof]] = {"v1": Falsification(), "v2": ProofByContradiction()}


def is_off(task: PublicTask) -> bool:
    """Return whether the first answer is final."""
    return task.disprove == "off" or task.limits.max_rounds == 0


def disproof_of(task: PublicTask) -> Disproof:
    """Return the variant of a task whose disproof is on."""
    return VARIANTS[task.disprove]


def _keep_verdict(state: PublicState, call: PublicCall, outcome: Outcome) -> dict[str, Any]:
    number = state.get("rounds", 0) + 1
    update = outcome.update(call) | {"rounds": number}
    verdict = read_verdict(outcome.reply.text) if outcome.reply else None
    if verdict is None:
        problem = outcome.failure_reason("its verdict could not be read")
        update = add_warning(update, f"Disproof ended without a verdict in round {number} ({problem}).")
    judged = disproof_of(state["task"]).judge(state, number, verdict)
    return update | judged | {"warnings": [*update["warnings"], *judged.get("warnings", ())]}


DISPROVE = ModelNode(lambda state: disproof_of(state["task"]).examine(state), _keep_verdict)
"""The assistant's turn: it examines what the expert proposed; what its verdict means is the variant's."""


def _revising_call(state: PublicState) -> PublicCall | None:
    proposal = disproof_of(state["task"]).propose(state)
    return proposal if isinstance(proposal, PublicCall) else None


def _keep_revision(state: PublicState, call: PublicCall, outcome: Outcome) -> dict[str, Any]:
    update = outcome.update(call)
    if outcome.text is None:
        note = f"The answer could not be revised ({outcome.failure_reason()}); the last one stands."
        return add_warning(update, note) | _surrender(state)
    return update | disproof_of(state["task"]).accept(state, outcome.text)


def _accept_known(state: PublicState) -> dict[str, Any]:
    variant = disproof_of(state["task"])
    known = variant.propose(state)
    return variant.accept(state, known if isinstance(known, str) else None)


REVISE = ModelNode(_revising_call, _keep_revision, _accept_known)
"""The expert's turn: a better answer (v1), or a rival of the confirmed one (v2)."""
