"""One domain expert (THEN-part of a rule, GAMA Eq. 10)."""

from typing import Any

from langchain_core.runnables import Runnable

from gama.models.calls import PublicCall
from gama.nodes.public.calling import Clients
from gama.nodes.public.model_node import Manner, call_of, turn
from gama.nodes.public.toolcalls import Talk, atalk, talk
from gama.state.public import ExpertAnswer, ExpertFailure, ExpertTask
from gama.tools.domains.prompts import quote
from gama.tools.experts.toolbox import Toolbox


def consult_expert(clients: Clients, tools: Toolbox | None = None) -> Runnable[Any, Any]:
    """Return the node; it gets an `ExpertTask` by `Send`. A failure is recorded, not raised.

    Args:
        clients: gives the checked client of the public model.
        tools: what the expert may call before it answers.
    """
    manner = Manner(
        lambda client, call, state: talk(client, call, tools, state.get("spare", 0)),
        lambda client, call, state: atalk(client, call, tools, state.get("spare", 0)),
    )
    return turn("expert", clients, _call, _record, manner=manner)


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


def _record(state: ExpertTask, call: PublicCall, said: Talk) -> dict[str, Any]:
    rule, outcome = state["rule"], said.outcome
    update = said.added(outcome.update(f"expert {rule.domain}", call))
    reply = outcome.reply
    if reply is None or outcome.error:
        return update | {"failures": [ExpertFailure(domain=rule.domain, error=outcome.error, reason=outcome.reason)]}
    answer = ExpertAnswer(
        domain=rule.domain, term=rule.term, text=reply.text, model=reply.model, seconds=outcome.seconds
    )
    return update | {"answers": [answer]}
