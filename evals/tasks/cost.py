"""What a run will take before it begins: calls, tokens and money, estimated."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from gama.evals.datasets.problem import Problem
from gama.evals.tasks.catalog import Items
from gama.models.names import Price, estimate_tokens

REPLY = 400
"""Tokens of a reply, where nothing is known of a method's replies to a data set yet: a story, a letter, reasons."""

PROMPT = 250
"""Tokens that a method's own prompt adds to each call, where nothing is known yet."""


class Shape(NamedTuple):
    """How a method talks to its model."""

    calls: float
    """For one item."""
    carried: float = 0.0
    """Which share of the earlier replies each call takes along."""


SHAPES: Mapping[str, Shape] = MappingProxyType({
    "std": Shape(1), "cot": Shape(1), "spp": Shape(1), "self-refine": Shape(3, 1.0), "autoagents": Shape(16, 0.5),
    "epeagents": Shape(4, 0.7), "marisagents": Shape(8, 0.7), "agentsafe": Shape(8, 0.5), "papillon": Shape(1),
    "gama": Shape(8, 0.4), "rpr": Shape(1),
})  # fmt: skip
"""By the beginning of a method's key: calls by the control flow of its specification, rather too many than too few."""

UNKNOWN = Shape(10, 0.5)
"""Of a method that is not in the table."""


class Estimate(NamedTuple):
    """What a run, or a part of it, will probably take."""

    items: int = 0
    calls: float = 0.0
    input_tokens: float = 0.0
    output_tokens: float = 0.0
    measured: int = 0
    """How many finished items of the same run it is reckoned from; 0: from the table."""

    def money(self, price: Price | None) -> float | None:
        """Return US dollars, or None where no price is known."""
        return None if price is None else price.cost(round(self.input_tokens), round(self.output_tokens))

    def plus(self, other: "Estimate") -> "Estimate":
        """Return both together."""
        return Estimate(
            self.items + other.items,
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.measured + other.measured,
        )


def shape_of(key: str) -> Shape:
    """Return how a method talks to its model; a compound asks what hides as often as what solves."""
    parts = [name for name in SHAPES if key == name or key.startswith(f"{name}-")]
    found = SHAPES[max(parts, key=len)] if parts else UNKNOWN
    return found._replace(calls=found.calls + SHAPES["rpr"].calls) if key.endswith("-rpr") else found


def estimate(key: str, items: Sequence[Problem], epochs: int, done: Iterable[Mapping[str, Any]]) -> Estimate:
    """Return what the items that are left will take.

    Args:
        key: of the method.
        items: what is left, each once.
        epochs: how often each is left, on the average of one item.
        done: rows of finished items of the same run, by which the estimate goes where there are any.
    """
    count = len(items) * epochs
    if known := [row["used"] for row in done]:
        calls, read, written = (
            count * sum(one[name] or 0 for one in known) / len(known)
            for name in ("calls", "input_tokens", "output_tokens")
        )
        return Estimate(count, calls, read, written, len(known))
    calls, carried = shape_of(key)
    asked = sum(estimate_tokens(one.prompt) for one in items) * epochs
    # The first call carries nothing, each later one its share of what was replied before.
    before = carried * REPLY * max(calls - 1, 0) / 2
    return Estimate(count, count * calls, calls * (asked + count * (PROMPT + before)), count * calls * REPLY)


def left(items: Items, has: Callable[[Problem, int], bool], epochs: int) -> list[tuple[Problem, int]]:
    """Return the items and epochs that are not finished."""
    return [
        (item.problem, epoch) for epoch in range(1, epochs + 1) for item in items.items if not has(item.problem, epoch)
    ]
