"""A planted secret is searched in files, logs, exception texts, streams, and what a LangSmith would get."""

import json
import logging
import os
import subprocess
import sys

import letters
import pytest

from gama import Gama, Options
from gama.state.errors import ExpertsFailed

RUN = """
import logging, sys
logging.basicConfig(level=logging.DEBUG, stream=sys.stderr)
import letters
from gama import Gama, Options
gama = Gama(Options(public_model=sys.argv[1] or None, public_base_url=sys.argv[2] or None))
reply = gama.invoke({"question": letters.PLANTED}, {"tags": [letters.SECRETS[0]], "metadata": {"m": letters.SECRETS[1]}})
assert letters.SECRETS[0] not in reply["anonymized"]
for mode in ("values", "updates", "debug", "messages", "custom", "tasks", "checkpoints"):
    config = {"configurable": {"thread_id": mode}}
    seen = [part for part in gama.graph.stream({"question": letters.PLANTED}, config, stream_mode=mode)]
    # The reply itself is the return value; everything before it must be clean.
    early = [part for part in seen if "'answer'" not in repr(part)]
    found = letters.hits(repr(early).encode())
    assert not found, (mode, found)
gama.close()
from langsmith import Client
import langsmith.run_trees as trees
client = trees.get_cached_client()
client.flush()
print("done")
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "tracing",
    [
        {"LANGSMITH_TRACING": "true"},
        {"LANGSMITH_TRACING_V2": "true"},
        {"LANGCHAIN_TRACING_V2": "true"},
        {"LANGCHAIN_TRACING_V2": "true", "LANGSMITH_OTEL_ENABLED": "true"},
    ],
)
def test_nothing_is_traced_logged_or_stored(loopback, home, tmp_path, tracing):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("LANGSMITH_", "LANGCHAIN_"))}
    endpoint = loopback.url.removesuffix("/v1")
    environment |= tracing | {
        "LANGSMITH_ENDPOINT": endpoint,
        "LANGCHAIN_ENDPOINT": endpoint,
        "LANGSMITH_API_KEY": "k",
        "GAMA_HOME": str(home),
        "PYTHONPATH": os.path.dirname(letters.__file__),
    }
    done = subprocess.run(
        [sys.executable, "-c", RUN, "", ""],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        timeout=240,
        check=False,
    )
    assert done.stdout.strip() == b"done", done.stderr[-3000:].decode()
    assert letters.hits(loopback.received) == [], "tracing"
    assert letters.hits(done.stderr) == [], "logs"
    files = b"".join(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())
    assert files and letters.hits(files) == [], "files"


def test_logs_at_debug(caplog, loopback):
    caplog.set_level(logging.DEBUG)
    Gama(Options(public_model="openai:loop", public_base_url=loopback.url), keep=False).invoke(
        {"question": letters.PLANTED}
    )
    assert caplog.text and letters.hits(caplog.text.encode()) == []


def test_exception_texts_and_their_checkpoints(loopback, home, monkeypatch):
    monkeypatch.setattr("gama.models.public.MAX_RETRIES", 0)
    loopback.fault = 400  # the loopback echoes the request in its error
    gama = Gama(Options(public_model="openai:loop", public_base_url=loopback.url))
    with pytest.raises(ExpertsFailed) as caught:
        gama.invoke({"question": letters.PLANTED}, {"configurable": {"thread_id": "t"}})
    chain, error = [], caught.value
    while error is not None:
        chain.append(repr(error))
        error = error.__cause__ or error.__context__
    assert letters.hits(" ".join(chain).encode()) == [] and "lease" not in " ".join(chain)
    gama.close()
    files = b"".join(p.read_bytes() for p in home.rglob("*") if p.is_file())
    assert letters.hits(files) == []


def test_the_private_databases_hold_the_reply_sealed(home):
    gama = Gama(Options())
    reply = gama.invoke({"question": letters.PLANTED}, {"configurable": {"thread_id": "t"}})
    assert json.dumps(gama.reply("t")) == json.dumps(reply)
    state = gama.graph.get_state({"configurable": {"thread_id": "t"}})
    assert letters.hits(repr(state).encode()) == []
    gama.close()
    files = b"".join(p.read_bytes() for p in home.rglob("*") if p.is_file())
    assert letters.hits(files) == []
