"""Table for the recognizer `vehicle_plate`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("plate BV12 KLO", "BV12 KLO"),
    ("Kennzeichen: OL-WH 60H", "OL-WH 60H"),
    ("red corsa BV12 KLO left", "BV12 KLO"),
    ("hit a parked one (BX21 LOU).", "BX21 LOU"),
]

LEFT_ALONE = [
    "the plate is full",
    "registration is open",
    "car 4",
    "PLATE",
    "due AB12 MAY",
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_found(find: Finder, text: str, value: str) -> None:
    assert value in [found for found, _ in find("vehicle_plate", text)]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("vehicle_plate", text) == []
