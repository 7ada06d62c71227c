"""An MCP server as a tool of the public experts: they call it with anonymized arguments, its results are searched.

From the command line: `gama ask FILE --public openai:gpt-4o --mcp "python mcp_timetable.py"`.
"""

import json
import sys
from pathlib import Path
from typing import Any

from loopback import model

from gama import Gama, Options

SERVER = f"{sys.executable} {Path(__file__).with_name('mcp_timetable.py')}"
LETTER = "My name is Emma Williams, account 4471 9920. When does the next train to Paris leave?"


def hosted(request: dict[str, Any]) -> Any:
    """Stand for a hosted model: an expert that is offered tools calls one, reads the result, and answers."""
    results = [message["content"] for message in request["messages"] if message["role"] == "tool"]
    if results or not request.get("tools"):
        return results[0] if results else "It leaves at 14:05."
    tool = request["tools"][0]["function"]["name"]
    call = {"id": "1", "type": "function", "function": {"name": tool, "arguments": json.dumps({"to": "Paris"})}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


with model(hosted) as upstream:
    options = Options(
        public_model="openai:gpt-4o", public_base_url=upstream.url, mcp=(SERVER,), disprove="off", k=1, max_rounds=0
    )
    gama = Gama(options, keep=False)
    reply = gama.invoke({"question": LETTER})
    gama.close()  # ends the server
    print("left:", reply["anonymized"])
    print("the expert:", reply["experts"][0]["answer"])
    print("calls of tools:", reply["usage"]["tool.calls"])
