"""Table for the recognizer `person_small`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("ask nguyen thi lan for the keys", ("nguyen thi lan", "full_name")),
    ("is do van hung right?", ("do van hung", "full_name")),
    ("i sit next to dang thu ha in class", ("dang thu ha", "full_name")),
    ("Minutes: AJ to chase the supplier", ("AJ", "initials")),
    ("- TW to book the room", ("TW", "initials")),
    ("C. M. aus der Buchhaltung hat den Beleg.", ("C. M.", "initials")),
    ("J. R. owes me forty quid.", ("J. R.", "initials")),
]

LEFT_ALONE = [
    "do my best",
    "ho ho ho",
    "he had a le man long day",
    "HR to confirm by Friday",
    "The U. S. owes more than before.",
    "convert CSV to print",
    "do van drivers need a licence?",
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_found(find: Finder, text: str, value: tuple[str, str]) -> None:
    assert find("person_small", text) == [value]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("person_small", text) == []
