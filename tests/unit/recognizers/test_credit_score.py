"""Table for the recognizer `credit_score`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("my credit score is 742", "742"),
    ("score: 76.5/100", "76.5/100"),
]

LEFT_ALONE = [
    "the score was 3-2",
    "scored 742",
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_found(find: Finder, text: str, value: str) -> None:
    assert value in [found for found, _ in find("credit_score", text)]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("credit_score", text) == []
