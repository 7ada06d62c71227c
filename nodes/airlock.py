"""The airlock: the one crossing from the private to the public space.

`build_public_task` builds a `PublicTask` field by field, validates it again, and searches it for private
values; `build_mending_task` does so with an answer that goes back because of its formulas. Any doubt is a
`LeakError`; nothing is half sent.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from gama.guard.search import Guard
from gama.state.errors import LeakError
from gama.state.task import (
    AnswerKind,
    DomainChoice,
    DomainRule,
    Effort,
    FormulaFault,
    PromptFile,
    PublicLimits,
    PublicTask,
    Turn,
    ValueKind,
)


def build_public_task(
    *,
    text: str,
    rules: Sequence[DomainRule],
    kind: AnswerKind,
    choices: Sequence[str],
    route: str,
    drke: bool,
    domains: DomainChoice,
    disprove: str,
    prompts: Sequence[PromptFile],
    model: str,
    limits: PublicLimits,
    effort: Effort = "full",
    formulas: bool = False,
    kinds: Mapping[str, ValueKind] | None = None,
    conversation: Sequence[Turn] = (),
    guard: Guard,
    left_in: Callable[[str], int],
) -> PublicTask:
    """Build the task that may cross, or refuse.

    The fields are those of `PublicTask`, `choices` its options, `kinds` by placeholder. The guard searches for the
    values of the box; `left_in` counts the private spans that a detector still finds in a text.

    Raises:
        LeakError: a field does not validate, a value of the box is in one of them, or the detector
            still finds something private. The message never quotes it.
    """
    fields = {
        "text": text,
        "conversation": tuple(Turn(text=turn.text, answer=turn.answer) for turn in conversation),
        "rules": tuple(
            DomainRule(domain=rule.domain, term=rule.term, score=rule.score, prompt=rule.prompt) for rule in rules
        ),
        "kind": kind,
        "options": tuple(choices),
        "route": route,
        "effort": effort,
        "drke": drke,
        "domains": DomainChoice(
            k=domains.k,
            alpha=domains.alpha,
            high_order=domains.high_order,
            topk_mode=domains.topk_mode,
            threshold=domains.threshold,
            collapse=domains.collapse,
            domain_set=domains.domain_set,
        ),  # fmt: skip
        "disprove": disprove,
        "formulas": formulas,
        "kinds": tuple({"placeholder": one, "kind": kind} for one, kind in (kinds or {}).items()),
        "prompts": tuple(PromptFile(name=file.name, text=file.text) for file in prompts),
        "model": model,
        "limits": limits,
    }
    return _let_cross(fields, guard, left_in)


def build_mending_task(
    task: PublicTask,
    *,
    draft: str,
    faults: Sequence[FormulaFault],
    limits: PublicLimits,
    guard: Guard,
    left_in: Callable[[str], int],
) -> PublicTask:
    """Build the task that carries an answer back to have its formulas mended, or refuse.

    The draft is the public side's own text as it came, so what it contains was said there first. What is wrong with it
    was written at home: that is searched like the task.

    Args:
        task: the one that was answered.
        draft: the answer.
        faults: what is wrong with its formulas.
        limits: what of the task's limits is left.
        guard: see `build_public_task`.
        left_in: likewise.

    Raises:
        LeakError: see `build_public_task`.
    """
    told = tuple(FormulaFault(formula=fault.formula, message=fault.message) for fault in faults)
    fields = {name: getattr(task, name) for name in PublicTask.model_fields}
    return _let_cross({**fields, "draft": draft, "faults": told, "limits": limits}, guard, left_in)


def _let_cross(fields: Mapping[str, Any], guard: Guard, left_in: Callable[[str], int]) -> PublicTask:
    """Return the task of these fields, if it may cross.

    Raises:
        LeakError: it may not.
    """
    try:
        # The JSON form is what crosses a wire; reading it back proves that nothing else is in it.
        task = PublicTask.model_validate_json(PublicTask.model_validate(fields).model_dump_json())
    except ValidationError:
        task = None
    if task is None:
        raise LeakError("The airlock refused the task: a field is not what may cross. Nothing was sent.")
    guard.check_text(task.text, "The task")
    for choice in task.options:
        guard.check_text(choice, "A choice of the task")
    for file in task.prompts:
        guard.check(file.text, what=f"The prompt template {file.name}.txt")
    guard.check(task.model_dump_json(), quoted=task.own_words)
    if count := sum(left_in(text) for text in (task.text, *(fault.message for fault in task.faults))):
        raise LeakError(
            f"The airlock refused the task: the detector still finds {count} private span(s) in it. Nothing was sent. "
            "Name them with the option deny, or allow them if they are not private."
        )
    return task
