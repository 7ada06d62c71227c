"""CoT: the model thinks before it answers, in one call. For stories and letters it makes a plan first."""

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from gama.evals.solvers.cues import after, cue_of, writes
from gama.evals.solvers.desk import Desk
from gama.evals.solvers.graph_solver import Graph, State

ABOUT = "one call that thinks first: a plan, then the text; or step by step, then the answer (Wei et al. 2022)"

TEXT = "Text:"
PLAN = """$problem

First make a short plan of the text: what it must contain and in which order. Then write the text itself. Use this form:
Plan:
your plan
$cue
the whole text"""
THINK = """$problem

Think step by step. When you are done, write the final answer on a line of its own that begins with "$cue"."""


def build() -> Graph:
    """Return the graph."""
    builder = StateGraph(State, context_schema=Desk)
    builder.add_node("think", think)
    builder.add_edge(START, "think")
    builder.add_edge("think", END)
    return builder.compile(name="cot")


async def think(state: State, runtime: Runtime[Desk]) -> dict[str, str]:
    """Ask for the thoughts and the answer, and take the answer out."""
    problem, desk = state["problem"], runtime.context
    prompt, cue = (PLAN, TEXT) if writes(problem) else (THINK, cue_of(problem))
    reply = await desk.ask("cot", prompt, {"problem": problem.prompt, "cue": cue})
    desk.trace["reply"] = reply
    answer = after(cue, reply)
    if answer is None:
        desk.note("cot: the reply announces no answer; it is scored as it is")
    return {"answer": answer or reply}
