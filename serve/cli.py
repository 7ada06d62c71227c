"""The command line `gama`: commands, and what becomes of errors.

Exit codes: 0 fine, 1 something else of ours, 2 bad input or option, 3 a model, 4 a leak was stopped, 5 no expert
answered, 6 sealed data, 7 a limit, 8 the store of checkpoints or keys, 9 some records of a dataset
were rejected, 70 a fault of the program, 130 interrupted.
"""

import os
import re
import sys
import traceback
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from gama.guard.terminal import say
from gama.serve.commands.anonymize import anonymize
from gama.serve.commands.ask import ask
from gama.serve.commands.audit import audit
from gama.serve.commands.doctor import doctor
from gama.serve.commands.eval import benchmarks, evaluations
from gama.serve.commands.keys import keys
from gama.serve.commands.mcp import mcp
from gama.serve.commands.restore import restore
from gama.serve.commands.serve import by_present_names, serve
from gama.serve.commands.studio import studio
from gama.serve.commands.threads import box, forget
from gama.serve.commands.train import train
from gama.serve.terminal import INTERRUPTED, prepare_streams
from gama.state.errors import GamaError, OptionError, nearest
from gama.state.option_table import rows
from gama.state.options import Options

SECRETS = (
    "GAMA_KEY", "GAMA_UPSTREAM_KEY", "GAMA_ANTHROPIC_KEY", "GAMA_PUBLIC_API_KEY", "GAMA_PUBLIC_GRAPH_KEY",
    "GAMA_MCP_TOKEN", "GAMA_STORE", "GAMA_THREAD_KEYS", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "PGPASSWORD",
)  # fmt: skip
"""Variables that may lie in a file."""

_LONGEST = 65_536


def read_secrets() -> None:
    """Set each variable whose file is named, for this process and those it starts; the name of the file goes.

    Raises:
        OptionError: a file cannot be read or is empty, or the variable is set as well.
    """
    for name in SECRETS:
        path = os.environ.get(f"{name}_FILE")
        if not path:
            continue
        if os.environ.get(name):
            raise OptionError(f"{name} and {name}_FILE are both set: leave one out")
        try:
            content = Path(path).read_bytes()[: _LONGEST + 1]
            value = content.decode("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or type(error).__name__
            value, content = "", b""
        else:
            reason = "it is empty" if not value else "it is too long"
        if not value or len(content) > _LONGEST or "\0" in value:
            raise OptionError(f"{name}_FILE names {path!r}, which cannot be used: {reason}")
        os.environ[name] = value
        del os.environ[f"{name}_FILE"]


FAULT = 70
"""Exit code of an error that is no one's but the program's."""
USAGE = 2
"""Exit code of a command line that cannot be understood."""

# typer carries its own click or uses the installed one, by its version: its errors are found by way of its own.
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]

app = typer.Typer(
    name="gama",
    no_args_is_help=False,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


@app.callback(invoke_without_command=True)
def start(
    told: Annotated[bool, typer.Option("--version", "-V", is_eager=True, help="Print the version and stop.")] = False,
) -> None:
    """Ask a public LLM about private texts: what is private stays on this machine."""
    if told:
        version()
        raise typer.Exit


def version() -> None:
    """Print the version."""
    from gama import __version__

    print(__version__)


def graph(which: Annotated[str, typer.Argument(help="gama (the whole) or public.")] = "gama") -> None:
    """Print a graph as Mermaid text, drawn from the graph itself."""
    from gama.serve.drawing import draw

    print(draw(which))


class Training(TyperCommand):
    """`gama train`, whose `seal` is a group of commands of its own, loaded when it is called."""

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **more: Any) -> Any:
        """Return the context of the command, or of the group that its first argument names."""
        if args[:1] != ["seal"]:
            return super().make_context(info_name, args, parent, **more)
        from gama.serve.commands.seal import seal

        return typer.main.get_command(seal).make_context(f"{info_name} seal", args[1:], parent, **more)


for command in (ask, anonymize, restore, box, serve, forget, audit, mcp, graph, studio, doctor, version):
    app.command()(command)
app.command(cls=Training, epilog="Self-refining anonymizers (SEAL): gama train seal --help")(train)
app.add_typer(keys, name="keys")
app.add_typer(evaluations, name="eval")
app.add_typer(benchmarks, name="bench")


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code; the entry point of the package exits with it."""
    prepare_streams()
    code = run(sys.argv[1:] if arguments is None else arguments)
    if arguments is None:
        sys.exit(code)
    return code


def run(arguments: list[str]) -> int:
    """Run a command line; every error becomes a line on standard error and an exit code."""
    try:
        read_secrets()
        if arguments[:1] == ["serve"]:
            arguments = by_present_names(arguments)
        result = app(arguments or ["--help"], prog_name="gama", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except GamaError as error:
        _debug()
        say(f"error: {error}")
        return error.exit_code
    except _UsageError as error:
        say(f"error: {_usage(error)}")
        return USAGE
    except (KeyboardInterrupt, typer.Abort):
        say("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of the pipe has enough; there is nobody left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        _debug()
        say(f"error: {_unusable(error)}")
        return GamaError.exit_code
    except Exception as error:
        _debug()
        if type(error).__module__ == "sqlite3":
            say(f"error: the home folder's files cannot be used ({type(error).__name__}). See `gama doctor`.")
            return GamaError.exit_code
        # Its text and its traceback may show private values: the class name has to do.
        say(
            f"error: unexpected {type(error).__name__}. Set GAMA_DEBUG=1 to see the traceback "
            "(it may show private text)."
        )
        return FAULT


_REMEDIES: dict[type[OSError], str] = {
    FileNotFoundError: "The folder for it is not there: make it first, or name another place.",
    FileExistsError: "A file stands where a folder should: name another place.",
    NotADirectoryError: "A file stands where a folder should: name another place.",
    IsADirectoryError: "It is a folder: name a file.",
    PermissionError: "You may not read or write it: name another place, or change its rights.",
}


def _unusable(error: OSError) -> str:
    """Say which file or folder cannot be used, and what to do."""
    # What is replaced whole is written beside it first.
    name = error.filename.removesuffix(".new") if isinstance(error.filename, str) else ""
    place = f" ({name})" if name else ""
    problem = f"a file or folder cannot be used{place}: {error.strerror or type(error).__name__}."
    return " ".join(filter(None, (problem, _REMEDIES.get(type(error), "") if name else "")))


def _usage(error: Exception) -> str:
    """Say what is wrong with a command line, without quoting what may be a private text."""
    message = str(getattr(error, "message", "") or error)
    context = getattr(error, "ctx", None)
    see = f"See `{getattr(context, 'command_path', 'gama')} --help`."
    if "extra argument" in message:
        if getattr(context, "info_name", "") in ("ask", "anonymize", "restore"):
            return f"There is more than one task. Put the text into quotes. {see}"
        return f"There are more arguments than it takes. {see}"
    if message.startswith("No such command") and not re.match(r"No such command '[a-z-]{1,20}'", message):
        return 'The command is missing. To ask about a text or a file: gama ask "TEXT". See `gama --help`.'
    if found := re.match(r"No such option:? '?(--?[a-z_-]{1,30})'?(?![\w-])", message):
        meant = _meant(found[1], context)
        return f"No such option: {found[1]}. " + (f"Did you mean {meant}? " if meant else "") + see
    if message.startswith("No such option"):
        return f"There is no such option. Put -- before a text that begins with a dash. {see}"
    wrong = getattr(error, "format_message", lambda: message)()
    return f"{wrong.rstrip('.?')}{'?' if '?' in wrong[-2:] else '.'} {see}"


def _meant(given: str, context: Any) -> str | None:
    """Return the option of a command that was probably meant, also by its name in Python."""
    params = getattr(getattr(context, "command", None), "params", ())
    flags = {name: name for one in params if not getattr(one, "hidden", False) for name in one.opts}
    in_python = {f"--{name.replace('_', '-')}": row.flags[0] for name, row in rows(Options).items()}
    known = {name: flag for name, flag in in_python.items() if flag in flags} | flags
    return known.get(nearest(given.replace("_", "-"), known) or "")


def _debug() -> None:
    if os.environ.get("GAMA_DEBUG") == "1":
        traceback.print_exc()
