"""Table for the recognizer `postcode`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("Ludlow SY8 1QP", "SY8 1QP"),
    ("Tulsa OK 74110", "74110"),
    ("apt 6, H2K 4C8", "H2K 4C8"),
    ("Postbus 218, 1970 AE", "1970 AE"),
    ("Lindenstraße 41, 04103 Leipzig", "04103"),
]

LEFT_ALONE = [
    "year 2024 AD",
    "12345",
    "1000 EUR",
    "L-0031 part",
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_found(find: Finder, text: str, value: str) -> None:
    assert value in [found for found, _ in find("postcode", text)]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("postcode", text) == []
