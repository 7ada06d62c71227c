"""Table for the recognizer `street_address`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("at 11 Mercy Lane, Ludlow", "11 Mercy Lane"),
    ("Flat 6, 19 Mafeking Road", "Flat 6, 19 Mafeking Road"),
    ("2208 E SORREL DR APT 3", "2208 E SORREL DR APT 3"),
    ("wohnt Lindenstraße 41", "Lindenstraße 41"),
    ("14 rue Ibn Jazzar", "14 rue Ibn Jazzar"),
    ("calle Amor de Dios 19", "calle Amor de Dios 19"),
    ("Via dei Glicini 7, interno 4", "Via dei Glicini 7, interno 4"),
    ("ul. Długa 5 m. 3", "ul. Długa 5 m. 3"),
    ("Prinsengracht 263", "Prinsengracht 263"),
    ("rua Augusta 100", "rua Augusta 100"),
    ("P.O. Box 1187", "P.O. Box 1187"),
]

LEFT_ALONE = [
    "3 people in the street",
    "send it via e-mail",
    "place 3 bets",
    "2 close calls",
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_found(find: Finder, text: str, value: str) -> None:
    assert value in [found for found, _ in find("street_address", text)]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("street_address", text) == []
