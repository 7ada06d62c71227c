"""The domain experts (THEN-part of a rule, GAMA Eq. 10), and the fusion of their answers (spec 01 §1.7).

Both the whole task and each of its sub-questions (`PartState`) are answered this way. An answer whose formulas fail
at home comes back here to be mended.
"""

from collections.abc import Sequence
from typing import Any

from gama.models.calls import PublicCall
from gama.models.replies import given_option, weighted_majority
from gama.nodes.public.asking import Outcome, about, add_warning, call_of, numbered
from gama.nodes.public.disproof import is_off
from gama.nodes.public.model_node import ModelNode
from gama.nodes.public.toolcalls import Talk
from gama.state.errors import ExpertsFailed, ModelReplyError
from gama.state.public import ExpertAnswer, ExpertFailure, ExpertTask, PartState, PublicState
from gama.state.task import GENERAL, DomainRule, PublicTask


def _expert_call(state: ExpertTask) -> PublicCall:
    rule, question = state["rule"], state.get("question", "")
    blocks = {"QUESTION": question} if question else {}
    fields = {"domain": rule.domain, "term": rule.term, **about(question)}
    return call_of(state["task"], "expert", blocks, system=rule.prompt, **fields)


def _keep_answer(state: ExpertTask, call: PublicCall, said: Talk) -> dict[str, Any]:
    rule, outcome = state["rule"], said.outcome
    update = said.added(outcome.update(call, f"expert {rule.domain}"))
    reply = outcome.reply
    if reply is None or outcome.error or outcome.flaw:
        # A refusal among the answers would be fused with them, or win.
        error, reason = (outcome.error, outcome.reason) if outcome.error else (ModelReplyError.__name__, outcome.flaw)
        return update | {"failures": [ExpertFailure(domain=rule.domain, error=error, reason=reason)]}
    answer = ExpertAnswer(
        domain=rule.domain, term=rule.term, text=reply.text, model=reply.model, seconds=outcome.seconds
    )
    return update | {"answers": [answer]}


EXPERT = ModelNode(_expert_call, _keep_answer, budgeted=False)
"""One expert; it gets an `ExpertTask` by `Send`. A failure is recorded, not raised."""


def _fusing_call(
    task: PublicTask, answers: Sequence[ExpertAnswer], question: str = "", reasons: Sequence[str] = ()
) -> PublicCall:
    """Return the call that fuses the answers to the task, or to one of its sub-questions.

    Args:
        task: the task.
        answers: the experts' answers.
        question: the sub-question; empty for the whole task.
        reasons: contradictions that were found in the first answer, where the others were asked because of them.
    """
    blocks = {"QUESTION": question} if question else {}
    blocks |= {f"ANSWER {n} (domain {a.domain}, membership {a.term})": a.text for n, a in enumerate(answers, 1)}
    blocks |= numbered("CONTRADICTION IN ANSWER 1, NUMBER", reasons)
    return call_of(task, "fuse", blocks, answers=tuple(answers), contradictions=tuple(reasons), **about(question))


def _fused(answers: Sequence[ExpertAnswer], call: PublicCall, outcome: Outcome) -> tuple[str, dict[str, Any]]:
    """Return the fused answer with the update that the call leaves.

    When the fusion failed or gave no answer, the experts have answered and been paid: the answer that most of their
    weight stands behind takes its place.
    """
    update = outcome.update(call)
    if outcome.text is not None:
        return outcome.text, update
    note = f"The answers could not be fused ({outcome.failure_reason()}); the one with most weight behind it was taken."
    return weighted_majority(answers, call.kind, call.options).text, add_warning(update, note)


def nobody_answered(asked: int, failures: Sequence[ExpertFailure]) -> ExpertsFailed:
    """Return the error for a task that no expert answered; what several say is said once."""
    who = "The expert did not answer" if asked == 1 else f"None of the {asked} experts answered"
    said: dict[tuple[str, str], list[str]] = {}
    for failure in failures:
        said.setdefault((failure.error, failure.reason), []).append(failure.domain)
    if len(said) == 1:
        [(error, reason)] = said
        return ExpertsFailed(f"{who} ({error}): {reason}")
    told = " ".join(f"{', '.join(domains)} ({error}): {reason}" for (error, reason), domains in said.items())
    return ExpertsFailed(f"{who}. {told}")


def is_economic(task: PublicTask) -> bool:
    """Return whether one expert is asked first; without disproof nobody would look at what it says."""
    return task.effort == "auto" and task.route == "both" and not is_off(task)


def unasked(state: PublicState) -> tuple[DomainRule, ...]:
    """Return the rules whose experts have been spared so far."""
    asked = {one.domain for one in state["answers"]} | {one.domain for one in state["failures"]}
    return tuple(rule for rule in state["task"].rules if rule.domain not in asked)


def is_unsure(state: PublicState) -> bool:
    """Return whether the one expert asked so far gave no answer, or none of the closed set that the task has."""
    task = state["task"]
    if not unasked(state):
        return False
    return not state["answers"] or _is_formless(task, state["answers"][0])


def _is_formless(task: PublicTask, answer: ExpertAnswer) -> bool:
    """Return whether an answer gives none of the closed set that the task has."""
    return task.kind != "open" and given_option(answer.text, task.kind, task.options) is None


def _fuse_call(state: PublicState) -> PublicCall | None:
    """Build the call.

    Raises:
        ExpertsFailed: no expert answered.
    """
    task, answers = state["task"], state["answers"]
    if unasked(state):
        return None
    if not answers:
        raise nobody_answered(len(task.rules), state["failures"])
    reasons = [contradiction.reason for contradiction in state["contradictions"]]
    # One draft with nothing to work into it is the answer, unless it gives none of the closed set that the task has.
    alone = len(answers) == 1 and not reasons and not _is_formless(task, answers[0])
    # A generalist is asked alone: there is nothing to fuse.
    general = not task.drke or [rule.domain for rule in task.rules] == [GENERAL]
    return None if alone or general else _fusing_call(task, answers, reasons=reasons)


def _keep_fused(state: PublicState, call: PublicCall, outcome: Outcome) -> dict[str, Any]:
    draft, update = _fused(state["answers"], call, outcome)
    return update | _drafted(state, draft)


def _drafted(state: PublicState, draft: str) -> dict[str, Any]:
    rounds = state.get("rounds", 0)
    update: dict[str, Any] = {"draft": draft, "rounds": rounds}
    if is_off(state["task"]):
        return update | {"answer": draft, "verdict": "off"}
    # The experts that were spared have come in the last round: nobody looks at what was made of their answers.
    last = rounds >= state["task"].limits.max_rounds
    return update | {"answer": draft, "verdict": "unconverged"} if last else update


FUSE = ModelNode(
    _fuse_call,
    _keep_fused,
    # An unsure one is no draft: the others are asked next.
    lambda state: {} if is_unsure(state) else _drafted(state, state["answers"][0].text),
)
"""One call that sees all answers with their domains and terms.

One answer is the draft as it stands, and no call is made, unless contradictions were found in it or a closed form is
missed. Nor is one made without domain rules, for a task of no domain, and while other experts are spared (`effort`).
"""


def _fuse_part_call(state: PartState) -> PublicCall | None:
    if len(state["answers"]) < 2 or not state["task"].drke:
        return None
    return _fusing_call(state["task"], state["answers"], state["question"])


def _keep_fused_part(state: PartState, call: PublicCall, outcome: Outcome) -> dict[str, Any]:
    draft, update = _fused(state["answers"], call, outcome)
    return update | _drafted_part(state, draft)


def _drafted_part(state: PartState, draft: str) -> dict[str, Any]:
    task = state["task"]
    if not draft or is_off(task) or task.limits.max_checks == 0:
        return {"draft": draft, "verdict": "off"}
    return {"draft": draft}


FUSE_PART = ModelNode(
    _fuse_part_call,
    _keep_fused_part,
    lambda state: _drafted_part(state, state["answers"][0].text if state["answers"] else ""),
    budgeted=False,
)
"""The same for a sub-question, whose form is free. Without any answer it stays open; the task may still be solved."""


def _mending_call(state: PublicState) -> PublicCall:
    task = state["task"]
    faults = numbered("FAULT", [f"{fault.formula}\n{fault.message}" for fault in task.faults])
    return call_of(task, "mend", {"ANSWER": task.draft} | faults, draft=task.draft)


def _keep_mended(state: PublicState, call: PublicCall, outcome: Outcome) -> dict[str, Any]:
    update, draft = outcome.update(call), state["task"].draft
    if outcome.text is None:
        reason = outcome.failure_reason()
    elif 2 * len(_beside_formulas(outcome.text)) < len(_beside_formulas(draft)):
        reason = "it is not the whole answer"
    else:
        return update | {"answer": outcome.text}
    return add_warning(update, f"The formulas of the answer were not mended ({reason}).") | {"answer": draft}


def _beside_formulas(answer: str) -> list[str]:
    """Return the words of an answer that stand in no formula."""
    first, *rest = answer.split("{{")
    return " ".join([first, *(part.partition("}}")[2] for part in rest)]).split()


MEND = ModelNode(_mending_call, _keep_mended)
"""One call that gives the draft again with its formulas put right; where it gives none, the draft stays."""
