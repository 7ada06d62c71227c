"""The public graph: experts in parallel, fusion, disproof as a cycle.

    receive ─► expert × K (Send) ─► fuse ─► disprove ⟲ revise ─► end

It has a schema, a saver and a context of its own and sees only what crossed, so it can run on a
machine of its own.
"""

import os
from threading import Lock
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import get_runtime

from gama.models.calls import PublicClient
from gama.nodes.public.calling import Clients
from gama.nodes.public.context import PublicContext
from gama.nodes.public.disprove import disprove_answer
from gama.nodes.public.expert import consult_expert
from gama.nodes.public.fuse import fuse_answers
from gama.nodes.public.receive import receive_task
from gama.nodes.public.revise import revise_answer
from gama.nodes.public.routing import after_disprove, after_fuse, after_revise, send_to_experts
from gama.state.public import ExpertTask, PublicInput, PublicOutput, PublicState
from gama.tools.experts.chosen import standalone_toolbox
from gama.tools.experts.toolbox import Toolbox

EDGES = frozenset(
    {
        (START, "receive"),
        ("receive", "expert"),
        ("expert", "fuse"),
        ("fuse", "disprove"),
        ("fuse", END),
        ("disprove", "revise"),
        ("disprove", END),
        ("revise", "disprove"),
        ("revise", END),
    }
)
"""The agreed edges of the drawn graph."""


def build_public_graph(
    client: PublicClient | None = None,
    checkpointer: BaseCheckpointSaver[Any] | None = None,
    tools: Toolbox | None = None,
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Build the public graph.

    Args:
        client: the checked client of the public model; None takes the one that the run's context or
            the environment names, for a graph on a machine of its own.
        checkpointer: saver of the public side.
        tools: what the experts may call.

    Returns:
        A compiled graph: takes `{"task": PublicTask}` or its JSON object, gives a `PublicOutput`.
    """
    clients: Clients = standalone_clients() if client is None else lambda: client
    builder: StateGraph[PublicState, PublicContext, PublicInput, PublicOutput] = StateGraph(
        PublicState, context_schema=PublicContext, input_schema=PublicInput, output_schema=PublicOutput
    )
    builder.add_node("receive", receive_task(clients), input_schema=PublicState)
    builder.add_node("expert", consult_expert(clients, tools), input_schema=ExpertTask)
    builder.add_node("fuse", fuse_answers(clients), input_schema=PublicState)
    builder.add_node("disprove", disprove_answer(clients), input_schema=PublicState)
    builder.add_node("revise", revise_answer(clients), input_schema=PublicState)
    builder.add_edge(START, "receive")
    builder.add_conditional_edges("receive", send_to_experts, ["expert"])
    builder.add_edge("expert", "fuse")
    builder.add_conditional_edges("fuse", after_fuse)
    builder.add_conditional_edges("disprove", after_disprove)
    builder.add_conditional_edges("revise", after_revise)
    return builder.compile(checkpointer=checkpointer, name="public")


def standalone_clients() -> Clients:
    """Return what gives the client on a machine of its own: by the context, else by `GAMA_PUBLIC_MODEL` and its kin."""
    made: dict[tuple[str | None, str | None], PublicClient] = {}
    lock = Lock()

    def client() -> PublicClient:
        from gama.models.public import public_client

        context = get_runtime(PublicContext).context or PublicContext()
        choice = (context.model or os.environ.get("GAMA_PUBLIC_MODEL"), context.base_url or _home())
        with lock:
            if choice not in made:
                model, base_url = choice
                made[choice] = public_client(model, base_url=base_url, api_key=_key(*choice), standalone=True)
                if len(made) > MAX_CLIENTS:
                    # Callers may name what they like: what was made first goes.
                    del made[next(iter(made))]
            return made[choice]

    return client


MAX_CLIENTS = 16
"""Choices of model that a standalone graph keeps ready."""


def _home() -> str | None:
    return os.environ.get("GAMA_PUBLIC_BASE_URL") or None


def _key(model: str | None, base_url: str | None) -> str | None:
    """Return the key for a choice: the operator's goes to the server and provider the operator named, to no other."""
    if base_url != _home():
        return "none"
    configured = os.environ.get("GAMA_PUBLIC_MODEL")
    same = not configured or not model or _provider(configured) == _provider(model)
    return os.environ.get("GAMA_PUBLIC_API_KEY") if same else None


def _provider(model: str) -> str:
    # A bare name is one of an OpenAI-compatible server.
    return model.partition(":")[0].strip().lower() if ":" in model else "openai"


def public() -> CompiledStateGraph[Any, Any, Any, Any]:
    """Build the public graph for `langgraph.json`: the server brings the saver, the environment names the tools."""
    return build_public_graph(tools=standalone_toolbox())
