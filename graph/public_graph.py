"""The public graph: it solves what crossed, by one of three routes (spec 01 §1.6).

    receive ─► expert × K (Send) ─► fuse ─► disprove ⟲ revise ─► end                        both
            ─► expert × 1 ─► fuse ─► disprove ─► [expert × (K − 1) ─► fuse ─► disprove ⟲ …]  both, effort="auto"
            ─► split ─► answer_part × N (Send) ─► assemble ─► assure ─► end                  knowledge
            ─► solve ⟲ discuss ─► verify ─► condense ⟲ solve ─► end                          logic
            ─► vote × 3 (Send) ─► choose_route ─► split or solve                             auto
            ─► mend ─► end                                   an answer that came back because of its formulas

Each sub-question of the knowledge route has a graph of its own:

    choose_domains ─► expert × K (Send) ─► fuse ─► check ⟲ ─► close_part

The public graph has a schema, a saver and a context of its own and sees only what crossed, so it can run on a machine
of its own.
"""

import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from functools import partial
from threading import Lock
from typing import Any, Self

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from gama.graph.public_server import PublicContext, standalone_clients
from gama.guard.connections import shared_connections
from gama.models.calls import PublicClient
from gama.nodes.public import routing
from gama.nodes.public.asking import Clients, always, for_the_task, session_of
from gama.nodes.public.disproof import DISPROVE, REVISE
from gama.nodes.public.experts import EXPERT, FUSE, FUSE_PART, MEND
from gama.nodes.public.knowledge import ASSEMBLE, ASSURE, CHECK, SPLIT, choose_domains, close_part
from gama.nodes.public.logic import CONDENSE, DISCUSS, SOLVE, VERIFY
from gama.nodes.public.model_node import Manner, ModelNode
from gama.nodes.public.toolcalls import atalk, talk
from gama.state.options import Options
from gama.state.public import (
    ExpertTask,
    PartInput,
    PartOutput,
    PartState,
    PublicInput,
    PublicOutput,
    PublicState,
    VoteTask,
)
from gama.tools.domains.packs import Pack
from gama.tools.experts.toolbox import Toolbox, all_packs, toolbox_of

CompiledGraph = CompiledStateGraph[Any, Any, Any, Any]

_NODES: dict[str, ModelNode] = {
    "fuse": FUSE, "disprove": DISPROVE, "revise": REVISE,
    "split": SPLIT, "assemble": ASSEMBLE, "assure": ASSURE,
    "solve": SOLVE, "discuss": DISCUSS, "verify": VERIFY, "condense": CONDENSE,
    "mend": MEND,
}  # fmt: skip
"""The nodes that get the whole state."""

_EDGES = (
    (START, "receive"), ("expert", "fuse"), ("vote", "choose_route"), ("answer_part", "assemble"),
    ("assemble", "assure"), ("assure", END), ("mend", END),
)  # fmt: skip

_ROUTES = {
    "fuse": routing.after_fuse, "disprove": routing.after_disprove, "revise": routing.after_revise,
    "choose_route": routing.after_vote, "solve": routing.after_solve, "discuss": routing.after_discuss,
    "verify": routing.after_verify, "condense": routing.after_condense,
}  # fmt: skip
"""What says, after a node, which comes next."""


_WIDENING = {"fuse": ["disprove", "revise", "expert", END], "disprove": ["revise", "expert", END]}
"""Where experts may be sent to that were not asked at first."""


class TaskGraph(CompiledStateGraph[Any, Any, Any, Any]):
    """The public graph as its callers meet it: every run has an id, and a session while it is stepped.

    A subclass, since LangGraph's server, its subgraphs and its drawing take a `Pregel`; made and copied by the
    constructor, as `Pregel.copy` does.
    """

    @classmethod
    def adopt(cls, graph: CompiledGraph) -> Self:
        """Return a compiled graph as one of these."""
        return cls(**vars(graph))

    def stream(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> Iterator[Any]:
        """Stream a run; see `CompiledStateGraph.stream`."""
        config = _with_id(config)
        with session_of(config["run_id"]):
            yield from super().stream(input, config, **options)

    async def astream(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> AsyncIterator[Any]:
        """Stream a run; see `CompiledStateGraph.astream`."""
        config = _with_id(config)
        with session_of(config["run_id"]):
            async with shared_connections():
                async for item in super().astream(input, config, **options):
                    yield item


def _with_id(config: RunnableConfig | None) -> RunnableConfig:
    """Return the configuration with an id of the run: the caller's, or a new one."""
    given: RunnableConfig = config or {}
    return {**given, "run_id": given.get("run_id") or uuid.uuid4()}


def build_public_graph(
    client: PublicClient | None = None,
    checkpointer: BaseCheckpointSaver[Any] | None = None,
    tools: Toolbox | None = None,
    packs: Sequence[Pack] = (),
) -> CompiledGraph:
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
    clients = for_the_task(standalone_clients() if client is None else always(client))
    builder: StateGraph[PublicState, PublicContext, PublicInput, PublicOutput] = StateGraph(
        PublicState, context_schema=PublicContext, input_schema=PublicInput, output_schema=PublicOutput
    )
    steps: dict[str, Any] = {
        "receive": partial(routing.receive_task, clients=clients),
        "choose_route": routing.choose_route,
    } | {name: node.runnable(name, clients) for name, node in _NODES.items()}
    for name, step in steps.items():
        builder.add_node(name, step, input_schema=PublicState)
    # These are sent what they get, piece by piece.
    builder.add_node("expert", _expert(clients, tools), input_schema=ExpertTask)
    builder.add_node("vote", routing.VOTE.runnable("vote", clients), input_schema=VoteTask)
    builder.add_node("answer_part", _part_graph(clients, tools, packs), input_schema=PartInput)
    for start, end in _EDGES:
        builder.add_edge(start, end)
    builder.add_conditional_edges("receive", routing.after_receive, ["expert", "vote", "split", "solve", "mend"])
    builder.add_conditional_edges("split", routing.send_questions, ["answer_part"])
    for name, route in _ROUTES.items():
        # Experts that were spared are sent to from here: their name stands in no annotation.
        ends = _WIDENING.get(name)
        builder.add_conditional_edges(name, route, ends)
    return TaskGraph.adopt(builder.compile(checkpointer=checkpointer, name="public"))


def _expert(clients: Clients, tools: Toolbox | None) -> Any:
    return EXPERT.runnable("expert", clients, Manner(partial(talk, toolbox=tools), partial(atalk, toolbox=tools)))


def _part_graph(clients: Clients, tools: Toolbox | None, packs: Sequence[Pack]) -> CompiledGraph:
    """Build the graph of one sub-question, which the public graph sends every sub-question to, in parallel."""
    builder: StateGraph[PartState, PublicContext, PartInput, PartOutput] = StateGraph(
        PartState, context_schema=PublicContext, input_schema=PartInput, output_schema=PartOutput
    )
    builder.add_node("choose_domains", partial(choose_domains, packs=tuple(packs)), input_schema=PartState)
    builder.add_node("expert", _expert(clients, tools), input_schema=ExpertTask)
    builder.add_node("fuse", FUSE_PART.runnable("fuse", clients), input_schema=PartState)
    builder.add_node("check", CHECK.runnable("check", clients), input_schema=PartState)
    builder.add_node("close_part", close_part, input_schema=PartState)
    builder.add_edge(START, "choose_domains")
    builder.add_conditional_edges("choose_domains", routing.send_to_experts, ["expert"])
    builder.add_edge("expert", "fuse")
    builder.add_conditional_edges("fuse", routing.after_answer)
    builder.add_conditional_edges("check", routing.after_answer)
    builder.add_edge("close_part", END)
    return builder.compile(name="answer_part")


def public() -> CompiledGraph:
    """Build the public graph for `langgraph.json`: the server brings the saver, the environment names the tools."""
    options = Options.from_env()
    packs = all_packs(options)
    return build_public_graph(tools=toolbox_of(options, packs, standalone=True), packs=packs)


def public_graphs(
    checkpointer: BaseCheckpointSaver[Any] | None, tools: Toolbox | None = None, packs: Sequence[Pack] = ()
) -> Callable[[Options], CompiledStateGraph[Any, Any, Any, Any]]:
    """Return what gives the public graph for the options of a run, built once for each model."""
    built: dict[tuple[Any, ...], Any] = {}
    lock = Lock()

    def graph_for(options: Options) -> Any:
        from gama.graph.remote import remote_public_graph
        from gama.models.public import public_client

        model = options.public_model
        priced = options.max_cost is not None
        key = (
            model if isinstance(model, str) else id(model), options.public_base_url, options.timeout_s,
            options.rate_limit_per_minute, options.max_concurrent, repr(options.prices), priced, options.public_graph,
            options.max_calls if options.public_graph else None,
        )  # fmt: skip
        with lock:
            if key not in built and options.public_graph:
                built[key] = remote_public_graph(options)
            elif key not in built:
                client = public_client(
                    model,
                    base_url=options.public_base_url,
                    timeout_s=options.timeout_s,
                    rate_limit_per_minute=options.rate_limit_per_minute,
                    max_concurrent=options.max_concurrent,
                    prices=options.prices,
                    priced=priced,
                )
                built[key] = build_public_graph(client, checkpointer=checkpointer, tools=tools, packs=packs)
            return built[key]

    return graph_for
