"""The door of the graph: whatever is put in, and whatever a program has set globally, the raw text stays inside."""

import asyncio
import contextlib
import io
import logging
import re
import sqlite3
import warnings
from contextvars import ContextVar

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command

from gama import Options, build_graph
from gama.state.errors import FaultError, InputError
from gama.state.private_text import PrivateText
from tests.support import letters

THREAD = {"configurable": {"thread_id": "t"}}
RAW = letters.PLANTED


@pytest.fixture
def kept(tmp_path):
    """A plain SQLite saver, which adds no protection of its own, and its graph."""
    connection = sqlite3.connect(tmp_path / "plain.sqlite", check_same_thread=False)
    saver = SqliteSaver(connection)
    saver.setup()
    yield build_graph(Options(), checkpointer=saver), tmp_path
    connection.close()


def on_disk(folder):
    return letters.hits(b"".join(path.read_bytes() for path in folder.glob("plain*")))


@pytest.mark.parametrize(
    "given",
    [
        {"question": [RAW]}, {"question": {"text": RAW}}, {"text": RAW}, RAW, [RAW], {"question": RAW.encode()},
        Command(resume=RAW), Command(update={"note": RAW}), Command(update={"question": "hi"}, resume=RAW),
    ],
    ids=["a list", "an object", "another key", "a text", "texts", "bytes", "an answer", "an update", "both"],
)  # fmt: skip
@pytest.mark.parametrize("way", ["sync", "async"])
def test_what_is_no_question_is_refused_before_it_is_kept(kept, given, way):
    graph, folder = kept
    with pytest.raises(InputError) as caught:
        if way == "sync":
            graph.invoke(given, THREAD)
        else:
            asyncio.run(build_graph(Options()).ainvoke(given, THREAD))
    assert letters.hits(str(caught.value).encode()) == [] and on_disk(folder) == []


@pytest.mark.parametrize(
    "given",
    [{"question": RAW, "note": RAW}, {"question": PrivateText(RAW)}, Command(update={"question": RAW})],
    ids=["a further key", "private text", "an update"],
)
def test_what_is_a_question_is_sealed_in_every_form(kept, given):
    graph, folder = kept
    reply = graph.invoke(given, THREAD)["reply"]
    assert "three months" in reply["answer"] and on_disk(folder) == []


def test_a_changed_state_is_sealed_too(kept):
    graph, folder = kept
    config = THREAD | {"metadata": {"who": RAW}, "tags": [RAW]}
    graph.update_state(config, {"question": RAW}, as_node="__start__")
    assert on_disk(folder) == []
    assert "three months" in graph.invoke(None, THREAD)["reply"]["answer"]
    with pytest.raises(InputError):
        graph.update_state(THREAD, {"question": [RAW]}, as_node="__start__")
    assert on_disk(folder) == []


async def test_a_changed_state_is_sealed_too_async():
    from langgraph.checkpoint.memory import InMemorySaver

    graph = build_graph(Options(), checkpointer=InMemorySaver())
    await graph.aupdate_state(THREAD | {"metadata": {"who": RAW}}, {"question": RAW}, as_node="__start__")
    state = await graph.aget_state(THREAD)
    assert letters.hits(repr(state).encode()) == []
    assert "three months" in (await graph.ainvoke(None, THREAD))["reply"]["answer"]


@pytest.mark.parametrize("node", ["find_entities", "link_mentions", "write_prompts"])
def test_an_error_that_quotes_the_text_is_not_kept(kept, monkeypatch, node):
    def boom(*args, **kwargs):
        raise ValueError(f"cannot read {RAW}")

    place = {
        "find_entities": "gama.privacy.identify.first_view",
        "link_mentions": "gama.privacy.pipeline.link",
        "write_prompts": "gama.tools.domains.kind.kind_of_task",
    }[node]
    graph, folder = kept
    monkeypatch.setattr(place, boom)
    with pytest.raises(FaultError, match=rf"'{node}' \(ValueError\)") as caught:
        graph.invoke({"question": RAW}, THREAD)
    assert caught.value.__cause__ is None and caught.value.__context__ is None
    assert letters.hits(str(caught.value).encode()) == [] and on_disk(folder) == []


@pytest.mark.parametrize("mode", ["values", "updates", "tasks", "debug", "checkpoints", "messages", "custom"])
@pytest.mark.parametrize("version", ["v1", "v2"])
def test_the_reply_is_opened_for_who_asks_for_values_and_closed_inside(kept, mode, version):
    graph, _ = kept
    parts = list(graph.stream({"question": RAW}, THREAD, stream_mode=mode, version=version))
    found = set(letters.hits(repr(parts).encode()))
    assert bool(found) == (mode in ("values", "updates"))
    assert bool(re.search(r"'reply'[,:] Sealed\(", repr(parts))) == (mode in ("tasks", "debug", "checkpoints"))


def test_events_of_the_third_version_give_the_reply_alone(kept):
    graph, _ = kept
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is experimental, and says so once a process
        run = graph.stream_events({"question": RAW}, THREAD, version="v3")
    seen = [event for event in run if "three months" not in repr(event)]
    assert len(seen) > 3 and letters.hits(repr(seen).encode()) == []
    assert "three months" in run.output["reply"]["answer"]


def test_langchains_debug_switch_prints_nothing_private(loopback):
    from langchain_core.globals import set_debug

    loopback.reply = lambda request: "[]"
    graph = build_graph(Options(private_model="openai:loop", private_base_url=loopback.url, fusion="rule"))
    out = io.StringIO()
    set_debug(True)
    try:
        with contextlib.redirect_stdout(out):
            graph.invoke({"question": RAW}, THREAD, debug=True)
    finally:
        set_debug(False)
    assert loopback.requests and letters.SECRETS[0].encode() in loopback.received, "the private LLM sees the text"
    assert len(out.getvalue()) > 1_000 and letters.hits(out.getvalue().encode()) == []


class Everything(BaseCallbackHandler):
    """A tracer as other makers register them: told of every run in the process."""

    seen: list[str] = []

    def __getattribute__(self, name):
        if name.startswith("on_"):
            return lambda *args, **kwargs: Everything.seen.append(repr((name, args, kwargs)))
        return super().__getattribute__(name)


@pytest.fixture
def registered(monkeypatch):
    from langchain_core.tracers import context

    monkeypatch.setattr(context, "_configure_hooks", list(context._configure_hooks))
    monkeypatch.setenv("EVERYTHING_TRACING", "true")
    context.register_configure_hook(ContextVar("everything", default=None), True, Everything, "EVERYTHING_TRACING")
    Everything.seen.clear()
    return Everything.seen


@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_tracer_registered_for_the_whole_process_sees_nothing_private(loopback, registered, way):
    loopback.reply = lambda request: "[]"
    graph = build_graph(Options(private_model="openai:loop", private_base_url=loopback.url, fusion="rule"))
    if way == "sync":
        graph.invoke({"question": RAW}, THREAD)
    else:
        asyncio.run(graph.ainvoke({"question": RAW}, THREAD))
    assert letters.SECRETS[0].encode() in loopback.received and len(registered) > 20
    assert letters.hits("\n".join(registered).encode()) == []


@pytest.mark.parametrize("way", ["sync", "async"])
def test_the_private_llms_library_logs_and_caches_nothing(loopback, caplog, way):
    from langchain_core.caches import InMemoryCache
    from langchain_core.globals import set_llm_cache

    loopback.reply = lambda request: "[]"
    caplog.set_level(logging.DEBUG)
    graph = build_graph(Options(private_model="openai:loop", private_base_url=loopback.url, fusion="rule"))
    cache = InMemoryCache()
    set_llm_cache(cache)
    try:
        if way == "sync":
            graph.invoke({"question": RAW}, THREAD)
        else:
            asyncio.run(graph.ainvoke({"question": RAW}, THREAD))
    finally:
        set_llm_cache(None)
    assert letters.SECRETS[0].encode() in loopback.received
    assert letters.hits(caplog.text.encode()) == [] and letters.hits(repr(cache._cache).encode()) == []
    logging.getLogger("openai._base_client").debug("the program's own word")
    assert "the program's own word" in caplog.text, "the silence ends with the call"


@pytest.mark.parametrize("name", ["LANGCHAIN_TRACING", "LANGCHAIN_HANDLER"])
@pytest.mark.parametrize("way", ["sync", "async"])
def test_the_first_generations_tracing_variables_stop_nothing(monkeypatch, name, way):
    monkeypatch.setenv(name, "true")
    graph = build_graph(Options())
    out = graph.invoke({"question": RAW}) if way == "sync" else asyncio.run(graph.ainvoke({"question": RAW}))
    assert "three months" in out["reply"]["answer"]
