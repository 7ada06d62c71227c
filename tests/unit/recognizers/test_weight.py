"""Table for the recognizer `weight`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("she weighs 72 kg", "72 kg"),
    ("weight: 180 lbs", "180 lbs"),
]

LEFT_ALONE = [
    "2 kg of apples",
    "a 5kg bag",
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_found(find: Finder, text: str, value: str) -> None:
    assert value in [found for found, _ in find("weight", text)]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("weight", text) == []
