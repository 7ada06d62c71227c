"""Whose a fact is, by the text around it."""

import pytest

from gama.nodes.private.link import link
from gama.nodes.private.owners import READER, WRITER, Name, Owners
from gama.state.entities import TYPE_OF, Entity


def linked(text: str, **subtypes: str) -> dict[str, str | None]:
    """Mark the given surfaces (`_` for a space) and return the subject of each."""
    entities = []
    for surface, subtype in subtypes.items():
        surface = surface.replace("_", " ")
        at = text.index(surface)
        entities.append(
            Entity(
                text=surface, start=at, end=at + len(surface), type=TYPE_OF[subtype], subtype=subtype,
                views=("pner",), private=True,
            )
        )  # fmt: skip
    found = link(text, sorted(entities, key=lambda e: e.start))
    return {entity.text: entity.subject for entity in found}


def test_the_writer_signs():
    text = "Dear Ms Okafor,\n\nI am a welder and earn 3,100 EUR. Your visit on 4 May suits me.\n\nRegards,\nTomasz Wilk"
    found = linked(text, Okafor="last_name", welder="occupation", **{"3,100_EUR": "income", "4_May": "date"},
                   Tomasz_Wilk="full_name")  # fmt: skip
    assert found["welder"] == found["3,100 EUR"] == found["Tomasz Wilk"] != found["Okafor"]
    assert found["4 May"] == found["Okafor"]


def test_a_writer_without_a_name_is_somebody():
    found = linked("I am 34. My boss Lena is 51.", Lena="first_name", **{"34": "age", "51": "age"})
    assert found["Lena"] == found["51"] != found["34"] is not None


def test_kin_without_a_name():
    found = linked("Ana writes. My father has gout. I have asthma.", Ana="first_name", gout="medical_condition",
                   asthma="medical_condition")  # fmt: skip
    assert len({found["Ana"], found["gout"]}) == 2
    assert found["gout"] != found["asthma"]


def test_kin_with_a_name_is_that_person():
    found = linked("My sister Ines is a pilot.", Ines="first_name", pilot="occupation")
    assert found["Ines"] == found["pilot"]


def test_pronouns_mean_the_last_person_spoken_of():
    found = linked("Bo met Ada. She is 40.", Bo="first_name", Ada="first_name", **{"40": "age"})
    assert found["40"] == found["Ada"]


def test_speakers_of_a_chat():
    text = "Mira: I live in Graz\nPavel: and I moved to Brno\nMira: ok"
    found = linked(text, Mira="first_name", Graz="city", Pavel="first_name", Brno="city")
    assert found["Graz"] == found["Mira"] and found["Brno"] == found["Pavel"]


def test_an_office_is_nobody():
    text = "Applicant: Otto Brandt\nWe need your form by 3 June. Our file is K-114."
    found = linked(text, Otto_Brandt="full_name", **{"3_June": "date", "K-114": "case_number"})
    assert set(found.values()) == {found["Otto Brandt"]}


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("Ruiz, Ana called. Ana Ruiz left.", "Ruiz, Ana", "Ana Ruiz"),
        ('Earl "Tater" Boudreaux won; Tater cheered.', 'Earl "Tater" Boudreaux', "Tater cheered"[:5]),
    ],
)
def test_two_forms_of_a_name(text, first, second):
    marks = [
        (text.index(first), first, "full_name"),
        (text.rindex(second), second, "full_name" if " " in second else "nickname"),
    ]
    entities = [
        Entity(text=s, start=at, end=at + len(s), type="PER", subtype=sub, views=("pner",), private=True)
        for at, s, sub in marks
    ]
    one, two = link(text, entities)
    assert one.subject == two.subject


def test_halves_of_a_name_in_a_form():
    found = linked("Surname: DOE\nGiven name: JANE\nBorn: 1990", DOE="last_name", JANE="first_name",
                   **{"1990": "date_of_birth"})  # fmt: skip
    assert len(set(found.values())) == 1


def test_nobody_named():
    assert Owners("The total is 4.", []).owner(13) is None
    assert Owners("I owe 4.", []).owner(6) == WRITER
    assert Owners("You owe 4.", []).owner(8) == READER
    assert Owners("Ana owes 4.", [Name(0, 3, "A")]).owner(9) == "A"
