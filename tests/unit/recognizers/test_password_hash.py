"""Table for the recognizer `password_hash`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    (
        "aaab1c2d3e4f5b1c2d3e4f5b1c2d3e4f5b1c2d3e4f5b1c2d3e4f5b1c2d3e4f59",
        "aaab1c2d3e4f5b1c2d3e4f5b1c2d3e4f5b1c2d3e4f5b1c2d3e4f5b1c2d3e4f59",
    ),
    ("hash 5f4dcc3b5aa765d61d8327deb882cf99", "5f4dcc3b5aa765d61d8327deb882cf99"),
]

LEFT_ALONE = [
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "9fceb02",
    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "1111111111111111111111111111111111111111",
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_found(find: Finder, text: str, value: str) -> None:
    assert value in [found for found, _ in find("password_hash", text)]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("password_hash", text) == []
