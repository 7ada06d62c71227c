"""The proof of the airlock itself: it is handed tasks with a value in each of their fields, and must refuse them."""

from typing import Any

from gama.evals.audit.report import Report
from gama.guard.search import Guard
from gama.nodes import airlock
from gama.state.errors import LeakError
from gama.state.task import DomainChoice, DomainRule, FormulaFault, PromptFile, PublicLimits, PublicTask, Turn

VALUE = "Rosalind Oakshott"
_RULE = DomainRule(domain="Law", term="High", score=0.5, prompt="You know the law.")
_CLEAN: dict[str, Any] = {
    "text": "How long is the notice period of <name-1>?", "rules": [_RULE], "kind": "choice",
    "choices": ("three months", "none"), "route": "both", "drke": True, "domains": DomainChoice(), "disprove": "v1",
    "prompts": (PromptFile(name="expert", text="Answer shortly."),), "model": "openai:audit", "limits": PublicLimits(),
}  # fmt: skip
DIRTY: dict[str, dict[str, Any]] = {
    "text": {"text": f"How long is the notice period of {VALUE}?"},
    "text, in base64": {"text": "How long? Um9zYWxpbmQgT2Frc2hvdHQ="},
    "choices": {"choices": ("none", f"ask {VALUE}")},
    "rules": {"rules": [_RULE.model_copy(update={"prompt": f"You know {VALUE}."})]},
    "name of a domain": {"rules": [_RULE.model_copy(update={"domain": VALUE})]},
    "prompts": {"prompts": (PromptFile(name="expert", text=f"Answer {VALUE}."),)},
    "an earlier turn": {"conversation": [Turn(text=f"I am {VALUE}.", answer="Noted.")]},
    "an earlier answer": {"conversation": [Turn(text="I am <name-1>.", answer=f"Noted, {VALUE}.")]},
    "a field of another type": {"text": ["How long?"]},
}
"""Fields with a value of the box in them, or that are not what may cross."""


def dirty_fields(report: Report) -> None:
    """Hand the airlock clean and dirty fields."""
    guard = Guard([VALUE], placeholders=["<name-1>"])
    report.check(5, _crosses({}, guard, left=0), "the airlock refuses a clean task")
    for name, fields in DIRTY.items():
        report.check(5, not _crosses(fields, guard, left=0), f"the airlock lets a value pass: {name}")
    report.check(5, not _crosses({}, guard, left=1), "the airlock lets pass what the detector still finds")
    report.check(5, _goes_back("<date-1> is a range", guard), "the airlock refuses a clean message on a formula")
    report.check(5, not _goes_back(f"<name-1> is {VALUE}", guard), "the airlock lets a value pass: on a formula")
    report.promise(5).figures["dirty fields handed to the airlock"] = len(DIRTY) + 2


def _crosses(fields: dict[str, Any], guard: Guard, left: int) -> bool:
    try:
        _built(fields, guard, left)
    except LeakError:
        return False
    return True


def _built(fields: dict[str, Any], guard: Guard, left: int = 0) -> PublicTask:
    return airlock.build_public_task(**{**_CLEAN, **fields}, guard=guard, left_in=lambda text: left)


def _goes_back(message: str, guard: Guard) -> bool:
    """Return whether an answer may go back with a message on a formula of it."""
    task, fault = _built({}, guard), FormulaFault(formula="{{ f(<date-1>) }}", message=message)
    try:
        airlock.build_mending_task(
            task, draft=fault.formula, faults=[fault], limits=task.limits, guard=guard, left_in=lambda text: 0
        )
    except LeakError:
        return False
    return True
