"""MCP servers: a real one made with the official SDK, over stdio and over streamable HTTP."""

import asyncio
import gc
import json
import os
import shlex
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

pytest.importorskip("mcp")

from gama.graph.public_graph import build_public_graph
from gama.guard.egress import EGRESS, NoPrivateSpace
from gama.guard.search import Guard
from gama.models.public import public_client
from gama.state.errors import OptionError, ToolError
from gama.state.options import Options
from gama.state.task import DomainRule, PublicLimits, PublicTask
from gama.tools.experts.servers import McpServer
from gama.tools.experts.toolbox import toolbox_of
from tests.support.ports import free_port

SCRIPT = Path(__file__).parents[2] / "support" / "mcpserver.py"
COMMAND = shlex.join([sys.executable, str(SCRIPT)])
NAMES = ["find_book", "add", "broken", "slow", "leave", "environment", "author"]


@pytest.fixture(autouse=True)
def egress():
    token = EGRESS.set(NoPrivateSpace())
    yield
    EGRESS.reset(token)


@pytest.fixture
def over_http():
    """Start the server over streamable HTTP; gives its URL."""
    port = free_port()
    process = subprocess.Popen([sys.executable, str(SCRIPT), "--http", str(port)], stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        assert process.poll() is None and time.monotonic() < deadline, "the server does not start"
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}/mcp"
    process.terminate()
    process.wait(60)


@pytest.fixture(params=["stdio", "http"])
def server(request):
    target = COMMAND if request.param == "stdio" else request.getfixturevalue("over_http")
    made = McpServer(target, seconds=30)
    yield made
    made.close()


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_its_tools_and_their_results(server):
    tools = {tool.name: tool for tool in server.tools()}
    assert list(tools) == NAMES
    assert tools["find_book"].description == "Finds a book on the shelf by its title."
    assert tools["add"].schema["required"] == ["a", "b"]
    assert server.call("find_book", {"title": "Emma"}) == "Emma stands in row 7"
    assert server.call("add", {"a": 2, "b": 3}) == "5"


def test_a_failing_tool_says_why(server):
    with pytest.raises(ToolError, match="reports: .*no such book: Emma"):
        server.call("broken", {"title": "Emma"})
    with pytest.raises(ToolError, match="reports|refused the call"):
        server.call("add", {"a": "no number", "b": 1})
    with pytest.raises(ToolError, match="reports|refused the call"):
        server.call("unknown", {})
    assert server.call("add", {"a": 1, "b": 1}) == "2"


def test_calls_from_many_threads_and_loops(server):
    found = {}

    def ask(n):
        found[n] = server.call("add", {"a": n, "b": n})

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {n: str(2 * n) for n in range(8)}

    async def from_a_loop():
        return await asyncio.gather(*(asyncio.to_thread(server.call, "add", {"a": n, "b": 1}) for n in range(3)))

    assert asyncio.run(from_a_loop()) == ["1", "2", "3"]


def test_a_call_without_end_is_given_up_and_the_next_one_works():
    # Long enough for a busy machine to start the program anew.
    server = McpServer(COMMAND, seconds=20)
    assert server.tools()
    with pytest.raises(ToolError, match="gave no result"):
        server.call("slow", {"seconds": 60})
    assert server.call("add", {"a": 1, "b": 1}) == "2"
    server.close()


def test_a_server_that_dies_is_started_anew(capfd):
    server = McpServer(COMMAND, seconds=30)
    first = server.call("environment", {}).split()[0]
    with pytest.raises(ToolError, match="gave no result"):
        server.call("leave", {})
    second = server.call("environment", {}).split()[0]
    assert first != second and not alive(int(first))
    server.close()
    assert "standard error" not in capfd.readouterr().err


def test_a_started_server_sees_no_secrets_of_ours(monkeypatch):
    monkeypatch.setenv("GAMA_KEY", "planted")
    monkeypatch.setenv("OPENAI_API_KEY", "planted")
    server = McpServer(COMMAND, seconds=30)
    names = server.call("environment", {}).split()[1:]
    server.close()
    assert "PATH" in names and not {"GAMA_KEY", "OPENAI_API_KEY", "GAMA_HOME"} & set(names)


def test_closing_ends_the_program():
    server = McpServer(COMMAND, seconds=30)
    process = int(server.call("environment", {}).split()[0])
    assert alive(process)
    server.close()
    assert not alive(process)


def test_a_server_that_nobody_refers_to_ends():
    server = McpServer(COMMAND, seconds=30)
    process = int(server.call("environment", {}).split()[0])
    del server
    gc.collect()
    assert not alive(process)


def test_a_program_that_ends_leaves_no_server_behind():
    code = (
        f"from gama.tools.experts.servers import McpServer\nprint(McpServer({COMMAND!r}, 30).call('environment', {{}}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert not alive(int(done.stdout.split()[0])) and done.stderr == ""


@pytest.mark.parametrize("target", ["/nowhere/at-all --flag", f"{sys.executable} -c pass", "http://127.0.0.1:9/mcp"])
def test_what_cannot_be_reached_is_a_warning_that_names_it_without_its_arguments(target):
    box = toolbox_of(Options(mcp=(target,), tool_seconds=20))
    offer = box.offered("Law")
    box.close()
    [warning] = offer.warnings
    assert offer.tools == () and "cannot be reached" in warning and "--flag" not in warning and "pass" not in warning


@pytest.mark.parametrize("target", ["", "  ", "'unclosed", "http://", "https://user:key@host/mcp"])
def test_what_is_neither_command_nor_url(target):
    with pytest.raises(OptionError, match="option 'mcp'") as caught:
        McpServer(target)
    assert "key" not in str(caught.value)


def test_without_the_sdk_the_cure_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "mcp", None)
    with pytest.raises(OptionError, match=r"pip install 'gama-privacy\[mcp\]'"):
        McpServer(COMMAND)


# In the public graph


def run(loopback, box, first, mode):
    """Let one expert ask for a tool and answer with its result."""

    def reply(request):
        results = [m["content"] for m in request["messages"] if m["role"] == "tool"]
        if not request["messages"][0]["content"].startswith("You know"):
            return "fused"
        return results[0] if results else first

    loopback.reply = reply
    rule = DomainRule(domain="Law", term="High", score=0.5, prompt="You know Law.")
    task = PublicTask(text="Where is the book?", rules=(rule,), limits=PublicLimits(max_rounds=0))
    graph = build_public_graph(public_client("openai:loop-1", base_url=loopback.url), tools=box)
    out = graph.invoke({"task": task}) if mode == "sync" else asyncio.run(graph.ainvoke({"task": task}))
    return out


def wants(name, arguments):
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function", "function": function}]}


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_an_expert_calls_a_tool_of_a_server(server, loopback, mode):
    target = COMMAND if server.target.command else server.target.url
    box = toolbox_of(Options(mcp=(target,)))
    out = run(loopback, box, wants("find_book", {"title": "Middlemarch"}), mode)
    box.close()
    assert out["answers"][0].text == "Middlemarch stands in row 7" and out["warnings"] == []
    assert [t["function"]["name"] for t in loopback.requests[0]["tools"]] == NAMES


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_a_private_value_reaches_no_server_and_none_comes_back(loopback, mode):
    EGRESS.set(Guard(["Emma Williams"]))
    box = toolbox_of(Options(mcp=(COMMAND,)))
    sent = run(loopback, box, wants("find_book", {"title": "Emma  WILLIAMS"}), mode)
    came = run(loopback, box, wants("author", {"of": "it"}), mode)
    box.close()
    assert sent["answers"][0].text == "find_book: gave no result" and "Nothing was sent" in sent["warnings"][0]
    assert came["answers"][0].text == "author: gave no result" and "'author' was refused" in came["warnings"][0]
    # The model's own word stands in what it is sent again; the server's answer does not.
    assert b"written by" not in loopback.received
