"""Table for the recognizer `crypto_wallet`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"),
    ("to bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"),
    ("0x7aF3b19C0e6D52f8A41bE93dC07752e1F0a8B6c4", "0x7aF3b19C0e6D52f8A41bE93dC07752e1F0a8B6c4"),
]

LEFT_ALONE = [
    "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb",
    "0x1234",
    "bc1",
    "LloremIpsumDolorSitAmetConsectetur",
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_found(find: Finder, text: str, value: str) -> None:
    assert value in [found for found, _ in find("crypto_wallet", text)]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("crypto_wallet", text) == []
