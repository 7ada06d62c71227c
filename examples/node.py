"""GAMA as a node: a step of a LangGraph with a state of its own."""

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from gama import Gama, Options

MODEL = None  # the built-in stand-in reader; or "openai:gpt-4o"


class Office(TypedDict):
    """What travels through the office."""

    letter: str
    answer: str


gama = Gama(Options(public_model=MODEL), keep=False)


def reply(state: Office) -> dict[str, str]:
    """Answer the letter."""
    return {"answer": gama.invoke({"question": state["letter"]})["answer"]}


builder = StateGraph(Office)
builder.add_node("reply", reply)
builder.add_edge(START, "reply")
builder.add_edge("reply", END)
office = builder.compile()

LETTER = "My name is Emma Williams. The notice period of my lease is three months. How long is the notice period?"
print("answer:", office.invoke({"letter": LETTER})["answer"])
