"""`Decision`: what a person has decided about a stretch of the task, before it leaves.

A decision holds offsets and no text, so it may stand in a checkpoint. It goes before what the finders and models of
the private space think; only what the operator always hides goes before it.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from gama.state.entities import TYPE_OF
from gama.state.errors import InputError

MOST = 5_000
"""Decisions on one text."""


class Decision(BaseModel):
    """Hide a stretch, or let it leave; of what kind it is, and whose."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    start: int = Field(ge=0)
    """First character, counted in characters (code points) of the task."""
    end: int = Field(ge=1)
    """One past the last character."""
    private: bool
    """Whether it is hidden. What is decided for one mention holds for every mention of the same value."""
    subtype: str | None = None
    """What it is; None leaves what was found."""
    subject: str | None = Field(default=None, pattern="^([A-Z]{1,2}|-)$")
    """Whose it is, as a letter; `-` for nobody's, None leaves what was found."""

    @field_validator("subtype")
    @classmethod
    def _known(cls, value: str | None) -> str | None:
        if value is not None and value not in TYPE_OF:
            raise ValueError("unknown subtype")
        return value


def read_decisions(given: Iterable[Decision | Mapping[str, Any]] | None, text: str) -> tuple[Decision, ...]:
    """Check decisions against the text they are about and put them in order.

    Raises:
        InputError: one is none, lies outside the text, is about nothing but space, or overlaps another.
    """
    found: list[Decision] = []
    problem = ""
    try:
        found = [one if isinstance(one, Decision) else Decision.model_validate(one) for one in given or ()]
    except (ValidationError, TypeError):
        problem = "one is not as it should be: start, end, private, and, where it is changed, subtype and subject"
    found.sort(key=lambda one: one.start)
    at = 0
    for one in found:
        if one.end > len(text) or one.start >= one.end or not text[one.start : one.end].strip():
            problem = problem or "one lies outside the text, or on nothing but space"
        elif one.start < at:
            problem = problem or "two overlap"
        at = max(at, one.end)
    if len(found) > MOST:
        problem = problem or f"there are more than {MOST:,}"
    if problem:
        raise InputError(
            f"The decisions cannot be used: {problem}. Offsets count characters of the text as it is sent."
        )
    return tuple(found)


def plain_decisions(given: Iterable[Decision | Mapping[str, Any]] | None) -> list[dict[str, Any]]:
    """Write decisions as plain objects for the state; what is no decision is found out where the text is at hand."""
    return [one.model_dump() if isinstance(one, Decision) else dict(one) for one in given or ()]
