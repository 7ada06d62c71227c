"""Std: the model is asked the task as it is, in one call, without a persona."""

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from gama.evals.solvers.desk import Desk
from gama.evals.solvers.graph_solver import Graph, State

ABOUT = "the task as it is, one call (GAMA's tables, Standard)"
PROMPT = "$problem"


def build() -> Graph:
    """Return the graph."""
    builder = StateGraph(State, context_schema=Desk)
    builder.add_node("answer", answer)
    builder.add_edge(START, "answer")
    builder.add_edge("answer", END)
    return builder.compile(name="std")


async def answer(state: State, runtime: Runtime[Desk]) -> dict[str, str]:
    """Ask."""
    return {"answer": await runtime.context.ask("std", PROMPT, {"problem": state["problem"].prompt})}
