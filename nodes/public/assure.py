"""Quality assurance: the last call of the knowledge route approves the answer or writes it anew (spec 01 §1.6)."""

from typing import Any

from langchain_core.runnables import Runnable

from gama.models.calls import PublicCall
from gama.models.verdicts import APPROVAL_SCHEMA
from gama.nodes.public.calling import Clients, Outcome, check_budget
from gama.nodes.public.model_node import call_of, noting, turn, why
from gama.state.public import PublicState
from gama.tools.domains.prompts import prompts_of, quote


def assure_quality(clients: Clients) -> Runnable[Any, Any]:
    """Return the node. A reply that cannot be read leaves the answer as it is, with a note."""
    return turn("assure", clients, _call, _record)


def _call(state: PublicState) -> PublicCall:
    check_budget(state, 1)
    task, draft = state["task"], state["draft"]
    blocks = [quote("TASK", task.text), quote("ANSWER", draft)]
    system = prompts_of(task).system("assure", task.kind)
    return call_of(task, "assure", system, blocks, schema=APPROVAL_SCHEMA, draft=draft)


def _record(state: PublicState, call: PublicCall, outcome: Outcome) -> dict[str, Any]:
    update = outcome.update("assure", call)
    found = outcome.data
    if found and found["approved"]:
        return update | {"answer": state["draft"], "quality": "approved"}
    if found and (better := found["answer"].strip()):
        return update | {"answer": better, "quality": "rewritten"}
    problem = "its reply could not be read" if outcome.reply else why(outcome)
    update = noting(update, f"Quality assurance gave no result ({problem}): the answer stands as it was put together.")
    return update | {"answer": state["draft"], "quality": "unclear"}
