"""The graph of one sub-question on the knowledge route (spec 01 §1.6).

    choose_domains ─► expert × K (Send) ─► fuse ─► check ⟲ ─► close_part

The public graph sends every sub-question to one of its own, in parallel.
"""

from collections.abc import Sequence
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from gama.nodes.public.calling import Clients
from gama.nodes.public.check import check_part
from gama.nodes.public.choose_domains import choose_domains
from gama.nodes.public.context import PublicContext
from gama.nodes.public.expert import consult_expert
from gama.nodes.public.finish_subquestion import close_part
from gama.nodes.public.fuse_part import fuse_part
from gama.nodes.public.routing import after_check, after_fuse_part, send_to_experts
from gama.state.public import ExpertTask, PartInput, PartOutput, PartState
from gama.tools.domains.packs import Pack
from gama.tools.experts.toolbox import Toolbox

EDGES = frozenset(
    {
        (START, "choose_domains"),
        ("choose_domains", "expert"),
        ("expert", "fuse"),
        ("fuse", "check"),
        ("fuse", "close_part"),
        ("check", "check"),
        ("check", "close_part"),
        ("close_part", END),
    }
)
"""The agreed edges of the drawn graph."""


def build_part_graph(
    clients: Clients, tools: Toolbox | None = None, packs: Sequence[Pack] = ()
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Build the graph of one sub-question.

    Args:
        clients: gives the checked client of the public model.
        tools: what the experts may call.
        packs: domain packs, among whose domains the sub-question's are chosen too.

    Returns:
        A compiled graph: takes a `PartInput`, gives a `PartOutput`.
    """
    builder: StateGraph[PartState, PublicContext, PartInput, PartOutput] = StateGraph(
        PartState, context_schema=PublicContext, input_schema=PartInput, output_schema=PartOutput
    )
    builder.add_node("choose_domains", choose_domains(packs), input_schema=PartState)
    builder.add_node("expert", consult_expert(clients, tools), input_schema=ExpertTask)
    builder.add_node("fuse", fuse_part(clients), input_schema=PartState)
    builder.add_node("check", check_part(clients), input_schema=PartState)
    builder.add_node("close_part", close_part, input_schema=PartState)
    builder.add_edge(START, "choose_domains")
    builder.add_conditional_edges("choose_domains", send_to_experts, ["expert"])
    builder.add_edge("expert", "fuse")
    builder.add_conditional_edges("fuse", after_fuse_part)
    builder.add_conditional_edges("check", after_check)
    builder.add_edge("close_part", END)
    return builder.compile(name="answer_part")
