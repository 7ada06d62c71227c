"""The airlock: the one crossing from the private to the public space.

`build_public_task` builds a `PublicTask` field by field, validates it again, and searches it for private
values. Any doubt stops the run (`LeakError`); nothing is half sent.
"""

from collections.abc import Callable, Sequence

from pydantic import ValidationError

from gama.guard.search import Guard
from gama.state.errors import LeakError
from gama.state.task import AnswerKind, DomainChoice, DomainRule, Effort, PromptFile, PublicLimits, PublicTask


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
    guard: Guard,
    left_in: Callable[[str], int],
) -> PublicTask:
    """Build the task that may cross, or refuse.

    The fields are those of `PublicTask`, `choices` its options. The guard searches for the values of the box; `left_in`
    counts the private spans that a detector still finds in a text.

    Raises:
        LeakError: a field does not validate, a value of the box is in one of them, or the detector
            still finds something private. The message never quotes it.
    """
    draft = {
        "text": text,
        "rules": tuple(
            DomainRule(domain=rule.domain, term=rule.term, score=rule.score, prompt=rule.prompt) for rule in rules
        ),
        "kind": kind,
        "options": tuple(choices),
        "route": route,
        "effort": effort,
        "drke": drke,
        "domains": DomainChoice(
            k=domains.k, alpha=domains.alpha, high_order=domains.high_order, topk_mode=domains.topk_mode
        ),
        "disprove": disprove,
        "formulas": formulas,
        "prompts": tuple(PromptFile(name=file.name, text=file.text) for file in prompts),
        "model": model,
        "limits": limits,
    }
    try:
        # The JSON form is what crosses a wire; reading it back proves that nothing else is in it.
        task = PublicTask.model_validate_json(PublicTask.model_validate(draft).model_dump_json())
    except ValidationError:
        task = None
    if task is None:
        raise LeakError("The airlock refused the task: a field is not what may cross. Nothing was sent.")
    guard.check_text(task.text, "The task")
    for choice in task.options:
        guard.check_text(choice, "A choice of the task")
    for file in task.prompts:
        guard.check(file.text, what=f"The prompt template {file.name}.txt")
    # The bounds, the model's name and the form itself are no part of the task: 40000 in a letter is not theirs.
    blank = {"text": "", "options": (), "rules": (), "prompts": ()}
    guard.check(task.model_dump_json(), quoted=(task.model_copy(update=blank).model_dump_json(),))
    if count := left_in(task.text):
        raise LeakError(
            f"The airlock refused the task: the detector still finds {count} private span(s) in it. Nothing was sent. "
            "Name them with the option deny, or allow them if they are not private."
        )
    return task
