"""The 20 reference domains, in the paper's order (spec 01 §1.5)."""

from dataclasses import dataclass

from gama.tools.tables import lines


@dataclass(frozen=True)
class Domain:
    """One reference domain."""

    name: str
    description: str
    """One sentence: what the discipline covers; it ends the expert's prompt."""

    @property
    def keywords(self) -> tuple[str, ...]:
        """The discipline's vocabulary, lower-case."""
        return lines("domains", f"keywords/{self.name.lower()}.txt")


DOMAINS: tuple[Domain, ...] = tuple(Domain(*line.split(": ", 1)) for line in lines("domains", "domains.txt"))

NAMES: tuple[str, ...] = tuple(domain.name for domain in DOMAINS)
