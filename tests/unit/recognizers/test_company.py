"""Table for the recognizer `company`: names with their legal form, and no word of the sentence before them."""

from collections.abc import Callable

import pytest

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("Die Müller KG schuldet uns 4.300 Euro.", "Müller KG"),
    ("Brief an die Firma Müller KG: Zahlung", "Müller KG"),
    ("Nous devons 3 200 € à la société Durand SARL avant le 30/06.", "Durand SARL"),
    ("Ich arbeite bei der Schreiner & Sohn GmbH & Co. KG in Kassel.", "Schreiner & Sohn GmbH & Co. KG"),
    ("We owe Brightwell Holdings Pty Ltd.", "Brightwell Holdings Pty Ltd"),
    ("I left eBay Inc. in May", "eBay Inc."),
    ("fattura di Rossi e Figli S.r.l. del 3 maggio", "Rossi e Figli S.r.l."),
    ("umowa z Zielony Las Sp. z o.o., Kraków", "Zielony Las Sp. z o.o."),
    ("Hedlund Bygg AB har fakturerat", "Hedlund Bygg AB"),
    ("From Acme, Inc. to us", "Acme, Inc."),
    ("Dear Northgate Solicitors LLP,", "Northgate Solicitors LLP"),
    ("3B Fibreglass Ltd", "3B Fibreglass Ltd"),
]

LEFT_ALONE = [
    "5 KG of flour",
    "weigh 80 KG",
    "BLOOD GROUP AB",
    "The Limited edition",
    "AG",
    "it is limited",
    "the AG of Texas",
    "plan AS agreed",
    "Our LLC",
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_found(find: Finder, text: str, value: str) -> None:
    assert value in [found for found, _ in find("company", text)]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("company", text) == []
