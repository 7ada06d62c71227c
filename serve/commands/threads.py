"""`gama box` and `gama forget`: take the box of a conversation out, for `gama restore`; erase conversations."""

from contextlib import closing
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

    with closing(Gama(Options(), home=home, store=store)) as gama:
        taken = gama.box(thread)
    taken.save(file, encrypt=not clear, home=home)
    print(f"{len(taken)} entries: {file}")
    if clear:
        say("note: the file holds private values in clear")


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
    with closing(Gama(Options(), home=home, store=store)) as gama:
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
