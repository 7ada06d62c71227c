"""Linking of mentions as a step of the graph."""

from typing import Any

from langgraph.runtime import Runtime

from gama.nodes.private.space import PrivateSpace, timed
from gama.privacy.link import link_decided
from gama.state.decisions import read_decisions
from gama.state.options import Options
from gama.state.private import GamaState


@timed("link")
def link_mentions(state: GamaState, runtime: Runtime[Options], *, space: PrivateSpace) -> dict[str, Any]:
    """Take in what a person has decided, and give every private mention its subject."""
    text, options = space.question(state).reveal(), space.settings(runtime)
    known = space.box(state, options).entries
    decisions = read_decisions(state.get("decisions"), text)
    entities = link_decided(text, space.entities(state), known, decisions, options)
    return {"sealed_entities": space.seal_entities(state, entities)}
