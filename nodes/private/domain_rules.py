"""Auto-prompting (GAMA Eqs. 7 to 10): which domain experts are asked, and what they are told."""

from typing import Any

from langgraph.runtime import Runtime

from gama.guard.search import Guard
from gama.nodes.private.space import PrivateSpace
from gama.nodes.private.wrappers import timed
from gama.privacy.box import PrivacyBox
from gama.state.errors import LeakError
from gama.state.options import Options
from gama.state.private import GamaState
from gama.tools.domains.packs import Pack


@timed("prompt")
def write_prompts(state: GamaState, runtime: Runtime[Options], *, space: PrivateSpace) -> dict[str, Any]:
    """Choose the domains at home and write their experts' prompts from templates.

    A private LLM reads the raw text, as in the paper. The embedded analysis reads the anonymized
    one: names and numbers say nothing about a field, and so the choice cannot tell anything of them.
    Without domain rules (spec 01 §1.10) nothing is analysed, and one generic expert is prompted.
    """
    from gama.models.shipped import word_vectors
    from gama.tools.domains.analysis import analyse, general_rule
    from gama.tools.domains.kind import kind_of_task
    from gama.tools.domains.prompts import load_prompts
    from gama.tools.placeholders.grammar import without_tokens

    options = space.settings(runtime)
    prompts = load_prompts(options.prompts)
    kind = kind_of_task(state["anonymized"]).kind
    if not options.switches.drke:
        return {"rules": [general_rule(kind, prompts)]}
    warnings: list[str] = []
    complete = space.pipeline.finders.llm(options)
    analysis = analyse(
        space.question(state).reveal() if complete else without_tokens(state["anonymized"]),
        words=word_vectors(),
        k=options.k,
        n=options.high_order,
        alpha=options.alpha,
        topk_mode=options.topk_mode,
        prompts=prompts,
        kind=kind,
        # The domain index is shared with the public half, which knows no private text.
        complete=(lambda messages: complete(messages).reveal()) if complete else None,
        warnings=warnings,
        packs=_fitting(space.packs(), space.box(state, options), warnings) if options.switches.ampp else space.packs(),
    )
    return {"rules": list(analysis.rules), "warnings": warnings}


def _fitting(packs: tuple[Pack, ...], box: PrivacyBox, warnings: list[str]) -> tuple[Pack, ...]:
    """Leave out the packs whose own words hold a private value of the task: they stand in prompts that cross."""
    if not packs:
        return ()
    guard = Guard(box.values(), placeholders=list(box.placeholders()))
    fitting = []
    for pack in packs:
        try:
            guard.check(pack.shown)
        except LeakError:
            # Its name may be the value.
            warnings.append("A domain pack was left out: its text holds a private value of this task.")
        else:
            fitting.append(pack)
    return tuple(fitting)
