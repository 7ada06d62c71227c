"""`gama studio`: LangGraph Studio's local server with the graphs `gama` and `public`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from gama.serve.ports import check_free

TOLD = """\
LangGraph Studio: two graphs, `gama` (the whole, on this machine) and `public` (what the other side would run).
Open the address below in a browser; options of a run stand under "Manage assistants" or the gear of the input.

What Studio shows:  the question you type, every step, the anonymized text, the experts' answers, the reply.
                    Steps hold private values sealed; the reply and the question are in clear, on your screen.
What it stores:     langgraph dev keeps the inputs and contexts of runs IN CLEAR on this disk, in
                    {folder}/.langgraph_api
                    Deleting a thread in Studio, or the folder, removes them. `gama ask` stores nothing private
                    in clear.
What leaves:        nothing but what crosses the airlock. Tracing is off in this server. The Studio page itself comes
                    from smith.langchain.com and talks from your browser to 127.0.0.1.
"""


def studio(
    port: Annotated[int, typer.Option(help="Port on 127.0.0.1.")] = 2024,
    browser: Annotated[bool, typer.Option(help="Open the Studio page.")] = True,
    folder: Annotated[Path, typer.Option(help="Folder with langgraph.json.")] = Path("."),
) -> None:
    """Start LangGraph Studio's local server and say what it shows and stores."""
    from gama.state.errors import OptionError

    if not (folder / "langgraph.json").is_file():
        raise OptionError(
            f"there is no langgraph.json in {str(folder)!r}; give the folder of the project with --folder"
        )
    program = Path(sys.executable).with_name("langgraph")
    found = str(program) if program.exists() else shutil.which("langgraph")
    if found is None:
        raise OptionError("langgraph dev is not installed; pip install 'gama-privacy[studio]'")
    check_free("127.0.0.1", port)
    print(TOLD.format(folder=folder.resolve()), flush=True)
    command = [found, "dev", "--host", "127.0.0.1", "--port", str(port), "--no-reload"]
    if not browser:
        command.append("--no-browser")
    server = subprocess.Popen(command, cwd=folder, env=quiet_environment(folder))
    try:
        raise typer.Exit(server.wait())
    except KeyboardInterrupt:
        # The terminal has interrupted the server too: it stops by itself.
        server.wait()


def quiet_environment(folder: Path) -> dict[str, str]:
    """Return the environment of the server: this one over the folder's `.env`; no tracing, no analytics."""
    from dotenv import dotenv_values

    given = {name: value for name, value in dotenv_values(folder / ".env").items() if value is not None}
    environment = {
        name: value
        for name, value in {**given, **os.environ}.items()
        if not name.upper().startswith(("LANGSMITH_", "LANGCHAIN_", "OTEL_"))
    }
    environment |= {"LANGSMITH_TRACING": "false", "LANGCHAIN_TRACING_V2": "false", "LANGGRAPH_CLI_NO_ANALYTICS": "1"}
    return environment
