"""Table for the recognizer `height`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("I'm 1,74 m tall", "1,74 m"),
    ("181 cm", "181 cm"),
    ("5'11\" tall", "5'11\""),
]

LEFT_ALONE = [
    "a 300 cm beam",
    "2.50 m x 1.20 m",
    "2'30\" lap",
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_found(find: Finder, text: str, value: str) -> None:
    assert value in [found for found, _ in find("height", text)]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("height", text) == []
