"""Whose a fact is, by the text around it."""

import pytest

from gama.models import weighing
from gama.models.weighing import owner_weights
from gama.privacy.attribution import SOMEONE, Fact, Whose
from gama.privacy.link import link
from gama.privacy.owners import READER, WRITER, Name
from gama.state.entities import TYPE_OF, Entity
from gama.state.errors import ModelUnreachable


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
    text = "Dear Ms Okafor,\n\nI am a welder and earn 3,100 EUR. I was born on 4 May 1990.\n\nRegards,\nTomasz Wilk"
    found = linked(text, Okafor="last_name", welder="occupation",
                   **{"3,100_EUR": "income", "4_May_1990": "date_of_birth"}, Tomasz_Wilk="full_name")  # fmt: skip
    assert found["welder"] == found["3,100 EUR"] == found["4 May 1990"] == found["Tomasz Wilk"] != found["Okafor"]


def test_what_is_written_to_the_reader_is_hers():
    text = "Dear Ms Okafor,\n\nYou are 52 and your diabetes is well controlled.\n\nRegards,\nTomasz Wilk"
    found = linked(text, Okafor="last_name", diabetes="medical_condition", **{"52": "age"}, Tomasz_Wilk="full_name")
    assert found["diabetes"] == found["52"] == found["Okafor"] != found["Tomasz Wilk"]


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


@pytest.mark.parametrize(
    ("text", "owner"), [("I owe 400 EUR.", WRITER), ("You owe 400 EUR.", READER), ("Ana owes 400 EUR.", "A")]
)
def test_who_is_there_without_a_name(text, owner):
    names = [Name(0, 3, "A")] if text.startswith("Ana") else []
    at = text.index("400")
    assert Whose(text, names).owners([Fact(at, at + 7, "QUANTITY", "loan")]) == [owner]


def test_a_text_that_speaks_of_nobody_has_an_owner_all_the_same_or_none():
    """Nothing is lost: each fact gets one answer, in order."""
    text = "Patient: 54, male, gout. Total 4."
    facts = [Fact(9, 11, "DEM", "age"), Fact(13, 17, "DEM", "gender"), Fact(19, 23, "DEM", "medical_condition")]
    owners = Whose(text, []).owners(facts)
    assert len(owners) == 3 and set(owners) <= {SOMEONE, WRITER, READER, None}
    assert Whose(text, []).owners([]) == []


def test_the_shipped_weights_are_those_of_the_features():
    """A feature renamed in `whose.py` and not trained anew would silently count for nothing."""
    text = "Dear Ana,\n\nI am 34. Bo, a welder, has gout.\n\nYours,\nMira"
    names = [Name(5, 8, "A"), Name(20, 22, "B"), Name(52, 56, "C")]
    found = Whose(text, names).candidates(Fact(26, 32, "DEM", "occupation"), [])
    assert set(found) == {"A", "B", "C", SOMEONE, None}
    features = [feature for row in found.values() for feature in row]
    assert sum(feature in owner_weights() for feature in features) > 0.6 * len(features)


def test_damaged_weights_are_told(monkeypatch, tmp_path):
    (tmp_path / "owners.txt.gz").write_bytes(b"no gzip")
    monkeypatch.setattr(weighing, "OWNERS", tmp_path / "owners.txt.gz")
    owner_weights.cache_clear()
    with pytest.raises(ModelUnreachable, match="gama train attribution"):
        owner_weights()
