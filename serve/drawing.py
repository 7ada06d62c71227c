"""Drawing the graphs as Mermaid text, from the compiled graphs themselves."""

from gama.state.errors import OptionError

_NAMES = {"__start__": "start([question])", "__end__": "answer([answer])"}
_ENDS = {"__start__": "start", "__end__": "answer"}
_AIRLOCK = "airlock"


def draw(which: str = "gama") -> str:
    """Return a graph as a Mermaid flowchart; the whole one shows the public graph in place of the step that runs it.

    Raises:
        OptionError: there is no such graph.
    """
    from gama.graph.public import build_public_graph
    from gama.graph.whole import build_graph
    from gama.state.options import Options

    public = _lines(build_public_graph().get_graph().edges, "")
    if which == "public":
        return "\n".join(["flowchart LR", *public])
    if which != "gama":
        raise OptionError(f"there is no graph {which!r}; known graphs: gama, public")
    edges = build_graph(Options()).get_graph().edges
    inside = [line for line in _lines(build_public_graph().get_graph().edges, "public_") if "start" not in line]
    inside = [line for line in inside if "answer" not in line]
    lines = ["flowchart LR", "  subgraph private [private space: this machine]"]
    lines += [line for line in _lines(edges, "") if "consult_experts" not in line]
    lines += ["  end", "  subgraph public [public space: sees only what crossed the airlock]", *inside, "  end"]
    lines += [f"  {_AIRLOCK} == PublicTask ==> public_receive", "  public_disprove == anonymized answer ==> restore"]
    return "\n".join(lines)


def _lines(edges: object, prefix: str) -> list[str]:
    out = []
    for edge in edges:  # type: ignore[attr-defined]
        arrow = "-.->" if edge.conditional else "-->"
        if edge.source == "receive":
            arrow = "-. Send × K .->"
        out.append(f"  {_node(edge.source, prefix)} {arrow} {_node(edge.target, prefix)}")
    return sorted(out, key=lambda line: ("start" not in line, line))


def _node(name: str, prefix: str) -> str:
    if name in _NAMES:
        return _NAMES[name] if not prefix else _ENDS[name]
    return f"{prefix}{name}[{name.replace('_', ' ')}]"
