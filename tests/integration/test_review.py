"""A person looks at what would leave, corrects it, stops it: the graph waits, and nothing private is in what waits."""

import json
import pickle

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from gama import Gama, Options, build_graph
from gama.state.errors import OptionError, ReviewStopped
from tests.support import letters

CONFIG = {"configurable": {"thread_id": "desk"}}


@pytest.fixture
def graph():
    return build_graph(Options(review=True, k=1, max_rounds=0), checkpointer=InMemorySaver())


def asked(out):
    (waiting,) = out["__interrupt__"]
    return waiting.value


def test_it_waits_and_goes_on(graph):
    shown = asked(graph.invoke({"question": letters.PLANTED}, CONFIG))
    assert "<name-1>" in shown["anonymized"] and "three months" in shown["anonymized"]
    assert {"placeholder": "<iban-1>", "kind": "iban"} in shown["hidden"] and shown["experts"]
    assert letters.hits(json.dumps(shown).encode()) == []
    assert graph.get_state(CONFIG).next == ("review",)
    out = graph.invoke(Command(resume=True), CONFIG)
    assert "three months" in out["reply"]["answer"]


def test_a_correction_is_shown_again_and_holds(graph):
    graph.invoke({"question": letters.PLANTED}, CONFIG)
    shown = asked(graph.invoke(Command(resume={"hide": ["the deposit"], "show": ["<name-1>"]}), CONFIG))
    assert "deposit" not in shown["anonymized"] and letters.SECRETS[0] in shown["anonymized"]
    assert "<name-1>" not in shown["anonymized"] and "<email-1>" in shown["anonymized"]
    shown = asked(graph.invoke(Command(resume={"hide": letters.SECRETS[0]}), CONFIG))
    assert letters.SECRETS[0] not in shown["anonymized"], "the last word counts"
    reply = graph.invoke(Command(resume={"show": ["three months"], "send": True}), CONFIG)
    assert "problem" in asked(reply), "what was never hidden cannot be shown"
    reply = graph.invoke(Command(resume="send"), CONFIG)["reply"]
    assert letters.SECRETS[0] not in reply["anonymized"] and "deposit" not in reply["anonymized"]


def test_a_correction_may_be_the_last_word(graph):
    graph.invoke({"question": letters.PLANTED}, CONFIG)
    reply = graph.invoke(Command(resume={"hide": ["notice period"], "send": True}), CONFIG)["reply"]
    assert "notice period" not in reply["anonymized"].lower()
    again = asked(graph.invoke({"question": letters.PLANTED}, CONFIG))
    assert "three months" in again["anonymized"], "the next turn is asked anew"


def test_no_is_no(graph):
    graph.invoke({"question": letters.PLANTED}, CONFIG)
    with pytest.raises(ReviewStopped, match="Nothing was sent"):
        graph.invoke(Command(resume=False), CONFIG)


@pytest.mark.parametrize(
    "answer",
    [7, {}, {"hied": ["x"]}, {"hide": [""]}, {"hide": 3}, {"hide": ["nowhere in it"]}, {"show": ["<name-9>"]}, "ok"],
)
def test_an_answer_that_cannot_be_used_is_asked_for_again(graph, answer):
    graph.invoke({"question": letters.PLANTED}, CONFIG)
    shown = asked(graph.invoke(Command(resume=answer), CONFIG))
    assert shown["problem"] and "nowhere in it" not in json.dumps(shown)
    assert "reply" in graph.invoke(Command(resume=True), CONFIG)


async def test_async_and_streams_show_nothing_private(graph):
    seen = [part async for part in graph.astream({"question": letters.PLANTED}, CONFIG, stream_mode="updates")]
    assert "__interrupt__" in seen[-1]
    assert letters.hits(repr(seen).encode()) == []


def test_answers_are_kept_sealed():
    saver = InMemorySaver()
    graph = build_graph(Options(review=True, k=1, max_rounds=0), checkpointer=saver)
    waiting = graph.invoke({"question": letters.PLANTED}, CONFIG)["__interrupt__"][0]
    answers = {"hide": [letters.SECRETS[0], "my lease"], "show": [letters.SECRETS[2]]}
    graph.invoke(Command(resume={waiting.id: answers}), CONFIG)
    graph.invoke(Command(resume=answers), CONFIG)
    kept = pickle.dumps([dict(saver.storage["desk"]), dict(saver.writes), dict(saver.blobs)])
    # What is shown on purpose stands in the anonymized text; the rest of what was answered is sealed.
    assert not {"quornbeck", "thessaly", *letters.SECRETS[:2]} & set(letters.hits(kept))


def test_where_nothing_is_kept_it_cannot_wait():
    with pytest.raises(OptionError, match="checkpointer"):
        build_graph(Options(review=True)).invoke({"question": letters.PLANTED})
    with pytest.raises(OptionError, match="build_graph"):
        Gama(Options(review=True), keep=False).invoke(letters.PLANTED)


def test_without_the_option_nothing_waits():
    graph = build_graph(Options(k=1, max_rounds=0), checkpointer=InMemorySaver())
    assert "reply" in graph.invoke({"question": letters.PLANTED}, CONFIG)
    shown = asked(graph.invoke({"question": letters.PLANTED}, CONFIG, context={"review": True}))
    assert shown["title"]
