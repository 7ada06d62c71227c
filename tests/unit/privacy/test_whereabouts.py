"""Large cities and firms that all know stay in a prompt that asks; homes, employers and what stands beside a name go."""

import pytest

from gama.privacy.anonymizer import Anonymizer
from gama.privacy.whereabouts import LARGE, is_a_city, is_visited
from gama.state.entities import Entity
from gama.state.options import Options


@pytest.fixture(scope="module")
def anonymizer() -> Anonymizer:
    return Anonymizer()


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("My tenancy ended in June in Leeds and the deposit was never protected. What can I claim?", "Leeds"),
        ("hens next door crow at 4:50 am, city is Tucson. is a rooster even legal here?", "Tucson"),
        ("I was 95 minutes late and missed the 14:05 to Toronto. What does the airline owe me?", "Toronto"),
        ("I shop at Aldi and the rest at Tesco. Can you make two shopping lists for a soup for nine?", "Tesco"),
    ],
)
def test_what_the_question_turns_on_stays(anonymizer, text, stays):
    assert stays in anonymizer.anonymize(text).text


@pytest.mark.parametrize(
    ("text", "goes"),
    [
        ("Can my landlord raise the rent? I live at 14 Mill Lane, Leeds LS6 2QT.", "Leeds"),
        ("Draft a note to Ola Berge, Toronto, that the boat is ready, please.", "Toronto"),
        ("Dear Ida, we have moved to Toronto and the cat is well. Love, Gran", "Toronto"),
    ],
)
def test_homes_and_what_stands_beside_a_name_go(anonymizer, text, goes):
    assert goes not in anonymizer.anonymize(text).text


def test_strict_hides_them_all():
    text = "My tenancy ended in June in Leeds and the deposit was never protected. What can I claim?"
    assert "Leeds" not in Anonymizer(Options(privacy="strict")).anonymize(text).text


def place(text: str, name: str, subtype: str = "city") -> Entity:
    start = text.index(name)
    return Entity.at(text, start, start + len(name), subtype)


def test_a_city_is_large_or_named_by_the_question():
    text = "is it legal in Geelong"
    assert LARGE == 3
    assert is_a_city(text, place(text, "Geelong"), [], told=True)
    assert not is_a_city(text, place(text, "Geelong"), [], told=False)
    small = "is it legal in Nether Poppleton"
    assert not is_a_city(small, place(small, "Nether Poppleton"), [], told=True)
    assert not is_a_city("the Leeds depot", place("the Leeds depot", "Leeds", "facility"), [], told=True)


def test_what_stands_on_another_line_is_not_beside():
    text = "Ola Berge\nis it legal in Leeds"
    assert is_a_city(text, place(text, "Leeds"), [0, 9], told=True)
    text = "Ola Berge, Leeds"
    assert not is_a_city(text, place(text, "Leeds"), [0, 9], told=True)


def test_an_employer_is_none_that_all_know():
    text = "she works nights for Tesco"
    assert not is_visited(text, place(text, "Tesco", "company"), planned=False)
    text = "the jar was sold by Tesco"
    assert is_visited(text, place(text, "Tesco", "company"), planned=False)
    text = "we stay in the Hotel Zwirn"
    assert is_visited(text, place(text, "Hotel Zwirn", "company"), planned=True)
    assert not is_visited(text, place(text, "Hotel Zwirn", "company"), planned=False)
