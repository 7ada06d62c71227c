"""`gama mcp` with the official SDK's own client: in process, over stdio, over streamable HTTP."""

import asyncio
import json
import logging
import os
import sys

import pytest

from gama.serve.mcp.server import build_server
from gama.state.options import Options
from gama.vault.box_store import BoxStore
from gama.vault.seal import Vault
from tests.support import letters
from tests.support.papers import FLAT, hits
from tests.support.ports import free_port

pytest.importorskip("mcp")
NAME = letters.SECRETS[0]


def content(result):
    assert not result.is_error, result.content
    return result.structured_content


def client(server, **more):
    from mcp import Client

    return Client(server, **more)


@pytest.fixture
def server(home):
    return build_server(Options(disprove="off", k=1), home=home)


async def test_the_tools_and_their_schemas(server):
    async with client(server) as session:
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
        assert list(tools) == ["anonymize", "restore", "ask"]
        assert tools["restore"].input_schema["required"] == ["conversation"]
        assert all(tool.description and tool.output_schema for tool in tools.values())


async def test_there_and_back(server, home):
    async with client(server) as session:
        one = content(await session.call_tool("anonymize", {"text": letters.PLANTED}))
        assert letters.hits(json.dumps(one).encode()) == [] and "<name-1>" in one["text"]
        two = content(
            await session.call_tool(
                "anonymize", {"text": f"{NAME} and my friend Ambrose Tilling", "conversation": one["conversation"]}
            )
        )
        assert two["text"] == "<name-1> and my friend <name-2>"
        back = content(
            await session.call_tool("restore", {"text": "Dear <name-1>, <name-9>", "conversation": one["conversation"]})
        )
        assert back == {"text": f"Dear {NAME}, <name-9>", "unresolved": ["<name-9>"], "withheld": [], "file": ""}
    files = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert letters.hits(files) == []
    # Another process of the same home takes the conversation up; forgetting ends it.
    async with client(build_server(Options(), home=home)) as session:
        again = await session.call_tool("restore", {"text": "<name-2>", "conversation": one["conversation"]})
        assert content(again)["text"] == "Ambrose Tilling"
        assert BoxStore(Vault.at(home)).forget(one["conversation"])
        gone = await session.call_tool("restore", {"text": "<name-2>", "conversation": one["conversation"]})
        assert gone.is_error and "no such conversation" in gone.content[0].text


async def test_ask(server):
    async with client(server) as session:
        reply = content(await session.call_tool("ask", {"question": letters.PLANTED}))
        assert "three months" in reply["answer"] and letters.hits(reply["anonymized"].encode()) == []


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("anonymize", {"text": ["Thessaly Quornbeck"]}, "The arguments of 'anonymize' do not fit its schema: text."),
        ("restore", {"text": NAME}, "do not fit its schema: conversation"),
        ("restore", {"text": NAME, "conversation": NAME}, "no such conversation"),
        ("restore", {"text": NAME, "conversation": "0" * 32}, "no such conversation"),
        ("anonymize", {"text": "  "}, "Give either a text or a file"),
        ("anonymize", {"text": "a\x00" + NAME}, "NUL bytes"),
        ("anonymize", {"file": "a.txt"}, "Files are not shared"),
        ("ask", {"question": ""}, "The question is empty"),
        (NAME, {"text": NAME}, "There is no tool of this name"),
    ],
)
async def test_errors_quote_nothing(server, tool, arguments, message, caplog):
    caplog.set_level(logging.DEBUG)
    async with client(server) as session:
        try:
            result = await session.call_tool(tool, arguments)
            told, failed = result.content[0].text, result.is_error
        except Exception as error:
            told, failed = str(error), True
    assert failed and message in told and letters.hits(told.encode()) == []
    assert letters.hits(caplog.text.encode()) == []


async def test_a_crash_tells_its_class_only(server, caplog, capsys, monkeypatch):
    from gama.privacy.anonymizer import Anonymizer

    def crash(self, text, *args, **kwargs):
        raise ZeroDivisionError(text)

    monkeypatch.setattr(Anonymizer, "anonymize", crash)
    caplog.set_level(logging.DEBUG)
    async with client(server) as session:
        result = await session.call_tool("anonymize", {"text": letters.PLANTED})
    assert result.is_error and result.content[0].text == "The tool 'anonymize' failed (ZeroDivisionError)."
    told = caplog.text + "".join(capsys.readouterr())
    assert letters.hits(told.encode()) == []


async def test_files_of_a_shared_folder(home, tmp_path):
    folder = tmp_path / "shared"
    folder.mkdir()
    (folder / "table.csv").write_text(FLAT["csv"])
    (tmp_path / "secret.txt").write_text(NAME)
    async with client(build_server(Options(), home=home, folder=folder)) as session:
        done = content(await session.call_tool("anonymize", {"file": "table.csv", "output": "hidden.csv"}))
        assert done["text"] == "" and hits((folder / "hidden.csv").read_bytes()) == []
        ask = {"conversation": done["conversation"], "file": "hidden.csv", "output": "back.csv"}
        assert content(await session.call_tool("restore", ask))["text"] == ""
        assert (folder / "back.csv").read_bytes() == (folder / "table.csv").read_bytes()
        for name in ("../secret.txt", "/etc/hostname", "", "nothing.txt"):
            assert (await session.call_tool("anonymize", {"file": name})).is_error
        (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
        assert (await session.call_tool("anonymize", {"file": "link.txt"})).is_error
        assert (await session.call_tool("anonymize", {"text": "x", "output": "table.csv"})).is_error


async def test_only_the_tools_that_are_named(home):
    async with client(build_server(Options(), home=home, tools=["anonymize"])) as session:
        assert [tool.name for tool in (await session.list_tools()).tools] == ["anonymize"]


async def test_conversations_do_not_mix(server):
    async with client(server) as session:
        names = [NAME, "Ambrose Tilling", "Kerensa Holloway"]
        runs = [session.call_tool("anonymize", {"text": f"My name is {name}."}) for name in names]
        for name, done in zip(names, map(content, await asyncio.gather(*runs)), strict=True):
            back = await session.call_tool("restore", {"text": "<name-1>", "conversation": done["conversation"]})
            assert content(back)["text"] == name


@pytest.mark.slow
async def test_over_stdio(home, tmp_path):
    from mcp.client.stdio import StdioServerParameters, stdio_client

    environment = {"GAMA_HOME": str(home), "PYTHONPATH": os.pathsep.join(sys.path)}
    with (tmp_path / "errors.txt").open("w+") as errors:
        started = StdioServerParameters(command=sys.executable, args=["-m", "gama.serve", "mcp"], env=environment)
        async with client(stdio_client(started, errlog=errors)) as session:
            done = content(await session.call_tool("anonymize", {"text": letters.PLANTED}))
            assert letters.hits(json.dumps(done).encode()) == []
            bad = await session.call_tool("anonymize", {"text": {"a": NAME}})
            assert bad.is_error and letters.hits(bad.content[0].text.encode()) == []
    assert letters.hits((tmp_path / "errors.txt").read_bytes()) == []


@pytest.mark.slow
@pytest.mark.parametrize("token", [None, "secret-token"])
async def test_over_streamable_http(home, tmp_path, token):
    import httpx

    port = free_port()
    environment = os.environ | {"GAMA_HOME": str(home), "PYTHONPATH": os.pathsep.join(sys.path)}
    environment |= {"GAMA_MCP_TOKEN": token} if token else {}
    command = [sys.executable, "-m", "gama.serve", "mcp", "--transport", "http", "--port", str(port)]
    log = (tmp_path / "log.txt").open("wb")
    process = await asyncio.create_subprocess_exec(*command, env=environment, stdout=log, stderr=log)
    url = f"http://127.0.0.1:{port}/mcp"
    try:
        async with httpx.AsyncClient() as web:
            for _ in range(600):
                try:
                    first = await web.get(url)
                    break
                except httpx.TransportError:
                    await asyncio.sleep(0.1)
            if token:
                assert first.status_code == 401 and "token" in first.text
            # A web page that a browser has open cannot reach it by a name of its own.
            foreign = await web.post(url, headers={"host": "evil.example"}, json={})
            assert foreign.status_code in (401, 421)
        async with client(await _transport(url, token)) as session:
            done = content(await session.call_tool("anonymize", {"text": letters.PLANTED}))
            back = await session.call_tool("restore", {"text": "<name-1>", "conversation": done["conversation"]})
            assert content(back)["text"] == NAME
    finally:
        process.terminate()
        await process.wait()
        log.close()
    assert letters.hits((tmp_path / "log.txt").read_bytes()) == []


async def _transport(url: str, token: str | None):
    if token is None:
        return url
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared._httpx_utils import create_mcp_http_client

    return streamable_http_client(url, http_client=create_mcp_http_client({"Authorization": f"Bearer {token}"}))


def test_the_command_line_refuses_what_is_unsafe():
    from gama.serve import cli

    assert cli.main(["mcp", "--transport", "http", "--host", "0.0.0.0"]) == 2
    assert cli.main(["mcp", "--transport", "carrier pigeon"]) == 2
    assert cli.main(["mcp", "--tool", "anonymise"]) == 2
    assert cli.main(["mcp", "--files", "/no/such/folder"]) == 2


async def test_a_forgotten_conversation_cannot_be_opened(server, home):
    async with client(server) as session:
        name = content(await session.call_tool("anonymize", {"text": letters.PLANTED}))["conversation"]
        assert Vault.at(home).forget(name)
        gone = await session.call_tool("restore", {"text": "<name-1>", "conversation": name})
    assert gone.is_error and "no such conversation" in gone.content[0].text


async def test_a_conversation_has_one_box(server):
    """What `anonymize` has hidden keeps its placeholder in `ask`, and what `ask` has hidden can be restored."""
    async with client(server) as session:
        one = content(await session.call_tool("anonymize", {"text": f"{NAME} wrote to me."}))
        assert one["text"].startswith("<name-1>")
        reply = content(
            await session.call_tool("ask", {"question": letters.PLANTED, "conversation": one["conversation"]})
        )
        assert "<name-1>" in reply["anonymized"] and reply["conversation"] == one["conversation"]
        back = await session.call_tool("restore", {"text": reply["anonymized"], "conversation": one["conversation"]})
        assert NAME in content(back)["text"]


async def test_calls_at_once_go_on_with_one_box(server):
    people = ["Ambrose Tilling", "Keziah Wrenfield", "Thessaly Quornbeck", "Barnaby Oxenholme"]
    async with client(server) as session:
        first = content(await session.call_tool("anonymize", {"text": "My name is Ada Obi."}))
        where = {"conversation": first["conversation"]}
        made = await asyncio.gather(
            *(session.call_tool("anonymize", {"text": f"My friend is {name}.", **where}) for name in people)
        )
        for name, result in zip(people, made, strict=True):
            back = content(await session.call_tool("restore", {"text": content(result)["text"], **where}))
            assert back["text"] == f"My friend is {name}."


async def test_formulas_are_told_of_and_evaluated(server):
    letter = "The rent is £1,350.00 and the deposit of Emma Williams £2,025.00."
    async with client(server) as session:
        one = content(await session.call_tool("anonymize", {"text": letter}))
        name = {"conversation": one["conversation"]}
        reply = {"text": "It is {{ <amount-1> + <amount-2> }}, {{ user.x }}", **name}
        assert one["instructions"] == ""
        assert "{{ £1,350.00 + £2,025.00 }}" in content(await session.call_tool("restore", reply))["text"]
        two = content(await session.call_tool("anonymize", {"text": letter, "formulas": True, **name}))
        assert "Reckoning with hidden values" in two["instructions"]
        assert content(await session.call_tool("restore", reply))["text"] == "It is £3,375.00, {{ user.x }}"
        wrong = content(await session.call_tool("restore", {"text": "{{ <amount-1> + last4(<amount-9>) }}", **name}))
        assert len(wrong["unresolved"]) == 1 and "1,350" not in wrong["unresolved"][0]


async def test_a_script_that_is_read_badly_is_told(server):
    async with client(server) as session:
        told = content(await session.call_tool("anonymize", {"text": "Ada Obi: ខ្ញុំឈ្មោះ សុខា រស់នៅភ្នំពេញ"}))
        assert [note for note in told["warnings"] if "Khmer" in note] and "Ada" not in json.dumps(
            told, ensure_ascii=False
        )
