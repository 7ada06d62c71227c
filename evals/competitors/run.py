"""Talks to other tools, each in a process of its own Python."""

import json
import subprocess
import weakref
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Self

from gama.evals.competitors import adapter, finding
from gama.evals.mangling.cases import Value
from gama.state.errors import OptionError


class Tool:
    """Another tool, run by the Python that it is installed in.

    Args:
        script: what runs there.
        name: as the script knows the tool, with what is told of it behind a colon.
        known: the tools that it knows.
        python: the interpreter of its virtual environment.

    Raises:
        OptionError: The tool is unknown, or its Python does not start it.
    """

    def __init__(self, script: str, name: str, known: Iterable[str], python: Path) -> None:
        """Start its process."""
        if name.partition(":")[0] not in known:
            raise OptionError(f"option --competitor: unknown tool {name!r}; known tools: {'; '.join(known)}")
        self.name = name
        self.version = ""
        try:
            self._process = subprocess.Popen(
                [str(python), str(Path(script).resolve()), name],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                encoding="utf-8",
            )
        except OSError as error:
            raise OptionError(f"option --competitor: {str(python)!r} cannot be started: {error.strerror}") from None
        self._end = weakref.finalize(self, _end, self._process)

    def __enter__(self) -> Self:
        """Use it in a `with` block, which ends its process; otherwise that ends with the object."""
        return self

    def __exit__(self, *error: object) -> None:
        """End its process."""
        self._end()

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return its answer to a request.

        Raises:
            OptionError: It gives none.
        """
        assert self._process.stdin and self._process.stdout
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except OSError:
            line = ""
        if not line:
            raise OptionError(f"option --competitor: {self.name} does not answer; is it installed in that Python?")
        reply: dict[str, Any] = json.loads(line)
        self.version = reply["version"]
        return reply


def _end(process: "subprocess.Popen[str]") -> None:
    process.kill()
    process.communicate()


class Competitor(Tool):
    """Another tool as a restorer, one of `adapter.TOOLS`; see `Tool`."""

    def __init__(self, name: str, python: Path) -> None:
        """Start its process."""
        super().__init__(adapter.__file__, name, adapter.TOOLS, python)
        self.errors = 0
        """Answers it gave up on with an exception."""

    def box(self, values: Sequence[Value]) -> list[str]:
        """Make a box of values; return their placeholders."""
        return list(self.ask({"box": [[value.type, value.text] for value in values]})["placeholders"])

    def restore(self, texts: Sequence[str]) -> list[str]:
        """Restore answers with the last box."""
        reply = self.ask({"restore": list(texts)})
        self.errors += reply["errors"]
        return list(reply["texts"])


class OtherFinder(Tool):
    """Another tool as a finder, one of `finding.TOOLS`; see `Tool`. A model may stand behind its name: `NAME:MODEL`."""

    def __init__(self, name: str, python: Path) -> None:
        """Start its process, and see that it answers."""
        super().__init__(finding.__file__, name, finding.TOOLS, python)
        self.spans(".")

    def spans(self, text: str) -> list[tuple[int, int, str, float]]:
        """Return what it would hide: first character, one past the last, its own label, its score."""
        return [(start, end, label, score) for start, end, label, score in self.ask({"text": text})["spans"]]
