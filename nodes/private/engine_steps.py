"""The steps at home up to the airlock: seal, find, judge, fuse, link, select, anonymize, choose the experts, review.

Each opens what it needs, calls the engine (GAMA Eqs. 1 to 5, PII-Bench T3), and seals what came of it; `write_prompts`
writes the experts' prompts (auto-prompting, Eqs. 7 to 10).

`review` lets a person look at what would leave, and correct it; the option of that name switches it on. The graph
stops before the airlock and shows the anonymized text. What comes back is `send`, `stop`, or a correction: texts to
hide, and placeholders (or texts) to show. A correction becomes decisions on stretches of the task (see `Decision`) and
goes through the private steps again, so that whatever is shown next is what would leave. Answers are sealed at the door
of the graph, like questions.
"""

import json
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from langgraph.config import get_config
from langgraph.runtime import Runtime
from langgraph.types import Command, Overwrite, interrupt

from gama.guard.search import Guard
from gama.nodes.private.conversation import text_for_domains
from gama.nodes.private.review import Unclear, hiding, joined, read_answer, review_question, showing
from gama.nodes.private.space import PrivateSpace, from_state, to_state
from gama.nodes.private.wrappers import timed
from gama.privacy.box import PrivacyBox
from gama.privacy.decide import assign_subjects, decision_notes, policy_notes
from gama.privacy.link import link
from gama.privacy.question import check_question, query_of, with_query
from gama.privacy.replace import Replaced, irreversible_notes
from gama.privacy.select import selection_notes
from gama.state.decisions import plain_decisions, read_decisions
from gama.state.entities import Entity
from gama.state.errors import InputError, LeakError, LimitReached, ModelError, OptionError, ReviewStopped
from gama.state.options import Options
from gama.state.private import GamaState
from gama.state.private_text import Sealed
from gama.tools.domains.packs import Pack

if TYPE_CHECKING:
    from gama.privacy.pipeline import Pipeline
    from gama.privacy.refining.engine import Setting
    from gama.privacy.refining.loop import Refinement

RUNS = 32
"""How often the box of a conversation is taken anew because another run of it was faster."""

Made = TypeVar("Made")


def seal(state: GamaState, runtime: Runtime[Options], *, space: PrivateSpace) -> dict[str, Any]:
    """Seal the question.

    Raises:
        InputError: it is no text, or empty, or the decisions are not about it.
        LimitReached: it is longer than `max_chars`.
    """
    began = perf_counter()
    thread = state.get("thread") or thread_of(get_config())
    question, query = (_opened(part, thread, space) for part in (state["question"], state.get("query")))
    check_question(question, space.settings(runtime).max_chars)
    text, query_at = with_query(question, query_of({"query": query}))
    if query_at:
        check_question(text, space.settings(runtime).max_chars)
    read_decisions(state.get("decisions"), question)
    sealed = _closed(text, thread, space)
    # Earlier turns of the thread leave their box; notes and seconds start anew.
    return {
        "thread": thread,
        "question": _closed(question, thread, space) if query_at else sealed,
        "query": _closed(text[query_at:], thread, space) if query_at else None,
        "sealed_question": sealed,
        "query_at": query_at,
        "sealed_refinement": _looked_at(state, thread, space, space.settings(runtime)),
        "left_changes": [],
        "review_done": False,
        "review_problem": "",
        "warnings": Overwrite([]),
        "timings": Overwrite({"seal": perf_counter() - began}),
    }


def _looked_at(state: GamaState, thread: str, space: PrivateSpace, options: Options) -> Sealed | None:
    """Return the refinement that the caller has looked at, sealed; None where there is none, or none is wanted.

    Raises:
        InputError: it is none.
    """
    given = _opened(state.get("refinement"), thread, space)
    if not given or options.refine == "off" or not options.switches.ampp:
        return None
    from gama.privacy.refining.engine import read

    try:
        read(given.encode("utf-8", "surrogatepass"))
    except ValueError:
        raise InputError("The refinement cannot be read: give what a look at the same text has given.") from None
    return _closed(given, thread, space)


def _opened(part: Any, thread: str, space: PrivateSpace) -> Any:
    """Open what is sealed; what is not comes back as it is, to be checked."""
    return space.vault.open(thread, part).decode("utf-8", "surrogatepass") if isinstance(part, Sealed) else part


def _closed(part: str, thread: str, space: PrivateSpace) -> Sealed:
    return space.vault.seal(thread, part.encode("utf-8", "surrogatepass"))


def thread_of(config: Any) -> str:
    """Return the thread a run belongs to; runs without one share the name of a thread that is never kept."""
    return str((config.get("configurable") or {}).get("thread_id") or "unnamed")


def raw_notice(entities: Sequence[Entity]) -> str:
    """Return what a user who switched anonymization off is told."""
    count = sum(entity.private for entity in entities)
    return (
        f"RAW TEXT: anonymization is off (ampp), so the text left this machine as it is, with {count} private "
        f"mention{'' if count == 1 else 's'} in it."
    )


@timed("pner")
def find_entities(state: GamaState, runtime: Runtime[Options], *, space: PrivateSpace) -> dict[str, Any]:
    """Find everything that could be private: view 1."""
    return {"pner": to_state(space.engine(runtime).identify(space.question(state).reveal()))}


@timed("pia")
def judge_context(state: GamaState, runtime: Runtime[Options], *, space: PrivateSpace) -> dict[str, Any]:
    """Find what is private in its context: view 2."""
    notes: list[str] = []
    spans = space.engine(runtime).judge(space.question(state).reveal(), notes)
    return {"pia": to_state(spans), "warnings": notes}


@timed("fuse")
def fuse_views(state: GamaState, runtime: Runtime[Options], *, space: PrivateSpace) -> dict[str, Any]:
    """Fuse the views into mentions, with the user's own lists applied last."""
    first, second = from_state(state["pner"]), from_state(state["pia"])
    notes: list[str] = []
    entities = space.engine(runtime).fuse(space.question(state).reveal(), first, second, notes)
    return {"sealed_entities": space.seal_entities(state, entities), "warnings": notes}


@timed("link")
def link_mentions(state: GamaState, runtime: Runtime[Options], *, space: PrivateSpace) -> dict[str, Any]:
    """Take in what a person has decided, and give every private mention its subject."""
    engine, text = space.engine(runtime), space.question(state).reveal()
    known = space.box(state, engine.options)
    decisions = read_decisions(state.get("decisions"), text)
    entities = engine.link(text, space.entities(state), known, decisions)
    return {"sealed_entities": space.seal_entities(state, entities)}


@timed("select")
def select_needed(state: GamaState, runtime: Runtime[Options], *, space: PrivateSpace) -> dict[str, Any]:
    """Tell which mentions the query needs, or the question that the text itself asks; without one nothing is needed."""
    engine, text, at = space.engine(runtime), space.question(state).reveal(), state.get("query_at")
    notes: list[str] = []
    spans = () if at else engine.request(text, notes)
    told = {"question_spans": [list(span) for span in spans], "warnings": notes}
    if not (asked := at or spans):
        return told
    chosen = engine.select(text, asked, space.entities(state), notes)
    return told | {"sealed_entities": space.seal_entities(state, chosen)}


@timed("anonymize")
def anonymize(state: GamaState, runtime: Runtime[Options], *, space: PrivateSpace) -> dict[str, Any]:
    """Replace what is private by placeholders and look again until nothing is left.

    Without AMPP (spec 01 §1.10) the text stays as it is: `Options` has asked for a second consent.
    """
    engine = space.engine(runtime)
    text, entities = space.question(state).reveal(), space.entities(state)
    if not engine.options.switches.ampp:
        return {"anonymized": text, "warnings": [raw_notice(entities)]}
    decisions = read_decisions(state.get("decisions"), text)

    def replace(version: int | None, box: PrivacyBox) -> Replaced:
        nonlocal entities
        if version:
            # Linked by what this branch knew: a letter that is new here may be another branch's person.
            entities = assign_subjects(text, link(text, entities, box), decisions)
        return engine.replace(text, entities, box)

    result, box = with_box(state, space, engine.options, replace)
    notes = decision_notes(result.text, result.entities, decisions, text)
    notes += policy_notes(result.entities, engine.options)
    return {
        "warnings": [*irreversible_notes(result.entities, box), *notes, *selection_notes(result.entities)],
        "anonymized": result.text,
        "sealed_box": space.seal_model(state, box),
        "sealed_entities": space.seal_entities(state, result.entities),
    }


def with_box(
    state: GamaState, space: PrivateSpace, options: Options, work: Callable[[int | None, PrivacyBox], Made]
) -> tuple[Made, PrivacyBox]:
    """Return what a piece of work makes with the conversation's box, done anew where another run was faster.

    Raises:
        LimitReached: too many runs continue the conversation at once.
    """
    for _ in range(RUNS):
        version, box = space.kept_box(state, options)
        made = work(version, box)
        if space.keep_box(state, version, box):
            return made, box
    raise LimitReached("Too many runs continue this conversation at once. Nothing was sent. Let one of them end first.")


def refine(
    state: GamaState, runtime: Runtime[Options], *, space: PrivateSpace
) -> Command[Literal["refine", "write_prompts"]]:
    """Rewrite the text until its context gives nothing away (SEAL): one round a visit, each saved before the next.

    What was refined before, of the same text, is not refined again; changes that a person leaves are taken back.
    """
    engine = space.engine(runtime)
    if engine.options.refine == "off" or not engine.options.switches.ampp:
        return Command(goto="write_prompts")
    began = perf_counter()
    from gama.privacy.refining import engine as refining
    from gama.privacy.refining.loop import begin, go_round

    text, entities, box = space.question(state).reveal(), space.entities(state), space.box(state, engine.options)
    query = state.get("query_at") or 0
    done, left = _refined_so_far(state, space), state.get("left_changes")
    # Where a person leaves changes the text is rewritten already.
    anonymized = done.before.text if done is not None and left else state["anonymized"]
    setting = refining.set_up(engine, text, anonymized, entities, box, query)
    if done is None or done.before.text != setting.start:
        done = begin(setting.start, setting.roles)
    elif not done.ended:
        done = go_round(done, setting.roles, setting.terms)
    elif left:
        return _without(left, state, space, engine, setting, done)
    update: dict[str, Any] = {
        "sealed_refinement": space.vault.seal(state["thread"], refining.written(done)),
        "timings": {"refine": perf_counter() - began},
    }
    if not done.ended:
        return Command(update=update, goto="refine")
    return Command(update=update | _refined(state, space, engine, done, refining.told(done)), goto="write_prompts")


def _refined_so_far(state: GamaState, space: PrivateSpace) -> "Refinement | None":
    from gama.privacy.refining import engine as refining

    sealed = state.get("sealed_refinement")
    return refining.read(space.vault.open(state["thread"], sealed)) if sealed else None


def _without(
    left: Sequence[int], state: GamaState, space: PrivateSpace, engine: "Pipeline", setting: "Setting",
    done: "Refinement",
) -> Command[Literal["refine", "write_prompts"]]:  # fmt: skip
    """Take back the changes that a person leaves; where the rest may not leave alone, all stay and that is told."""
    from gama.privacy.refining import engine as refining
    from gama.privacy.refining.changes import changes

    taken = [number not in left for number, _ in enumerate(changes(done), 1)]
    try:
        chosen, said = refining.choose(setting, done, taken)
        update = _refined(state, space, engine, chosen, said)
    except (LeakError, ModelError) as error:
        return Command(
            update={"left_changes": [], "review_done": False, "review_problem": str(error)}, goto="write_prompts"
        )
    sealed = space.vault.seal(state["thread"], refining.written(chosen))
    return Command(update=update | {"sealed_refinement": sealed, "left_changes": []}, goto="write_prompts")


def _refined(
    state: GamaState, space: PrivateSpace, engine: "Pipeline", done: "Refinement", said: list[str]
) -> dict[str, Any]:
    """Return the text that leaves, the box with what only the rewritten text names, and what is told."""
    from gama.privacy.refining import engine as refining

    text, query = space.question(state).reveal(), state.get("query_at") or 0
    sent, box = with_box(state, space, engine.options, lambda _, box: refining.as_sent(engine, text, done, box, query))
    return {"anonymized": sent, "sealed_box": space.seal_model(state, box), "warnings": said}


@timed("prompt")
def write_prompts(state: GamaState, runtime: Runtime[Options], *, space: PrivateSpace) -> dict[str, Any]:
    """Choose the domains at home and write their experts' prompts from templates.

    A private LLM reads the raw text, as in the paper. The embedded analysis reads the anonymized
    one: names and numbers say nothing about a field, and so the choice cannot tell anything of them.
    Without domain rules (spec 01 §1.10) nothing is analysed, and one generic expert is prompted.
    """
    from gama.models.shipped import vectors_of
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
    said = text_for_domains(state, options)
    # The learned choice reads of what kind a placeholder is; in the equations its name would count as a word.
    hidden = said if options.topk_mode == "learned" else without_tokens(said)
    analysis = analyse(
        space.question(state).reveal() if complete else hidden,
        words=vectors_of(options.word_vectors),
        k=options.k,
        n=options.high_order,
        alpha=options.alpha,
        topk_mode=options.topk_mode,
        collapse=options.collapse,
        threshold=options.topk_threshold,
        domain_set=options.domain_set,
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


def review(
    state: GamaState, runtime: Runtime[Options], *, space: PrivateSpace
) -> Command[Literal["fuse_views", "refine", "airlock"]]:
    """Show a person what would leave and wait; without the option `review`, or after a last word, go on.

    Raises:
        OptionError: nothing keeps the graph's state, so that it could not wait.
        ReviewStopped: the person said no; nothing was sent.
    """
    options = space.settings(runtime)
    if not options.review or state.get("review_done") or not options.switches.ampp:
        return Command(goto="airlock")
    if not (get_config().get("configurable") or {}).get("__pregel_checkpointer"):
        raise OptionError("option 'review': the graph can only wait where its state is kept; give it a checkpointer")
    box = space.box(state, options)
    text = space.question(state).reveal()
    done = _refined_so_far(state, space) if options.refine != "off" else None
    asked = review_question(state, box, space.entities(state), options, done)
    changed = len(asked.get("changes", ()))
    problem = {"problem": said} if (said := state.get("review_problem")) else {}
    while True:
        answer = interrupt(asked | problem)
        if isinstance(answer, Sealed):
            answer = json.loads(space.vault.open(state["thread"], answer))
        try:
            send, hide, show, left = read_answer(answer, changed)
            new = [*hiding(hide, text), *showing(show, text, space.entities(state), box)]
            decisions = joined(read_decisions(state.get("decisions"), text), new)
            break
        except Unclear as unclear:
            problem = {"problem": str(unclear)}
    if left:
        return Command(update={"left_changes": left, "review_done": send, "review_problem": ""}, goto="refine")
    if not new:
        if not send:
            raise ReviewStopped("The review stopped the task. Nothing was sent.")
        return Command(goto="airlock")
    update = {"decisions": plain_decisions(decisions), "review_done": send, "review_problem": ""}
    return Command(update=update, goto="fuse_views")
