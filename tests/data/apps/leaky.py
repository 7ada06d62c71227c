"""A plain LangGraph app that lets everything out: the audit of apps must find it everywhere."""

import logging
import os
import sqlite3
import urllib.request
from pathlib import Path

from langchain_core.language_models import FakeListChatModel
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, MessagesState, StateGraph

FOLDER = Path(os.environ["LEAKY_FOLDER"])
MODEL = FakeListChatModel(responses=["Three months."])


def answer(state: MessagesState) -> dict[str, object]:
    """Print, log, stream, send and keep the question."""
    text = str(state["messages"][-1].content)
    print(f"asked: {text}")
    logging.getLogger("leaky").warning("asked: %s", text.upper())
    logging.getLogger("leaky").debug("asked: %s", text)
    get_stream_writer()({"asked": text})
    urllib.request.urlopen(os.environ["LEAKY_SERVER"], data=text.encode()).close()
    (FOLDER / "last.txt").write_text(text.encode().hex())
    return {"messages": [MODEL.invoke(state["messages"])]}


def fail(state: MessagesState) -> dict[str, object]:
    """Fail, and say with what."""
    raise ValueError(f"cannot file {state['messages'][0].content}")


def build(failing: bool) -> object:
    """Return the graph, with a saver of its own."""
    builder = StateGraph(MessagesState).add_node(answer).add_edge(START, "answer")
    if failing:
        builder.add_node(fail).add_edge("answer", "fail").add_edge("fail", END)
    saver = SqliteSaver(sqlite3.connect(FOLDER / "kept.sqlite", check_same_thread=False))
    return builder.compile(checkpointer=saver)


def graph() -> object:
    """Make the graph."""
    return build(failing=False)


def broken() -> object:
    """Make a graph whose last node fails."""
    return build(failing=True)


def builder() -> object:
    """Make a builder of a graph without nodes that leak; it takes a text by another name."""
    from typing_extensions import TypedDict

    class State(TypedDict):
        letter: str

    class Out(TypedDict):
        length: int

    def measure(state: State) -> dict[str, int]:
        return {"length": len(state["letter"])}

    return StateGraph(State, output_schema=Out).add_node(measure).add_edge(START, "measure")
