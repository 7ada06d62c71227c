"""The examples of the pages on server and gateway run against a server, and what they name exists."""

import json
import re
from pathlib import Path

import pytest

from gama.state.options import Options
from tests.support import serving
from tests.support import upstream as up

ROOT = Path(__file__).parents[2]
PAGES = {name: (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8") for name in ("gateway", "server")}
BLOCKS = [(name, code) for name, page in PAGES.items() for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL)]


@pytest.mark.parametrize(("name", "code"), BLOCKS)
def test_the_examples_run(name, code, upstream, monkeypatch, capsys):
    monkeypatch.setitem(serving.NAMES, "Emma Williams", "full_name")
    monkeypatch.setattr(serving, "_PATTERN", re.compile("Emma Williams"))
    monkeypatch.setattr("gama.privacy.finders.tagger", serving.few_names)

    def answer(path, request):
        if path == "/messages":
            said = {"id": "m", "type": "message", "role": "assistant", "model": "c", "content": [{"type": "text", "text": "Bonjour <name-1>"}],
                    "stop_reason": "end_turn", "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}  # fmt: skip
            return up.Answer(json.dumps(said).encode())
        return up.chat("Bonjour <name-1>")

    upstream.answer = answer
    with serving.serving(Options(disprove="off", k=1), upstream=upstream.url, anthropic=upstream.url) as server:
        exec(compile(code.replace("http://localhost:8000", server.url), f"docs/{name}.md", "exec"), {})
    out = capsys.readouterr().out
    assert "Emma Williams" in out or "nine" in out or "X-Gama-Key" in code
    assert b"Emma" not in upstream.received


def test_options_and_codes_named_exist():
    from typer.main import get_command

    from gama.serve.cli import app

    commands = get_command(app).commands
    params = [*commands["serve"].params, *commands["bench"].commands["gateway"].params]
    known = {flag for option in params for flag in (*option.opts, *option.secondary_opts)}
    for page in PAGES.values():
        assert set(re.findall(r"`(--[a-z-]+)", page)) <= known
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "serve").rglob("*.py"))
    for code in ("leak_stopped", "media_refused", "conversation_unknown"):
        assert f"`{code}`" in PAGES["gateway"] and f'"{code}"' in sources


def test_addresses_named_exist():
    from gama.serve.app import create_app
    from gama.serve.http.settings import ServerSettings

    known = set(create_app(ServerSettings(keep=False), Options()).openapi()["paths"])
    for page in PAGES.values():
        named = set(re.findall(r"`(?:[A-Z]+ )?(/[a-z0-9_/{}]+)`", page)) - {"/gama", "/v1"}
        assert named and named <= known
