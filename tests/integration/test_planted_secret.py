"""A planted secret is searched in files, logs, exception texts, streams, and what a LangSmith would get."""

import json
import logging
import os
import subprocess
import sys

import pytest

from gama import Gama, Options
from gama.state.errors import ExpertsFailed
from tests.support import letters
from tests.support.rooms import ROOT

RUN = """
import logging, sys
logging.basicConfig(level=logging.DEBUG, stream=sys.stderr)
from tests.support import letters
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
from langchain_core.runnables import RunnableLambda
from langchain_core.tracers.langchain import wait_for_all_tracers
try:
    # What a program traces of its own arrives: the search looks in the right place.
    RunnableLambda(str.upper).invoke("a-mark-of-our-own")
except RuntimeError:
    pass  # the first generation's variables stop LangChain's own runs
wait_for_all_tracers()
print("done")
"""


VARIABLES = {
    "LANGSMITH_TRACING": {"LANGSMITH_TRACING": "true"},
    "LANGSMITH_TRACING_V2": {"LANGSMITH_TRACING_V2": "true"},
    "LANGCHAIN_TRACING": {"LANGCHAIN_TRACING": "true"},
    "LANGCHAIN_TRACING_V2": {"LANGCHAIN_TRACING_V2": "true"},
    "LANGCHAIN_HANDLER": {"LANGCHAIN_HANDLER": "langchain"},
    "OTEL_ENABLED": {"LANGCHAIN_TRACING_V2": "true", "LANGSMITH_OTEL_ENABLED": "true"},
    "OTEL_ONLY": {"LANGSMITH_TRACING": "true", "LANGSMITH_OTEL_ENABLED": "true", "LANGSMITH_OTEL_ONLY": "true"},
}


@pytest.fixture
def tracer():
    from gama.evals.audit.servers import TraceServer

    with TraceServer() as server:
        yield server


def environment_of(tracer, home, tracing):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("LANGSMITH_", "LANGCHAIN_", "OTEL_"))}
    endpoints = {
        "LANGSMITH_ENDPOINT": tracer.url,
        "LANGCHAIN_ENDPOINT": tracer.url,
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"{tracer.url}/otel",
        "LANGSMITH_API_KEY": "k",
    }
    here = str(ROOT)
    paths = os.pathsep.join(filter(None, (here, clean.get("PYTHONPATH"))))
    return clean | tracing | endpoints | {"GAMA_HOME": str(home), "PYTHONPATH": paths}


def run(code: str, environment: dict[str, str], folder, *arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=environment,
        cwd=folder,
        capture_output=True,
        timeout=280,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", VARIABLES)
def test_nothing_is_traced_logged_or_stored(tracer, home, tmp_path, name):
    done = run(RUN, environment_of(tracer, home, VARIABLES[name]), tmp_path, "", "")
    assert done.stdout.strip() == b"done", done.stderr[-3000:].decode()
    received = b"\n".join(tracer.taken())
    assert letters.hits(received) == [], "tracing"
    assert (b"a-mark-of-our-own" in received) == (name != "LANGCHAIN_HANDLER")
    assert letters.hits(done.stderr) == [], "logs"
    files = b"".join(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())
    assert files and letters.hits(files) == [], "files"


TRACED = """
import sys
from gama import Gama, Options
from tests.support import letters
gama = Gama(Options(public_model="openai:loop", public_base_url=sys.argv[1], trace=True), keep=False)
reply = gama.invoke({"question": letters.PLANTED}, {"tags": [letters.SECRETS[0]], "metadata": {"m": letters.SECRETS[1]}})
from gama.guard.tracing import public_tracer
public_tracer().flush()
print([note for note in reply["warnings"] if "trace" in note])
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["", "LANGSMITH_TRACING", "OTEL_ENABLED", "OTEL_ONLY"])
def test_when_asked_the_public_side_is_traced_and_nothing_else(loopback, tracer, home, tmp_path, name):
    loopback.reply = lambda r: '{"contradiction": false, "reason": ""}' if "response_format" in r else "Dear <name-1>"
    done = run(TRACED, environment_of(tracer, home, VARIABLES.get(name, {})), tmp_path, loopback.url)
    received = b"\n".join(tracer.taken())
    assert done.stdout.strip() == b"[]", done.stderr[-3000:].decode()
    assert b"Dear <name-1>" in received and b"notice period of my lease" in received
    assert letters.hits(received) == [] and b"find_entities" not in received and b"restore" not in received


@pytest.mark.slow
def test_a_trace_record_with_a_private_value_in_it_is_withheld(loopback, tracer, home, tmp_path):
    """The model has guessed the name: to its own server that is no news, to the tracer it would be."""
    guess = f"Dear <name-1>, are you not {letters.SECRETS[0]}?"
    loopback.reply = lambda r: '{"contradiction": false, "reason": ""}' if "response_format" in r else guess
    done = run(TRACED, environment_of(tracer, home, {}), tmp_path, loopback.url)
    received = b"\n".join(tracer.taken())
    assert b"withheld" in done.stdout and letters.hits(done.stdout) == []
    assert b"notice period of my lease" in received and letters.hits(received) == []


SPANS = """
import sys
from tests.support import letters
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
exporter, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
trace.set_tracer_provider(provider)
from gama import Gama, Options
gama = Gama(Options(public_model="openai:loop", public_base_url=sys.argv[1], trace=sys.argv[2] == "on"), keep=False)
with trace.get_tracer("app").start_as_current_span("the app's own span"):
    gama.invoke({"question": letters.PLANTED})
if sys.argv[2] == "on":
    from gama.guard.tracing import public_tracer
    public_tracer().flush()
spans = "".join(span.to_json() for span in exporter.get_finished_spans())
print(len(exporter.get_finished_spans()), letters.hits(spans.encode()))
"""


@pytest.mark.slow
@pytest.mark.parametrize("trace", ["off", "on"])
def test_spans_of_opentelemetry(loopback, tracer, home, tmp_path, trace):
    pytest.importorskip("opentelemetry.sdk.trace", reason="needs opentelemetry-sdk")
    loopback.reply = lambda r: '{"contradiction": false, "reason": ""}' if "response_format" in r else "Dear <name-1>"
    done = run(SPANS, environment_of(tracer, home, VARIABLES["OTEL_ONLY"]), tmp_path, loopback.url, trace)
    count, _, found = done.stdout.decode().strip().partition(" ")
    assert found == "[]", done.stderr[-3000:].decode()
    assert int(count) == 1 if trace == "off" else int(count) > 5


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
