"""Decomposition of a task into sub-questions (knowledge route, spec 01 §1.6)."""

from collections.abc import Sequence
from typing import Any

from langchain_core.runnables import Runnable

from gama.models.calls import PublicCall
from gama.models.replies import read_questions
from gama.nodes.public.calling import Clients, Outcome, check_budget
from gama.nodes.public.model_node import call_of, noting, turn, why
from gama.state.public import PublicState
from gama.tools.domains.prompts import prompts_of, quote

MOST = 6
"""Sub-questions of a task; what is beyond is asked together with the last."""
AFTER = 2
"""Calls that must be left after the sub-questions: the assembled answer and its approval."""


def split_task(clients: Clients) -> Runnable[Any, Any]:
    """Return the node. Where no questions can be had, the task itself is the only one."""
    return turn("split", clients, _call, _record)


def _call(state: PublicState) -> PublicCall:
    task = state["task"]
    # This call, one expert with its fusion, and what comes after: less is no use.
    check_budget(state, 1 + 1 + task.drke + AFTER)
    return call_of(task, "split", prompts_of(task).system("split", most=str(MOST)), [quote("TASK", task.text)])


def _record(state: PublicState, call: PublicCall, outcome: Outcome) -> dict[str, Any]:
    update = outcome.update("split", call)
    questions = read_questions(outcome.reply.text) if outcome.reply else []
    if not questions:
        problem = "its reply could not be read" if outcome.reply else why(outcome)
        update = noting(update, f"The task could not be taken apart ({problem}): it was asked as one question.")
        return update | {"questions": [state["task"].text]}
    affordable = (calls_left(state) - 1) // (1 + state["task"].drke)
    most = max(1, min(MOST, affordable))
    if affordable < min(len(questions), MOST):
        note = f"max_calls leaves calls for {most} of {len(questions)} sub-questions: the last are asked together."
        update = noting(update, note)
    return update | {"questions": gathered(questions, most)}


def calls_left(state: PublicState) -> int:
    """Return how many calls the sub-questions may make together."""
    made = (state.get("usage") or {}).get("calls", 0)
    return state["task"].limits.max_calls - made - AFTER


def gathered(questions: Sequence[str], most: int) -> list[str]:
    """Join what is beyond the number with the last: completeness first, nothing is dropped."""
    return [*questions[: most - 1], " ".join(questions[most - 1 :])] if len(questions) > most else list(questions)
