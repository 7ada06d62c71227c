"""`gama studio`: a quiet local server whose graphs answer."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from gama.serve.commands.studio import quiet_environment
from gama.serve.drawing import draw
from tests.support import letters
from tests.support.ports import free_port

ROOT = Path(__file__).parents[3]


def test_no_tracing_and_no_analytics_whatever_is_set(tmp_path, monkeypatch):
    monkeypatch.setenv("LANGSMITH_API_KEY", "k")
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    monkeypatch.setenv("LANGCHAIN_ENDPOINT", "http://x")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://x")
    monkeypatch.setenv("GAMA_PUBLIC_MODEL", "openai:mine")
    (tmp_path / ".env").write_text(
        "GAMA_PUBLIC_MODEL=openai:file\nLANGCHAIN_TRACING=true\nGAMA_PRIVATE_MODEL=ollama:x\n"
    )
    environment = quiet_environment(tmp_path)
    traced = {k: v for k, v in environment.items() if k.startswith(("LANGSMITH_", "LANGCHAIN_", "OTEL_"))}
    assert traced == {"LANGSMITH_TRACING": "false", "LANGCHAIN_TRACING_V2": "false"}
    assert environment["LANGGRAPH_CLI_NO_ANALYTICS"] == "1"
    assert environment["GAMA_PUBLIC_MODEL"] == "openai:mine", "what is exported goes before the file"
    assert environment["GAMA_PRIVATE_MODEL"] == "ollama:x"


def test_the_configuration_names_graphs_that_exist():
    from importlib import import_module

    config = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))
    assert set(config["graphs"]) == {"gama", "public"} and "$schema" not in config
    for graph in config["graphs"].values():
        module, _, name = graph["path"].partition(":")
        assert callable(getattr(import_module(module), name))


@pytest.mark.parametrize("which", ["gama", "public"])
def test_the_pictures_show_the_graphs(which):
    """Each node of the graph stands in the picture, and nothing else: draw it anew with docs/pictures/draw.py."""
    picture = (ROOT / "docs" / "pictures" / f"{which}.svg").read_bytes()
    assert len(picture) <= 150_000
    shown = {
        re.sub(r"<[^>]+>", "", text).strip() for text in re.findall(r"<text.*?</text>", picture.decode(), re.DOTALL)
    }
    drawn = set(re.findall(r"\[+\(?([^\]()]+)\)?\]+", draw(which)))
    labels = set(re.findall(r"(?:-\.|==) ([^=.\n]+?) (?:\.->|==>)", draw(which)))
    assert shown - {""} == drawn | labels


def ask(url: str, body: object = None, method: str = "POST"):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=120) as answer:
        content = answer.read()
    return json.loads(content) if content else None


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="interrupts of posix")
def test_both_graphs_answer_and_only_input_is_stored_in_clear(tmp_path, home):
    pytest.importorskip("langgraph_api")
    shutil.copy(ROOT / "langgraph.json", tmp_path)
    port = free_port()
    command = [sys.executable, "-m", "gama.serve", "studio", "--no-browser", "--port", str(port)]
    log = (tmp_path / "log").open("wb")
    environment = os.environ | {"GAMA_HOME": str(home), "LANGSMITH_API_KEY": "k"}
    server = subprocess.Popen(
        command, cwd=tmp_path, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=environment, start_new_session=True
    )
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(120):
            try:
                ask(f"{url}/ok", method="GET")
                break
            except OSError:
                assert server.poll() is None, (tmp_path / "log").read_text()
                time.sleep(0.5)
        thread = ask(f"{url}/threads", {})["thread_id"]
        run = {"assistant_id": "gama", "input": {"question": letters.PLANTED}, "context": {"k": 2}}
        out = ask(f"{url}/threads/{thread}/runs/wait", run)
        assert "three months" in out["reply"]["answer"] and letters.SECRETS[0] not in out["reply"]["anonymized"]
        assert 1 <= len(out["reply"]["domains"]) <= 2
        state = ask(f"{url}/threads/{thread}/history", {})
        assert state and letters.hits(json.dumps(state).encode()) == []
        reviewed(url)
        rule = {"domain": "Law", "term": "High", "score": 0.5, "prompt": "You know Law."}
        task = {"text": "The shop opens at nine. When does the shop open?", "rules": [rule]}
        out = ask(f"{url}/runs/wait", {"assistant_id": "public", "input": {"task": task}})
        assert "nine" in out["answer"]
        for name in ("gama", "public"):
            assistant = ask(f"{url}/assistants/search", {"graph_id": name})[0]["assistant_id"]
            assert ask(f"{url}/assistants/{assistant}/schemas", method="GET")["input_schema"]
        ask(f"{url}/threads/{thread}", method="DELETE")
    finally:
        os.killpg(server.pid, signal.SIGINT)
        code = server.wait(60)
        log.close()
    text = (tmp_path / "log").read_text(encoding="utf-8")
    assert code == 0 and "IN CLEAR" in text and "Tracing is off" in text and url in text
    assert letters.hits(text.encode()) == []
    assert letters.hits(b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())) == []
    kept = {path.name: letters.hits(path.read_bytes()) for path in tmp_path.glob(".langgraph_api/*")}
    assert kept and not any(kept.values()), "the threads were deleted: nothing of them is left on disk"


def reviewed(url: str) -> None:
    """Run with the review on: look at what waits, correct it, send it, delete the thread."""
    from langgraph_sdk import get_sync_client

    client: Any = get_sync_client(url=url)
    thread = client.threads.create()["thread_id"]
    given = {"input": {"question": letters.PLANTED}, "context": {"review": True, "k": 1, "max_rounds": 0}}
    out = client.runs.wait(thread, "gama", **given)
    assert "reply" not in out
    state = client.threads.get_state(thread)
    assert state["next"] == ["review"]
    shown = state["tasks"][0]["interrupts"][0]["value"]
    assert "<name-1>" in shown["anonymized"] and "the deposit" in shown["anonymized"].lower() and shown["how"]
    resumed = {"context": given["context"]}
    client.runs.wait(thread, "gama", command={"resume": {"hide": ["the deposit"]}}, **resumed)
    state = client.threads.get_state(thread)
    again = state["tasks"][0]["interrupts"][0]["value"]
    assert "deposit" not in again["anonymized"]
    assert letters.hits(json.dumps([shown, again, state, client.threads.get_history(thread)]).encode()) == []
    out = client.runs.wait(thread, "gama", command={"resume": True}, **resumed)
    assert "three months" in out["reply"]["answer"] and "deposit" not in out["reply"]["anonymized"]
    assert (
        letters.hits(json.dumps([client.threads.get_state(thread), client.threads.get_history(thread)]).encode()) == []
    )
    client.threads.delete(thread)
