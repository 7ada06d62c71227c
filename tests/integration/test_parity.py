"""Every way of running each face: it restores, shows nothing raw outward and no placeholder to its caller, and is never
sync-only or async-only.

Faces: the graph (`build_graph`), the Runnable (`Gama`), the middleware (a sealed agent). The gateway has a matrix of
its own.
"""

import asyncio
import json
import re
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from gama import Gama, Options, PrivacyMiddleware, build_graph
from tests.support import letters
from tests.support.chat import ScriptedChat, call

SECRET = letters.SECRETS[0]
TOKEN = re.compile(r"<(?:first_|last_)?(?:name|iban|email|phone)-\d+[a-z]?>|\[sealed:")
MODES = ["values", "updates", "messages", "custom", "debug", "tasks", "checkpoints"]


class Spy(BaseCallbackHandler):
    """A tracer: it is told what callbacks are told."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def __getattribute__(self, name):
        if name.startswith("on_"):
            return lambda *args, **kwargs: self.seen.append(f"{args!r} {kwargs!r}")
        return super().__getattribute__(name)


def thread(name: str = "t") -> Any:
    return {"configurable": {"thread_id": name}}


class Face:
    """A face with what it is given, and what must come out."""

    def __init__(self, runnable: Any, given: Any, outward: Callable[[], str], answer: Callable[[Any], str]) -> None:
        self.runnable, self.given, self.outward, self.answer = runnable, given, outward, answer
        self.spy = Spy()

    def config(self, thread: str = "t") -> Any:
        return {"configurable": {"thread_id": thread}, "callbacks": [self.spy]}

    def check(self, result: Any) -> None:
        answer = self.answer(result)
        assert SECRET in answer and not TOKEN.search(answer), answer
        assert letters.hits(self.outward().encode()) == []
        assert letters.hits(repr(self.spy.seen).encode()) == []


def agent_face() -> Face:
    @tool
    def crm(name: str) -> str:
        """Look somebody up."""
        assert name == SECRET
        return f"{name} has {letters.SECRETS[2]}"

    def reply(messages: Any) -> Any:
        asked = not any(message.type == "tool" for message in messages[-2:])
        return call("crm", name="<name-1>") if asked else "Dear <name-1>, it is <iban-1>, <name-1>."

    model, saver = ScriptedChat(steps=[reply]), InMemorySaver()
    agent = PrivacyMiddleware(tools={"crm": "real"}).create_agent(model, [crm], checkpointer=saver)

    def outward():
        return model.seen + repr(saver.storage) + repr(saver.writes) + repr(saver.blobs)

    given = {"messages": [("user", f"My name is {SECRET}. What is my IBAN?")]}
    return Face(agent, given, outward, lambda out: str(out["messages"][-1].content))


def graph_face(loopback: Any) -> Face:
    loopback.reply = lambda request: "The answer is three months, dear <name-1>."
    saver = InMemorySaver()
    options = Options(public_model="openai:loop", public_base_url=loopback.url, disprove="off")
    graph = build_graph(options, checkpointer=saver)

    def outward():
        return loopback.received.decode() + repr(saver.storage) + repr(saver.writes) + repr(saver.blobs)

    return Face(graph, {"question": letters.PLANTED}, outward, lambda out: str(out["reply"]["answer"]))


def gama_face(loopback: Any, home: Any) -> Face:
    loopback.reply = lambda request: "The answer is three months, dear <name-1>."
    gama = Gama(Options(public_model="openai:loop", public_base_url=loopback.url, disprove="off"), home=home)

    def outward():
        files = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
        return loopback.received.decode() + files.decode("utf-8", "replace")

    return Face(gama, letters.PLANTED, outward, lambda out: str(out["answer"]))


@pytest.fixture(params=["graph", "runnable", "middleware"])
def face(request, loopback, home):
    monkeypatched = request.getfixturevalue("monkeypatch")
    monkeypatched.setenv("OPENAI_API_KEY", "none")
    if request.param == "middleware":
        yield agent_face()
        return
    made = graph_face(loopback) if request.param == "graph" else gama_face(loopback, home)
    yield made
    if isinstance(made.runnable, Gama):
        made.runnable.close()


def added(parts: list[Any]) -> Any:
    """Put the parts of a stream together: the last state, or the sum of the parts."""
    if all(isinstance(part, dict) for part in parts) and "answer" in {key for part in parts for key in part}:
        total: Any = parts[0]
        for part in parts[1:]:
            total = total + part
        return total
    for part in reversed(parts):
        for value in part.values() if isinstance(part, dict) else ():
            if isinstance(value, dict) and ("reply" in value or "messages" in value):
                return value
    return parts[-1]


def run_invoke(face):
    return face.runnable.invoke(face.given, face.config())


def run_ainvoke(face):
    return asyncio.run(face.runnable.ainvoke(face.given, face.config()))


def run_batch(face):
    return face.runnable.batch([face.given, face.given], [face.config("a"), face.config("b")])[1]


def run_abatch(face):
    return asyncio.run(face.runnable.abatch([face.given, face.given], [face.config("a"), face.config("b")]))[0]


def run_stream(face):
    return added(list(face.runnable.stream(face.given, face.config())))


def run_astream(face):
    async def run():
        return [part async for part in face.runnable.astream(face.given, face.config())]

    return added(asyncio.run(run()))


def run_transform(face):
    return added(list(face.runnable.transform(iter([face.given]), face.config())))


def run_atransform(face):
    async def once():
        yield face.given

    async def run():
        return [part async for part in face.runnable.atransform(once(), face.config())]

    return added(asyncio.run(run()))


def run_chain(face):
    chain = RunnableLambda(lambda given: given) | face.runnable
    # What a caller's own chain is given, a caller's own tracer sees: the config without it.
    return chain.invoke(face.given, thread())


def run_chain_stream(face):
    chain = RunnableLambda(lambda given: given) | face.runnable
    return added(list(chain.stream(face.given, thread())))


WAYS = [value for name, value in sorted(globals().items()) if name.startswith("run_")]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__[4:])
def test_every_way_of_running_restores(face, way):
    face.check(way(face))


def events_of(face, version: str) -> list[Any]:
    async def run():
        warnings.simplefilter("ignore")  # v1 is deprecated
        return [event async for event in face.runnable.astream_events(face.given, face.config(), version=version)]

    with warnings.catch_warnings():
        return asyncio.run(run())


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_events_restore(face, version):
    events = events_of(face, version)
    assert events[0]["event"] == "on_chain_start" and events[-1]["event"] == "on_chain_end"
    assert events[0]["run_id"] == events[-1]["run_id"]
    if version == "v2":
        face.check(events[-1]["data"]["output"])
    else:  # the end of the first version is the sum of the updates
        assert SECRET in repr(events)
    chunks = [
        event for event in events if event["event"] == "on_chain_stream" and event["run_id"] == events[0]["run_id"]
    ]
    assert chunks


def test_events_of_the_agent_show_restored_tokens():
    face = agent_face()
    events = events_of(face, "v2")
    assert not TOKEN.search(repr(events)), TOKEN.findall(repr(events))
    kinds = {event["event"] for event in events}
    assert {"on_chat_model_start", "on_chat_model_stream", "on_chat_model_end", "on_tool_start", "on_tool_end"} <= kinds
    tokens = [event["data"]["chunk"] for event in events if event["event"] == "on_chat_model_stream"]
    assert "".join(token.text for token in tokens) == f"Dear {SECRET}, it is {letters.SECRETS[2]}, {SECRET}."
    started = next(event for event in events if event["event"] == "on_tool_start")
    assert started["data"]["input"] == {"name": SECRET}


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("version", ["v1", "v2"])
@pytest.mark.parametrize("subgraphs", [False, True])
@pytest.mark.parametrize("mode", [*MODES, MODES])
@pytest.mark.parametrize("name", ["graph", "middleware"])
def test_every_stream_mode(name, mode, subgraphs, version, asynchronous, loopback, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    face = agent_face() if name == "middleware" else graph_face(loopback)
    options: dict[str, Any] = {"stream_mode": mode, "subgraphs": subgraphs, "version": version}

    async def collect():
        return [item async for item in face.runnable.astream(face.given, face.config(), **options)]

    items = asyncio.run(collect()) if asynchronous else list(face.runnable.stream(face.given, face.config(), **options))
    assert items or mode in ("custom", "messages")
    assert letters.hits(face.outward().encode()) == [] and letters.hits(repr(face.spy.seen).encode()) == []
    if name == "graph":
        # The state of the graph is sealed or has crossed; the reply alone is in clear, and restored.
        early = [item for item in items if "'answer'" not in repr(item)]
        assert letters.hits(repr(early).encode()) == []
        return
    assert not TOKEN.search(repr(items)), TOKEN.findall(repr(items))
    if mode != "custom":
        assert SECRET in repr(items) or mode == "messages"
    if mode == "messages":
        told = [item["data"] if version == "v2" else item[1] if subgraphs else item for item in items]
        text = "".join(message.text for message, _ in told if message.type == "AIMessageChunk")
        assert text == f"Dear {SECRET}, it is {letters.SECRETS[2]}, {SECRET}."
        arguments = "".join(
            str(piece["args"] or "") for message, _ in told for piece in getattr(message, "tool_call_chunks", ())
        )
        assert json.loads(arguments) == {"name": SECRET}


def test_a_model_that_does_not_stream_is_restored_too():
    face = agent_face()
    model = ScriptedChat(steps=["Dear <name-1>."], streams=False, disable_streaming=True)
    agent = PrivacyMiddleware().create_agent(model)
    told = [message for message, _ in agent.stream(face.given, stream_mode="messages")]
    assert (
        "".join(message.text for message in told if message.type.startswith("AI") or message.type == "ai")
        == f"Dear {SECRET}."
    )


@pytest.mark.parametrize("name", ["graph", "middleware"])
def test_the_third_version_of_events_sync(name, loopback, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    face = agent_face() if name == "middleware" else graph_face(loopback)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is experimental
        run = face.runnable.stream_events(face.given, face.config(), version="v3")
    events = list(run)
    face.check(run.output)
    if name == "middleware":
        assert not TOKEN.search(repr(events)), TOKEN.findall(repr(events))


@pytest.mark.parametrize("name", ["graph", "middleware"])
async def test_the_third_version_of_events_async(name, loopback, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    face = agent_face() if name == "middleware" else graph_face(loopback)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = await face.runnable.astream_events(face.given, face.config(), version="v3")
    texts = []
    if name == "middleware":
        async for message in run.messages:
            texts.append(await message.text)
    face.check(await run.output())
    if name == "middleware":
        assert texts[-1] == f"Dear {SECRET}, it is {letters.SECRETS[2]}, {SECRET}."
