"""On the terminal: what a text still reveals, and the changes of a refinement, to be taken or left."""

import sys
from collections.abc import Sequence

from gama.guard.terminal import clean, say
from gama.privacy.refining.changes import Change
from gama.privacy.refining.engine import Revealed
from gama.state.errors import ReviewStopped

YES, NO, ALL, QUIT = ("", "y", "yes"), ("n", "no"), ("a", "all"), ("q", "quit")
"""What may be answered."""


def tell_attack(revealed: Sequence[Revealed]) -> None:
    """Show on the standard error stream what a text gives away: the text alone goes where it is sent."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    if not revealed:
        say("note: an attacker infers nothing from the text")
        return
    table = Table("What", "Best guess", "Certain", "Sentences responsible", box=SIMPLE_HEAD, pad_edge=False)
    for one in revealed:
        guess, sentences = one.guesses[0], "\n".join(one.sentences) or one.reason
        table.add_row(*(Text(clean(cell)) for cell in (one.attribute, guess, f"{one.certainty} of 5", sentences)))
    Console(stderr=True, highlight=False).print(table)


def ask_changes(changes: Sequence[Change]) -> list[bool]:
    """Show each change and ask on standard input whether it is taken.

    Returns:
        For each change whether it is.

    Raises:
        ReviewStopped: the answer was to stop, or there was none.
    """
    taken: list[bool] = []
    for number, change in enumerate(changes, 1):
        say(f"change {number} of {len(changes)}")
        for sign, text in (("-", change.before), ("+", change.after)):
            for line in text.splitlines():
                say(f"{sign} {line}")
        said = _answer()
        if said in ALL:
            return [*taken, *[True] * (len(changes) - len(taken))]
        taken.append(said in YES)
    return taken


def _answer() -> str:
    while True:
        print("take it? yes, no, all that follow, quit [y/n/a/q] ", end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        said = line.strip().lower()
        if not line or said in QUIT:
            raise ReviewStopped("The review was stopped. Nothing is shown or written.")
        if said in (*YES, *NO, *ALL):
            return said
        say("answer y, n, a or q")
