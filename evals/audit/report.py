"""What an audit found: counts, channels, promises, and what the detectors missed."""

import json
import platform
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from gama import __version__

PROMISES = {
    1: ("Egress", "no value of the box leaves, in any form, on any channel"),
    2: ("Round trip", "what was hidden comes back exactly, whatever the text"),
    3: ("Mangling", "changed placeholders are restored, and never to another's value"),
    4: ("Isolation", "one conversation's box restores no other's answer"),
    5: ("Fail closed", "any doubt stops the run, and nothing is half sent"),
    6: ("Erasure", "nothing of a forgotten conversation can be read, on the disk either"),
    7: ("Bounds", "hostile texts and replies end in an answer or an error, never a hang"),
    8: ("Degradation", "one failing expert does not fail the task; none answering does, clearly"),
    9: ("At rest", "what is kept is ciphertext, and opens only where it was sealed for"),
}
"""The promises of docs/security.md that can be put to the test, by their numbers there."""


@dataclass
class Promise:
    """How one promise fared."""

    number: int
    name: str
    promised: str
    checks: int = 0
    broken: list[str] = field(default_factory=list)
    """What broke it; values that got out are named by kind only."""
    figures: dict[str, Any] = field(default_factory=dict)

    @property
    def held(self) -> bool:
        """Whether it was put to the test and held."""
        return bool(self.checks) and not self.broken


@dataclass
class ChannelResult:
    """One channel."""

    name: str
    payloads: int
    size: int
    """Bytes."""
    leaks: int
    """Values of a box that were found."""
    missed: int
    """Payloads with a planted value that no detector had found."""


@dataclass
class Missed:
    """How many planted values of a kind, or of an origin, no detector found."""

    name: str
    planted: int
    missed: int


@dataclass
class Told:
    """What the embedded attacker infers of the writer of a text in which everything that was found is hidden."""

    text: str
    """Which text."""
    attribute: str
    guess: str
    certainty: int
    """From 1 to 5."""
    sentences: list[str]
    """The sentences responsible."""


@dataclass
class Report:
    """The whole audit."""

    seconds: float = 0.0
    texts: int = 0
    values: int = 0
    """Values that the boxes held."""
    planted: int = 0
    attacks: int = 0
    forms: int = 0
    """Forms in which values were tried to be sent."""
    threads: int = 0
    payloads: int = 0
    payload_bytes: int = 0
    promises: list[Promise] = field(default_factory=lambda: [Promise(n, *about) for n, about in PROMISES.items()])
    channels: list[ChannelResult] = field(default_factory=list)
    missed_by_kind: list[Missed] = field(default_factory=list)
    missed_by_origin: list[Missed] = field(default_factory=list)
    context_texts: int = 0
    """Texts of which it was tried what context still tells."""
    context: list[Told] = field(default_factory=list)
    """What it tells; no promise covers that."""
    attack_names: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    """Parts that could not be finished, and texts that were stopped though nothing was wrong with them."""
    not_tested: list[str] = field(default_factory=list)
    """What this machine or this audit leaves untested."""
    notes: list[str] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)

    def promise(self, number: int) -> Promise:
        """Return a promise by its number."""
        return self.promises[number - 1]

    def check(self, number: int, holds: bool, what: str) -> bool:
        """Count a check of a promise, and what broke it."""
        promise = self.promise(number)
        promise.checks += 1
        if not holds and what not in promise.broken:
            promise.broken.append(what)
        return holds

    @property
    def held(self) -> bool:
        """Whether every promise was put to the test and held, and nothing failed."""
        return all(promise.held for promise in self.promises) and not self.failures

    @property
    def checks(self) -> int:
        """How many checks were made."""
        return sum(promise.checks for promise in self.promises)

    @property
    def broken(self) -> int:
        """How many different things broke a promise."""
        return sum(len(promise.broken) for promise in self.promises)

    @property
    def missed(self) -> int:
        """Planted values that no detector found."""
        return sum(missed.missed for missed in self.missed_by_kind)

    def as_json(self) -> str:
        """Return the report as JSON."""
        whole = {"held": self.held, "missed": self.missed} | asdict(self)
        for shown, promise in zip(whole["promises"], self.promises, strict=True):
            shown["held"] = promise.held
        return json.dumps(whole, indent=1, ensure_ascii=False)


def versions() -> dict[str, str]:
    """Return the versions of what was audited."""
    system = f"{platform.system()} {platform.machine()}"
    found = {"python": platform.python_version(), "system": system, "gama": __version__}
    for name in ("langgraph", "langchain-core", "langchain-openai", "langsmith", "httpx"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found
