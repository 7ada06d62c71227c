"""Table for the recognizer `duration`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("acht uur van tevoren nuchter", "acht uur"),
    ("for 11.5 days", "11.5 days"),
    ("fifteen years", "fifteen years"),
    ("took 2h30m", "2h30m"),
]

LEFT_ALONE = [
    "5 years old",
    "5-year-old",
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_found(find: Finder, text: str, value: str) -> None:
    assert value in [found for found, _ in find("duration", text)]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("duration", text) == []
