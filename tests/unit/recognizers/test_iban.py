"""Table for the recognizer `iban`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("to DE89 3704 0044 0532 0130 00 please", "DE89 3704 0044 0532 0130 00", "iban"),
    ("GB29NWBK60161331926819", "GB29NWBK60161331926819", "iban"),
    ("IBAN: DE00 1234 5678 9012 3456 78", "DE00 1234 5678 9012 3456 78", "iban"),
    ("BIC: COBADEFFXXX", "COBADEFFXXX", "other_id"),
]

LEFT_ALONE = [
    "DE89370400440532013001x",
    "AB12 is a room",
]


@pytest.mark.parametrize(("text", "value", "subtype"), FOUND)
def test_found(find: Finder, text: str, value: str, subtype: str) -> None:
    assert (value, subtype) in find("iban", text)


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("iban", text) == []
