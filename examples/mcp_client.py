"""A client of `gama mcp`: it starts the server, anonymizes a text, and restores what came of it."""

import asyncio
import os
import sys

from mcp import Client
from mcp.client.stdio import StdioServerParameters

SERVER = StdioServerParameters(
    command=sys.executable,
    args=["-m", "gama.serve", "mcp"],
    # What the server needs of this environment: a client passes on nothing of its own accord.
    env={name: os.environ[name] for name in ("GAMA_HOME", "GAMA_PUBLIC_MODEL", "PYTHONPATH") if name in os.environ},
)


async def main() -> None:
    """Call the tools."""
    async with Client(SERVER) as client:
        print("tools:", *[tool.name for tool in (await client.list_tools()).tools])
        text = "My name is Emma Williams, IBAN GB29 NWBK 6016 1331 9268 19."
        hidden = (await client.call_tool("anonymize", {"text": text})).structured_content or {}
        print("anonymized:", hidden["text"])
        arguments = {"text": "Dear <name-1>, your IBAN is <iban-1>.", "conversation": hidden["conversation"]}
        shown = (await client.call_tool("restore", arguments)).structured_content or {}
        print("restored:", shown["text"])


if __name__ == "__main__":
    asyncio.run(main())
