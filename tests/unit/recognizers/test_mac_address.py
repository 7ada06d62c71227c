"""Table for the recognizer `mac_address`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("MAC 3C:A9:F4:11:0E:7B", "3C:A9:F4:11:0E:7B"),
    ("00-1b-44-11-3a-b7", "00-1b-44-11-3a-b7"),
]

LEFT_ALONE = [
    "00:00:00:00:00:00",
    "3C:A9:F4:11:0E",
    "12:34:56",
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_found(find: Finder, text: str, value: str) -> None:
    assert value in [found for found, _ in find("mac_address", text)]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("mac_address", text) == []
