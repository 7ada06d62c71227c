"""Conversations: one keeps its placeholders over turns, edits, branches and restarts; a thousand keep apart."""

import asyncio
import itertools
import os
import re
import shutil
import tempfile
from pathlib import Path

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from gama import Gama, Options, build_graph
from gama.nodes.private.space import PrivateSpace
from gama.privacy.finders import Finders
from gama.privacy.pipeline import Pipeline
from gama.state.entities import Span
from gama.state.errors import LimitReached, SealError
from gama.state.private_text import Sealed
from gama.vault.seal import Vault
from gama.vault.storage import open_storage
from tests.support import letters

ONE, TWO, THREE = "Thessaly Quornbeck", "Ambrose Tilling", "Ottoline Fairweather"


def letter(*names: str) -> str:
    return " ".join(f"My name is {name}." for name in names) + " When does the shop open?"


def config(thread: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread}}


@pytest.fixture(params=["sqlite", "postgres"])
def store(request):
    return None if request.param == "sqlite" else request.getfixturevalue("postgres")


@pytest.fixture
def options(loopback):
    loopback.reply = lambda request: "It is <name-1>, <name-2> or <name-3>."
    return Options(public_model="openai:loop", public_base_url=loopback.url, disprove="off", k=1)


def names(gama: Gama, thread: str) -> dict[str, str]:
    return {entry.surface: entry.placeholder for entry in gama.box(thread).entries}


def end_of_turn(gama: Gama, thread: str, turn: int) -> RunnableConfig:
    """Return the configuration of the checkpoint at which a turn, counted from 1, had ended."""
    ends = [state.config for state in gama.graph.get_state_history(config(thread)) if not state.next]
    return ends[-turn]


def test_turns_and_restarts(store, options):
    for turn, (new, number) in enumerate([(ONE, 1), (TWO, 2), (ONE, 1), (THREE, 3)]):
        gama = Gama(options, store=store)  # a process of its own, as it were
        reply = gama.invoke({"question": letter(new, ONE)}, config("t"))
        assert f"<name-{number}>" in reply["anonymized"] and new in reply["answer"], turn
        gama.close()
    gama = Gama(options, store=store)
    assert names(gama, "t") == {ONE: "<name-1>", TWO: "<name-2>", THREE: "<name-3>"}
    gama.close()


async def test_branches_never_share_a_placeholder(store, options):
    """Two branches of a conversation meet a new person each: the second does not get the first one's placeholder."""
    gama = Gama(options, store=store)
    gama.invoke({"question": letter(ONE)}, config("t"))
    gama.invoke({"question": letter(TWO)}, config("t"))
    back = end_of_turn(gama, "t", 1)
    branch = gama.graph.invoke({"question": letter(THREE)}, back, durability="sync")["reply"]
    assert "<name-3>" in branch["anonymized"] and THREE in branch["answer"]
    again = (await gama.graph.ainvoke({"question": letter(TWO, ONE)}, back, durability="sync"))["reply"]
    assert "<name-2>" in again["anonymized"] and "<name-1>" in again["anonymized"]
    gama.close()
    # What was written in any branch, at any time, is restored to whom it meant.
    gama = Gama(options, store=store)
    box = gama.box("t")
    assert [box.surface(f"<name-{n}>") for n in (1, 2, 3)] == [ONE, TWO, THREE]
    last = gama.invoke({"question": "Who was that?"}, config("t"))
    assert last["answer"] == f"It is {ONE}, {TWO} or {THREE}."
    gama.close()


async def test_edits(store, options):
    """A question is edited in the state, at the door and in the middle: the text is sealed, the placeholders stay."""
    gama = Gama(options, store=store)
    gama.invoke({"question": letter(ONE)}, config("t"))
    gama.invoke({"question": letter(TWO)}, config("t"))
    graph = gama.graph
    edits = [
        lambda c, q: _done(graph.update_state(c, q, as_node="__start__")),
        lambda c, q: graph.aupdate_state(c, q, as_node="__start__"),
        lambda c, q: _done(graph.update_state(c, q, as_node="__input__")),
    ]
    for edit in edits:
        edited = await edit(end_of_turn(gama, "t", 1), {"question": letter(THREE, TWO)})
        kept = graph.get_state(edited)
        assert isinstance(kept.values.get("question"), Sealed) or kept.next == ("__start__",)
        assert letters.hits(repr(kept).encode()) == [] and THREE not in repr(kept)
        reply = graph.invoke(None, edited, durability="sync")["reply"]
        assert reply["anonymized"] == letter("<name-3>", "<name-2>")
    # Played again from before the crossing, nothing else is said and nobody else is named.
    middle = next(s.config for s in graph.get_state_history(config("t")) if s.next == ("link_mentions",))
    assert graph.invoke(None, middle)["reply"]["anonymized"] == letter("<name-3>", "<name-2>")
    assert names(gama, "t") == {ONE: "<name-1>", TWO: "<name-2>", THREE: "<name-3>"}
    gama.close()


async def _done(value):
    return value


def test_edits_under_a_foreign_saver_are_sealed():
    saver = InMemorySaver()
    graph = build_graph(Options(), checkpointer=saver)
    graph.invoke({"question": letters.PLANTED}, config("t"))
    graph.update_state(config("t"), {"question": letters.PLANTED}, as_node="__start__")
    graph.bulk_update_state(config("t"), [[({"question": letters.PLANTED}, "__start__")]])
    graph.invoke(Command(update={"question": letters.PLANTED}, goto="seal"), config("t"))
    kept = repr((dict(saver.storage), dict(saver.writes), dict(saver.blobs)))
    assert letters.hits(kept.encode()) == []


def test_a_run_without_a_saver_has_no_conversation():
    vault = Vault.ephemeral()
    graph = build_graph(Options(), vault=vault)
    for name in (ONE, TWO):
        reply = graph.invoke({"question": letter(name)}, config("t"))["reply"]
        assert "<name-1>" in reply["anonymized"]
    assert vault.load_box("t") == (0, None)


async def test_one_conversation_in_many_places_at_once(store, options):
    """Twelve runs of one conversation at the same time: every name has one placeholder, every placeholder one name."""
    gama = Gama(options, store=store)
    gama.invoke({"question": letter(ONE)}, config("t"))
    people = [
        f"{first} {last}" for first, last in itertools.product(["Ada", "Ben", "Cleo"], ["Obi", "Sato", "Lindqvist"])
    ]
    back = end_of_turn(gama, "t", 1)
    runs = [gama.graph.ainvoke({"question": letter(who, ONE)}, back, durability="sync") for who in people]
    replies = [done["reply"] for done in await asyncio.gather(*runs)]
    known = names(gama, "t")
    assert len(set(known.values())) == len(known)
    for who, reply in zip(people, replies, strict=True):
        assert reply["anonymized"] == letter(known[who], "<name-1>")
    gama.close()


def test_too_many_runs_at_once_stop_before_anything_is_sent(options, loopback, monkeypatch):
    gama = Gama(options)
    monkeypatch.setattr("gama.vault.keys.threads.KeyStore.save_box", lambda *rest: False)
    with pytest.raises(LimitReached, match="Nothing was sent"):
        gama.invoke({"question": letter(ONE)}, config("t"))
    assert loopback.record == []
    gama.close()


SYLLABLES = ["ba", "du", "fe", "go", "ki", "lo", "mu", "na", "po", "ri"]
NAME = re.compile(r"\b[A-Z][a-z]{5}son [A-Z][a-z]{5}field\b")


def person(number: int) -> str:
    """Return a name that no other number has, and that no other name contains."""
    first, second, third = (SYLLABLES[int(digit)] for digit in f"{number:03}")
    return f"{first.title()}{second}{third}son {third.title()}{first}{second}field"


def find(text: str) -> list[Span]:
    """Find the persons of this test, and nothing else: what is tested is not how well they are found."""
    return [Span(m.start(), m.end(), "PER", "full_name", 1.0, "pner", 1.0, True) for m in NAME.finditer(text)]


@pytest.fixture
def quick_home(tmp_path):
    """Return a folder in memory, where there is one: a thousand conversations wait for the disk otherwise."""
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(dir=memory if os.access(memory, os.W_OK) else tmp_path))
    yield folder
    shutil.rmtree(folder)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("threads", [100, pytest.param(1000, marks=pytest.mark.soak)])
async def test_many_conversations_at_once(threads, loopback, quick_home):
    """Many mixed threads, every tenth of two turns: none gets a name or a placeholder of another."""
    # The model answers with all the placeholders it can think of: those that it saw and those of others.
    loopback.reply = lambda request: "It is <name-1>, <name-2> or <name-7>."
    options = Options(public_model="openai:loop", public_base_url=loopback.url, disprove="off", k=1, timeout_s=3600)
    vault = Vault.at(quick_home)
    storage = open_storage(vault, quick_home)
    space = PrivateSpace(vault, Pipeline(options, Finders(lambda o: find, lambda o: lambda text: [])))
    graph = build_graph(space=space, checkpointer=storage.private, public_checkpointer=storage.public)

    async def ask(n: int, question: str, anonymized: str, people: list[int]) -> None:
        done = await graph.ainvoke({"question": question}, config(f"t{n}"), durability="sync")
        reply = done["reply"]
        assert set(NAME.findall(str(reply))) <= {person(m) for m in people}, n
        assert reply["anonymized"] == anonymized, n
        known = [*map(person, people), "<name-2>"][:2]
        assert reply["answer"] == f"It is {known[0]}, {known[1]} or <name-7>.", n

    async def talk(n: int) -> None:
        await ask(n, f"I am {person(n)}. Where do I live?", "I am <name-1>. Where do I live?", [n])
        if n % 10 == 0:
            other = (n + 1) % threads
            text = f"Do you know {person(other)}, or {person(n)}?"
            await ask(n, text, "Do you know <name-2>, or <name-1>?", [n, other])

    await asyncio.gather(*(talk(n) for n in range(threads)))
    assert len(storage.last_used()) == len(vault.threads()) == threads
    # The box of one opens nothing of another, even if somebody puts it there.
    sealed = graph.get_state(config("t1")).values["sealed_box"]
    with pytest.raises(SealError):
        vault.open("t2", sealed)
    storage.close()
    vault.close()
    blob = b"".join(path.read_bytes() for path in quick_home.iterdir())
    assert not NAME.search(blob.decode("latin-1"))
