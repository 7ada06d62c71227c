"""What the substitution check found, in at most fifty words (logic route, spec 01 §1.6)."""

from typing import Any

from langchain_core.runnables import Runnable

from gama.models.calls import PublicCall
from gama.models.replies import in_words
from gama.nodes.public.calling import Clients, Outcome, check_budget
from gama.nodes.public.model_node import call_of, noting, turn, why
from gama.state.public import Contradiction, PublicState
from gama.tools.domains.prompts import prompts_of, quote

LONGEST = 50
"""Words of a contradiction."""


def condense_contradiction(clients: Clients) -> Runnable[Any, Any]:
    """Return the node. A finding that is short enough is kept as it is, without a call.

    At the round limit the answer stands, unconverged.
    """
    return turn("condense", clients, _call, _record, _skip)


def _call(state: PublicState) -> PublicCall | None:
    if len(state["finding"].split()) <= LONGEST:
        return None
    check_budget(state, 1)
    task, finding = state["task"], state["finding"]
    blocks = [quote("TASK", task.text), quote("FINDING", finding)]
    return call_of(task, "condense", prompts_of(task).system("condense"), blocks, note=finding)


def _record(state: PublicState, call: PublicCall, outcome: Outcome) -> dict[str, Any]:
    update = outcome.update("condense", call)
    if outcome.reply is None:
        update = noting(update, f"A contradiction could not be condensed ({why(outcome)}): it was cut.")
    return update | _kept(state, outcome.reply.text if outcome.reply else state["finding"])


def _skip(state: PublicState) -> dict[str, Any]:
    return _kept(state, state["finding"])


def _kept(state: PublicState, reason: str) -> dict[str, Any]:
    number = state["rounds"]
    contradiction = Contradiction(round=number, reason=in_words(reason, LONGEST))
    update: dict[str, Any] = {"contradictions": [contradiction], "turns": 0}
    if number >= state["task"].limits.max_rounds:
        update |= {"answer": state["draft"], "verdict": "unconverged"}
    return update
