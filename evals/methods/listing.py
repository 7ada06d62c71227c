"""What a private LLM lists for a query, restricted by nothing: PII-Bench T2 as published (spec 03 §3.1).

The product takes of a list only what it knows to be private in the text. Here the list is scored as it is: a string
that is no private value counts as a wrong one.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import NamedTuple

from gama.evals.metrics.subjects import normal
from gama.privacy.finders import Complete
from gama.privacy.level import may_leave
from gama.privacy.select import ask_needed, need_replies, surface_of
from gama.state.entities import Entity
from gama.state.errors import GamaError
from gama.state.options import Options, Strategy

UNREADABLE = "The model gave no readable list for a text: nothing is listed."
"""The note; it quotes nothing."""


class Lister:
    """Asks the private LLM what a query needs of a whole text, in one call."""

    def __init__(
        self, name: str, complete: Complete, strategy: Strategy, votes: int = 1,
        examples: Callable[[str], str] | None = None,
    ) -> None:  # fmt: skip
        """Take the model.

        Args:
            name: as the tables show it.
            complete: asks the model.
            strategy: how the question is put.
            votes: how often; what more than half of the readable lists name is listed.
            examples: gives the worked examples for a text; by default the shipped ones.
        """
        self.name = name
        self._complete, self._strategy, self._votes, self._examples = complete, strategy, votes, examples

    def listed(self, text: str, query: str, candidates: Sequence[str], notes: list[str]) -> list[str]:
        """Return what the model lists.

        Args:
            text: the text.
            query: what is asked.
            candidates: the annotated private values, which `choice` is shown (an oracle, as in the paper).
            notes: gets a line where no list can be read.
        """
        examples = self._examples(text) if self._examples else None
        replies = need_replies(self._complete, text, query, candidates, self._strategy, self._votes, examples)
        if not replies:
            notes.append(UNREADABLE)
        named = Counter(one for items in replies for one in dict.fromkeys(normal(surface_of(item)) for item in items))
        return [one for one, count in named.items() if one and 2 * count > len(replies)]


class Demonstrated:
    """Chooses among mentions as the product does with `auto_cot`, by worked examples of its own model."""

    def __init__(
        self, name: str, about: str, complete: Complete, options: Options, examples: Callable[[str], str]
    ) -> None:
        """Take the model and its examples.

        Args:
            name: as the tables show it.
            about: one line on what it is.
            complete: asks the model.
            options: what may be left in clear, and how often is asked.
            examples: gives the worked examples for a text.
        """
        self.name, self.about = name, about
        self._complete, self._options, self._examples = complete, options, examples

    def needed(self, text: str, query: str, entities: Sequence[Entity]) -> list[Entity]:
        """Return the mentions, those needed that the model names."""
        free = [one for one in entities if one.private and may_leave(one, self._options)]
        surfaces = list(dict.fromkeys(one.text for one in free))
        found = ask_needed(
            self._complete, text, query, surfaces, "auto_cot", [], self._options.select_votes,
            self._examples(text),
        )  # fmt: skip
        return [one.model_copy(update={"needed": one in free and one.text in found}) for one in entities]


class Lists(NamedTuple):
    """What one method listed for all texts."""

    name: str
    lists: list[list[str]]
    seconds: list[float]
    notes: Mapping[str, int]
    """What went otherwise than usual, with the number of texts."""


def list_all(
    lister: Lister, texts: Sequence[tuple[str, str, str, Sequence[str]]], step: Callable[[str], None]
) -> Lists:
    """Let a lister list for all texts.

    Args:
        lister: does it.
        texts: id, text, query and annotated private values of each.
        step: told after each text.

    Raises:
        GamaError: a text cannot be done; the message names it.
    """
    lists: list[list[str]] = []
    seconds: list[float] = []
    noted: Counter[str] = Counter()
    for identity, text, query, candidates in texts:
        notes: list[str] = []
        began = perf_counter()
        try:
            lists.append(lister.listed(text, query, candidates, notes))
        except GamaError as error:
            raise type(error)(f"{lister.name}, text {identity!r}: {error}") from None
        seconds.append(perf_counter() - began)
        noted.update(set(notes))
        step(lister.name)
    return Lists(lister.name, lists, seconds, noted)
