"""`langgraph dev` on loopback: both graphs by the SDK and by RemoteGraph, and their schemas."""

import json
import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from langgraph.pregel.remote import RemoteGraph
from langgraph_sdk import get_sync_client

from tests.support import letters
from tests.support.ports import free_port

ROOT = Path(__file__).parents[2]
TASK = {
    "text": "The shop opens at nine. When does the shop open?",
    "rules": [{"domain": "Law", "term": "High", "score": 0.5, "prompt": "You know Law."}],
}

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("studio")
    (folder / "langgraph.json").write_text((ROOT / "langgraph.json").read_text("utf-8"), "utf-8")
    port = free_port()
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("GAMA_", "LANGSMITH_", "LANGCHAIN_", "OPENAI_"))}
    log = (folder / "server.log").open("wb")
    process = subprocess.Popen(
        [sys.executable, "-m", "gama.serve", "studio", "--no-browser", "--port", str(port), "--folder", str(folder)],
        env=clean | {"GAMA_HOME": str(folder / "home")},
        stdout=log,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(120):
            try:
                urllib.request.urlopen(f"{url}/ok", timeout=1).close()
                break
            except OSError:
                assert process.poll() is None, (folder / "server.log").read_text()
                time.sleep(0.5)
        yield url, folder
    finally:
        os.killpg(process.pid, 15)
        process.wait(30)
        log.close()


def test_a_run_by_the_sdk(server):
    url, _ = server
    client = get_sync_client(url=url)
    thread = client.threads.create()
    out = client.runs.wait(thread["thread_id"], "gama", input={"question": letters.PLANTED}, context={"k": 2})
    assert letters.SECRETS[0] not in out["reply"]["anonymized"] and "three months" in out["reply"]["answer"]
    assert len(out["reply"]["domains"]) <= 2
    state = client.threads.get_state(thread["thread_id"])
    assert letters.hits(json.dumps(state["values"]).encode()) == [], "the kept state is sealed"
    client.threads.delete(thread["thread_id"])


def test_streams_of_a_run_show_nothing_private_before_the_reply(server):
    url, _ = server
    client = get_sync_client(url=url)
    seen = []
    for part in client.runs.stream(
        None, "gama", input={"question": letters.PLANTED}, stream_mode=["updates", "custom"]
    ):
        if part.event in ("updates", "custom") and "reply" not in json.dumps(part.data):
            seen.append(json.dumps(part.data))
    assert len(seen) >= 8 and letters.hits(" ".join(seen).encode()) == []


def test_the_public_graph_by_itself(server):
    url, _ = server
    client = get_sync_client(url=url)
    out = client.runs.wait(None, "public", input={"task": TASK})
    assert "nine" in out["answer"] and out["verdict"] == "converged"


def test_remote_graph(server):
    url, _ = server
    out = RemoteGraph("gama", url=url).invoke({"question": letters.PLANTED})
    assert "three months" in out["reply"]["answer"]
    out = RemoteGraph("public", url=url).invoke({"task": TASK})
    assert "nine" in out["answer"]


def test_schemas_name_what_a_person_may_choose(server):
    url, _ = server
    client = get_sync_client(url=url)
    schemas = {a["graph_id"]: client.assistants.get_schemas(a["assistant_id"]) for a in client.assistants.search()}
    assert schemas["gama"]["input_schema"]["properties"]["question"]["type"] == "string"
    chosen = schemas["gama"]["context_schema"]["properties"]
    assert chosen["public_model"]["title"] == "Public model" and chosen["k"]["default"] == 3
    assert chosen["review"]["type"] == "boolean" and set(chosen["disprove"]["enum"]) == {"v1", "v2", "off"}
    assert schemas["gama"]["input_schema"]["properties"]["question"]["description"]
    assert all(one.get("title") and one.get("description") for one in chosen.values())
    assert "task" in schemas["public"]["input_schema"]["properties"]
    settings = schemas["public"]["context_schema"]["properties"]
    assert set(settings) == {"model", "base_url"} and all(one["description"] for one in settings.values())


def test_it_says_what_it_shows_and_stores(server):
    _, folder = server
    told = (folder / "server.log").read_text()
    assert "IN CLEAR" in told and ".langgraph_api" in told and "Tracing is off" in told
