"""Table for the recognizer `document_id`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("passport E11804427", "E11804427", "passport"),
    ("Reisepass-Nr.: C4F7KJ291", "C4F7KJ291", "passport"),
    ("driver's license: D12345678", "D12345678", "drivers_license"),
    ("Employee ID is AB123456", "AB123456", "employee_id"),
    ("student no. 21340087", "21340087", "student_id"),
    ("account number: 123456789012", "123456789012", "bank_account"),
    ("cuenta 1234567890", "1234567890", "bank_account"),
    ("passport we hold, 533 901 284", "533 901 284", "passport"),
    ("passport 533 901 284. UK visa", "533 901 284", "passport"),
    ("sort code 30-94-57", "30-94-57", "other_id"),
    ("Dues of £12 to 40-22-19 81930044.", "40-22-19 81930044", "bank_account"),
]

LEFT_ALONE = [
    "passport control",
    "on account of rain",
    "passport expires 12.05.2031",
    "E11804427",
    "21340087",
    "40-22-19 8193004417",
]


@pytest.mark.parametrize(("text", "value", "subtype"), FOUND)
def test_found(find: Finder, text: str, value: str, subtype: str) -> None:
    assert (value, subtype) in find("document_id", text)


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("document_id", text) == []
