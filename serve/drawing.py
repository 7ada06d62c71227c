"""Drawing the graphs as Mermaid text, from the compiled graphs themselves."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from gama.nodes.steps import PUBLIC
from gama.state.errors import OptionError

_ENDS = {"__start__": "start([question])", "__end__": "answer([answer])"}
_AWAY = "call_public_graph"
_CROSSING = {"airlock": "PublicTask", "try_formulas": "faulty formulas"}
"""What leads from each step at home to the public graph."""
_PART = "answer_part"


class _Arrow(NamedTuple):
    """An edge as it is drawn."""

    source: str
    target: str
    arrow: str


def draw(which: str = "gama") -> str:
    """Return a graph as a Mermaid flowchart; the whole one shows the public graph in place of the step that runs it.

    The graph of one sub-question is shown inside the public one, in place of the step that runs it.

    Raises:
        OptionError: there is no such graph.
    """
    from gama.graph.private_graph import build_graph
    from gama.graph.public_graph import build_public_graph
    from gama.state.options import Options

    if which not in ("gama", "public"):
        raise OptionError(f"there is no graph {which!r}; known graphs: gama, public")
    public = build_public_graph()
    outside = _arrows(public.get_graph().edges)
    part = _arrows(dict(public.get_subgraphs())[_PART].get_graph().edges)
    if which == "public":
        return "\n".join(["flowchart LR", *_public(outside, part, "")])
    home = _arrows(build_graph(Options()).get_graph().edges)
    first = next(edge.target for edge in outside if edge.source == "__start__")
    last = sorted(edge.source for edge in outside if edge.target == "__end__")
    lines = ["flowchart LR", "  subgraph private [private space: this machine]"]
    lines += [line for line in _lines(home, "") if _AWAY not in line]
    lines += ["  end", "  subgraph public [public space: sees only what crossed the airlock]"]
    lines += _public([edge for edge in outside if not {edge.source, edge.target} & set(_ENDS)], part, "public_")
    lines += ["  end"]
    lines += [f"  {e.source} == {_CROSSING[e.source]} ==> public_{first}" for e in home if e.target == _AWAY]
    [back] = [edge.target for edge in home if edge.source == _AWAY]
    lines += [f"  public_{name} == anonymized answer ==> {back}" for name in last]
    return "\n".join(lines)


def _public(outside: list[_Arrow], part: list[_Arrow], prefix: str) -> list[str]:
    """Return the public graph, the graph of one sub-question inside it."""
    inner = [edge for edge in part if not {edge.source, edge.target} & set(_ENDS)]
    begin = next(edge.target for edge in part if edge.source == "__start__")
    end = next(edge.source for edge in part if edge.target == "__end__")
    lines = _lines([edge for edge in outside if _PART not in (edge.source, edge.target)], prefix)
    lines += ["  subgraph part [for each sub-question]", *_lines(inner, "part_"), "  end"]
    for edge in outside:
        if edge.target == _PART:
            lines.append(f"  {_node(edge.source, prefix)} {edge.arrow} {_node(begin, 'part_')}")
        elif edge.source == _PART:
            lines.append(f"  {_node(end, 'part_')} {edge.arrow} {_node(edge.target, prefix)}")
    return lines


def _arrows(edges: Iterable[Any]) -> list[_Arrow]:
    sent_out = {step.name: step.sent for step in PUBLIC if step.sent}
    out = []
    for edge in edges:
        sent = sent_out.get(edge.target)
        arrow = f"-. {sent} .->" if sent else "-.->" if edge.conditional else "-->"
        out.append(_Arrow(edge.source, edge.target, arrow))
    return out


def _lines(edges: Iterable[_Arrow], prefix: str) -> list[str]:
    out = [f"  {_node(edge.source, prefix)} {edge.arrow} {_node(edge.target, prefix)}" for edge in edges]
    return sorted(out, key=lambda line: ("start" not in line, line))


def _node(name: str, prefix: str) -> str:
    if name in _ENDS:
        return _ENDS[name]
    return f"{prefix}{name}[{name.replace('_', ' ')}]"
