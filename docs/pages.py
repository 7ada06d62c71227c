"""Write the parts of README.md and of the pages that are made from the product itself: `python docs/pages.py`.

Such a part stands between `<!-- made: NAME … -->` and `<!-- end -->`. tests/unit/test_docs.py makes each anew and
compares.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
PART = re.compile(r"(<!-- made: ([a-z ]+?) \(.*?\) -->\n)(.*?)(<!-- end -->)", re.DOTALL)

STAGES = {
    "seal": "find", "find_entities": "find", "judge_context": "find", "fuse_views": "find", "link_mentions": "find",
    "select_needed": "hide", "anonymize": "hide", "refine": "hide", "write_prompts": "hide", "review": "look",
    "airlock": "airlock",
    "call_public_graph": "public", "try_formulas": "restore", "restore": "restore", "__start__": "question",
    "__end__": "answer",
}  # fmt: skip
"""Where each node of the private graph stands in the small drawing."""

OUTSIDE = {"expert": "experts", "fuse": "settle", "disprove": "settle", "revise": "settle"}
"""The same of the public graph; its other nodes make up the other routes, and its ends are drawn as arrows."""

BOXES = {
    "private": {
        "question": "([your text])", "find": "[find]", "hide": "[hide]", "look": "[look]", "restore": "[restore]",
        "answer": "([answer])",
    },
    "public": {
        "experts": "[experts × K]", "settle": "[fuse, disprove ⟲]", "others": "[other routes]",
    },
}  # fmt: skip
"""The boxes of the small drawing, by the space they are in."""

ROOMS = (
    "serve", "training", "evals", "middleware", "graph", "nodes.airlock", "nodes.private", "nodes.public", "privacy",
    "tools", "models", "vault", "guard", "state",
)  # fmt: skip
"""The rooms of the house; of the nodes, each half by itself."""


def letter() -> str:
    """Return a letter, what leaves of it, and the answer: what `gama ask examples/notice.txt` does."""
    from gama import Gama, Options

    file = ROOT / "examples" / "notice.txt"
    text = file.read_text(encoding="utf-8")
    reply = Gama(Options(), keep=False).invoke({"question": text})
    shown = (
        ("What you write (`examples/notice.txt`)", text),
        ("What leaves this machine", reply["anonymized"]),
        ("What comes back, restored here", reply["answer"]),
    )
    return "\n".join(f"**{title}**\n\n```text\n{part.strip()}\n```\n" for title, part in shown)


def whole_graph() -> str:
    """Return both graphs with every node, as `gama graph` prints them."""
    from gama.serve.drawing import draw

    return f"```mermaid\n{draw('gama')}\n```\n"


def small_graph() -> str:
    """Return both graphs with their nodes drawn together into few boxes; an edge between two boxes stays."""
    from gama.graph.private_graph import build_graph
    from gama.graph.public_graph import build_public_graph
    from gama.state.options import Options

    home = build_graph(Options()).get_graph().edges
    if unknown := {name for edge in home for name in edge[:2]} - set(STAGES):
        raise ValueError(f"docs/pages.py, STAGES: where does the small drawing show {', '.join(sorted(unknown))}?")
    inside = _joined((STAGES[edge.source], STAGES[edge.target]) for edge in home)
    outside = _joined(
        ("airlock" if edge.source == "receive" else _outside(edge.source), _outside(edge.target))
        for edge in build_public_graph().get_graph().edges
        if edge.source != "__start__"
    )
    # The public graph takes the place of the node that calls it; what its first node leads to follows the airlock.
    inside = {edge for edge in inside if "public" not in edge}
    lines = ["flowchart LR"]
    for space, title in (("private", "private: this machine"), ("public", "public: a hosted model")):
        boxes = BOXES[space]
        edges = {edge for edge in inside | outside if set(edge) <= set(boxes)}
        lines += [f"  subgraph {space} [{title}]", *(f"    {name}{shape}" for name, shape in boxes.items())]
        order = [*boxes]
        back = {("look", "find"): "-. a correction .->", ("look", "hide"): "-. a change left .->"}
        lines += [f"    {edge[0]} {back.get(edge, '-->')} {edge[1]}"
                  for edge in sorted(edges, key=lambda edge: (order.index(edge[0]), order.index(edge[1])))]  # fmt: skip
        lines += ["  end"]
    lines += ["  airlock{{airlock}}"]
    between = {edge for edge in inside | outside if not any(set(edge) <= set(boxes) for boxes in BOXES.values())}
    for source, target in sorted(between):
        crossing = "== placeholders ==>" if source == "airlock" else "-->"
        lines.append(f"  {source} {'== anonymized answer ==>' if target == 'restore' else crossing} {target}")
    return "```mermaid\n" + "\n".join(lines) + "\n```\n"


def _outside(name: str) -> str:
    return "restore" if name == "__end__" else OUTSIDE.get(name, "others")


def _joined(edges: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    return {(source, target) for source, target in edges if source != target}


@cache
def imports() -> dict[str, set[str]]:
    """Return which rooms each room imports directly, as grimp reads it from the code."""
    import grimp

    graph = grimp.build_graph("gama")
    names = {f"gama.{room}": room for room in ROOMS}
    for name in names:
        if graph.find_children(name):
            graph.squash_module(name)
    reached = {room: graph.find_modules_directly_imported_by(name) for name, room in names.items()}
    return {room: {names[name] for name in found if names.get(name, room) != room} for room, found in reached.items()}


def rooms() -> str:
    """Return the rooms with their imports; an arrow that others make up for is left out."""
    arrows = [(room, other) for room in ROOMS for other in ROOMS if other in imports()[room]]
    for arrow in list(arrows):
        others = [other for other in arrows if other != arrow]
        if _reaches(others, *arrow):
            arrows = others
    lines = [f"  {_id(room)}[{room.replace('.', '/')}]" for room in ROOMS]
    lines += [f"  {_id(room)} --> {_id(other)}" for room, other in arrows]
    return "```mermaid\nflowchart TD\n" + "\n".join(lines) + "\n```\n"


def _reaches(arrows: Sequence[tuple[str, str]], source: str, target: str) -> bool:
    seen, waiting = {source}, [source]
    while waiting:
        here = waiting.pop()
        new = {other for room, other in arrows if room == here} - seen
        if target in new:
            return True
        seen |= new
        waiting += new
    return False


def _id(room: str) -> str:
    # Mermaid reads a bare `graph` as a word of its own language.
    return "room_" + room.replace(".", "_")


PARTS: dict[str, Callable[[], str]] = {
    "letter": letter, "small graph": small_graph, "whole graph": whole_graph, "rooms": rooms,
}  # fmt: skip


def made(text: str) -> str:
    """Return a page with its parts made anew."""
    return PART.sub(lambda found: f"{found[1]}\n{PARTS[found[2]]()}\n{found[4]}", text)


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(made(page.read_text(encoding="utf-8")), encoding="utf-8")
