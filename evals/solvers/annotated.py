"""The private strings that a data set has annotated, for methods that are told what is private."""

import re
from collections.abc import Callable, Iterable, Mapping

from gama.evals.datasets.problem import Problem

NOTHING = "the data set annotates nothing private: nothing was held back"


def private_values(problem: Problem) -> dict[str, tuple[str, ...]]:
    """Return the annotated private strings of a problem by category; nothing where the data set has none."""
    given = problem.facts.get("private") or {}
    by_category: Mapping[str, Iterable[str]] = given if isinstance(given, Mapping) else {"private": given}
    found = {
        category: tuple(dict.fromkeys(value.strip() for value in values if value.strip()))
        for category, values in by_category.items()
    }
    return {category: values for category, values in found.items() if values}


def pattern_of(values: Iterable[str]) -> str:
    """Return a regular expression of the values, the longest first, as whole words with any white space in them."""
    longest = sorted(values, key=lambda value: (-len(value), value))
    each = (r"\s+".join(map(re.escape, value.split())) for value in longest)
    return rf"(?<!\w)(?:{'|'.join(each)})(?!\w)"


def replaced(text: str, values: Mapping[str, Iterable[str]], word: Callable[[str], str]) -> str:
    """Return a text with all values replaced, in one pass, the longest first.

    Args:
        text: the text.
        values: by category.
        word: gives what stands in the place of a value of a category.
    """
    category = {" ".join(value.split()).casefold(): name for name, some in values.items() for value in some}
    if not category:
        return text

    def word_for(match: re.Match[str]) -> str:
        # Folding may change a letter that the search held for the same one, such as a final sigma.
        return word(category.get(" ".join(match[0].split()).casefold(), "private"))

    return re.sub(pattern_of(category), word_for, text, flags=re.IGNORECASE)
