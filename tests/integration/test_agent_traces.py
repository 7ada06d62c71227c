"""What a LangSmith would get of an agent behind the middleware, and what it logs: bytes searched for secrets."""

import os
import subprocess
import sys

import pytest

from tests.support import letters

RUN = """
import asyncio, logging, sys
logging.basicConfig(level=logging.DEBUG, stream=sys.stderr)
from tests.support import letters
from tests.support.chat import ScriptedChat, call
from gama import PrivacyMiddleware
from langchain.agents.middleware import ModelRetryMiddleware, dynamic_prompt
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

NAME, MAIL, IBAN, PHONE = letters.SECRETS

@tool
def crm(name: str) -> str:
    "Look a customer up, such as Thessaly Quornbeck."
    assert name == NAME
    return f"{name}: {IBAN}"

@dynamic_prompt
def profile(request):
    return f"You serve {NAME}, mail {MAIL}."

def reply(messages):
    asked = any(message.type == "tool" for message in messages)
    return "Dear <name-1>, it is <iban-1>." if asked else call("crm", name="<name-1>")

privacy = PrivacyMiddleware(tools={"crm": "real"})
agent = privacy.create_agent(
    ScriptedChat(steps=[reply]), [crm], system_prompt=f"For {NAME}", middleware=[profile, ModelRetryMiddleware()],
    checkpointer=InMemorySaver(),
)
given = {"messages": [("user", f"My name is {NAME}. Call {PHONE}. What is my IBAN?")]}
config = {"configurable": {"thread_id": "t", "mail": MAIL}, "metadata": {"name": NAME}, "tags": [NAME], "run_name": NAME}
assert NAME in agent.invoke(given, config)["messages"][-1].content
config["configurable"]["thread_id"] = "u"
assert NAME in asyncio.run(agent.ainvoke(given, config))["messages"][-1].content
from langsmith.run_trees import get_cached_client
get_cached_client().flush()
print("done")
"""


@pytest.mark.slow
@pytest.mark.parametrize("tracing", ["LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2"])
def test_traces_and_logs_of_an_agent_hold_placeholders_only(loopback, home, tmp_path, tracing):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("LANGSMITH_", "LANGCHAIN_"))}
    endpoint = loopback.url.removesuffix("/v1")
    environment |= {
        tracing: "true",
        "LANGSMITH_ENDPOINT": endpoint,
        "LANGSMITH_API_KEY": "k",
        # Bodies that can be searched.
        "LANGSMITH_DISABLE_RUN_COMPRESSION": "true",
        "GAMA_HOME": str(home),
        "PYTHONPATH": os.pathsep.join([os.path.dirname(letters.__file__), *sys.path]),
    }
    done = subprocess.run(
        [sys.executable, "-c", RUN], env=environment, cwd=tmp_path, capture_output=True, timeout=240, check=False
    )
    assert done.stdout.strip() == b"done", done.stderr[-3000:].decode()
    assert b"name-1" in loopback.received, "the runs are traced, with placeholders"
    assert letters.hits(loopback.received) == [], "traces"
    assert letters.hits(done.stderr) == [], "logs"
    assert letters.hits(b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())) == [], "files"
