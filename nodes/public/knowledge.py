"""The knowledge route: the task is taken apart, each sub-question answered and checked, the whole put together.

    split ─► (choose_domains ─► expert × K ─► fuse ─► check ⟲ ─► close_part) × N ─► assemble ─► assure

The domains of a sub-question (Eqs. 7 to 10) are chosen in the public space: the sub-question was written by the
public side from the anonymized task, so nothing private is needed, and no call; the embedded analysis reads it. See
spec 01 §1.6.
"""

import re
from collections.abc import Sequence
from typing import Any

from gama.guard.egress import EGRESS, check_egress
from gama.models.calls import PublicCall
from gama.models.replies import APPROVAL_SCHEMA, CHECK_SCHEMA, flaw_of, read_questions
from gama.nodes.public.asking import Outcome, about, add_warning, call_of, calls_made, check_budget
from gama.nodes.public.experts import nobody_answered
from gama.nodes.public.model_node import ModelNode
from gama.state.errors import LeakError
from gama.state.public import Check, Membership, Part, PartState, PublicState, Verdict
from gama.state.task import GENERAL, DomainRule
from gama.tools.domains.index import AnyDomain
from gama.tools.domains.packs import Pack
from gama.tools.domains.prompts import Prompts, prompts_of

MOST = 6
"""Sub-questions of a task; what is beyond is asked together with the last."""
AFTER = 2
"""Calls that must be left after the sub-questions: the assembled answer and its approval."""
OPEN = "No expert answered this question."

# A placeholder of either style: it says nothing of a field.
_PLACEHOLDER = re.compile(r"<{1,2}[a-z_]{1,40}-\d{1,9}[a-z]{0,3}>{1,2}")


def _splitting_call(state: PublicState) -> PublicCall:
    task = state["task"]
    # This call, one expert, and what comes after: less is no use.
    check_budget(state, 1 + 1 + AFTER)
    return call_of(task, "split", {}, system=prompts_of(task).system("split", most=str(MOST)))


def _keep_questions(state: PublicState, call: PublicCall, outcome: Outcome) -> dict[str, Any]:
    update = outcome.update(call)
    questions = read_questions(outcome.reply.text) if outcome.reply else []
    if not questions:
        note = f"The task could not be taken apart ({outcome.failure_reason()}): it was asked as one question."
        return add_warning(update, note) | {"questions": [state["task"].text]}
    affordable = (calls_left(state) - 1) // (1 + state["task"].drke)
    most = max(1, min(MOST, affordable))
    if affordable < min(len(questions), MOST):
        note = f"max_calls leaves calls for {most} of {len(questions)} sub-questions: the last are asked together."
        update = add_warning(update, note)
    return update | {"questions": gathered(questions, most)}


SPLIT = ModelNode(_splitting_call, _keep_questions)
"""The sub-questions of a task; where none can be had, the task itself is the only one."""


def calls_left(state: PublicState) -> int:
    """Return how many calls the sub-questions may make together."""
    return state["task"].limits.max_calls - calls_made(state) - AFTER


def gathered(questions: Sequence[str], most: int) -> list[str]:
    """Join what is beyond the number with the last: completeness first, nothing is dropped."""
    return [*questions[: most - 1], " ".join(questions[most - 1 :])] if len(questions) > most else list(questions)


def choose_domains(state: PartState, packs: Sequence[Pack] = ()) -> dict[str, Any]:
    """Fire the rules of a sub-question: as many experts as the calls allow beside the fusion.

    A sub-question that is near no domain ("Who is it?") goes to the experts of the whole task.

    Args:
        state: the sub-question.
        packs: what brings further domains.
    """
    from gama.models.shipped import word_vectors
    from gama.tools.domains.analysis import analyse

    task = state["task"]
    if not task.drke:
        return {"rules": list(task.rules[:1])}
    chosen, prompts, packs = task.domains, prompts_of(task), _fitting(packs)
    analysis = analyse(
        _PLACEHOLDER.sub(" ", state["question"]),
        words=word_vectors(),
        k=chosen.k,
        n=chosen.high_order,
        alpha=chosen.alpha,
        topk_mode=chosen.topk_mode,
        collapse=chosen.collapse,
        threshold=chosen.threshold,
        domain_set=chosen.domain_set,
        prompts=prompts,
        packs=packs,
    )
    nothing = analysis.rules[0].domain == GENERAL
    rules = [_asking_openly(rule, prompts, packs) for rule in task.rules] if nothing else list(analysis.rules)
    most = max(1, state["allowance"] - 1)
    if len(rules) > most:
        note = f"max_calls leaves calls for {most} of {len(rules)} experts of sub-question {state['number']}."
        return {"rules": rules[:most], "warnings": [note]}
    return {"rules": rules}


def _fitting(packs: Sequence[Pack]) -> tuple[Pack, ...]:
    """Leave out the packs whose own words hold a private value of the task; the user has been told at home."""
    if EGRESS.get() is None:
        # A graph on a machine of its own has nothing to compare with; elsewhere the client refuses every call.
        return tuple(packs)
    return tuple(pack for pack in packs if _may_be_shown(pack))


def _may_be_shown(pack: Pack) -> bool:
    try:
        check_egress(pack.shown)
    except LeakError:
        return False
    return True


def _asking_openly(rule: DomainRule, prompts: Prompts, packs: tuple[Pack, ...]) -> DomainRule:
    """Return a rule of the whole task with the prompt for a sub-question, which is answered in free text."""
    from gama.tools.domains.analysis import expert_prompt
    from gama.tools.domains.packs import SETS

    domains: tuple[AnyDomain, ...] = (*SETS["twenty"], *SETS["ten"], *packs)
    known = next((domain for domain in domains if domain.name == rule.domain), None)
    if known is None:
        return rule
    return rule.model_copy(update={"prompt": expert_prompt(known, rule.term, "open", prompts)})


def _checking_call(state: PartState) -> PublicCall | None:
    left = state["allowance"] - calls_made(state)
    if left < 1:
        return None
    question, draft = state["question"], state["draft"]
    fields = {"schema": CHECK_SCHEMA, "attempts": min(left, 2), "draft": draft, **about(question)}
    return call_of(state["task"], "check", {"QUESTION": question, "ANSWER": draft}, **fields)


def _leave_unchecked(state: PartState) -> dict[str, Any]:
    note = f"max_calls left no call to check the answer to sub-question {state['number']}."
    return {"verdict": "unconverged", "warnings": [note]}


def _keep_check(state: PartState, call: PublicCall, outcome: Outcome) -> dict[str, Any]:
    number, place = len(state["checks"]) + 1, f"sub-question {state['number']}"
    update, found = outcome.update(call), outcome.data
    if found is None:
        problem = outcome.failure_reason("its verdict could not be read")
        update = add_warning(update, f"The check of {place} ended without a verdict ({problem}).")
        return update | {"checks": [Check(round=number, correct=None)], "verdict": "no verdict"}
    if found["correct"]:
        return update | {"checks": [Check(round=number, correct=True)], "verdict": "converged"}
    replacement = found["replacement"].strip()
    replacement = "" if flaw_of(replacement, state["question"]) else replacement
    update |= {"checks": [Check(round=number, correct=False, replacement=replacement)]}
    if not replacement:
        update = add_warning(update, f"The answer to {place} was held for wrong, and nothing was put in its place.")
        return update | {"verdict": "unconverged"}
    update |= {"draft": replacement}
    return update | {"verdict": "unconverged"} if number >= state["task"].limits.max_checks else update


CHECK = ModelNode(_checking_call, _keep_check, _leave_unchecked, budgeted=False)
"""An assistant says correct, or wrong and what is right instead; again after every replacement, as checks allow.

A verdict that cannot be read counts as correct, and is flagged (CODE, spec 01 §1.8).
"""


def close_part(state: PartState) -> dict[str, Any]:
    """Put a sub-question down with all that led to its answer."""
    rules = state.get("rules", [])
    part = Part(
        number=state["number"],
        question=state["question"],
        domains=tuple(Membership(domain=rule.domain, term=rule.term, score=rule.score) for rule in rules),
        answers=tuple(state["answers"]),
        failures=tuple(state["failures"]),
        checks=tuple(state["checks"]),
        answer=state.get("draft", ""),
        verdict=state.get("verdict", "off"),
    )
    return {"parts": [part]}


def _assembling_call(state: PublicState) -> PublicCall:
    """Build the call that sees every sub-question with its answer.

    Raises:
        ExpertsFailed: no sub-question has an answer.
    """
    parts = state["parts"]
    if not any(part.answer for part in parts):
        failures = [failure for part in parts for failure in part.failures]
        raise nobody_answered(sum(len(part.domains) for part in parts), failures)
    blocks: dict[str, str] = {}
    for part in parts:
        blocks |= {f"QUESTION {part.number}": part.question, f"ANSWER {part.number}": part.answer or OPEN}
    return call_of(state["task"], "assemble", blocks, parts=tuple((part.question, part.answer) for part in parts))


def _keep_assembled(state: PublicState, call: PublicCall, outcome: Outcome) -> dict[str, Any]:
    parts = state["parts"]
    update = outcome.update(call)
    if outcome.text is None:
        note = f"The answers could not be put together ({outcome.failure_reason()}); they stand one by one."
        update = add_warning(update, note)
    draft = outcome.text or "\n\n".join(part.answer for part in parts if part.answer)
    verdicts = {part.verdict for part in parts if part.answer}
    least_certain: tuple[Verdict, ...] = ("unconverged", "no verdict", "off")
    return update | {
        "draft": draft,
        "rounds": max(len(part.checks) for part in parts),
        "verdict": next((verdict for verdict in least_certain if verdict in verdicts), "converged"),
    }


ASSEMBLE = ModelNode(_assembling_call, _keep_assembled)
"""The final answer out of the answers to the sub-questions: completeness before fluency."""


def _assuring_call(state: PublicState) -> PublicCall:
    draft = state["draft"]
    return call_of(state["task"], "assure", {"ANSWER": draft}, schema=APPROVAL_SCHEMA, draft=draft)


def _keep_approved(state: PublicState, call: PublicCall, outcome: Outcome) -> dict[str, Any]:
    update, found = outcome.update(call), outcome.data
    if found and found["approved"]:
        return update | {"answer": state["draft"], "quality": "approved"}
    task, better = state["task"], found["answer"].strip() if found else ""
    flaw = flaw_of(better, task.text, task.kind, task.options)
    if not flaw:
        return update | {"answer": better, "quality": "rewritten"}
    problem = f"its new answer cannot stand: {flaw}" if better else outcome.failure_reason()
    note = f"Quality assurance gave no result ({problem}): the answer stands as it was put together."
    return add_warning(update, note) | {"answer": state["draft"], "quality": "unclear"}


ASSURE = ModelNode(_assuring_call, _keep_approved)
"""Quality assurance: the last call approves the answer or writes it anew; one that cannot be read leaves it."""
