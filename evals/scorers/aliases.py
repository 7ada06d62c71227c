"""Whether an answer holds one of several accepted names: two definitions, of which figures are never mixed."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from gama.evals.scorers.base import Marks


def has_substring(answer: str, aliases: Iterable[str]) -> bool:
    """Return whether an alias stands in an answer as it is written, but for case (the definition of SPP)."""
    said = answer.lower()
    return any(alias.lower() in said for alias in aliases)


def has_words(answer: str, aliases: Iterable[str]) -> bool:
    """Return whether all words of an alias stand in an answer, wherever (the definition of GAMA's code).

    A word may go on with letters (`art` in `artist`). If one of the words is a number, all must be whole, or have the
    ending of an ordinal (`12th`). Looser than a substring: `New cars in York` has `New York`.
    """
    return any(patterns and all(one.search(answer) for one in patterns) for patterns in map(_patterns, aliases))


@lru_cache(maxsize=4096)
def _patterns(alias: str) -> tuple[re.Pattern[str], ...]:
    words = alias.split()
    end = r"(?:st|nd|rd|th)?\b" if any(word.isnumeric() for word in words) else r"[a-zA-Z]*s?\b"
    return tuple(re.compile(rf"\b{re.escape(word)}{end}", re.IGNORECASE) for word in words)


def by_substring(answers: Sequence[Sequence[str]], answer: str) -> Marks:
    """Return how many questions are answered by a substring."""
    return Marks(sum(has_substring(answer, aliases) for aliases in answers), len(answers))


def by_words(answers: Sequence[Sequence[str]], answer: str) -> Marks:
    """Return how many questions are answered by words."""
    return Marks(sum(has_words(answer, aliases) for aliases in answers), len(answers))
