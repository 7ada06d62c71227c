"""Fixtures of the public graph's tests: a guard that lets everything pass, and tasks."""

from collections.abc import Iterator
from typing import Any

import pytest

from gama.guard.egress import EGRESS, NoPrivateSpace
from gama.state.task import DomainRule, PublicLimits, PublicTask

TERMS = {"Law": "High", "Finance": "Medium", "Medicine": "Low"}


@pytest.fixture(autouse=True)
def egress() -> Iterator[None]:
    token = EGRESS.set(NoPrivateSpace())
    yield
    EGRESS.reset(token)


@pytest.fixture
def make_task() -> Any:
    """Make a task with rules for law, finance and medicine; names that `PublicLimits` has go there."""

    def make(k: int = 3, **fields: Any) -> PublicTask:
        rules = tuple(
            DomainRule(domain=domain, term=term, score=0.5, prompt=f"You know {domain}.")  # type: ignore[arg-type]
            for domain, term in TERMS.items()
        )
        limits = {name: fields.pop(name) for name in list(fields) if name in PublicLimits.model_fields}
        given = {"text": "May <name-1> keep <amount-1>?", "rules": rules[:k], "limits": PublicLimits(**limits)}
        return PublicTask(**(given | fields))  # type: ignore[arg-type]

    return make
