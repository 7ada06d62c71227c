"""Table for the recognizer `money`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("£544 a month", "£544 a month"),
    ("CHF 487.30", "CHF 487.30"),
    ("9,800 EUR", "9,800 EUR"),
    ("96 400 euros", "96 400 euros"),
    ("Rs. 4,75,000 gone", "Rs. 4,75,000"),
    ("US$1,204.60", "US$1,204.60"),
    ("raise $12k", "$12k"),
    ("1 240 lv", "1 240 lv"),
    ("1.234,50\xa0€", "1.234,50\xa0€"),
    ("¥12000", "¥12000"),
    ("2,5 Mio. Euro an die Bank", "2,5 Mio. Euro"),
    ("schuldet uns 4.300 Euro", "4.300 Euro"),
    ("320 Franken", "320 Franken"),
]

LEFT_ALONE = [
    "$HOME",
    "12 people",
    'echo "$1"',
    "Q1 results",
    "K9 unit",
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_found(find: Finder, text: str, value: str) -> None:
    assert value in [found for found, _ in find("money", text)]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("money", text) == []


@pytest.mark.parametrize(
    ("text", "subtype"),
    [
        ("my salary is £3,000", "income"),
        ("the rent is £900", "expenses"),
        ("a mortgage of €200,000", "loan"),
        ("the balance is $40.20", "balance"),
        ("a bonus of $3,100", "bonus"),
        ("the credit limit is $18k", "credit_limit"),
        ("I sold it for £20", "amount"),
    ],
)
def test_sums_take_their_kind_from_the_words_around(find: Finder, text: str, subtype: str) -> None:
    assert [kind for _, kind in find("money", text)] == [subtype]
