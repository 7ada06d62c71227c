"""The steps in which the engine finds what is private (GAMA Eqs. 1 to 3, PII-Bench T3): they open, call, and seal."""

from typing import Any

from langgraph.runtime import Runtime

from gama.nodes.private.space import PrivateSpace, from_state, to_state
from gama.nodes.private.wrappers import timed
from gama.privacy.select import selection_notes
from gama.state.decisions import read_decisions
from gama.state.options import Options
from gama.state.private import GamaState


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
    known = space.box(state, engine.options).entries
    decisions = read_decisions(state.get("decisions"), text)
    entities = engine.link(text, space.entities(state), known, decisions)
    return {"sealed_entities": space.seal_entities(state, entities)}


@timed("select")
def select_needed(state: GamaState, runtime: Runtime[Options], *, space: PrivateSpace) -> dict[str, Any]:
    """Tell which mentions the query needs; without a query nothing is needed."""
    at = state.get("query_at")
    if not at:
        return {}
    notes: list[str] = []
    chosen = space.engine(runtime).select(space.question(state).reveal(), at, space.entities(state), notes)
    return {"sealed_entities": space.seal_entities(state, chosen), "warnings": [*notes, *selection_notes(chosen)]}
