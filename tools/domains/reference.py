"""The 20 reference domains of the paper in its order, and the ten of the authors' code (spec 01 §1.5)."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gama.state.task import DomainSet
from gama.tools.tables import lines


@dataclass(frozen=True)
class Domain:
    """One reference domain."""

    name: str
    description: str
    """One sentence: what the discipline covers; it ends the expert's prompt."""

    of: str = ""
    """Which of the twenty it is by another name; empty for one of these."""

    @property
    def keywords(self) -> tuple[str, ...]:
        """The discipline's vocabulary, lower-case."""
        return lines("domains", f"keywords/{(self.of or self.name).lower()}.txt")


DOMAINS: tuple[Domain, ...] = tuple(Domain(*line.split(": ", 1)) for line in lines("domains", "domains.txt"))

NAMES: tuple[str, ...] = tuple(domain.name for domain in DOMAINS)

_TEN = {
    "Entertainment": "Entertainment", "financial": "Finance", "History": "History", "legal": "Law",
    "Literature": "Literature", "medical": "Medicine", "Politics": "Politics", "Sports": "Sports",
    "technology": "Technology", "science": "Science",
}  # fmt: skip
# By the names that the code gives them, of which Eq. 7 takes the vectors.

SETS: Mapping[DomainSet, tuple[Domain, ...]] = MappingProxyType({
    "twenty": DOMAINS,
    "ten": tuple(Domain(name, DOMAINS[NAMES.index(of)].description, of) for name, of in _TEN.items()),
})  # fmt: skip
"""The sets of reference domains by name."""

EVERY_NAME = frozenset(domain.name for domains in SETS.values() for domain in domains)
"""The names of all of them."""
