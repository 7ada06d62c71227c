"""Table for the recognizer `number_spoken`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("the PIN is four eight zero two", "four eight zero two"),
    ("call oh seven seven double three one", "oh seven seven double three one"),
    ("my card ends in twenty-seven one", "twenty-seven one"),
    ("born twenty-seven one eighty-four", "twenty-seven one eighty-four"),
    ("reg whiskey romeo six one, then kilo papa x-ray.", "whiskey romeo six one, then kilo papa x-ray"),
    ("the plate was LB, seventeen, Z for zebra, D", "LB, seventeen, Z for zebra, D"),
    ("meine Nummer: null eins sieben sechs vier null drei", "null eins sieben sechs vier null drei"),
    ("ARAMAK ICIN SIFIR BES YUZ OTUZ UC, KIRK STOP", "SIFIR BES YUZ OTUZ UC, KIRK"),
]

LEFT_ALONE = [
    "count one two three four five",
    "five four three two one, lift-off",
    "two cats, three dogs, four birds",
    "the film ends in two days",
    "read twenty one thirty two aloud",
    "nineteen eighty four by Orwell",
    "wir zählen eins zwei drei vier fünf sechs sieben",
    "cuatro cinco seis siete ocho nueve y ya",
    "the hotel in India, in November",
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_found(find: Finder, text: str, value: str) -> None:
    assert find("number_spoken", text) == [(value, "other_id")]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("number_spoken", text) == []
