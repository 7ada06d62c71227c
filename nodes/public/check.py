"""The check loop of a sub-question (spec 01 §1.6): an assistant says correct, or wrong and what is right instead."""

from typing import Any

from langchain_core.runnables import Runnable

from gama.models.calls import PublicCall
from gama.models.verdicts import CHECK_SCHEMA
from gama.nodes.public.calling import Clients, Outcome
from gama.nodes.public.expert import about, question_blocks
from gama.nodes.public.model_node import call_of, noting, turn, why
from gama.state.public import Check, PartState
from gama.tools.domains.prompts import prompts_of, quote


def check_part(clients: Clients) -> Runnable[Any, Any]:
    """Return the node; it comes again after every replacement, until the answer is correct or the checks are used up.

    A verdict that cannot be read counts as correct, and is flagged (CODE, spec 01 §1.8).
    """
    return turn("check", clients, _call, _record, _skip)


def _call(state: PartState) -> PublicCall | None:
    left = state["allowance"] - (state.get("usage") or {}).get("calls", 0)
    if left < 1:
        return None
    task, question, draft = state["task"], state["question"], state["draft"]
    blocks = [*question_blocks(task.text, question), quote("ANSWER", draft)]
    asked = {"schema": CHECK_SCHEMA, "attempts": min(left, 2)}
    return call_of(task, "check", prompts_of(task).system("check"), blocks, **asked, draft=draft, **about(question))


def _skip(state: PartState) -> dict[str, Any]:
    note = f"max_calls left no call to check the answer to sub-question {state['number']}."
    return {"verdict": "unconverged", "warnings": [note]}


def _record(state: PartState, call: PublicCall, outcome: Outcome) -> dict[str, Any]:
    number, place = len(state["checks"]) + 1, f"sub-question {state['number']}"
    update = outcome.update("check", call)
    found = outcome.data
    if found is None:
        problem = "its verdict could not be read" if outcome.reply else why(outcome)
        update = noting(update, f"The check of {place} ended without a verdict ({problem}).")
        return update | {"checks": [Check(round=number, correct=None)], "verdict": "no verdict"}
    if found["correct"]:
        return update | {"checks": [Check(round=number, correct=True)], "verdict": "converged"}
    replacement = found["replacement"].strip()
    update |= {"checks": [Check(round=number, correct=False, replacement=replacement)]}
    if not replacement:
        update = noting(update, f"The answer to {place} was held for wrong, and nothing was put in its place.")
        return update | {"verdict": "unconverged"}
    update |= {"draft": replacement}
    return update | {"verdict": "unconverged"} if number >= state["task"].limits.max_checks else update
