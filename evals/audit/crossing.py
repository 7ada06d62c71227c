"""The proof of the airlock itself: it is handed tasks with a value in each of their fields, and must refuse them."""

from typing import Any

from gama.evals.audit.report import Report
from gama.guard.search import Guard
from gama.nodes import airlock
from gama.state.errors import LeakError
from gama.state.task import DomainChoice, DomainRule, PromptFile, PublicLimits

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
    report.promise(5).figures["dirty fields handed to the airlock"] = len(DIRTY) + 1


def _crosses(fields: dict[str, Any], guard: Guard, left: int) -> bool:
    try:
        airlock.build_public_task(**{**_CLEAN, **fields}, guard=guard, left_in=lambda text: left)
    except LeakError:
        return False
    return True
