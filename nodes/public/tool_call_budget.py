"""Which calls an expert may make for its tools: those that no later step needs."""

from gama.nodes.public.disproof.chosen import is_off
from gama.state.public import PartState
from gama.state.task import PublicTask

CHECKS = 2
"""Checks of a sub-question that tools leave calls for: one that finds a fault and mends it, one that agrees."""


def spare_of_task(task: PublicTask) -> int:
    """Return how many further calls each expert of the whole task may make; fusion and disproof keep theirs."""
    rounds = 0 if is_off(task) else task.limits.max_rounds
    return _shared(task.limits.max_calls - task.drke - 2 * rounds, len(task.rules))


def spare_of_part(state: PartState) -> int:
    """Return how many further calls each expert of a sub-question may make; its fusion and checks keep theirs."""
    task = state["task"]
    checks = 0 if is_off(task) else min(task.limits.max_checks, CHECKS)
    made = (state.get("usage") or {}).get("calls", 0)
    return _shared(state["allowance"] - made - task.drke - checks, len(state["rules"]))


def _shared(calls: int, experts: int) -> int:
    """Share what is left after one call of each expert."""
    return max(0, calls - experts) // experts
