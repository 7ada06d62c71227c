"""Table for the recognizer `device_id`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("VIN 1FMCU0GX4EUB71952, 88,410 mi", "1FMCU0GX4EUB71952"),
    ("Fahrgestell-Nr: TMBJJ7NE9H0183627", "TMBJJ7NE9H0183627"),
    ("scrapped: WVWZZZ1JZ3W386752 in May", "WVWZZZ1JZ3W386752"),
    ("IMEI 356938035643809", "356938035643809"),
    ("laptop serial C02XL0GZJGH6", "C02XL0GZJGH6"),
    ("id 123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a456-426614174000"),
]

LEFT_ALONE = [
    "serial killer",
    "the serial is broken",
    "asset management",
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_found(find: Finder, text: str, value: str) -> None:
    assert value in [found for found, _ in find("device_id", text)]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("device_id", text) == []
