"""Table for the recognizer `blood_type`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("blood type: AB-", "AB-"),
    ("Blutgruppe 0+", "0+"),
]

LEFT_ALONE = [
    "I got an A+ in maths",
    "vitamin B",
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_found(find: Finder, text: str, value: str) -> None:
    assert value in [found for found, _ in find("blood_type", text)]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("blood_type", text) == []
