"""The contract of a method, and what it gives for a text."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple, Protocol

from gama.evals.metrics.spans import Stretch
from gama.evals.metrics.subjects import Persons
from gama.state.entities import placeholder_kind

WARM_UP = "Dear Ms. Example, please call 555-0100 before 9 May. Kind regards, A. Sample"
"""Hidden once before the clock runs, so that loading is not timed."""


class Hidden(NamedTuple):
    """What a method does to a text."""

    stretches: list[Stretch]
    """What it hides, sorted and without overlap; with `private=False` what it found and leaves in clear."""
    masked: str
    """The text that would leave."""
    notes: Sequence[str] = ()
    """What went otherwise than usual, without private text."""
    persons: Persons | None = None
    """Whose is what, where a method tells it in strings and not in places of the text."""


class Method(Protocol):
    """Finds and hides what is private. One instance hides many texts, one after the other."""

    name: str
    """As the tables show it."""
    about: str
    """One line on what it is."""
    subjects: bool
    """Whether it says whose a span is; without that the scores per subject have no meaning."""

    def facts(self) -> Mapping[str, str]:
        """Return what its figures depend on: model, hash, versions."""
        ...

    def hide(self, text: str) -> Hidden:
        """Hide what is private in a text that is not empty."""
        ...


def mask(text: str, stretches: Iterable[Stretch], names: dict[str, str] | None = None) -> str:
    """Return a text with its private stretches replaced by numbered placeholders, one for each surface.

    Args:
        text: The text.
        stretches: What is hidden of it.
        names: The placeholders by surface; it grows.
    """
    out: list[str] = []
    names = {} if names is None else names
    at = 0
    for item in sorted(stretches):
        if not item.private or item.start < at:
            continue
        name = names.setdefault(text[item.start : item.end], f"<{placeholder_kind(item.subtype)}-{len(names) + 1}>")
        out += [text[at : item.start], name]
        at = item.end
    return "".join([*out, text[at:]])


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def installed(package: str) -> str:
    """Return the version of a package, or `-`."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "-"
