"""Selection of what a query needs as a step of the graph (PII-Bench, task T3)."""

from typing import Any

from langgraph.runtime import Runtime

from gama.nodes.private.space import PrivateSpace, timed
from gama.privacy.select import select_in_task, selection_notes
from gama.state.options import Options
from gama.state.private import GamaState


@timed("select")
def select_needed(state: GamaState, runtime: Runtime[Options], *, space: PrivateSpace) -> dict[str, Any]:
    """Tell which mentions the query needs; without a query nothing is needed."""
    at = state.get("query_at")
    if not at:
        return {}
    text, options = space.question(state).reveal(), space.settings(runtime)
    notes: list[str] = []
    chosen = select_in_task(text, at, space.entities(state), options, space, notes)
    return {"sealed_entities": space.seal_entities(state, chosen), "warnings": [*notes, *selection_notes(chosen)]}
