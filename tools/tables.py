"""What costs time before it is of use: the data files of this room, and expressions that few texts need.

Tables in YAML and lists of lines lie in the `data/` of the folder that reads them, and are read once.
"""

import gzip
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar, cast

T = TypeVar("T")


class _Late:
    """Stands for an expression until something is asked of it; from then on its methods are those of the compiled."""

    def __init__(self, compiled: Callable[[], Any]) -> None:
        self._compiled = compiled

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        pattern = self._compiled()
        self._compiled = lambda: pattern
        found = self.__dict__[name] = getattr(pattern, name)
        return found


def late(compiled: Callable[..., T], *given: Any) -> T:
    """Return an expression that is compiled when it is first used.

    Args:
        compiled: `compile` of `re` or `regex`.
        given: what it takes.
    """
    return cast(T, _Late(lambda: compiled(*given)))


@cache
def table(folder: str, name: str) -> Any:
    """Return what `<folder>/data/<name>.yaml` holds."""
    import yaml

    # The loader written in C is eight times as fast; both read the same.
    return yaml.load(_read(folder, f"{name}.yaml"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))


@cache
def lines(folder: str, name: str) -> tuple[str, ...]:
    """Return the lines of a list, which may be compressed, without empty ones and comments."""
    found = _read(folder, name)
    text = (gzip.decompress(found) if name.endswith(".gz") else found).decode("utf-8")
    return tuple(line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#"))


def _read(folder: str, name: str) -> bytes:
    return (files("gama.tools") / folder / "data" / name).read_bytes()
