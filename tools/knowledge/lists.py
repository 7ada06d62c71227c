"""The lists of public knowledge: names of people, places and bodies, as published and as written for this project."""

import gzip
from functools import cache
from importlib.resources import files

from gama.guard.folding import fold

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
