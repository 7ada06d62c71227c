"""`gama forget`: erase conversations."""

from typing import Annotated

import typer

from gama.serve import choices


def forget(
    thread: Annotated[str | None, typer.Argument(help="The thread, as `gama ask` printed it.")] = None,
    older_than: Annotated[
        str | None, typer.Option(help="Erase all threads that were not used for so long: 30d, 12h, 90m, 2w.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list what --older-than would erase.")] = False,
    full: Annotated[
        bool, typer.Option("--full", help="On PostgreSQL, rewrite the tables; they are locked meanwhile.")
    ] = False,
    home: choices.Home = None,
    store: choices.Store = None,
) -> None:
    """Erase a thread, or those not used for long: keys first, then checkpoints, then the space that they had.

    Nothing of it can be read afterwards, wherever a copy of the checkpoints lies. Needs no master key.
    """
    from gama.graph.client import Gama
    from gama.guard.terminal import say
    from gama.state.errors import InputError, OptionError
    from gama.state.options import Options

    if (thread is None) == (older_than is None):
        raise OptionError("name one thread, or an age: gama forget THREAD, gama forget --older-than 30d")
    gama = Gama(Options(), home=home, store=store)
    try:
        chosen = gama.older_than(older_than) if older_than is not None else [str(thread)]
        for name in chosen:
            if dry_run:
                print(f"would be forgotten: {name}")
            elif gama.forget(name):
                print(f"forgotten: {name}")
            elif older_than is None:
                raise InputError(f"There is no thread {name!r} here. See `gama doctor` for where data lies.")
        if not chosen:
            say(f"note: no thread was last used more than {older_than} ago")
        elif not dry_run:
            outcome = gama.compact(full=full)
            say(f"note: {outcome.text}")
    finally:
        gama.close()
