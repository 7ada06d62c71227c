"""Gama as a Runnable in a chain and as a node of a foreign graph: sync, async, batch, stream."""

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from gama import Gama, Options, build_graph
from gama.graph.private_graph import EDGES
from gama.state.errors import InputError
from tests.support import letters


@pytest.fixture
def gama():
    made = Gama(Options(max_rounds=1))
    yield made
    made.close()


def test_drawn_edges_are_the_agreed_ones():
    drawn = {(edge.source, edge.target) for edge in build_graph(Options()).get_graph().edges}
    assert drawn == EDGES


def test_forms_of_input(gama):
    for given in (
        letters.PLANTED,
        {"question": letters.PLANTED},
        [HumanMessage(letters.PLANTED)],
        HumanMessage(letters.PLANTED),
    ):
        reply = gama.invoke(given)
        assert letters.SECRETS[0] not in reply["anonymized"] and "three months" in reply["answer"]
    for bad in ({}, {"question": 5}, 7, [], "", "  \n"):
        with pytest.raises(InputError):
            gama.invoke(bad)


def test_in_a_chain(gama):
    prompt = ChatPromptTemplate.from_messages([("system", "be kind"), ("human", "{letter}")])
    chain = prompt | gama | RunnableLambda(lambda reply: reply["answer"])
    assert "three months" in chain.invoke({"letter": letters.PLANTED})
    answers = chain.batch(
        [
            {"letter": letters.PLANTED},
            {"letter": "My name is Ambrose Tilling. The bus leaves at noon. When does the bus leave?"},
        ]
    )
    assert "three months" in answers[0] and "noon" in answers[1]


async def test_in_a_chain_async(gama):
    chain = gama | RunnableLambda(lambda reply: reply["answer"])
    assert "three months" in await chain.ainvoke(letters.PLANTED)
    assert len(await chain.abatch([letters.PLANTED] * 2)) == 2


def test_stream_adds_up_to_the_reply(gama):
    parts = list(gama.stream({"question": letters.PLANTED}))
    assert len(parts) >= 3 and "anonymized" in parts[0] and "answer" not in parts[0]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    assert "three months" in total["answer"] and total["thread"]


async def test_astream(gama):
    parts = [part async for part in gama.astream({"question": letters.PLANTED})]
    assert "three months" in parts[-1]["answer"]


class Office(TypedDict):
    letter: str
    answer: str


def office(step) -> StateGraph:
    builder = StateGraph(Office)
    builder.add_node("reply", step)
    builder.add_edge(START, "reply")
    builder.add_edge("reply", END)
    return builder


def test_as_a_node_of_a_foreign_graph(gama):
    step = (
        RunnableLambda(lambda s: {"question": s["letter"]}) | gama | RunnableLambda(lambda r: {"answer": r["answer"]})
    )
    graph = office(step).compile(checkpointer=InMemorySaver())
    out = graph.invoke({"letter": letters.PLANTED}, {"configurable": {"thread_id": "office"}, "metadata": {"k": "v"}})
    assert "three months" in out["answer"]


async def test_as_a_node_async(gama):
    async def step(state: Office) -> dict:
        reply = await gama.ainvoke({"question": state["letter"]})
        return {"answer": reply["answer"]}

    out = await office(step).compile().ainvoke({"letter": letters.PLANTED})
    assert "three months" in out["answer"]


class Shared(TypedDict):
    question: str
    reply: dict


def test_the_compiled_graph_as_a_subgraph():
    builder = StateGraph(Shared)
    builder.add_node("gama", build_graph(Options()))
    builder.add_edge(START, "gama")
    builder.add_edge("gama", END)
    saver = InMemorySaver()
    graph = builder.compile(checkpointer=saver)
    out = graph.invoke({"question": letters.PLANTED}, {"configurable": {"thread_id": "t"}})
    assert "three months" in out["reply"]["answer"]


async def test_the_compiled_graph_sync_and_async():
    graph = build_graph(Options())
    one = graph.invoke({"question": letters.PLANTED})
    two = await graph.ainvoke({"question": letters.PLANTED}, context=Options(k=1, style="v1"))
    assert one["reply"]["anonymized"].replace("<", "<<").replace(">", ">>") == two["reply"]["anonymized"]
    assert len(two["reply"]["domains"]) == 1


def test_a_context_may_be_a_dict_as_servers_send_it():
    out = build_graph(Options()).invoke({"question": letters.PLANTED}, context={"k": 1, "disprove": "off"})
    assert out["reply"]["verdict"] == "off"


def test_callbacks_of_the_caller_see_nothing_private(gama):
    from langchain_core.callbacks import BaseCallbackHandler

    class Spy(BaseCallbackHandler):
        seen = ""

        def __getattribute__(self, name):
            if name.startswith("on_"):

                def note(*args, **kwargs):
                    Spy.seen += repr((args, kwargs))

                return note
            return super().__getattribute__(name)

    gama.graph.invoke({"question": letters.PLANTED}, {"callbacks": [Spy()], "configurable": {"thread_id": "spy"}})
    gama.invoke({"question": letters.PLANTED}, {"callbacks": [Spy()]})
    assert letters.hits(Spy.seen.encode()) == []
