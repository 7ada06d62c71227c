"""Table for the recognizer `person_title`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("check for Mr G Papadimitriou-Rees, please", "G Papadimitriou-Rees"),
    ("thanks to Chief Wisdom for patience", "Wisdom"),
    ("bei Familie Rehmann gegenüber", "Rehmann"),
    ("Dr. J. R. Smith-Jones came", "J. R. Smith-Jones"),
    ("Dear Mr. Okafor,", "Okafor"),
    ("seen by Dr. Anna van der Berg today", "Anna van der Berg"),
    ("Herr Müller kommt", "Müller"),
    ("Mrs O'Neill's dog", "O'Neill"),
    ("MRS JANE DOE", "JANE DOE"),
]

LEFT_ALONE = [
    "Miss you lots",
    "Dr. The",
    "Don't go",
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_found(find: Finder, text: str, value: str) -> None:
    assert value in [found for found, _ in find("person_title", text)]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("person_title", text) == []
