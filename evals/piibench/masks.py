"""What stands in the place of a masked value: six styles (spec 03 §3.1 has the first three)."""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Literal, get_args

from gama.evals.datasets.piibench import BenchRecord, Fact
from gama.evals.datasets.taxonomy import SUBTYPE_OF, tag
from gama.evals.metrics.subjects import normal
from gama.state.entities import placeholder_kind

MaskStyle = Literal["category", "type", "indexed", "placeholder", "word", "blocks"]

STYLES: Mapping[MaskStyle, str] = MappingProxyType({
    "category": "<Phone Number>, as in the paper",
    "type": "<CODE>",
    "indexed": "<Phone Number-1>, one number for each value",
    "placeholder": "<phone-1>, as the product writes it",
    "word": "[MASKED]",
    "blocks": "a block for each sign, so that the length is told",
})  # fmt: skip
"""The styles with an example of each."""

assert tuple(STYLES) == get_args(MaskStyle)


def masked(record: BenchRecord, kept: Collection[str], style: MaskStyle = "category") -> str:
    """Return a record's description with its values masked.

    Args:
        record: The record.
        kept: Surfaces that stay.
        style: What stands in their place.
    """
    stay = {normal(one) for one in kept}
    numbers: dict[tuple[str, str], int] = {}
    counted: dict[str, int] = {}
    out: list[str] = []
    at = 0
    # Of two that begin together the longer; what several persons share is masked once.
    for start, end, fact in sorted(record.pii, key=lambda one: (one.start, -one.end)):
        if start < at or normal(fact.entity) in stay:
            continue
        name = _name(fact, style)
        if (name, fact.entity) not in numbers:
            numbers[name, fact.entity] = counted[name] = counted.get(name, 0) + 1
        out += [record.description[at:start], _shown(fact, style, name, numbers[name, fact.entity])]
        at = end
    return "".join([*out, record.description[at:]])


def _name(fact: Fact, style: MaskStyle) -> str:
    if style == "placeholder":
        return placeholder_kind(SUBTYPE_OF[fact.category])
    return fact.type if style == "type" else fact.category


def _shown(fact: Fact, style: MaskStyle, name: str, number: int) -> str:
    if style == "word":
        return "[MASKED]"
    if style == "blocks":
        return "█" * len(fact.entity)
    return f"<{name}-{number}>" if style in ("indexed", "placeholder") else tag(name)
