"""The two views of multi-view privacy identification (GAMA Eqs. 1 and 2, spec 01 §1.3) as steps of the graph."""

from typing import Any

from langgraph.runtime import Runtime

from gama.nodes.private.space import PrivateSpace, timed, to_state
from gama.privacy.agents import extract_private, filter_private
from gama.privacy.identify import embedded_pia, pner_view
from gama.state.options import Options
from gama.state.private import GamaState


@timed("pner")
def find_entities(state: GamaState, runtime: Runtime[Options], *, space: PrivateSpace) -> dict[str, Any]:
    """Find everything that could be private: view 1."""
    spans = pner_view(space.question(state).reveal(), space, space.settings(runtime))
    return {"pner": to_state(spans)}


@timed("pia")
def judge_context(state: GamaState, runtime: Runtime[Options], *, space: PrivateSpace) -> dict[str, Any]:
    """Find what is private in its context: view 2."""
    options = space.settings(runtime)
    text = space.question(state).reveal()
    warnings: list[str] = []
    complete = space.llm(options)
    if complete is None:
        spans = embedded_pia(text, space, options)
    elif options.pia_mode == "filter":
        spans = filter_private(complete, text, pner_view(text, space, options))
    else:
        spans = extract_private(complete, text, warnings)
    return {"pia": to_state(spans), "warnings": warnings}
