"""An MCP server of yours, made with the official SDK: `mcp_expert_tool.py` starts it."""

from mcp.server import MCPServer

server = MCPServer("timetable")


@server.tool()
def next_train(to: str) -> str:
    """Tells when the next train to a town leaves."""
    return f"The next train to {to} leaves at 14:05."


if __name__ == "__main__":
    server.run("stdio")
