"""The assistant in the dialogue of the logic route: it follows the expert's steps and objects (spec 01 §1.6)."""

from typing import Any

from langchain_core.runnables import Runnable

from gama.models.calls import PublicCall
from gama.models.replies import in_words
from gama.models.verdicts import OPINION_SCHEMA
from gama.nodes.public.calling import Clients, Outcome, check_budget
from gama.nodes.public.model_node import call_of, noting, turn, why
from gama.state.public import PublicState
from gama.tools.domains.prompts import prompts_of, quote

TURNS = 2
"""Turns of the expert in one round's dialogue: its solution, and one answer to an objection."""
LONGEST = 120
"""Words of an objection that are kept."""


def discuss_solution(clients: Clients) -> Runnable[Any, Any]:
    """Return the node. An objection that cannot be had is none: the substitution check follows anyway."""
    return turn("discuss", clients, _call, _record)


def _call(state: PublicState) -> PublicCall:
    check_budget(state, 1)
    task, draft = state["task"], state["draft"]
    blocks = [quote("TASK", task.text), quote("ANSWER", draft)]
    return call_of(task, "discuss", prompts_of(task).system("discuss"), blocks, schema=OPINION_SCHEMA, draft=draft)


def _record(state: PublicState, call: PublicCall, outcome: Outcome) -> dict[str, Any]:
    update = outcome.update("discuss", call)
    opinion = outcome.data
    if opinion is None:
        problem = "its reply could not be read" if outcome.reply else why(outcome)
        return noting(update, f"The assistant said nothing to the solution ({problem}).") | {"objection": ""}
    objection = "" if opinion["agree"] else in_words(opinion["objection"], LONGEST)
    return update | {"objection": objection}
