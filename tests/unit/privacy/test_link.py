"""Linking: one person, one subject."""

import re

import pytest

from gama.privacy.box import PrivacyBox
from gama.privacy.link import letter, link
from gama.state.box import BoxEntry
from gama.state.entities import TYPE_OF, Entity


def entities(text: str, *marks: tuple[str, str]) -> list[Entity]:
    out, at = [], 0
    for surface, subtype in marks:
        at = text.index(surface, at)
        out.append(Entity(text=surface, start=at, end=at + len(surface), type=TYPE_OF[subtype], subtype=subtype))
        at += len(surface)
    return out


def subjects(text: str, *marks: tuple[str, str]) -> list[str | None]:
    return [e.subject for e in link(text, entities(text, *marks))]


def test_names_of_one_person():
    text = "Emma wrote. Emma Williams lives here; Mrs Williams and EW. EMMA WILLIAMS. Daniel Jones. Daniel"
    marks = [("Emma", "first_name"), ("Emma Williams", "full_name"), ("Williams", "last_name"), ("EW", "initials")]
    marks += [("EMMA WILLIAMS", "full_name"), ("Daniel Jones", "full_name"), ("Daniel", "first_name")]
    assert subjects(text, *marks) == ["A", "A", "A", "A", "A", "B", "B"]


def test_two_people_of_one_surname():
    text = "Ana Costa and Rui Costa; Rui left, Ana stayed."
    marks = [("Ana Costa", "full_name"), ("Rui Costa", "full_name"), ("Rui", "first_name"), ("Ana", "first_name")]
    assert subjects(text, *marks) == ["A", "B", "B", "A"]


@pytest.mark.parametrize(
    ("whole", "part", "kind"),
    [
        ("Maria van der Berg", "van der Berg", "last_name"),
        ("Emma J. Williams", "Emma Williams", "full_name"),
        ("Søren Ågård", "SØREN ÅGÅRD", "full_name"),
        ("Emma Williams", "emma.williams@mail.example", "email"),
        ("Emma Williams", "@ewilliams", "handle"),
        ("Anne-Marie O'Neil", "O'Neil", "last_name"),
        ("Domenico Ferraro", "D. Ferraro", "full_name"),
        ("L. Fairweather", "Ludmila Fairweather", "full_name"),
        ("T. N. Ramesh", "Thirumalai Nambi Ramesh", "full_name"),
        ("Aurelio Quispe Mamani", "Quispe", "last_name"),
        ("Kevin Lumb", "kev", "nickname"),
        ("Quintiliano Apaza", "Q.", "initials"),
    ],
)
def test_forms(whole, part, kind):
    assert subjects(f"{whole} … {part}", (whole, "full_name"), (part, kind)) == ["A", "A"]


def test_strangers_stay_apart():
    assert subjects(
        "Emma Williams met Emmett Wilson", ("Emma Williams", "full_name"), ("Emmett Wilson", "full_name")
    ) == ["A", "B"]
    text = "Anneli Länsman, Aino Länsman; A. Länsman"
    names = ("Anneli Länsman", "full_name"), ("Aino Länsman", "full_name"), ("A. Länsman", "full_name")
    assert subjects(text, *names) == ["A", "B", "C"]
    text = "Jaden Hope Adomako waved to Hope."
    assert subjects(text, ("Jaden Hope Adomako", "full_name"), ("Hope", "first_name")) == ["A", "B"]


@pytest.mark.parametrize(
    "text",
    [
        '{"given": "[Nurul]", "family": "[Hamdan]"}',
        "<surname>[Hamdan]</surname>\n  <forenames>[Nurul]</forenames>",
        "('[Nurul]', '[Hamdan]', 34)",
        "[Hamdan];[Nurul];34",
        "| [Nurul] | [Hamdan] |",
        "Surname: [Hamdan]\nFirst name: [Nurul]",
        "SURNAME [HAMDAN] GIVEN [NURUL] SEX F",
        "Familienname  | [Hamdan]\nVornamen | [Nurul]",
        "[Nurul], née [Hamdan], married",
    ],
)
def test_halves_of_a_name_in_forms_tables_and_records(text):
    assert _bracketed(text) == ["A", "A"]


@pytest.mark.parametrize(
    "text", ["[Nurul] wrote to Mr [Hamdan]", "[Nurul] and [Hamdan]", "[Nurul]. On the stairs stood [Hamdan]"]
)
def test_a_first_and_a_last_name_in_prose_are_two(text):
    assert _bracketed(text) == ["A", "B"]


@pytest.mark.parametrize(
    "text",
    [
        'Edvin Talbäck "[Gubben]"',
        "Edvin Talbäck (call me [Gubben])",
        "Edvin Talbäck, alias [Gubben]",
        "Edvin Talbäck, dit « [Gubben] »",
        "[Gubben] (real name Edvin Talbäck)",
        "name: Edvin Talbäck\nknown_as: [Gubben]",
    ],
)
def test_a_nickname_belongs_to_the_name_beside_it(text):
    plain = text.replace("[", "").replace("]", "")
    marks = sorted([("Edvin Talbäck", "full_name"), ("Gubben", "nickname")], key=lambda mark: plain.index(mark[0]))
    assert subjects(plain, *marks) == ["A", "A"]


def test_a_nickname_elsewhere_is_somebody():
    assert subjects("Edvin Talbäck greeted Gubben", ("Edvin Talbäck", "full_name"), ("Gubben", "nickname")) == [
        "A",
        "B",
    ]


def _bracketed(text: str) -> list[str | None]:
    """Return the subjects of the bracketed words: a first name, Nurul, and a last name, Hamdan."""
    words = re.findall(r"\[(.+?)\]", text)
    kind = {"nurul": "first_name", "hamdan": "last_name"}
    plain = re.sub(r"[\[\]]", "", text)
    return subjects(plain, *((word, kind[word.lower()]) for word in words))


def test_facts_go_to_the_person_before_them():
    text = "Ada Obi is 34. Ben Lee is 51.\n\nHer sister Ada again: 40"
    found = subjects(
        text,
        ("Ada Obi", "full_name"),
        ("34", "age"),
        ("Ben Lee", "full_name"),
        ("51", "age"),
        ("Ada", "first_name"),
        ("40", "age"),
    )
    assert found == ["A", "A", "B", "B", "A", "A"]


def test_persons_of_earlier_turns_keep_their_letter():
    known = [BoxEntry(surface="Ben Lee", placeholder="<name-1>", kind="name", subtype="full_name", subject="A")]
    text = "Ada Obi greets Ben"
    found = link(text, entities(text, ("Ada Obi", "full_name"), ("Ben", "first_name")), PrivacyBox(entries=known))
    assert [e.subject for e in found] == ["B", "A"]


def test_public_mentions_have_no_subject():
    text = "Ada Obi reads Lincoln"
    marks = entities(text, ("Ada Obi", "full_name"), ("Lincoln", "last_name"))
    marks[1] = marks[1].model_copy(update={"private": False})
    assert [e.subject for e in link(text, marks)] == ["A", None]


def test_letters():
    assert [letter(n) for n in (0, 25, 26, 51, 52, 701, 702)] == ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]


def test_an_uncle_is_called_by_his_name_too():
    text = "Uncle Mortimer sits far left, since Mortimer hears badly. Tante Sybilla comes; Sybilla brings cake."
    marks = [("Uncle Mortimer", "nickname"), ("Mortimer", "first_name")]
    marks += [("Tante Sybilla", "nickname"), ("Sybilla", "first_name")]
    assert subjects(text, *marks) == ["A", "A", "B", "B"]
