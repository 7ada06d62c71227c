"""The policy manifest of MarisAgents, and the monitor that keeps it on every flow of a group of agents."""

import re
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from gama.evals.solvers.desk import Desk
from gama.state.errors import InputError

Flow = Literal["transition", "group", "model", "tool", "user"]
"""From agent to agent, to the group, between an agent and its model, a tool, or the user."""

SENSITIVE = "[SENSITIVE]"
"""What stands in the place of what is masked."""

SCHEMA: Mapping[str, Any] = {
    "title": "finding",
    "type": "object",
    "properties": {"found": {"type": "boolean"}},
    "required": ["found"],
    "additionalProperties": False,
}

CHECK = """Does the text below contain anything of the following? $sought

TEXT
$text

Reply with a JSON object: "found", true or false."""

MASK = f"""Rewrite the text below. Put {SENSITIVE} in the place of everything of the following: $sought Change nothing \
else.

TEXT
$text

Reply with the rewritten text alone."""


class Rule(BaseModel):
    """What may not pass on a flow, and what becomes of it."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    flow: Flow
    source: str = Field(min_length=1)
    """Name of the sender, or `*`."""
    destination: str = Field(min_length=1)
    """Name of the receiver, or `*`."""
    method: Literal["regex", "llm"]
    action: Literal["block", "mask", "warning"]
    pattern: str | None = None
    """What a rule by `regex` looks for, whatever the case."""
    categories: list[str] | None = None
    """What a rule by `llm` looks for: categories of data …"""
    criterion: str | None = None
    """… or what is told in a sentence."""
    message: str = ""
    """What stands in the place of what is blocked, and in the note of a warning."""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        given = [name for name in ("pattern", "categories", "criterion") if getattr(self, name)]
        if self.method == "regex":
            if given != ["pattern"]:
                raise ValueError("a rule by regex has a pattern and nothing else to look for")
            try:
                re.compile(self.pattern or "")
            except re.error:
                raise ValueError("the pattern is not a regular expression") from None
        elif given not in (["categories"], ["criterion"]):
            raise ValueError("a rule by llm has either categories or a criterion")
        return self

    def covers(self, flow: Flow, source: str, destination: str) -> bool:
        """Return whether the rule is about what goes this way."""
        return self.flow == flow and self.source in ("*", source) and self.destination in ("*", destination)

    @property
    def sought(self) -> str:
        """What a model looks for, in words."""
        return f"{self.criterion or ', '.join(self.categories or ())}."


class Manifest(BaseModel):
    """The rules of a group."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    rules: list[Rule]

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        """Read a manifest.

        Raises:
            InputError: a rule says not what to look for, by which method, or what to do; names the rule.
        """
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            problems = (f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors())
            raise InputError(f"the manifest is invalid: {'; '.join(problems)}") from None


class Passed(NamedTuple):
    """What is left of a text behind the monitor."""

    text: str
    blocked: bool = False


class Monitor:
    """Keeps a manifest: looks at what goes over a flow, and lets it pass, masked, or not at all."""

    def __init__(self, manifest: Manifest, desk: Desk) -> None:
        """Take the manifest, and the desk by which rules that ask a model do so."""
        self._rules, self._desk = manifest.rules, desk

    async def check(self, flow: Flow, source: str, destination: str, text: str) -> Passed:
        """Return what may go from a source to a destination; the first rule that blocks has the last word."""
        for rule in self._rules:
            if not rule.covers(flow, source, destination) or not await self._breaks(rule, text):
                continue
            kept = self._desk.trace.setdefault("rules_kept", {})
            kept[f"{flow} {rule.action}"] = kept.get(f"{flow} {rule.action}", 0) + 1
            if rule.action == "block":
                return Passed(rule.message or f"[blocked: {source} to {destination}]", blocked=True)
            if rule.action == "warning":
                self._desk.note(f"monitor: {rule.message or 'a rule was broken'} ({flow}, {source} to {destination})")
            else:
                masked = await self._masked(rule, text)
                if masked is None:
                    return Passed(rule.message or f"[blocked: {source} to {destination}]", blocked=True)
                text = masked
        return Passed(text)

    async def _breaks(self, rule: Rule, text: str) -> bool:
        """Return whether a text breaks a rule; what a model says nothing readable about does."""
        if rule.method == "regex":
            return re.search(rule.pattern or "", text, re.IGNORECASE) is not None
        parts = {"sought": rule.sought, "text": text}
        found = await self._desk.read("monitor", CHECK, parts, SCHEMA, trusted=True)
        return found is None or bool(found["found"])

    async def _masked(self, rule: Rule, text: str) -> str | None:
        if rule.method == "regex":
            return re.sub(rule.pattern or "", SENSITIVE, text, flags=re.IGNORECASE)
        return await self._desk.try_ask("masker", MASK, {"sought": rule.sought, "text": text}, trusted=True)
