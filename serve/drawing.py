"""Drawing the graphs as Mermaid text, from the compiled graphs themselves."""

from collections.abc import Iterable
from typing import Any

from gama.state.errors import OptionError

_ENDS = {"__start__": "start([question])", "__end__": "answer([answer])"}
_AIRLOCK = "airlock"


def draw(which: str = "gama") -> str:
    """Return a graph as a Mermaid flowchart; the whole one shows the public graph in place of the step that runs it.

    Raises:
        OptionError: there is no such graph.
    """
    from gama.graph.public import build_public_graph
    from gama.graph.whole import build_graph
    from gama.state.options import Options

    outside = build_public_graph().get_graph().edges
    if which == "public":
        return "\n".join(["flowchart LR", *_lines(outside, "")])
    if which != "gama":
        raise OptionError(f"there is no graph {which!r}; known graphs: gama, public")
    edges = build_graph(Options()).get_graph().edges
    inside = _lines([e for e in outside if not {e.source, e.target} & set(_ENDS)], "public_")
    first = next(edge.target for edge in outside if edge.source == "__start__")
    last = sorted(edge.source for edge in outside if edge.target == "__end__")
    lines = ["flowchart LR", "  subgraph private [private space: this machine]"]
    lines += [line for line in _lines(edges, "") if "consult_experts" not in line]
    lines += ["  end", "  subgraph public [public space: sees only what crossed the airlock]", *inside, "  end"]
    lines += [f"  {_AIRLOCK} == PublicTask ==> public_{first}"]
    lines += [f"  public_{name} == anonymized answer ==> restore" for name in last]
    return "\n".join(lines)


def _lines(edges: Iterable[Any], prefix: str) -> list[str]:
    out = []
    for edge in edges:
        arrow = "-.->" if edge.conditional else "-->"
        if edge.source == "receive":
            arrow = "-. Send × K .->"
        out.append(f"  {_node(edge.source, prefix)} {arrow} {_node(edge.target, prefix)}")
    return sorted(out, key=lambda line: ("start" not in line, line))


def _node(name: str, prefix: str) -> str:
    if name in _ENDS:
        return _ENDS[name]
    return f"{prefix}{name}[{name.replace('_', ' ')}]"
