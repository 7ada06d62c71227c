"""Table for the recognizer `date`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("on 2024-11-05 we", "2024-11-05"),
    ("17.06.2024", "17.06.2024"),
    ("08/22/2025", "08/22/2025"),
    ("Thursday 9 May", "Thursday 9 May"),
    ("the 14th of May 2021", "14th of May 2021"),
    ("June 5th, 2024", "June 5th, 2024"),
    ("le 1er mars 2020", "1er mars 2020"),
    ("am 7. Oktober 2023", "7. Oktober 2023"),
    ("21 de abril de 2020", "21 de abril de 2020"),
    ("3 września 2024", "3 września 2024"),
    ("3.ix.1938", "3.ix.1938"),
    ("2, 9 and 16 February", "2, 9 and 16 February"),
    ("出院2024年3月5日", "2024年3月5日"),
    ("since June 2023", "June 2023"),
    ("since 1998", "1998"),
    ("by Friday", "Friday"),
]

LEFT_ALONE = [
    "24/7",
    "version 1.2.3.4",
    "he may go",
    "a march of 3",
    "20-20-20",
    "the 3rd party",
    "the 19th century",
    "room 2019",
    "9/10 stars",
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_found(find: Finder, text: str, value: str) -> None:
    assert value in [found for found, _ in find("date", text)]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("date", text) == []
