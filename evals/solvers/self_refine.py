"""Self-Refine: the model criticises its own answer and writes it anew, with all that was said before in view.

SPP's adaptation refines once, whatever the criticism says. The original refines up to four times and stops when the
criticism finds nothing to mend; its sampling temperature, 0.7, is the caller's to set.
"""

import re
from functools import partial
from typing import Literal, NotRequired

from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime

from gama.evals.solvers.desk import Desk
from gama.evals.solvers.graph_solver import Graph, State

ABOUT = "an answer, its criticism, a better answer; refined once (Madaan et al. 2023, as SPP runs it)"
ABOUT_ORIGINAL = "the same, refined up to four times until the criticism finds nothing (Madaan et al. 2023)"

ROUNDS = 1
ROUNDS_ORIGINAL = 4

DRAFT = "$problem"
FEEDBACK = """TASK
$problem

$history

Examine the last answer. Name every fact, step or requirement of the task that it gets wrong or leaves out, and say
how to mend it. Do not write a new answer. End with a line that is either "Verdict: correct", where nothing has to be
mended, or "Verdict: to be mended"."""
REFINE = """TASK
$problem

$history

Write the answer anew so that it takes the criticism into account. Reply with the answer alone, in the form that the
task asks for."""

# The last line that gives the verdict, however it is emphasised.
_VERDICT = re.compile(r"^[ \t*_#>]*+verdict[ \t*_]*+:[ \t*_]*+(correct|to be mended)\b", re.IGNORECASE | re.MULTILINE)


class RefineState(State):
    """What travels."""

    answers: NotRequired[list[str]]
    feedback: NotRequired[list[str]]
    done: NotRequired[bool]


def build(rounds: int = ROUNDS, *, until_correct: bool = False) -> Graph:
    """Return the graph.

    Args:
        rounds: how often the answer is refined, at most.
        until_correct: whether it stops when the criticism finds the answer correct.
    """

    def route(state: RefineState) -> Literal["refine", "__end__"]:
        return "__end__" if state["done"] else "refine"

    def again(state: RefineState) -> Literal["criticise", "__end__"]:
        return "__end__" if state["done"] or len(state["feedback"]) >= rounds else "criticise"

    builder = StateGraph(RefineState, context_schema=Desk)
    builder.add_node("draft", draft)
    builder.add_node("criticise", partial(criticise, until_correct=until_correct))
    builder.add_node("refine", refine)
    builder.add_edge(START, "draft")
    builder.add_edge("draft", "criticise")
    builder.add_conditional_edges("criticise", route)
    builder.add_conditional_edges("refine", again)
    return builder.compile(name="self-refine")


async def draft(state: RefineState, runtime: Runtime[Desk]) -> dict[str, object]:
    """Write the first answer, as Std does."""
    first = await runtime.context.ask("draft", DRAFT, {"problem": state["problem"].prompt})
    return {"answer": first, "answers": [first], "feedback": [], "done": False}


async def criticise(state: RefineState, runtime: Runtime[Desk], *, until_correct: bool) -> dict[str, object]:
    """Criticise the last answer."""
    desk = runtime.context
    said = await desk.try_ask("feedback", FEEDBACK, _parts(state))
    if said is None:
        return {"done": True}
    verdicts = _VERDICT.findall(said)
    if until_correct and not verdicts:
        desk.note("feedback: no verdict; the answer is refined")
    return {
        "feedback": [*state["feedback"], said],
        "done": until_correct and bool(verdicts) and verdicts[-1].casefold() == "correct",
    }


async def refine(state: RefineState, runtime: Runtime[Desk]) -> dict[str, object]:
    """Write the answer anew; one that cannot be had leaves the last one."""
    desk = runtime.context
    better = await desk.try_ask("refine", REFINE, _parts(state))
    if better is None:
        return {"done": True}
    answers = [*state["answers"], better]
    desk.trace |= {"rounds": len(answers) - 1, "drafts": answers}
    return {"answer": better, "answers": answers}


def _parts(state: RefineState) -> dict[str, str]:
    turns = []
    for number, answer in enumerate(state["answers"], 1):
        turns.append(f"ANSWER {number}\n{answer}")
        if number <= len(state["feedback"]):
            turns.append(f"CRITICISM {number}\n{state['feedback'][number - 1]}")
    return {"problem": state["problem"].prompt, "history": "\n\n".join(turns)}
