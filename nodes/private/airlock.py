"""The graph's steps through the airlock: what the crossing needs is opened here and goes no further.

A task crosses once, and its answer at most twice more: `try_formulas` tries the answer's formulas, and sends it back
where one fails.
"""

import uuid
import warnings
from collections.abc import Mapping
from time import perf_counter
from typing import Any, Literal

from langgraph.runtime import Runtime
from langgraph.types import Command

from gama.guard.search import Guard
from gama.models.calls import without_controls
from gama.models.names import is_standin
from gama.nodes.airlock import build_mending_task, build_public_task
from gama.nodes.private.conversation import hidden_turns, may_go, notes_of, raw_text
from gama.nodes.private.engine_steps import raw_notice
from gama.nodes.private.space import PrivateSpace
from gama.nodes.private.wrappers import timed
from gama.privacy.box import PrivacyBox
from gama.privacy.pipeline import Pipeline
from gama.state.errors import LeakError, RawTextWarning, ReviewOutdated
from gama.state.options import Options
from gama.state.private import GamaState
from gama.state.public import PublicOutput, add_each, append
from gama.state.task import (
    DomainChoice,
    FormulaFault,
    PromptFile,
    PublicLimits,
    PublicTask,
    Turn,
    ValueKind,
    with_earlier,
)

REPAIRS = 2
"""How often an answer is sent back to have its formulas mended."""
FAULTS = 20
"""The most faults that are told at once."""


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
    entities, question = space.entities(state), space.question(state).reveal()
    reviewed = state.get("reviewed")
    if reviewed is not None and reviewed != state["anonymized"]:
        raise ReviewOutdated(
            "What would leave is not what you have looked at: the conversation or the server's settings have changed "
            "since. Nothing was sent. Look at it again."
        )
    kind = kind_of_task(state["anonymized"])
    turns = hidden_turns(state, box, options)
    guard = guard_of(box, state, options, with_earlier(turns, state["anonymized"]))
    turns = may_go(turns, guard)
    if not on.ampp:
        warnings.warn(raw_notice(entities), RawTextWarning, stacklevel=2)
    task = build_public_task(
        text=state["anonymized"],
        rules=state["rules"],
        kind=kind.kind,
        choices=kind.options,
        route=options.route,
        effort=options.effort,
        formulas=options.formulas is not False and on.ampp,
        kinds=_kinds(state, space, box, options, with_earlier(turns, state["anonymized"])),
        conversation=turns,
        drke=on.drke,
        domains=DomainChoice(
            k=options.k,
            alpha=options.alpha,
            high_order=options.high_order,
            topk_mode=options.topk_mode,
            threshold=options.topk_threshold,
            collapse=options.collapse,
            domain_set=options.domain_set,
        ),  # fmt: skip
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
        guard=guard,
        left_in=lambda text: len(engine.left_in(text, box, entities, question)) if on.ampp else 0,
    )
    return {
        "task": task,
        "public_thread": _public_thread(state, space),
        "repairs": 0,
        "warnings": notes_of(state, turns, options),
    }


def turns_along(state: GamaState, box: PrivacyBox, options: Options) -> tuple[list[Turn], list[str]]:
    """Return the earlier turns that go along with a text that is not sent yet, and what is to be told of the others.

    Args:
        state: of the conversation so far; empty where there is none.
        box: with the values of the new text.
        options: of the run that would send it.
    """
    if not state.get("conversation"):
        return [], []
    hidden = hidden_turns(state, box, options)
    turns = may_go(hidden, guard_of(box, state, options, with_earlier(hidden, "")))
    return turns, notes_of(state, turns, options)


def _kinds(state: GamaState, space: PrivateSpace, box: PrivacyBox, options: Options, sent: str) -> dict[str, ValueKind]:
    """Return what sort of value stands behind placeholders, for a model that reckons; the stand-in does not."""
    on_formulas = options.formulas is not False and options.switches.ampp and "<" in sent
    if not on_formulas or is_standin(options.public_model):
        return {}
    from gama.tools.formulas.boxes import values_of
    from gama.tools.formulas.kinds import kinds_in
    from gama.tools.formulas.language import context_of

    context = context_of(raw_text(state, space, box), options.default_region)
    return kinds_in(sent, values_of(box), context)


def _public_thread(state: GamaState, space: PrivateSpace) -> str:
    """Return a new thread for the public graph; its name tells nothing of the private one, which knows it."""
    public_thread = uuid.uuid4().hex
    space.vault.tie(public_thread, state["thread"])
    return public_thread


def try_formulas(
    state: GamaState, runtime: Runtime[Options], *, space: PrivateSpace
) -> Command[Literal["call_public_graph", "restore"]]:
    """Try the formulas of the answer, and send it back where one fails, at most `REPAIRS` times.

    A mended answer takes the place of the one before it where less is wrong with it and nothing sound was lost. One
    that is worse, or the same again, is the end of it.
    """
    began = perf_counter()
    task, outcome, repairs = state["task"], state["outcome"], state.get("repairs", 0)
    said = without_controls(outcome["answer"])
    if not task.formulas or not (repairs or "{{" in said):
        return Command(goto="restore")
    engine = space.engine(runtime)
    box = space.box(state, engine.options)
    question, sent = raw_text(state, space, box), task.whole_text
    tried = engine.try_formulas(said, box, question, sent)
    goes_on = bool(tried.errors) and repairs < REPAIRS
    update: dict[str, Any] = {"outcome": {**outcome, "answer": said}}
    if repairs:
        kept = state["kept"]
        before = engine.try_formulas(kept["answer"], box, question, sent)
        worse = tried.is_worse_than(before)
        taken = not worse and len(tried.errors) < len(before.errors)
        update["outcome"] = _together(kept, outcome, said if taken else kept["answer"])
        goes_on = goes_on and not worse and said != task.draft
    if goes_on:
        faults = [FormulaFault(formula=one.formula, message=one.message[:1000]) for one in tried.errors[:FAULTS]]
        mending, note = _mending_task(state, space, engine, said, faults)
        if mending is not None:
            more = {"task": mending, "public_thread": _public_thread(state, space), "repairs": repairs + 1}
            update |= more | {"kept": update["outcome"]}
            return Command(update=update | _seconds(began), goto="call_public_graph")
        update["warnings"] = [f"A formula of the answer could not be sent back to be mended: {note}"]
    return Command(update=update | _seconds(began), goto="restore")


def _seconds(began: float) -> dict[str, Any]:
    return {"timings": {"try_formulas": perf_counter() - began}}


def _together(kept: PublicOutput, mended: PublicOutput, answer: str) -> PublicOutput:
    """Return what came of all calls: the mending adds what it cost, and may give another answer."""
    return {
        **kept,
        "answer": answer,
        "usage": add_each(kept["usage"], mended["usage"]),
        "timings": add_each(kept["timings"], mended["timings"]),
        "warnings": append(kept["warnings"], mended["warnings"]),
    }


def _mending_task(
    state: GamaState, space: PrivateSpace, engine: Pipeline, draft: str, faults: list[FormulaFault]
) -> tuple[PublicTask | None, str]:
    """Return the task that carries a draft back; or None, and why it may not."""
    limits = _left_of(state["task"].limits, state["outcome"]["usage"])
    if limits is None:
        return None, "the task's limits leave no room for it."
    box, entities = space.box(state, engine.options), space.entities(state)

    def left_in(text: str) -> int:
        # What stands in the draft, too, the public side has said itself.
        return sum(one.text not in draft for one in engine.look_again(None, text, box, entities))

    guard = guard_of(box, state, engine.options, state["task"].whole_text)
    try:
        mending = build_mending_task(
            state["task"], draft=draft, faults=faults, limits=limits, guard=guard, left_in=left_in
        )
    except LeakError:
        return None, "the airlock refused it."
    return mending, ""


def _left_of(limits: PublicLimits, usage: Mapping[str, int]) -> PublicLimits | None:
    """Return what of the limits of a task is left; None where that is no call more."""
    calls = limits.max_calls - usage.get("calls", 0)
    tokens, cost = limits.max_tokens, limits.max_cost
    if tokens is not None:
        tokens -= usage.get("input_tokens", 0) + usage.get("output_tokens", 0)
    if cost is not None:
        cost -= usage.get("cost_microusd", 0) / 1e6
    if calls < 1 or (tokens is not None and tokens < 1) or (cost is not None and cost <= 0):
        return None
    return limits.model_copy(update={"max_calls": calls, "max_tokens": tokens, "max_cost": cost})


def guard_of(box: PrivacyBox, state: GamaState, options: Options, sent: str) -> Guard:
    """Return the guard of a task: the values of its box, and the built-in prompts that may meet them by chance.

    A user's own templates and packs are no such prompts: a private value in them stops the run, like one in
    the text. Without AMPP nothing is looked for: the user has consented to that, twice.
    """
    from gama.tools.domains.packs import EVERY_NAME, SETS
    from gama.tools.domains.prompts import CONVERSATION, load_prompts
    from gama.tools.formulas.instructions import CHECKED, EVERY_KIND, instructions_for

    if not options.switches.ampp:
        return Guard(())
    prompts = load_prompts()
    fixed = [template.template for template in prompts.templates.values()]
    if state.get("conversation"):
        fixed.append(CONVERSATION)
    if options.formulas is not False:
        fixed += [instructions_for(sent, EVERY_KIND), CHECKED]
    fixed += [f"{domain.name} {domain.name}: {domain.description}" for domain in SETS[options.domain_set]]
    # What a user's pack adds is no fixed text, its name included.
    built_in = [rule for rule in state["rules"] if rule.domain in EVERY_NAME]
    fixed += [f"{rule.domain} {rule.term}" for rule in built_in] + [rule.term for rule in state["rules"]]
    if options.prompts is None:
        fixed += [rule.prompt for rule in built_in]
    return box.guard(fixed)
