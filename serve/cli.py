"""The command line `gama`: commands, and what becomes of errors.

Exit codes: 0 fine, 1 something else of ours, 2 bad input or option, 3 a model, 4 a leak was stopped, 5 no expert
answered, 6 sealed data, 7 a limit, 70 a fault of the program, 130 interrupted.
"""

import os
import sys

import click
import typer

from gama.serve.commands.anonymize import anonymize
from gama.serve.commands.ask import ask
from gama.serve.commands.doctor import doctor
from gama.serve.commands.forget import forget
from gama.serve.commands.graph import graph
from gama.serve.commands.restore import restore
from gama.serve.commands.studio import studio
from gama.serve.commands.train import train
from gama.serve.commands.version import version
from gama.state.errors import GamaError

FAULT = 70
"""Exit code of an error that is no one's but the program's."""

app = typer.Typer(
    name="gama",
    help="Ask a public LLM about private texts: what is private stays on this machine.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
for command in (ask, anonymize, restore, forget, graph, studio, train, doctor, version):
    app.command()(command)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code; the entry point of the package exits with it."""
    code = run(arguments)
    if arguments is None:
        sys.exit(code)
    return code


def run(arguments: list[str] | None = None) -> int:
    """Run a command line; every error becomes a line on standard error and an exit code."""
    if os.environ.get("GAMA_DEBUG") == "1":
        return _run(arguments)
    try:
        return _run(arguments)
    except GamaError as error:
        _say(f"error: {error}")
        return error.exit_code
    except KeyboardInterrupt:
        _say("interrupted: finished steps are kept; `gama ask --resume --thread THREAD` takes them up")
        return 130
    except BrokenPipeError:
        # The reader of the pipe has enough; there is nobody left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        # Its text and its traceback may show private values: the class name has to do.
        _say(
            f"error: unexpected {type(error).__name__}. Set GAMA_DEBUG=1 to see the traceback "
            "(it may show private text)."
        )
        return FAULT


def _run(arguments: list[str] | None) -> int:
    try:
        result = app(arguments, standalone_mode=False)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.exceptions.Abort:
        raise KeyboardInterrupt from None
    except click.ClickException as error:
        error.show(sys.stderr)
        return error.exit_code
    return result if isinstance(result, int) else 0


def _say(line: str) -> None:
    print(line, file=sys.stderr)
