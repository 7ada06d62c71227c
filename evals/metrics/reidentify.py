"""An LLM that tries to undo the hiding: it sees what left, and nothing else.

Two attacks. *Guessing*: for each placeholder up to three values that it may stand for. *Picking*: which of several
people, each with what is known of them, the texts are about. A reply that cannot be read is no guess; it is counted,
and told beside the figures, never as a failure of the attack. Figures belong to their attacker, by its id.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from langchain_core.language_models import BaseChatModel

from gama.evals.metrics.entities import surface
from gama.evals.metrics.judges import Judge, cued
from gama.evals.metrics.spans import Share
from gama.models.json_replies import object_at

GUESSES = 3
"""Guesses that count for one placeholder."""

NEAR = 0.75
"""Likeness above which a guess is near its value (the rule of adversarial anonymization, spec 04 §4.1)."""


class Guessed(NamedTuple):
    """What guesses hit, of the placeholders of one task, or, added up, of many."""

    first: Share = Share()
    """The likeliest guess is the value."""
    any: Share = Share()
    """One of three is."""
    near: Share = Share()
    """One of three is the value or near it."""

    def plus(self, other: "Guessed") -> "Guessed":
        """Return the sum of the two."""
        return Guessed(*(mine.plus(theirs) for mine, theirs in zip(self, other, strict=True)))


def guesser(model: BaseChatModel, name: str) -> Judge[dict[str, list[str]]]:
    """Return the attacker that guesses what placeholders stand for."""
    return Judge("reidentify", model, read_guesses, name=name)


def picker(model: BaseChatModel, name: str) -> Judge[int]:
    """Return the attacker that picks a person."""
    return Judge("pick", model, _number, name=name)


def read_guesses(reply: str) -> dict[str, list[str]] | None:
    """Read an object of placeholders and guesses: the last one of a reply; None where there is none."""
    found = None
    at = reply.find("{")
    while at >= 0:
        value, end = object_at(reply, at)
        if value is not None:
            found = value
        at = reply.find("{", max(end, at + 1))
    if found is None:
        return None
    guesses = {}
    for name, given in found.items():
        listed = given if isinstance(given, list) else [given]
        guesses[_plain(name)] = [one for one in listed if isinstance(one, str) and one.strip()][:GUESSES]
    return guesses


def _plain(placeholder: str) -> str:
    """Return a placeholder as guesses are looked up: without brackets, in lower case."""
    return placeholder.strip().strip("<>").casefold()


def _number(reply: str) -> int | None:
    found = re.match(r"(\d{1,6})(?![\w.,-]*\d)", cued(reply, "person") or reply.strip())
    return int(found[1]) if found else None


async def guess(
    attacker: Judge[dict[str, list[str]]], sent: Iterable[str], hidden: Mapping[str, Collection[str]]
) -> Guessed | None:
    """Return what an attacker's guesses hit, or None where its reply cannot be read.

    Args:
        attacker: see `guesser`.
        sent: the texts that left: all that the attacker sees.
        hidden: what each placeholder stands for; the attacker is not told.

    Raises:
        ModelError: the attacker could not be reached or used.
    """
    if not hidden:
        return Guessed()
    found = await attacker.judge({"texts": _texts(sent)})
    return None if found is None else score_guesses(found, hidden)


def score_guesses(guesses: Mapping[str, Sequence[str]], hidden: Mapping[str, Collection[str]]) -> Guessed:
    """Compare guesses with what placeholders stand for."""
    first = any_ = near = 0
    for placeholder, values in hidden.items():
        mine, wanted = guesses.get(_plain(placeholder), ())[:GUESSES], {surface(value) for value in values}
        hits = [surface(one) in wanted for one in mine]
        first += bool(hits) and hits[0]
        any_ += any(hits)
        near += any(hits) or any(likeness(one, value) > NEAR for one in mine for value in wanted)
    return Guessed(*(Share(part, len(hidden)) for part in (first, any_, near)))


async def pick(attacker: Judge[int], sent: Iterable[str], people: Sequence[str], right: int) -> bool | None:
    """Return whether an attacker picks the right person, or None where its reply cannot be read.

    Args:
        attacker: see `picker`.
        sent: the texts that left.
        people: what is known of each; their order should be drawn anew for each task.
        right: the place of the one whom the texts are about.

    Raises:
        ModelError: the attacker could not be reached or used.
    """
    listed = "\n".join(f"{number}. {' '.join(one.split())}" for number, one in enumerate(people, 1))
    found = await attacker.judge({"people": listed, "texts": _texts(sent)})
    if found is None:
        return None
    if not 1 <= found <= len(people):
        attacker.reject()
        return None
    return found == right + 1


def likeness(one: str, other: str) -> float:
    """Return the similarity of Jaro and Winkler of two strings, whatever their case, from 0 to 1.

    As Winkler has it, a common beginning counts where the strings are alike already (above 0.7).
    """
    from rapidfuzz.distance import JaroWinkler

    left, right = surface(one), surface(other)
    if not left or not right:
        return float(left == right)
    return float(JaroWinkler.similarity(left, right))


def _texts(sent: Iterable[str]) -> str:
    return "\n\n---\n\n".join(sent)
