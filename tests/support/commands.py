"""Running a command line in the process of a test."""

from collections.abc import Callable
from typing import Any, NamedTuple

from gama.serve import cli


class Done(NamedTuple):
    """What a command gave."""

    code: int
    out: str
    err: str


def runner(capsys: Any) -> Callable[..., Done]:
    """Return what runs a command line; it gives exit code, output and errors."""

    def run(*arguments: object) -> Done:
        code = cli.main([str(argument) for argument in arguments])
        return Done(code, *capsys.readouterr())

    return run
