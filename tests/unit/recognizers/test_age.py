"""Table for the recognizer `age`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("a 34-year-old", "34-year-old"),
    ("she is 34 years old", "34 years old"),
    ("aged 71,", "71"),
    ("34yo nurse", "34yo"),
    ("34 Jahre alt", "34 Jahre alt"),
]

LEFT_ALONE = [
    "page 34",
    "34 years of work",
    "aged cheddar",
    "I'm 100% sure",
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_found(find: Finder, text: str, value: str) -> None:
    assert value in [found for found, _ in find("age", text)]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("age", text) == []
