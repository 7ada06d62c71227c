"""Table for the recognizer `percentage`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("our debt ratio is 62.6 %", "62.6 %"),
    ("ROI of 41 percent", "41 percent"),
]

LEFT_ALONE = [
    "20 % of voters",
    "hotel%20name returns",
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_found(find: Finder, text: str, value: str) -> None:
    assert value in [found for found, _ in find("percentage", text)]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("percentage", text) == []
