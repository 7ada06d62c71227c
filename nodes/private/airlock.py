"""The graph's step through the airlock: what `build_public_task` needs is opened here and goes no further."""

import uuid
import warnings
from typing import Any

from langgraph.runtime import Runtime

from gama.guard.search import Guard
from gama.nodes.airlock import build_public_task
from gama.nodes.private.engine_steps import raw_notice
from gama.nodes.private.space import PrivateSpace
from gama.nodes.private.wrappers import timed
from gama.privacy.box import PrivacyBox
from gama.state.errors import RawTextWarning, ReviewOutdated
from gama.state.options import Options
from gama.state.private import GamaState
from gama.state.task import DomainChoice, PromptFile, PublicLimits


@timed("airlock")
def airlock(state: GamaState, runtime: Runtime[Options], *, space: PrivateSpace) -> dict[str, Any]:
    """Let the anonymized task cross, or stop the run.

    Raises:
        LeakError: any doubt; `ReviewOutdated` when a person has looked at another text.
    """
    from gama.tools.domains.kind import kind_of_task
    from gama.tools.domains.prompts import load_prompts

    engine = space.engine(runtime)
    options, on = engine.options, engine.options.switches
    box = space.box(state, options)
    entities = space.entities(state)
    reviewed = state.get("reviewed")
    if reviewed is not None and reviewed != state["anonymized"]:
        raise ReviewOutdated(
            "What would leave is not what you have looked at: the conversation or the server's settings have changed "
            "since. Nothing was sent. Look at it again."
        )
    kind = kind_of_task(state["anonymized"])
    if not on.ampp:
        warnings.warn(raw_notice(entities), RawTextWarning, stacklevel=2)
    task = build_public_task(
        text=state["anonymized"],
        rules=state["rules"],
        kind=kind.kind,
        choices=kind.options,
        route=options.route,
        effort=options.effort,
        formulas=options.formulas and on.ampp,
        drke=on.drke,
        domains=DomainChoice(
            k=options.k, alpha=options.alpha, high_order=options.high_order, topk_mode=options.topk_mode
        ),
        disprove=options.disprove if options.max_rounds and on.dle else "off",
        prompts=[PromptFile(name=name, text=text) for name, text in load_prompts(options.prompts).own.items()],
        model=options.public_model if isinstance(options.public_model, str) else "",
        limits=PublicLimits(
            max_rounds=options.max_rounds,
            max_checks=options.max_checks,
            max_calls=options.max_calls,
            timeout_s=float(options.timeout_s),
            max_tokens=options.max_tokens,
            max_cost=None if options.max_cost is None else float(options.max_cost),
        ),
        guard=guard_of(box, state, options),
        left_in=lambda text: len(engine.look_again(None, text, box, entities)) if on.ampp else 0,
    )
    # The public thread has a name of its own: it tells nothing of the private one.
    public_thread = uuid.uuid4().hex
    space.vault.tie(public_thread, state["thread"])
    return {"task": task, "public_thread": public_thread}


def guard_of(box: PrivacyBox, state: GamaState, options: Options) -> Guard:
    """Return the guard of a task: the values of its box, and the built-in prompts that may meet them by chance.

    A user's own templates and packs are no such prompts: a private value in them stops the run, like one in
    the text. Without AMPP nothing is looked for: the user has consented to that, twice.
    """
    from gama.tools.domains.prompts import load_prompts
    from gama.tools.domains.reference import DOMAINS, NAMES
    from gama.tools.formulas.instructions import CHECKED, instructions_for

    if not options.switches.ampp:
        return Guard(())
    prompts = load_prompts()
    fixed = [template.template for template in prompts.templates.values()]
    if options.formulas:
        fixed += [instructions_for(state["anonymized"]), CHECKED]
    fixed += [f"{domain.name} {domain.name}: {domain.description}" for domain in DOMAINS]
    # What a user's pack adds is no fixed text, its name included.
    built_in = [rule for rule in state["rules"] if rule.domain in NAMES]
    fixed += [f"{rule.domain} {rule.term}" for rule in built_in] + [rule.term for rule in state["rules"]]
    if options.prompts is None:
        fixed += [rule.prompt for rule in built_in]
    return box.guard(fixed)
