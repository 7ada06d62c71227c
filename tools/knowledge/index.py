"""The public-knowledge index: people, places, companies and institutions that the world knows.

People are those of Pantheon 1.0 (Yu et al. 2016, CC BY 4.0), which ends in 2013, and of our own list; the sources and
licences of the others stand in the first line of each list. A name on a list may still be private where it stands (a
namesake, somebody's home or employer): the index only says that a name *can* be meant as public knowledge; what is on
no list can hardly be.
"""

import gzip
import re
from functools import cache
from importlib.resources import files

from gama.guard.folding import fold
from gama.state.entities import EntityType

_PUBLISHED = {"PER": "people.txt.gz", "LOC": "places.txt.gz", "ORG": "bodies.txt.gz"}


@cache
def known_names(kind: str) -> frozenset[str]:
    """Return the folded names of PER, LOC or ORG, loaded once: the published list and our own (`data/own.txt`)."""
    data = files("gama.tools.knowledge") / "data"
    lines = gzip.decompress((data / _PUBLISHED[kind]).read_bytes()).decode("utf-8").splitlines()
    names = [line for line in lines if not line.startswith("#")]
    section = ""
    for line in (data / "own.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            section = line.removeprefix("#").strip()
        elif section == kind:
            names += line.split(";")
    return frozenset(map(fold, names))


def is_famous(name: str) -> bool:
    """Return whether a globally famous person bears exactly this name; case, accents and spacing do not matter."""
    return fold(name) in known_names("PER")


_LISTS = ("LOC", "ORG")


def is_known(name: str, kind: EntityType) -> bool:
    """Return whether a name of a type is public knowledge all over the world; case, accents and spacing do not matter.

    Args:
        name: The name as it stands in a text.
        kind: PER, LOC or ORG; a body may stand for a place and the other way round, so both lists are asked
            for either. Any other type is never known.
    """
    if kind == "PER":
        return is_famous(name)
    if kind not in _LISTS:
        return False
    forms = {fold(name), fold(re.sub(r"^the\s+", "", name, flags=re.IGNORECASE))}
    return any(not forms.isdisjoint(known_names(one)) for one in _LISTS)
