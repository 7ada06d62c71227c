"""Progress: shown on a terminal only, and the last reply is returned."""

import io
import sys

import pytest

from gama.nodes.steps import STAGES
from gama.serve.progress import follow


def steps():
    from gama.graph.client import Progress

    stages = ["seal", "airlock", "public.receive", "public.expert", "public.expert", "public.fuse", "restore", "done"]
    for at, stage in enumerate(stages):
        yield Progress(stage, float(at), {"thread": stage})


@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize("silent", [True, False])
def test_shown_on_a_terminal_unless_silent(monkeypatch, terminal, silent):
    class Errors(io.StringIO):
        def isatty(self):
            return terminal

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Errors())
    assert follow(steps(), silent=silent) == {"thread": "done"}
    assert bool(sys.stderr.getvalue()) == (terminal and not silent)
    if terminal and not silent:
        assert "looking for contradictions" in sys.stderr.getvalue()


def test_every_node_of_the_graphs_is_known():
    from gama.graph.private_graph import build_graph
    from gama.graph.public_graph import build_public_graph
    from gama.state.options import Options

    names = set(build_graph(Options()).get_graph().nodes)
    public = build_public_graph()
    for graph in (public, dict(public.get_subgraphs())["answer_part"]):
        names |= {f"public.{name}" for name in graph.get_graph().nodes}
    assert {name for name in names if "__" not in name} == set(STAGES)
    assert [name for name, step in STAGES.items() if not step.next] == ["restore"], "what goes on next is told of each"
