"""The steps at home up to the review: seal, find, judge, fuse, link, select, anonymize, and choose the experts.

Each opens what it needs, calls the engine (GAMA Eqs. 1 to 5, PII-Bench T3), and seals what came of it; the last writes
the experts' prompts (auto-prompting, Eqs. 7 to 10).
"""

from collections.abc import Sequence
from time import perf_counter
from typing import Any

from langgraph.config import get_config
from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from gama.guard.search import Guard
from gama.nodes.private.space import PrivateSpace, from_state, to_state
from gama.nodes.private.wrappers import timed
from gama.privacy.box import PrivacyBox
from gama.privacy.decide import assign_subjects, decision_notes, policy_notes
from gama.privacy.link import link
from gama.privacy.question import check_question, query_of, with_query
from gama.privacy.replace import irreversible_notes
from gama.privacy.select import selection_notes
from gama.state.decisions import read_decisions
from gama.state.entities import Entity
from gama.state.errors import LeakError, LimitReached
from gama.state.options import Options
from gama.state.private import GamaState
from gama.state.private_text import Sealed
from gama.tools.domains.packs import Pack

RUNS = 32
"""How often the box of a conversation is taken anew because another run of it was faster."""


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
        "review_done": False,
        "warnings": Overwrite([]),
        "timings": Overwrite({"seal": perf_counter() - began}),
    }


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
    for _ in range(RUNS):
        version, box = space.kept_box(state, engine.options)
        if version:
            # Linked by what this branch knew: a letter that is new here may be another branch's person.
            entities = assign_subjects(text, link(text, entities, box), decisions)
        result = engine.replace(text, entities, box)
        if space.keep_box(state, version, box):
            notes = decision_notes(result.text, result.entities, decisions, text)
            notes += policy_notes(result.entities, engine.options)
            return {
                "warnings": [*irreversible_notes(result.entities, box), *notes, *selection_notes(result.entities)],
                "anonymized": result.text,
                "sealed_box": space.seal_model(state, box),
                "sealed_entities": space.seal_entities(state, result.entities),
            }
    raise LimitReached("Too many runs continue this conversation at once. Nothing was sent. Let one of them end first.")


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
    # The learned choice reads of what kind a placeholder is; in the equations its name would count as a word.
    hidden = state["anonymized"] if options.topk_mode == "learned" else without_tokens(state["anonymized"])
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
