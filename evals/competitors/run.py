"""Talks to other tools' restoring, each in a process of its own Python."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from gama.evals.competitors import adapter
from gama.evals.mangling.cases import Value
from gama.state.errors import OptionError


class Competitor:
    """Another tool as a restorer: `adapter` run by the Python that the tool is installed in.

    Args:
        name: one of `adapter.TOOLS`.
        python: the interpreter of its virtual environment.

    Raises:
        OptionError: The tool is unknown, or its Python does not start it.
    """

    def __init__(self, name: str, python: Path) -> None:
        """Start its process."""
        if name not in adapter.TOOLS:
            raise OptionError(f"option --competitor: unknown tool {name!r}; known tools: {'; '.join(adapter.TOOLS)}")
        self.name = name
        self.version = ""
        self.errors = 0
        """Answers it gave up on with an exception."""
        try:
            self._process = subprocess.Popen(
                [str(python), str(Path(adapter.__file__).resolve()), name],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                encoding="utf-8",
            )
        except OSError as error:
            raise OptionError(f"option --competitor: {str(python)!r} cannot be started: {error.strerror}") from None

    def __enter__(self) -> Self:
        """Use it in a `with` block, which ends its process."""
        return self

    def __exit__(self, *error: object) -> None:
        """End its process."""
        self._process.kill()
        self._process.wait()

    def box(self, values: Sequence[Value]) -> list[str]:
        """Make a box of values; return their placeholders."""
        return list(self._ask({"box": [[value.type, value.text] for value in values]})["placeholders"])

    def restore(self, texts: Sequence[str]) -> list[str]:
        """Restore answers with the last box."""
        reply = self._ask({"restore": list(texts)})
        self.errors += reply["errors"]
        return list(reply["texts"])

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
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
