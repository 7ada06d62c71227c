"""Table for the recognizer `credit_card`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("04.10. Karte 4871           63,18 -", "4871", "credit_card"),
    ("pay 4111 1111 1111 1111 now", "4111 1111 1111 1111", "credit_card"),
    ("5555-5555-5555-4444", "5555-5555-5555-4444", "credit_card"),
    ("amex 378282246310005", "378282246310005", "credit_card"),
    ("**** **** **** 4242", "**** **** **** 4242", "credit_card"),
    ("Card: 5333 17** **** 6608", "5333 17** **** 6608", "credit_card"),
    ("my card ending in 0093", "0093", "credit_card"),
    ("卡号４１１１１１１１１１１１１１１１", "４１１１１１１１１１１１１１１１", "credit_card"),
]

LEFT_ALONE = [
    "4111 1111 1111 1112",  # checksum
    "0000 0000 0000 0000",
    "ISBN 9783161484100",
    "a card game for 4 players",
    "***",
]


@pytest.mark.parametrize(("text", "value", "subtype"), FOUND)
def test_found(find: Finder, text: str, value: str, subtype: str) -> None:
    assert (value, subtype) in find("credit_card", text)


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("credit_card", text) == []
