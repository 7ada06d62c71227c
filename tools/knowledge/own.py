"""What the world knows and the published lists lack: names written down for this project (`data/own.txt`)."""

from functools import cache
from importlib.resources import files


@cache
def own_names(section: str) -> tuple[str, ...]:
    """Return the names of a section as they are written, each line of the file read once.

    Args:
        section: PER, LOC or ORG.
    """
    data = files("gama.tools.knowledge") / "data" / "own.txt"
    found: list[str] = []
    at = ""
    for line in data.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            at = line.removeprefix("#").strip()
        elif at == section:
            found += line.split(";")
    return tuple(found)
