"""Table for the recognizer `time`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("at 14:02", "14:02"),
    ("22:47:31", "22:47:31"),
    ("4-7 p.m.", "4-7 p.m."),
    ("at 6pm", "6pm"),
    ("17.30 Uhr", "17.30 Uhr"),
    ("half past ten", "half past ten"),
]

LEFT_ALONE = [
    "ratio 16:9",
    "scale 1:25,000",
    "3 ampere",
    "4.5 per cent",
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_found(find: Finder, text: str, value: str) -> None:
    assert value in [found for found, _ in find("time", text)]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("time", text) == []
