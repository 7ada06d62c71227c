"""Factory of the graph `gama` for LangGraph Studio and servers (`langgraph.json`)."""

from gama.graph.private_graph import build_graph
from gama.graph.sealed_graph import SealedGraph
from gama.privacy.decide import balancing
from gama.state.options import Options
from gama.vault.seal import Vault, default_home


def gama() -> SealedGraph:
    """Build the whole graph without a saver of its own: the server brings one.

    The vault is the home folder's, so that a thread can be taken up after a restart.
    """
    return build_graph(balancing(Options.from_env()), vault=Vault.at(default_home()))
