"""The public graphs of a process: one for each public model that runs have named, built once."""

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver

from gama.nodes.private.call_public_graph import PublicGraph
from gama.state.options import Options
from gama.tools.domains.packs import Pack
from gama.tools.experts.toolbox import Toolbox


def public_graphs(
    checkpointer: BaseCheckpointSaver[Any] | None, tools: Toolbox | None = None, packs: Sequence[Pack] = ()
) -> Callable[[Options], PublicGraph]:
    """Return what gives the public graph for the options of a run, built once for each model."""
    built: dict[tuple[Any, ...], PublicGraph] = {}
    lock = Lock()

    def graph_for(options: Options) -> PublicGraph:
        from gama.graph.public_graph import build_public_graph
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
