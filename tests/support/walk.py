"""Walks through `gama ask` and says which files of the package a question passes, and which pairs call each other.

    python -m tests.support.walk [FILE]

Counted is what is called while the example letter, or FILE, is answered; what a file does when it is imported is not.
"""

import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]


class Walk(NamedTuple):
    """What was passed."""

    files: dict[str, int]
    """The files, relative to the root, and how many calls each one took."""
    calls: frozenset[tuple[str, str]]
    """Pairs of files: a function of the first called one of the second."""

    @property
    def mutual(self) -> list[tuple[str, str]]:
        """The pairs of files of which each calls the other."""
        return sorted((one, other) for one, other in self.calls if one < other and (other, one) in self.calls)

    def lines(self) -> list[str]:
        """Return what is printed: every file, and every mutual pair."""
        told = [f"{count:8,} {name}" for name, count in sorted(self.files.items())]
        told += [f"{len(self.files)} files", *(f"{one} <-> {other}" for one, other in self.mutual)]
        return [*told, f"{len(self.mutual)} mutual pairs"]


class Profile:
    """Notes the calls between files of the package, in all threads that begin after it."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._counts: Counter[str] = Counter()
        self._calls: set[tuple[str, str]] = set()
        self._names: dict[str, str | None] = {}
        self._importing = threading.local()

    def walk(self, task: Callable[[], object]) -> Walk:
        """Do something and return what it passed."""
        threading.setprofile(self._note)
        sys.setprofile(self._note)
        try:
            task()
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
        return Walk(dict(self._counts), frozenset(self._calls))

    def _note(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        depth: int = getattr(self._importing, "depth", 0)
        if code.co_name == "_find_and_load" and "importlib" in code.co_filename:
            self._importing.depth = depth + {"call": 1, "return": -1}.get(event, 0)
            return
        if event != "call" or depth or code.co_name == "<module>":
            return
        called = self._name(code.co_filename)
        if called is None:
            return
        self._counts[called] += 1
        caller = self._name(frame.f_back.f_code.co_filename) if frame.f_back else None
        if caller not in (None, called):
            self._calls.add((str(caller), called))

    def _name(self, file: str) -> str | None:
        """Return a file's name below the root, through the links; None if it is not of the package."""
        if file not in self._names:
            path = Path(file).resolve() if file.startswith(str(ROOT)) else None
            inside = path is not None and path.is_relative_to(ROOT) and "site-packages" not in path.parts
            ours = path is not None and inside and path.relative_to(ROOT).parts[0] not in (".venv", "tests")
            self._names[file] = path.relative_to(ROOT).as_posix() if path is not None and ours else None
        return self._names[file]


def main(file: str = str(ROOT / "examples" / "letter.txt")) -> None:
    """Print the walk through one question; the answer goes to standard output before it."""
    from gama.serve.cli import main as gama

    def ask() -> None:
        sys.argv = ["gama", "ask", file]
        try:
            gama()
        except SystemExit as end:
            if end.code:
                raise

    print("\n".join(Profile().walk(ask).lines()), file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:2])
