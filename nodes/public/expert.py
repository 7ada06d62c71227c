"""One domain expert (THEN-part of a rule, GAMA Eq. 10)."""

from typing import Any

from langchain_core.runnables import Runnable, RunnableLambda

from gama.models.calls import PublicCall
from gama.nodes.public.calling import Clients, Outcome, aask, ask, know_limits
from gama.state.public import ExpertAnswer, ExpertFailure, ExpertTask
from gama.tools.domains.prompts import quote


def consult_expert(clients: Clients) -> Runnable[Any, Any]:
    """Return the node; it gets an `ExpertTask` by `Send`. A failure is recorded, not raised."""

    def expert(state: ExpertTask) -> dict[str, Any]:
        call = _call(state)
        return _record(state, call, ask(clients(), call))

    async def aexpert(state: ExpertTask) -> dict[str, Any]:
        call = _call(state)
        return _record(state, call, await aask(clients(), call))

    return RunnableLambda(expert, afunc=aexpert, name="expert")


def _call(state: ExpertTask) -> PublicCall:
    task, rule = state["task"], state["rule"]
    know_limits(task)
    return PublicCall(
        role="expert",
        system=rule.prompt,
        user=quote("TASK", task.text),
        task=task.text,
        kind=task.kind,
        options=task.options,
        domain=rule.domain,
        term=rule.term,
        max_chars=task.limits.max_answer_chars,
        timeout_s=task.limits.timeout_s,
    )


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
