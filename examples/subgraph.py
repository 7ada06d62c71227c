"""GAMA as a subgraph: a graph whose state has `question` and `reply` takes the whole graph as a node."""

from typing import Any

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from gama import Options, build_graph

MODEL = None  # the built-in stand-in reader; or "openai:gpt-4o"


class Desk(TypedDict):
    """What travels over the desk."""

    question: str
    reply: dict[str, Any]
    note: str


def file_away(state: Desk) -> dict[str, str]:
    """Note what was answered."""
    return {"note": f"answered by {state['reply']['models']['public']}"}


builder = StateGraph(Desk)
builder.add_node("gama", build_graph(Options(public_model=MODEL)))
builder.add_node("file_away", file_away)
builder.add_edge(START, "gama")
builder.add_edge("gama", "file_away")
builder.add_edge("file_away", END)
desk = builder.compile()

LETTER = "My name is Emma Williams. The notice period of my lease is three months. How long is the notice period?"
out = desk.invoke({"question": LETTER})
print("answer:", out["reply"]["answer"])
print("note:", out["note"])
