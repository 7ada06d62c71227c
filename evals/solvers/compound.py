"""Std-X and AutoAgents-X: a task is hidden by X, solved by another method, and its answer put back."""

from dataclasses import replace
from functools import partial
from typing import Any, NotRequired

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from gama.evals.solvers.desk import Desk
from gama.evals.solvers.graph_solver import Graph, State
from gama.evals.solvers.hiding import Covered, Hider


class CompoundState(State):
    """What travels; `problem` is the hidden one once `hide` has run."""

    covered: NotRequired[Covered]


def build(hider: Hider, inner: Graph) -> Graph:
    """Return the graph.

    Args:
        hider: X.
        inner: the graph of the method that solves.
    """
    builder = StateGraph(CompoundState, context_schema=Desk)
    builder.add_node("hide", partial(hide, hider=hider))
    builder.add_node("solve", inner)
    builder.add_node("restore", restore)
    builder.add_edge(START, "hide")
    builder.add_edge("hide", "solve")
    builder.add_edge("solve", "restore")
    builder.add_edge("restore", END)
    return builder.compile(name="compound")


async def hide(state: CompoundState, runtime: Runtime[Desk], *, hider: Hider) -> dict[str, Any]:
    """Hide the task; what the data set knows of it besides goes no further."""
    desk, problem = runtime.context, state["problem"]
    covered = await hider.cover(problem.prompt, desk)
    if covered.guard is not None:
        desk.guard = covered.guard
    desk.trace["anonymized"] = covered.text
    return {"covered": covered, "problem": replace(problem, prompt=covered.text, facts={})}


async def restore(state: CompoundState, runtime: Runtime[Desk]) -> dict[str, str]:
    """Put the values back; the answer before that is in the trace."""
    runtime.context.trace["unrestored"] = state["answer"]
    return {"answer": state["covered"].restore(state["answer"])}
