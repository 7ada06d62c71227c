"""What a saver behind the vault must do, whichever it is, sync and async: keep everything, show nothing."""

import operator
from typing import Annotated, Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send, interrupt
from typing_extensions import TypedDict

from gama.state.errors import SealError
from gama.vault.encrypted_saver import EncryptedSaver, LocalSaver, own
from gama.vault.seal import Vault
from tests.support import letters

NAME, MAIL, IBAN, PHONE = letters.SECRETS
KINDS = ["memory", "memory async", "sqlite", "sqlite async", "aiosqlite", "postgres", "postgres async", "aiopostgres"]


class Place:
    """A saver, and how what it keeps is looked at."""

    def __init__(self, saver: Any, look: Any, sync: bool) -> None:
        self.saver, self.look, self.sync = saver, look, sync

    async def call(self, graph: Any, method: str, *arguments: Any, **options: Any) -> Any:
        if self.sync:
            return getattr(graph, method)(*arguments, **options)
        return await getattr(graph, f"a{method}")(*arguments, **options)


@pytest.fixture(params=KINDS)
async def place(request, tmp_path):
    kind = request.param
    sync = not (kind.endswith("async") or kind.startswith("aio"))
    if kind.startswith("memory"):
        saver = InMemorySaver()
        yield Place(saver, lambda: repr((dict(saver.storage), dict(saver.writes), dict(saver.blobs))).encode(), sync)
    elif kind.startswith("sqlite"):
        local = LocalSaver(tmp_path / "checkpoints" / "x.sqlite")
        yield Place(local, lambda: files(tmp_path / "checkpoints"), sync)
        local.close()
    elif kind == "aiosqlite":
        from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

        (tmp_path / "checkpoints").mkdir()
        async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "checkpoints" / "x.sqlite")) as aio:
            yield Place(aio, lambda: files(tmp_path / "checkpoints"), sync)
    else:
        clear = request.node.originalname == "test_the_search_finds_what_is_in_clear"
        server = request.getfixturevalue("spoiled_server" if clear else "postgres_server")
        url = server.database()

        def look() -> bytes:
            kept: bytes = server.tables(url) + server.disk()
            return kept

        if kind == "aiopostgres":
            from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

            async with AsyncPostgresSaver.from_conn_string(url) as aio:
                await aio.setup()
                yield Place(aio, look, sync)
        else:
            from gama.vault.postgres_saver import PooledSaver

            postgres = PooledSaver(url, "gama_test")
            yield Place(postgres, look, sync)
            postgres.close()


def files(folder) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


class State(TypedDict):
    text: str
    count: int
    items: Annotated[list[str], operator.add]
    answer: str


def graph_on(saver: Any) -> Any:
    """Build a graph that leaves private values everywhere a saver keeps any."""
    failures = [ValueError(f"the letter of {NAME}")]

    def spread(state: State) -> dict:
        return {"text": f"{state['text']} {IBAN}", "count": 7}

    def send(state: State) -> list[Send]:
        return [Send("work", {"item": f"{PHONE} {number}"}) for number in range(2)]

    def work(task: dict) -> dict:
        if failures and task["item"].endswith("1"):
            raise failures.pop()
        return {"items": [task["item"]]}

    def ask(state: State) -> dict:
        return {"answer": interrupt({"is this you?": MAIL})}

    builder = StateGraph(State)
    nodes: list[Any] = [spread, work, ask]
    for node in nodes:
        builder.add_node(node)
    builder.add_edge(START, "spread")
    builder.add_conditional_edges("spread", send, ["work"])
    builder.add_edge("work", "ask")
    builder.add_edge("ask", END)
    return builder.compile(checkpointer=saver)


async def go_through(place: Place, graph: Any) -> None:
    """Run with private values in input, state, Send, exception, interrupt, resume value, metadata, edited state."""
    config = {
        "configurable": {"thread_id": "t", "user": NAME},
        "metadata": {"customer": NAME, "mail": MAIL},
        "tags": [NAME],
        "run_name": NAME,
    }
    with pytest.raises(ValueError):
        await place.call(graph, "invoke", {"text": f"I am {NAME}", "items": [MAIL]}, config, durability="sync")
    stopped = await place.call(graph, "invoke", None, config, durability="sync")
    assert stopped["__interrupt__"][0].value == {"is this you?": MAIL}
    done = await place.call(graph, "invoke", Command(resume=f"yes, {NAME}"), config, durability="sync")
    assert done["answer"] == f"yes, {NAME}" and sorted(done["items"]) == sorted([MAIL, f"{PHONE} 0", f"{PHONE} 1"])
    await place.call(graph, "update_state", config, {"text": f"edited by {NAME}", "count": 8})
    state = await place.call(graph, "get_state", config)
    assert state.values["text"] == f"edited by {NAME}" and state.values["count"] == 8
    assert set(state.metadata) <= {"source", "step", "parents", "run_id", "counters_since_delta_snapshot"} or not (
        isinstance(graph.checkpointer, EncryptedSaver)
    )


async def test_nothing_private_is_kept_in_clear(place, home):
    saver = EncryptedSaver(place.saver, Vault.at(home))
    graph = graph_on(saver)
    await go_through(place, graph)
    kept = place.look()
    assert b"spread" in kept and letters.hits(kept) == []
    assert letters.hits(files(home)) == []


async def test_the_search_finds_what_is_in_clear(place):
    """The same run without the vault: the search of the test above is a search."""
    await go_through(place, graph_on(place.saver))
    assert set(letters.SECRETS) <= set(letters.hits(place.look()))


async def test_history_is_whole_and_bound_to_its_thread(place, home):
    vault = Vault.at(home)
    graph = graph_on(EncryptedSaver(place.saver, vault))
    await go_through(place, graph)
    config = {"configurable": {"thread_id": "t"}}
    if place.sync:
        history = list(graph.get_state_history(config))
        everywhere = list(graph.checkpointer.list(None))
    else:
        history = [state async for state in graph.aget_state_history(config)]
        everywhere = [found async for found in graph.checkpointer.alist(None)]
    assert len(history) == len(everywhere) >= 6 and history[-1].metadata["source"] == "input"
    assert any(NAME in repr(error) for state in history for task in state.tasks if (error := task.error))
    vault.forget("t")
    with pytest.raises(SealError, match="forgotten"):
        await place.call(graph, "get_state", config)
    if place.sync:
        assert list(graph.checkpointer.list(None)) == []
        place.saver.delete_thread("t")
    else:
        assert [found async for found in graph.checkpointer.alist(None)] == []
        await place.saver.adelete_thread("t")
    assert (await place.call(graph, "get_state", config)).values == {}


def test_what_somebody_moved_or_put_in_is_refused(home):
    vault, inner = Vault.at(home), InMemorySaver()
    graph = graph_on(EncryptedSaver(inner, vault))
    with pytest.raises(ValueError):
        graph.invoke({"text": NAME}, {"configurable": {"thread_id": "t"}})
    with pytest.raises(ValueError):
        graph_on(EncryptedSaver(inner, vault)).invoke({"text": MAIL}, {"configurable": {"thread_id": "other"}})

    def found(thread: str) -> Any:
        return inner.get_tuple({"configurable": {"thread_id": thread, "checkpoint_ns": ""}})

    def changed(thread: str, values: dict) -> None:
        kept = found(thread)
        checkpoint = {**kept.checkpoint, "channel_values": {**kept.checkpoint["channel_values"], **values}}
        versions = {name: kept.checkpoint["channel_versions"][name] for name in values}
        inner.put(kept.parent_config, checkpoint, kept.metadata, versions)

    own_text, own_count = (found("t").checkpoint["channel_values"][name] for name in ("text", "count"))
    foreign = found("other").checkpoint["channel_values"]["text"]
    for value in (foreign, own_count, b"\x00" * 40, b"", "in clear", {"in": "clear"}, None):
        changed("t", {"text": value})
        with pytest.raises(SealError):
            graph.get_state({"configurable": {"thread_id": "t"}})
    changed("t", {"text": own_text})
    assert graph.get_state({"configurable": {"thread_id": "t"}}).values["text"] == f"{NAME} {IBAN}"


def test_a_thread_that_is_forgotten_while_it_runs_stops(home):
    vault = Vault.at(home)
    vault.seal("t", b"x")
    saver = EncryptedSaver(InMemorySaver(), vault, make=False)
    config = {"configurable": {"thread_id": "t", "checkpoint_ns": "", "checkpoint_id": "1"}}
    saver.put_writes(config, [("text", NAME)], "task")
    vault.forget("t")
    with pytest.raises(SealError, match="forgotten"):
        saver.put_writes(config, [("text", NAME)], "task")
    with pytest.raises(SealError):
        saver.put(config, {"channel_values": {}, "channel_versions": {}, "id": "2"}, {}, {})
    assert vault.threads() == []


def test_metadata_keeps_its_form():
    given: Any = {"source": "loop", "step": 3, "parents": {}, "run_id": "1f1e5c63-0000-6000-8000-000000000000"}
    assert own(given) == given
    told: Any = {"source": NAME, "step": NAME, "run_id": NAME, "customer": NAME, "parents": {"": "1"}}
    assert own(told) == {"parents": {"": "1"}}


def test_types_are_limited_to_those_of_the_states():
    saver = EncryptedSaver(InMemorySaver(), Vault.ephemeral())
    assert isinstance(saver.serde, JsonPlusSerializer)
    assert saver.with_allowlist([("x", "Y")]).vault is saver.vault
