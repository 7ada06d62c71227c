"""The domains of a sub-question and their experts' prompts (Eqs. 7 to 10), chosen in the public space.

The sub-question was written by the public side from the anonymized task, so nothing private is
needed, and no call: the embedded analysis reads it.
"""

import re
from collections.abc import Sequence
from typing import Any

from gama.guard.egress import EGRESS, check_egress
from gama.state.errors import LeakError
from gama.state.public import PartState
from gama.state.task import DomainRule
from gama.tools.domains.index import AnyDomain
from gama.tools.domains.packs import Pack
from gama.tools.domains.prompts import Prompts, prompts_of

# A placeholder of either style: it says nothing of a field.
_PLACEHOLDER = re.compile(r"<{1,2}[a-z_]{1,40}-\d{1,9}[a-z]{0,3}>{1,2}")


def choose_domains(packs: Sequence[Pack] = ()) -> Any:
    """Return the node; `packs` bring further domains."""
    brought = tuple(packs)

    def choose(state: PartState) -> dict[str, Any]:
        """Fire the rules of a sub-question: as many experts as the calls allow beside the fusion.

        A sub-question that is near no domain ("Who is it?") goes to the experts of the whole task.
        """
        return _chosen(state, _fitting(brought))

    return choose


def _fitting(packs: tuple[Pack, ...]) -> tuple[Pack, ...]:
    """Leave out the packs whose own words hold a private value of the task; the user has been told at home."""
    if EGRESS.get() is None:
        # A graph on a machine of its own has nothing to compare with; elsewhere the client refuses every call.
        return packs
    return tuple(pack for pack in packs if _clean(pack))


def _clean(pack: Pack) -> bool:
    try:
        check_egress(pack.shown)
    except LeakError:
        return False
    return True


def _chosen(state: PartState, packs: tuple[Pack, ...]) -> dict[str, Any]:
    from gama.models.words import word_vectors
    from gama.tools.domains.analysis import analyse

    task = state["task"]
    if not task.drke:
        return {"rules": list(task.rules[:1])}
    chosen, prompts = task.domains, prompts_of(task)
    analysis = analyse(
        _PLACEHOLDER.sub(" ", state["question"]),
        words=word_vectors(),
        k=chosen.k,
        n=chosen.high_order,
        alpha=chosen.alpha,
        topk_mode=chosen.topk_mode,
        prompts=prompts,
        packs=packs,
    )
    rules = (
        list(analysis.rules) if analysis.d.max() > 0 else [_asking_openly(rule, prompts, packs) for rule in task.rules]
    )
    most = max(1, state["allowance"] - 1)
    if len(rules) > most:
        note = f"max_calls leaves calls for {most} of {len(rules)} experts of sub-question {state['number']}."
        return {"rules": rules[:most], "warnings": [note]}
    return {"rules": rules}


def _asking_openly(rule: DomainRule, prompts: Prompts, packs: tuple[Pack, ...]) -> DomainRule:
    """Return a rule of the whole task with the prompt for a sub-question, which is answered in free text."""
    from gama.tools.domains.analysis import expert_prompt
    from gama.tools.domains.reference import DOMAINS

    domains: tuple[AnyDomain, ...] = (*DOMAINS, *packs)
    known = next((domain for domain in domains if domain.name == rule.domain), None)
    if known is None:
        return rule
    return rule.model_copy(update={"prompt": expert_prompt(known, rule.term, "open", prompts)})
