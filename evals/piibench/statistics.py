"""What a made set looks like beside the published ones, and how alike two sets' scores are (spec 03 §3.4, §3.8)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from gama.evals.datasets.piibench import BenchRecord
from gama.evals.datasets.taxonomy import CATEGORIES

NOT_COMPARABLE = (
    "This is PII-Bench made anew: its texts are not the published ones, so figures measured on them cannot be compared "
    "with the published figures."
)
"""Stands beside everything that is measured on made sets."""


class Statistics(NamedTuple):
    """A set in numbers; all but the counts are means over samples."""

    samples: int
    subjects: float
    description_chars: float
    description_pii: float
    """Entities, each once for a subject: with repeated mentions the published counts of names would not come out."""
    query_chars: float
    query_pii: float
    types: Mapping[str, int]
    """Entities of each type."""

    def share(self, kind: str) -> float:
        """Return the share of a type among the entities, in percent."""
        whole = sum(self.types.values())
        return 100 * self.types.get(kind, 0) / whole if whole else 0.0


def _published(numbers: tuple[int, float, float, float, float, float], *types: int) -> Statistics:
    order = ("PER", "DEM", "CODE", "ORG", "LOC", "DATETIME", "QUANTITY")
    return Statistics(*numbers, MappingProxyType(dict(zip(order, types, strict=bool(types)))))


PUBLISHED: Mapping[str, Statistics] = MappingProxyType({
    "single": _published((1214, 1.0, 893.48, 7.67, 211.21, 1.95), 1214, 1220, 1464, 1590, 1053, 1368, 1394),
    "multi": _published((1228, 2.0, 652.65, 13.14, 236.21, 2.06), 2456, 2450, 2470, 2544, 1516, 2526, 2174),
    "hard": _published((200, 1.5, 778.03, 10.60, 222.09, 2.10), 286, 286, 222, 251, 304, 251, 234),
    "distract": _published((200, 7.5, 4403.64, 51.08, 859.69, 5.82), 1449, 1467, 1605, 1673, 1008, 1559, 1450),
    "all": _published(
        (2842, 1.92, 1028.32, 13.30, 268.41, 2.28), 5405, 5423, 5761, 6058, 3881, 5704, 5252,
    ),
})  # fmt: skip
"""The published sets. The counts of types are taken as they are printed; of `multi` the printed percentages of three
types are permuted, and those of `hard` add up to 9.17 a sample, not 10.60. Those of `all` are the sums."""


def describe(records: Sequence[BenchRecord]) -> Statistics:
    """Return a set in numbers; all are zero where it is empty."""
    count = len(records)

    def mean(numbers: Sequence[int]) -> float:
        return sum(numbers) / count if count else 0.0

    types = Counter(fact.type for one in records for fact in one.facts)
    return Statistics(
        count,
        mean([one.subjects for one in records]),
        mean([len(one.description) for one in records]),
        mean([len(one.facts) for one in records]),
        mean([len(one.query) for one in records]),
        mean([len(one.query_pii) for one in records]),
        MappingProxyType({kind: types[kind] for kind in CATEGORIES}),
    )


def as_numbers(one: Statistics) -> dict[str, Any]:
    """Return statistics as plain objects."""
    numbers = {name: round(value, 4) for name, value in one._asdict().items() if name != "types"}
    return numbers | {
        "types": {kind: {"entities": n, "percent": round(one.share(kind), 2)} for kind, n in one.types.items()}
    }


def consistency(single: float, real: float) -> float:
    """Return PCS: how alike a model's scores on made and on real texts are; 1 where they are equal.

    PCS = 1 - |F_single - F_real| / max(F_single, F_real). GPT-4o's strict F1 of .893 and .912 give .979.
    """
    most = max(single, real)
    return 1 - abs(single - real) / most if most else 1.0
