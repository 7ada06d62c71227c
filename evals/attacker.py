"""An LLM attacks anonymized texts that it sees as they left: it guesses what is hidden, and picks whose a text is.

The people it picks from are rows of the table of originals (`evals/risk.py`), the right one among them, drawn anew for
each text.
"""

import asyncio
import re
from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from langchain_core.language_models import BaseChatModel

from gama.evals.datasets.corpus import Dataset
from gama.evals.methods.base import Hidden
from gama.evals.metrics.linkage import Row
from gama.evals.metrics.reidentify import Guessed, guess, guesser, pick, picker
from gama.evals.metrics.spans import Share
from gama.evals.risk import rows_of
from gama.evals.runs import Run
from gama.state.errors import ModelError

PEOPLE = 10
"""People to pick from."""

AT_ONCE = 4
"""Texts under way at a time."""

_PLACEHOLDER = re.compile(r"<[a-z_]+-\d+[a-z]?>")


class Attacked(NamedTuple):
    """What an attacker found out."""

    attacker: str
    """Its id."""
    guessed: Guessed
    """Of placeholders."""
    picked: Share
    """Of texts: whose it is."""
    people: int
    """How many there were to pick from."""
    unreadable: int
    """Replies that gave no guess and no pick; they are in no share."""
    failed: int
    """Texts on which the model could not be reached or used; they are in no share."""


def placeholders_of(text: str, hidden: Hidden) -> dict[str, set[str]]:
    """Return what each placeholder of an anonymized text stands for; empty where the two do not run side by side."""
    found: dict[str, set[str]] = {}
    at = place = 0
    for item in hidden.stretches:
        if not item.private:
            continue
        between = text[at : item.start]
        if not hidden.masked.startswith(between, place):
            return {}
        token = _PLACEHOLDER.match(hidden.masked, place + len(between))
        if token is None:
            return {}
        found.setdefault(token[0], set()).add(text[item.start : item.end])
        at, place = item.end, token.end()
    return found if hidden.masked[place:] == text[at:] else {}


def attack(
    dataset: Dataset,
    run: Run,
    sample: Sequence[int],
    model: BaseChatModel,
    name: str,
    *,
    seed: int = 0,
    step: Callable[[str], None] = lambda name: None,
) -> Attacked:
    """Attack some of the texts that a method anonymized.

    Args:
        dataset: the originals.
        run: what the method did to them.
        sample: which texts are attacked, by their places.
        model: the attacker.
        name: its name, as it was asked for.
        seed: of the people to pick from.
        step: told the method's name after each text.
    """
    guesses, picks = guesser(model, name), picker(model, name)
    rows = rows_of(dataset)
    slots = asyncio.Semaphore(AT_ONCE)
    people = min(PEOPLE, len(rows))

    async def one(at: int) -> tuple[Guessed | None, bool | None] | None:
        hidden = run.hidden[at]
        generator = Random(f"{seed}-{at}")
        some = [at, *generator.sample([other for other in range(len(rows)) if other != at], people - 1)]
        generator.shuffle(some)
        listed = [told(rows[other]) for other in some]
        async with slots:
            try:
                guessed = await guess(
                    guesses, [hidden.masked], placeholders_of(dataset.records[at].example.text, hidden)
                )
                picked = await pick(picks, [hidden.masked], listed, some.index(at))
            except ModelError:
                return None
            finally:
                step(run.name)
        return guessed, picked

    async def everything() -> list[tuple[Guessed | None, bool | None] | None]:
        return await asyncio.gather(*map(one, sample))

    done = asyncio.run(everything())
    total, right, tried = Guessed(), 0, 0
    for outcome in done:
        if outcome is not None:
            total = total.plus(outcome[0] or Guessed())
            right, tried = right + (outcome[1] is True), tried + (outcome[1] is not None)
    unreadable = guesses.unreadable + picks.unreadable
    return Attacked(guesses.id, total, Share(right, tried), people, unreadable, done.count(None))


def told(row: Row) -> str:
    """Return what is known of a person as the attacker is told it."""
    parts = [f"{kind}: {', '.join(sorted(values))}" for kind, values in sorted(row.items()) if values]
    return "; ".join(parts) or "nothing is known"
