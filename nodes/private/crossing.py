"""The graph's step through the airlock: what `nodes.airlock.cross` needs is opened here and goes no further."""

import uuid
from typing import Any

from langgraph.runtime import Runtime

from gama.nodes.airlock import cross
from gama.nodes.private.anonymize import remaining
from gama.nodes.private.space import PrivateSpace, timed
from gama.state.box import PrivacyBox
from gama.state.guard import Guard
from gama.state.options import Options
from gama.state.private import GamaState
from gama.state.task import PublicLimits


@timed("airlock")
def airlock(state: GamaState, runtime: Runtime[Options], *, space: PrivateSpace) -> dict[str, Any]:
    """Let the anonymized task cross, or stop the run.

    Raises:
        LeakError: any doubt.
    """
    from gama.tools.domains.kind import kind_of_task

    options = space.settings(runtime)
    box = space.box(state, options)
    entities = space.entities(state)
    kind = kind_of_task(state["anonymized"])
    task = cross(
        text=state["anonymized"],
        rules=state["rules"],
        kind=kind.kind,
        choices=kind.options,
        disprove=options.disprove if options.max_rounds else "off",
        model=options.public_model if isinstance(options.public_model, str) else "",
        limits=PublicLimits(
            max_rounds=options.max_rounds, max_calls=options.max_calls, timeout_s=float(options.timeout_s)
        ),
        guard=guard_of(box, state),
        left_in=lambda text: remaining(text, box, entities, space, options),
    )
    # The public thread has a name of its own: it tells nothing of the private one.
    return {"task": task, "public_thread": uuid.uuid4().hex}


def guard_of(box: PrivacyBox, state: GamaState) -> Guard:
    """Return the guard of a task: the values of its box, and the fixed prompts they may meet by chance."""
    from gama.tools.domains.prompts import load_prompts
    from gama.tools.domains.reference import NAMES

    prompts = load_prompts()
    # What a user's pack adds to a prompt is no fixed text.
    fixed = [rule.prompt for rule in state["rules"] if rule.domain in NAMES]
    fixed += [template.template for template in prompts.templates.values()]
    fixed += [f"{rule.domain} {rule.term}" for rule in state["rules"]]
    values = [entry.surface for entry in box.entries if entry.kind != "literal"]
    return Guard(values, fixed, [entry.placeholder for entry in box.entries])
