"""The other machine is not trusted either: what it sends is read into our types, cleaned, or refused."""

import json

import pytest

from gama.graph.remote import RemotePublicGraph, _read
from gama.guard.egress import EGRESS, NoPrivateSpace
from gama.guard.search import Guard
from gama.state.errors import ExpertsFailed, LeakError, ModelReplyError, ModelUnreachable, OptionError
from gama.state.task import DomainRule, PublicTask

TASK = PublicTask(
    text="May <name-1> go?", rules=(DomainRule(domain="Law", term="High", score=0.5, prompt="You know Law."),)
)
CONFIG = {"configurable": {"thread_id": "0" * 32}}


@pytest.fixture(autouse=True)
def egress():
    token = EGRESS.set(NoPrivateSpace())
    yield
    EGRESS.reset(token)


def serve(loopback, *events: tuple[str, object], status: int = 200) -> RemotePublicGraph:
    def answer(handler, body):
        payload = "".join(f"event: {kind}\ndata: {json.dumps(data)}\n\n" for kind, data in events).encode()
        loopback.send(handler, status, payload, "text/event-stream")

    loopback.answer = answer
    return RemotePublicGraph(loopback.url.removesuffix("/v1"), timeout_s=5)


def run(graph) -> list:
    return list(graph.stream({"task": TASK}, CONFIG, stream_mode=["updates", "values"], subgraphs=True))


ANSWER = {"domain": "Law", "term": "High", "text": "Yes, <name-1> may.", "model": "m", "seconds": 1.0}


def test_steps_come_as_the_local_graph_gives_them(loopback):
    parts = run(
        serve(
            loopback, ("updates", {"expert": {"answers": [ANSWER]}}), ("values", {"answer": "Yes", "answers": [ANSWER]})
        )
    )
    assert parts[0][1] == "updates" and parts[0][2]["expert"]["answers"][0].domain == "Law"
    assert parts[1][2]["answer"] == "Yes" and parts[1][2]["answers"][0].text == "Yes, <name-1> may."
    sent = json.loads(b"{" + loopback.record[0].partition(b"\n\n{")[2])
    assert set(sent["input"]) == {"task"} and sent["config"]["configurable"] == {}
    assert not {"metadata", "tags"} & set(sent["config"]) or not any(
        sent["config"].get(k) for k in ("metadata", "tags")
    )


@pytest.mark.parametrize(
    "values",
    [
        {"answer": 7}, {"answers": [{"domain": "Law"}]}, {"answers": "x"}, {"verdict": "sure"}, {"usage": {"calls": "many"}},
        {"answers": [ANSWER | {"extra": 1}]}, {"parts": [{"number": 1}]},
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused(loopback, values):
    with pytest.raises(ModelReplyError, match="cannot be read"):
        run(serve(loopback, ("values", values)))


def test_control_characters_and_endless_texts_are_cut():
    read = _read("values", {"answer": "a\x1b[2J\u202eb" + "x" * 10**6, "warnings": ["\x00w"], "unknown": "dropped"})
    assert read["answer"].startswith("a[2Jb") and len(read["answer"]) == 40_000 and read["warnings"] == ["w"]
    assert set(read) == {"answer", "warnings"} and _read("updates", ["no", "object"]) == {}


@pytest.mark.parametrize(
    ("event", "error"),
    [
        (("error", {"error": "ExpertsFailed", "message": "Planted"}), ExpertsFailed),
        (("error", {"error": "ValueError", "message": "Planted"}), ModelReplyError),
        (("error", "Planted"), ModelReplyError),
    ],
)
def test_errors_over_there_are_not_quoted(loopback, event, error):
    with pytest.raises(error) as caught:
        run(serve(loopback, event))
    assert "Planted" not in str(caught.value) and caught.value.__context__ is None


def test_a_failing_or_missing_machine_is_named(loopback):
    with pytest.raises(ModelReplyError, match="failed"):
        run(serve(loopback, ("error", {"detail": "Planted"}), status=500))
    with pytest.raises(ModelUnreachable, match="does not answer"):
        run(RemotePublicGraph("http://127.0.0.1:9"))
    with pytest.raises(OptionError):
        RemotePublicGraph("no address")


def test_nothing_private_leaves_and_nothing_without_a_guard(loopback):
    graph = serve(loopback, ("values", {}))
    for guard in (Guard(["You know Law"]), Guard(["May <name-1> go"]), None):
        EGRESS.set(guard)
        with pytest.raises(LeakError):
            run(graph)
    assert loopback.record == []
    # Bounds, addresses and the protocol's own words are no part of the task.
    EGRESS.set(Guard(["40000", "127.0.0.1", "stream_mode", "application/json"]))
    run(graph)


def test_the_key_is_the_machines_own(loopback, monkeypatch):
    monkeypatch.setenv("LANGSMITH_API_KEY", "the-tracers-key")
    run(serve(loopback, ("values", {})))
    monkeypatch.setenv("GAMA_PUBLIC_GRAPH_KEY", "the-machines-key")
    run(serve(loopback, ("values", {})))
    assert b"the-tracers-key" not in loopback.received and b"x-api-key: the-machines-key" in loopback.record[1].lower()


async def test_async_is_the_same(loopback):
    graph = serve(loopback, ("values", {"answer": "Yes"}))
    parts = [part async for part in graph.astream({"task": TASK}, CONFIG, stream_mode=["values"])]
    assert parts == [((), "values", {"answer": "Yes"})]
