"""Who is named beside somebody private, names whose letters stand apart, titles, and addresses in Cyrillic."""

import pytest

from gama import Anonymizer


def hidden(text: str) -> set[str]:
    return {one.text for one in Anonymizer().anonymize(text).entities if one.hidden}


def test_who_is_named_beside_somebody_private_goes():
    text = "Hi Ben,\nI paid on 3rd Feb from account 60-83-71 / 00011222. Who is dealing with this, Ben or Folasade?\nH."
    assert {"Ben", "Folasade"} <= hidden(text)
    assert hidden("Is Paris or Rome nicer in May?") == set()


@pytest.mark.parametrize("text", ["N a m e : O l u m i d e   A d e y e m i.", "I am O l u m i d e   A d e y e m i now"])
def test_a_name_whose_letters_stand_apart_goes(text):
    assert "O l u m i d e   A d e y e m i" in hidden(text)


def test_letters_that_stand_apart_and_name_nobody_stay():
    assert not [found for found in hidden("Choose A B C D or a b c d e.") if " " in found]


def test_a_title_is_no_name():
    assert hidden("Is it normal that my landlord Mr. Abiodun Falana keeps coming in?") == {"Abiodun Falana"}


@pytest.mark.parametrize(
    "address",
    [
        "ул. Мира, д. 5, кв. 12",
        "улица Академика Королёва 12",
        "Ленинский проспект, д. 30, кв. 8",
        "вул. Хрещатик, буд. 22, кв. 4",
        "пр-т Ленина, 7/2",
    ],
)
def test_an_address_in_cyrillic_goes_whole(address):
    assert address in hidden(f"Здравствуйте, проживаю: г. Тула, {address}. Помогите составить жалобу.")


def test_a_street_without_a_house_is_no_address():
    assert not [one for one in hidden("Когда построили улицу Арбат в Москве?") if "Арбат" in one]
