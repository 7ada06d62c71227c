"""Table for the recognizer `coordinates`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("at 45.9871 N, 7.7013 E.", "45.9871 N, 7.7013 E"),
    ("12°26'N 043°24'E", "12°26'N 043°24'E"),
    ("-33.8688, 151.2093", "-33.8688, 151.2093"),
    ("///slurs.this.shark is my front door", "///slurs.this.shark"),
]

LEFT_ALONE = [
    "3.14, 2.72",
    "95.12345, 10.12345",
    "20 °C",
    "see /usr/lib.so.old and https:///a.b.c.d",
    "12.50, 13.50",
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_found(find: Finder, text: str, value: str) -> None:
    assert value in [found for found, _ in find("coordinates", text)]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("coordinates", text) == []
