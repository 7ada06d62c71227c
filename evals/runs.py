"""Running methods over texts, and timing them."""

import platform
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any, NamedTuple

from gama import __version__
from gama.evals.methods.base import WARM_UP, Hidden, Method, installed
from gama.state.errors import GamaError

Step = Callable[[str], None]
"""Called with a method's name when it has done one more text."""


class Run(NamedTuple):
    """What one method did to all texts."""

    name: str
    about: str
    subjects: bool
    facts: Mapping[str, str]
    hidden: list[Hidden]
    seconds: list[float]
    """For each text."""

    @property
    def notes(self) -> list[str]:
        """What went otherwise than usual, each once with the number of texts."""
        counted = Counter(note for one in self.hidden for note in set(one.notes))
        return [f"{note} ({count} texts)" if count > 1 else f"{note} (1 text)" for note, count in counted.items()]


def run(method: Method, texts: Sequence[tuple[str, str]], step: Step) -> Run:
    """Hide what is private in all texts.

    Args:
        method: Does it.
        texts: Texts, each after its id.
        step: Told after each text.

    Raises:
        GamaError: A text cannot be done; the message names it.
    """
    method.hide(WARM_UP)
    hidden: list[Hidden] = []
    seconds: list[float] = []
    for name, text in texts:
        began = perf_counter()
        try:
            hidden.append(method.hide(text))
        except GamaError as error:
            raise type(error)(f"{method.name}, text {name!r}: {error}") from None
        seconds.append(perf_counter() - began)
        step(method.name)
    return Run(method.name, method.about, method.subjects, method.facts(), hidden, seconds)


def run_all(methods: Sequence[Method], texts: Sequence[tuple[str, str]], step: Step) -> list[Run]:
    """Run methods one after the other, so that none slows another down."""
    return [run(method, texts, step) for method in methods]


def provenance(runs: Sequence[Run]) -> dict[str, Any]:
    """Return what the figures of runs depend on, as plain objects: versions, and each method's models and hashes."""
    packages = ("numpy", "onnxruntime", "tokenizers", "scipy")
    return {
        "versions": {"python": platform.python_version(), "gama": __version__}
        | {name: installed(name) for name in packages},
        "methods": {
            run.name: {"about": run.about, "facts": dict(run.facts), "notes": run.notes, "seconds": sum(run.seconds)}
            for run in runs
        },
    }
