"""The whole graph: private, public, private.

seal ─► find_entities ∥ judge_context ─► fuse_views ─► link_mentions ─► select_needed ─► anonymize ─► refine ⟲ ─►
write_prompts ─► review ─► airlock ─► call_public_graph ⇄ try_formulas ─► restore
"""

from functools import partial
from itertools import pairwise
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph

from gama.graph.public_graph import public_graphs
from gama.graph.sealed_graph import SealedGraph
from gama.nodes.private.airlock import airlock, try_formulas
from gama.nodes.private.call_public_graph import call_public_graph
from gama.nodes.private.engine_steps import (
    anonymize,
    find_entities,
    fuse_views,
    judge_context,
    link_mentions,
    refine,
    review,
    seal,
    select_needed,
    write_prompts,
)
from gama.nodes.private.restore import restore
from gama.nodes.private.space import PrivateSpace
from gama.nodes.private.wrappers import redact_errors
from gama.state.options import Options
from gama.state.private import GamaInput, GamaOutput, GamaState
from gama.tools.experts.toolbox import toolbox_of
from gama.vault.seal import Vault

_WAY = (
    "seal find_entities fuse_views link_mentions select_needed anonymize refine write_prompts review airlock "
    "call_public_graph try_formulas restore"
).split()
EDGES = frozenset(pairwise((START, *_WAY, END))) | {
    ("seal", "judge_context"), ("judge_context", "fuse_views"), ("review", "fuse_views"),
    ("try_formulas", "call_public_graph"), ("refine", "refine"), ("review", "refine"),
}  # fmt: skip
"""The agreed edges of the drawn graph."""

CHOICES = {
    "refine": ("refine", "write_prompts"),
    "review": ("fuse_views", "refine", "airlock"),
    "try_formulas": ("call_public_graph", "restore"),
}
"""Where steps lead that choose: a refinement to its next round, or on; a review back with its corrections or
the changes that it leaves, or on; a
trial back with a faulty answer, or on."""


def build_graph(
    options: Options | None = None,
    *,
    vault: Vault | None = None,
    checkpointer: BaseCheckpointSaver[Any] | None = None,
    public_checkpointer: BaseCheckpointSaver[Any] | None = None,
    space: PrivateSpace | None = None,
) -> SealedGraph:
    """Build the whole graph.

    Args:
        options: what holds where a run's context gives nothing.
        vault: seals the state; by default a vault in memory, so that nothing outlives the process.
        checkpointer: saver of the private graph. What is private is sealed before it gets there.
        public_checkpointer: saver of the public graph; it sees only what crossed.
        space: finders and models of the private space, to replace the built-in ones; brings its own
            options and vault.

    Returns:
        A compiled graph: takes `{"question": text}`, with a `query` where one wants, gives `{"reply": Reply}`;
        `context` takes `Options`.

    Example:
        >>> graph = build_graph()
        >>> reply = graph.invoke({"question": "Emma Williams owes us 40 euros. Is that a large sum?"})["reply"]
        >>> reply["anonymized"].startswith("<name-1> owes us")
        True
    """
    if space is None:
        space = PrivateSpace.of(options or Options.from_env(), vault or Vault.ephemeral())
    # Keys are made at the door; a step that made one would revive a thread that is forgotten meanwhile.
    vault, space = space.vault, space.for_steps()
    packs = space.packs()
    tools = toolbox_of(space.options, packs)
    builder: StateGraph[GamaState, Options, GamaInput, GamaOutput] = StateGraph(
        GamaState, context_schema=Options, input_schema=GamaInput, output_schema=GamaOutput
    )
    steps: tuple[Any, ...] = (
        seal, find_entities, judge_context, fuse_views, link_mentions, select_needed, anonymize, refine, write_prompts,
        review, airlock, try_formulas, restore,
    )  # fmt: skip
    for step in steps:
        name = step.__name__
        node = redact_errors(name, partial(step, space=space))
        builder.add_node(name, node, input_schema=GamaState, destinations=CHOICES.get(name))
    builder.add_node(
        "call_public_graph",
        call_public_graph(space, public_graphs(public_checkpointer, tools, packs)),
        input_schema=GamaState,
    )
    joined = {("find_entities", "fuse_views"), ("judge_context", "fuse_views")}
    chosen = {(step, end) for step, ends in CHOICES.items() for end in ends}
    for start, end in sorted(EDGES - joined - chosen):
        builder.add_edge(start, end)
    builder.add_edge(["find_entities", "judge_context"], "fuse_views")
    return SealedGraph.adopt(builder.compile(checkpointer=checkpointer, name="gama"), vault, tools)
