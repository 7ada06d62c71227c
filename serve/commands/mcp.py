"""`gama mcp`: serve MCP clients."""

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from gama.serve import choices
from gama.serve.http.settings import LOOPBACK
from gama.serve.ports import check_free
from gama.state.errors import OptionError
from gama.state.options import Options


@choices.with_options("mcp")
def mcp(
    options: Options,
    transport: Annotated[str, typer.Option(help="stdio, or http (streamable HTTP).")] = "stdio",
    host: Annotated[str, typer.Option(help="Address to listen on (http).")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on (http).", min=0, max=65535)] = 8765,
    token: Annotated[
        str | None,
        typer.Option(
            envvar="GAMA_MCP_TOKEN",
            help="Token that clients must send (http); needed to listen on an address that others reach.",
        ),
    ] = None,
    tool: Annotated[
        list[str] | None,
        typer.Option("--tool", help="A tool to offer; may be repeated.", show_default="anonymize, restore, ask"),
    ] = None,
    files: Annotated[
        Path | None, typer.Option(help="Folder whose files clients may name instead of texts.", metavar="FOLDER")
    ] = None,
    home: choices.Home = None,
) -> None:
    """Offer anonymize, restore and ask to clients of the Model Context Protocol."""
    choices.check("--transport", transport, ("stdio", "http"))
    if transport == "http" and host not in LOOPBACK and not token:
        raise OptionError(
            "option --host: others can reach this address, and restore gives out private values. Set a token that "
            "clients must send: GAMA_MCP_TOKEN, or --token"
        )
    if files is not None and not files.is_dir():
        raise OptionError(f"option --files: there is no folder {str(files)!r}")
    if find_spec("mcp") is None:
        raise OptionError('the command `gama mcp` needs the package mcp: pip install "gama-privacy[mcp]"')
    if transport == "http":
        check_free(host, port)
    from gama.serve.mcp.server import TOOLS, build_server, guarded_app

    server = build_server(options, home=home, tools=tool or TOOLS, folder=files)
    if transport == "stdio":
        server.run("stdio")
        return
    import uvicorn

    from gama.guard.terminal import say

    say(f"MCP at http://{host}:{port}/mcp")
    uvicorn.run(guarded_app(server, host, token), host=host, port=port, log_level="warning", access_log=False)
