"""The weights by which facts are given to persons; see `privacy/attribution.py`."""

import gzip
from collections.abc import Mapping
from functools import cache

from gama.models.embedded import WEIGHTS
from gama.state.errors import ModelUnreachable

OWNERS = WEIGHTS / "owners.txt.gz"
"""The shipped weights: one feature a line, its weight, a tab, its name."""


@cache
def owner_weights() -> Mapping[str, float]:
    """Return the shipped weights by feature, loaded once.

    Raises:
        ModelUnreachable: They are missing or damaged.
    """
    try:
        lines = gzip.decompress(OWNERS.read_bytes()).decode("utf-8").splitlines()
        pairs = (line.partition("\t") for line in lines if not line.startswith("#"))
        return {feature: float(weight) for weight, _, feature in pairs}
    except Exception as error:
        raise ModelUnreachable(
            f"{OWNERS.name!r} cannot be loaded ({type(error).__name__}): reinstall the package, or train it with "
            "`gama train attribution`"
        ) from error


def write_weights(weights: Mapping[str, float], about: str) -> bytes:
    """Return the file of some weights; the same weights give the same bytes."""
    lines = [f"# {about}", *(f"{weight:.2f}\t{feature}" for feature, weight in sorted(weights.items()))]
    return gzip.compress(("\n".join(lines) + "\n").encode("utf-8"), 9, mtime=0)
