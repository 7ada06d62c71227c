"""The public graph: it solves what crossed, by one of three routes (spec 01 §1.6).

    receive ─► expert × K (Send) ─► fuse ─► disprove ⟲ revise ─► end                        both
            ─► split ─► answer_part × N (Send) ─► assemble ─► assure ─► end                  knowledge
            ─► solve ⟲ discuss ─► verify ─► condense ⟲ solve ─► end                          logic
            ─► vote × 3 (Send) ─► choose_route ─► split or solve                             auto

It has a schema, a saver and a context of its own and sees only what crossed, so it can run on a
machine of its own.
"""

from collections.abc import Sequence
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from gama.graph.part import build_part_graph
from gama.graph.public_server import standalone_clients
from gama.graph.run import TaskGraph
from gama.models.calls import PublicClient
from gama.nodes.public import routing
from gama.nodes.public.assemble import assemble_answer
from gama.nodes.public.assure import assure_quality
from gama.nodes.public.condense import condense_contradiction
from gama.nodes.public.context import PublicContext
from gama.nodes.public.discuss import discuss_solution
from gama.nodes.public.disprove import disprove_answer
from gama.nodes.public.expert import consult_expert
from gama.nodes.public.fuse import fuse_answers
from gama.nodes.public.receive import receive_task
from gama.nodes.public.revise import revise_answer
from gama.nodes.public.sessions import for_the_task
from gama.nodes.public.solve import solve_task
from gama.nodes.public.split import split_task
from gama.nodes.public.verify import verify_solution
from gama.nodes.public.vote import cast_vote, choose_route
from gama.state.options import Options
from gama.state.public import ExpertTask, PartInput, PublicInput, PublicOutput, PublicState, VoteTask
from gama.tools.domains.packs import Pack
from gama.tools.experts.toolbox import Toolbox, all_packs, toolbox_of

EDGES = frozenset(
    {
        (START, "receive"),
        ("receive", "expert"),
        ("expert", "fuse"),
        ("fuse", "disprove"),
        ("fuse", "revise"),
        ("fuse", END),
        ("disprove", "revise"),
        ("disprove", END),
        ("revise", "disprove"),
        ("revise", END),
        ("receive", "vote"),
        ("vote", "choose_route"),
        ("choose_route", "split"),
        ("choose_route", "solve"),
        ("receive", "split"),
        ("split", "answer_part"),
        ("answer_part", "assemble"),
        ("assemble", "assure"),
        ("assure", END),
        ("receive", "solve"),
        ("solve", "discuss"),
        ("solve", "verify"),
        ("solve", END),
        ("discuss", "solve"),
        ("discuss", "verify"),
        ("verify", "condense"),
        ("verify", END),
        ("condense", "solve"),
        ("condense", END),
    }
)
"""The agreed edges of the drawn graph."""


def build_public_graph(
    client: PublicClient | None = None,
    checkpointer: BaseCheckpointSaver[Any] | None = None,
    tools: Toolbox | None = None,
    packs: Sequence[Pack] = (),
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Build the public graph.

    Args:
        client: the checked client of the public model; None takes the one that the run's context or
            the environment names, for a graph on a machine of its own.
        checkpointer: saver of the public side.
        tools: what the experts may call.
        packs: domain packs, whose experts sub-questions may go to as well.

    Returns:
        A compiled graph: takes `{"task": PublicTask}` or its JSON object, gives a `PublicOutput`.
    """
    clients = for_the_task(standalone_clients() if client is None else lambda task: client)
    builder: StateGraph[PublicState, PublicContext, PublicInput, PublicOutput] = StateGraph(
        PublicState, context_schema=PublicContext, input_schema=PublicInput, output_schema=PublicOutput
    )
    steps: dict[str, Any] = {
        "receive": receive_task(clients),
        "fuse": fuse_answers(clients),
        "disprove": disprove_answer(clients),
        "revise": revise_answer(clients),
        "choose_route": choose_route,
        "split": split_task(clients),
        "assemble": assemble_answer(clients),
        "assure": assure_quality(clients),
        "solve": solve_task(clients),
        "discuss": discuss_solution(clients),
        "verify": verify_solution(clients),
        "condense": condense_contradiction(clients),
    }
    for name, step in steps.items():
        builder.add_node(name, step, input_schema=PublicState)
    # These are sent what they get, piece by piece.
    builder.add_node("expert", consult_expert(clients, tools), input_schema=ExpertTask)
    builder.add_node("vote", cast_vote(clients), input_schema=VoteTask)
    builder.add_node("answer_part", build_part_graph(clients, tools, packs), input_schema=PartInput)

    builder.add_edge(START, "receive")
    builder.add_conditional_edges("receive", routing.after_receive, ["expert", "vote", "split", "solve"])
    builder.add_edge("expert", "fuse")
    builder.add_conditional_edges("fuse", routing.after_fuse)
    builder.add_conditional_edges("disprove", routing.after_disprove)
    builder.add_conditional_edges("revise", routing.after_revise)
    builder.add_edge("vote", "choose_route")
    builder.add_conditional_edges("choose_route", routing.after_vote)
    builder.add_conditional_edges("split", routing.send_questions, ["answer_part"])
    builder.add_edge("answer_part", "assemble")
    builder.add_edge("assemble", "assure")
    builder.add_edge("assure", END)
    builder.add_conditional_edges("solve", routing.after_solve)
    builder.add_conditional_edges("discuss", routing.after_discuss)
    builder.add_conditional_edges("verify", routing.after_verify)
    builder.add_conditional_edges("condense", routing.after_condense)
    return TaskGraph.adopt(builder.compile(checkpointer=checkpointer, name="public"))


def public() -> CompiledStateGraph[Any, Any, Any, Any]:
    """Build the public graph for `langgraph.json`: the server brings the saver, the environment names the tools."""
    options = Options.from_env()
    packs = all_packs(options)
    return build_public_graph(tools=toolbox_of(options, packs, standalone=True), packs=packs)
