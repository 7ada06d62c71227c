"""The 20 reference domains, in the paper's order (spec 01 §1.5)."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@cache
def read_list(name: str) -> tuple[str, ...]:
    """Return the lines of a list in `data/`, without empty ones and comments."""
    text = (files("gama.tools.domains") / "data" / name).read_text(encoding="utf-8")
    return tuple(line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#"))


@dataclass(frozen=True)
class Domain:
    """One reference domain."""

    name: str
    description: str
    """One sentence: what the discipline covers; it ends the expert's prompt."""

    @property
    def keywords(self) -> tuple[str, ...]:
        """The discipline's vocabulary, lower-case."""
        return read_list(f"keywords/{self.name.lower()}.txt")


DOMAINS: tuple[Domain, ...] = tuple(Domain(*line.split(": ", 1)) for line in read_list("domains.txt"))

NAMES: tuple[str, ...] = tuple(domain.name for domain in DOMAINS)
