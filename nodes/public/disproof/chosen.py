"""Which variant of disproof a task asks for."""

from typing import Final

from gama.nodes.public.disproof.base import Disproof
from gama.nodes.public.disproof.contradiction import ProofByContradiction
from gama.nodes.public.disproof.falsification import Falsification
from gama.state.task import DisproofMode, PublicTask

VARIANTS: Final[dict[DisproofMode, Disproof]] = {"v1": Falsification(), "v2": ProofByContradiction()}


def is_off(task: PublicTask) -> bool:
    """Return whether the first answer is final."""
    return task.disprove == "off" or task.limits.max_rounds == 0


def disproof_of(task: PublicTask) -> Disproof:
    """Return the variant of a task whose disproof is on."""
    return VARIANTS[task.disprove]
