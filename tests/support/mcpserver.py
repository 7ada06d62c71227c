"""A small MCP server for the tests, made with the official SDK: over stdio, or over HTTP with `--http PORT`."""

import os
import sys
import time

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("shelf")


@server.tool()
def find_book(title: str) -> str:
    """Finds a book on the shelf by its title."""
    return f"{title} stands in row 7"


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.tool()
def broken(title: str) -> str:
    """Always fails."""
    raise ToolError(f"no such book: {title}")


@server.tool()
def slow(seconds: float) -> str:
    """Takes its time."""
    time.sleep(seconds)
    return "done"


@server.tool()
def leave() -> str:
    """Ends the server in the middle of the call."""
    os._exit(1)


@server.tool()
def environment() -> str:
    """Tells the names of the variables it sees, and its process."""
    print("what a server writes to standard error", file=sys.stderr)
    return f"{os.getpid()} " + " ".join(sorted(os.environ))


@server.tool()
def author(of: str) -> str:
    """Names an author."""
    return "It was written by Emma Williams."


if __name__ == "__main__":
    if sys.argv[1:2] == ["--http"]:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[2]))
    else:
        server.run("stdio")
