"""`gama forget`: erase a conversation."""

from typing import Annotated

import typer

from gama.serve import choices


def forget(
    thread: Annotated[str, typer.Argument(help="The thread, as `gama ask` printed it.")], home: choices.Home = None
) -> None:
    """Erase a thread: its key first, then its checkpoints. Nothing of it can be read afterwards."""
    from gama.graph.client import Gama
    from gama.state.errors import InputError
    from gama.state.options import Options

    gama = Gama(Options(), home=home)
    try:
        known = gama.forget(thread)
    finally:
        gama.close()
    if not known:
        raise InputError(f"There is no thread {thread!r} here. See `gama doctor` for where data lies.")
    print(f"forgotten: {thread}")
