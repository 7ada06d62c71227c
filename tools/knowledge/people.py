"""Globally famous people, from Pantheon 1.0 (Yu et al. 2016, CC BY 4.0), which ends in 2013, and from our own list.

A name on the list may still be a private person's: whether it is meant here is for the context to
say. A name that is not on it is nobody's whom everybody knows.
"""

from gama.guard.folding import fold
from gama.tools.knowledge.lists import known_names


def is_famous(name: str) -> bool:
    """Return whether a globally famous person bears exactly this name; case, accents and spacing do not matter."""
    return fold(name) in known_names("PER")
