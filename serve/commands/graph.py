"""`gama graph`: the drawn graph."""

from typing import Annotated

import typer


def graph(which: Annotated[str, typer.Argument(help="gama (the whole) or public.")] = "gama") -> None:
    """Print a graph as Mermaid text, drawn from the graph itself."""
    from gama.serve.drawing import draw

    print(draw(which))
