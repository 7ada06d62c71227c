"""Globally famous people, from Pantheon 1.0 (Yu et al. 2016, CC BY 4.0), which ends in 2013, and from our own list.

A name on the list may still be a private person's: whether it is meant here is for the context to
say. A name that is not on it is nobody's whom everybody knows.
"""

import gzip
from functools import cache
from importlib.resources import files

from gama.state.folding import fold
from gama.tools.knowledge.own import own_names


def is_famous(name: str) -> bool:
    """Tell whether a globally famous person bears exactly this name; case, accents and spacing do not matter."""
    return fold(name) in famous_people()


@cache
def famous_people() -> frozenset[str]:
    """Return the folded names of the list, loaded once."""
    packed = (files("gama.tools.knowledge") / "data" / "people.txt.gz").read_bytes()
    lines = gzip.decompress(packed).decode("utf-8").splitlines()
    return frozenset(fold(line) for line in (*lines, *own_names("PER")) if not line.startswith("#"))
