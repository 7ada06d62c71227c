"""Fusion of the two views (GAMA Eq. 3) as a step of the graph."""

from typing import Any

from langgraph.runtime import Runtime

from gama.nodes.private.space import PrivateSpace, from_state, timed
from gama.privacy.fuse import fuse, settling, to_entities
from gama.state.options import Options
from gama.state.private import GamaState


@timed("fuse")
def fuse_views(state: GamaState, runtime: Runtime[Options], *, space: PrivateSpace) -> dict[str, Any]:
    """Fuse the views into mentions, with the user's own lists applied last."""
    options = space.settings(runtime)
    text = space.question(state).reveal()
    settle = settling(options, text, space)
    fused = fuse(from_state(state["pner"]), from_state(state["pia"]), text, settle)
    entities = to_entities(text, fused, options)
    return {"sealed_entities": space.seal_entities(state, entities)}
