"""The last step of a sub-question: it is put down with all that led to its answer."""

from typing import Any

from gama.state.public import Membership, Part, PartState


def close_part(state: PartState) -> dict[str, Any]:
    """Write the part."""
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
