"""Progress: shown on a terminal only, and the last reply is returned."""

import io
import re
import sys
from pathlib import Path

import pytest

from gama import serve
from gama.guard.terminal import counting
from gama.nodes.steps import BAR, STAGES
from gama.serve.terminal import follow


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


def test_the_page_waits_for_stages_that_there_are():
    scripts = Path(serve.__file__).with_name("page").joinpath("js").glob("*.js")
    named = {name for file in scripts for name in re.findall(r'"(public\.[a-z_]+)"', file.read_text(encoding="utf-8"))}
    assert named and named <= set(STAGES)
    assert list(BAR)[0] == "Find" and list(BAR)[-3:] == ["Experts", "Cross-check", "Put back"]
    assert all(BAR.values()) and {name for names in BAR.values() for name in names} <= set(STAGES)


class Shown(io.StringIO):
    """A terminal, or none."""

    def __init__(self, terminal):
        super().__init__()
        self._terminal = terminal

    def isatty(self):
        return self._terminal


@pytest.mark.parametrize("total", [4, 4.0, None])
@pytest.mark.parametrize(("errors", "output"), [(True, False), (True, True), (False, False)])
def test_counting_is_shown_on_a_terminal_where_the_outcome_is_not(monkeypatch, total, errors, output):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Shown(errors))
    monkeypatch.setattr(sys, "stdout", Shown(output))
    with counting(total, beside=True) as step:
        step("7 records", 2)
    told = sys.stderr.getvalue()
    assert ("7 records" in told) == (errors and not output)
    assert ("2/4" in told, "50%" in told) == (
        (total == 4 and isinstance(total, int), isinstance(total, float)) if told else (False, False)
    )
