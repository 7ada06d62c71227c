"""One domain expert (THEN-part of a rule, GAMA Eq. 10)."""

from typing import Any

from langchain_core.runnables import Runnable

from gama.models.calls import PublicCall
from gama.nodes.public.calling import Clients, Outcome
from gama.nodes.public.turn import call_of, turn
from gama.state.public import ExpertAnswer, ExpertFailure, ExpertTask
from gama.tools.domains.prompts import quote


def consult_expert(clients: Clients) -> Runnable[Any, Any]:
    """Return the node; it gets an `ExpertTask` by `Send`. A failure is recorded, not raised."""
    return turn("expert", clients, _call, _record)


def _call(state: ExpertTask) -> PublicCall:
    task, rule, question = state["task"], state["rule"], state.get("question", "")
    return call_of(
        task,
        "expert",
        rule.prompt,
        question_blocks(task.text, question),
        domain=rule.domain,
        term=rule.term,
        **about(question),
    )


def question_blocks(task: str, question: str) -> list[str]:
    """Return the task, and the sub-question if it is about one, each in a block of its own."""
    return [quote("TASK", task), *([quote("QUESTION", question)] if question else [])]


def about(question: str) -> dict[str, Any]:
    """Return the fields of a call that a sub-question sets: it is answered in free text."""
    return {"question": question, "kind": "open", "options": ()} if question else {}


def _record(state: ExpertTask, call: PublicCall, outcome: Outcome) -> dict[str, Any]:
    rule = state["rule"]
    update = outcome.update(f"expert {rule.domain}", call)
    if outcome.reply is None:
        return update | {"failures": [ExpertFailure(domain=rule.domain, error=outcome.error, reason=outcome.reason)]}
    answer = ExpertAnswer(
        domain=rule.domain,
        term=rule.term,
        text=outcome.reply.text,
        model=outcome.reply.model,
        seconds=outcome.seconds,
    )
    return update | {"answers": [answer]}
