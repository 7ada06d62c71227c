"""Fusion of the experts' answers to one sub-question (spec 01 §1.6 and §1.7)."""

from typing import Any

from langchain_core.runnables import Runnable

from gama.models.calls import PublicCall
from gama.nodes.public.calling import Clients, Outcome
from gama.nodes.public.disproof.chosen import is_off
from gama.nodes.public.fuse import fused, fusing_call
from gama.nodes.public.model_node import turn
from gama.state.public import PartState


def fuse_part(clients: Clients) -> Runnable[Any, Any]:
    """Return the node. Where no expert answered, the sub-question stays open; the task may be solved without it."""
    return turn("fuse", clients, _call, _record, _skip)


def _call(state: PartState) -> PublicCall | None:
    if not state["answers"] or not state["task"].drke:
        return None
    return fusing_call(state["task"], state["answers"], state["question"])


def _record(state: PartState, call: PublicCall, outcome: Outcome) -> dict[str, Any]:
    draft, update = fused(state["answers"], call, outcome)
    return update | _drafted(state, draft)


def _skip(state: PartState) -> dict[str, Any]:
    return _drafted(state, state["answers"][0].text if state["answers"] else "")


def _drafted(state: PartState, draft: str) -> dict[str, Any]:
    task = state["task"]
    if not draft or is_off(task) or task.limits.max_checks == 0:
        return {"draft": draft, "verdict": "off"}
    return {"draft": draft}
