"""Table for the recognizer `date_of_birth`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("DOB: 09-11-1994", "09-11-1994"),
    ("born on 5 May 1988 in", "5 May 1988"),
    ("née le 3 août 2003", "3 août 2003"),
    ("geboren am 12.03.1975", "12.03.1975"),
    ("Date of birth: July 30, 1990", "July 30, 1990"),
    ("DOB verified 17/08/1979, declined", "17/08/1979"),
    ("出生日期：1990年5月1日", "1990年5月1日"),
]

LEFT_ALONE = [
    "born in Lima",
    "a born leader",
    "12.03.1975",
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_found(find: Finder, text: str, value: str) -> None:
    assert value in [found for found, _ in find("date_of_birth", text)]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("date_of_birth", text) == []
