"""One domain expert (THEN-part of a rule, GAMA Eq. 10)."""

from typing import Any

from langchain_core.runnables import Runnable, RunnableLambda

from gama.models.calls import PublicCall
from gama.nodes.public.calling import Clients, Outcome
from gama.nodes.public.toolcalls import atalk, talk
from gama.state.public import ExpertAnswer, ExpertFailure, ExpertTask
from gama.tools.domains.prompts import quote
from gama.tools.experts.toolbox import Toolbox


def consult_expert(clients: Clients, tools: Toolbox | None = None) -> Runnable[Any, Any]:
    """Return the node; it gets an `ExpertTask` by `Send`. A failure is recorded, not raised."""

    def expert(state: ExpertTask) -> dict[str, Any]:
        call = _call(state)
        said = talk(clients(), call, state["task"], tools)
        return said.added(_record(state, call, said.outcome))

    async def aexpert(state: ExpertTask) -> dict[str, Any]:
        call = _call(state)
        said = await atalk(clients(), call, state["task"], tools)
        return said.added(_record(state, call, said.outcome))

    return RunnableLambda(expert, afunc=aexpert, name="expert")


def _call(state: ExpertTask) -> PublicCall:
    task, rule = state["task"], state["rule"]
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
