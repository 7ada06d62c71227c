"""`gama box`: take the box of a conversation out, for `gama restore`."""

from pathlib import Path
from typing import Annotated

import typer

from gama.serve import choices


def box(
    thread: Annotated[str, typer.Argument(help="The thread, as `gama ask` printed it.")],
    file: Annotated[Path, typer.Argument(help="The file to write.")],
    clear: Annotated[bool, typer.Option("--clear", help="Write it in clear instead of encrypted.")] = False,
    home: choices.Home = None,
    store: choices.Store = None,
) -> None:
    """Write the box of a conversation, its private values with their placeholders, to a file: encrypted."""
    from gama.graph.client import Gama
    from gama.guard.terminal import say
    from gama.state.options import Options

    gama = Gama(Options(), home=home, store=store)
    try:
        taken = gama.box(thread)
    finally:
        gama.close()
    taken.save(file, encrypt=not clear, home=home)
    print(f"{len(taken)} entries: {file}")
    if clear:
        say("note: the file holds private values in clear")
