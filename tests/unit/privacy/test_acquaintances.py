"""Names in short lines of a chat: acquaintances are hidden although somebody famous bears their name."""

import pytest

from gama import Anonymizer
from gama.privacy.identify import PRIVATE, relatives, with_companions, with_forenames
from gama.privacy.relations import is_related
from gama.tools.knowledge.index import is_ordinary
from tests.support.spans import tagged


@pytest.fixture(scope="module")
def anonymizer() -> Anonymizer:
    return Anonymizer()


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("And Daniel Jones?", "Daniel Jones"),
        ("Write to Thomas Müller about the debt of <name-1>.", "Thomas Müller"),
        ("Why did Michael Brown not pay?", "Michael Brown"),
        ("Did Peter Smith call?", "Peter Smith"),
        ("Daniel Jones too.", "Daniel Jones"),
        ("Is John Williams still our tenant?", "John Williams"),
        ("Where does Maria Garcia live now?", "Maria Garcia"),
        ("Und Thomas Müller?", "Thomas Müller"),
        ("Et Michel Martin ?", "Michel Martin"),
        ("Tell Paul Simon that the invoice is late", "Paul Simon"),
    ],
)
def test_an_acquaintance_is_hidden(anonymizer, line, name):
    view = anonymizer.anonymize(line)
    assert name not in view.text and anonymizer.restore(view.text, view.box).text == line


@pytest.mark.parametrize(
    "line",
    [
        "Who was Albert Einstein?",
        "When was Barack Obama born?",
        "What did Michael Jackson sing?",
        "And Marie Curie?",
        "When was Elizabeth Taylor born?",
        "Which films did Tom Hanks star in?",
        "What is Adam Smith's theory of value?",
        "Wer ist Thomas Müller?",
        "In which club did Thomas Müller score most goals?",
    ],
)
def test_whom_the_world_is_asked_about_stays(anonymizer, line):
    assert anonymizer.anonymize(line).text == line


def test_ordinary_names_are_made_of_two_common_parts():
    assert is_ordinary("Daniel Jones") and is_ordinary("thomas MÜLLER")
    assert not is_ordinary("Albert Einstein") and not is_ordinary("Daniel") and not is_ordinary("Taylor Swift")


@pytest.mark.parametrize(
    ("text", "name", "somebodys"),
    [
        ("A quiz for Sandrine: who painted the Raft?", "Sandrine", True),
        ("What is asked of Sandrine: who painted her?", "Sandrine", False),
        ("A dla córki Jagody mam pytanie.", "Jagody", True),
        ("In the book their daughter Ophelia drowns.", "Ophelia", False),
        ("She saw it at Rowan's, and who directed it?", "Rowan", True),
        ("Who directed Rowan's film?", "Rowan", False),
        ("There is a Kylie in my yoga class.", "Kylie", True),
        ("Two flatmates (Rufus, Nkechi) asked.", "Rufus", False),
        ("My flatmate (Rufus, Nkechi) asked.", "Nkechi", True),
        ("How old was Rufus in it?", "Rufus", False),
    ],
)
def test_a_forename_is_somebodys_by_what_leads_to_it(text, name, somebodys):
    assert is_related(text, tagged(text, name, "first_name")) is somebodys


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Und Annika fragt, ob das stimmt.", ["Annika"]),
        ("Exposé de Côme, CM2 : qui ?", ["Côme"]),
        ("Der Nachbar Wuttke mäht.", ["Wuttke"]),
        ("She says it is. You will see. Plato says so.", []),
    ],
)
def test_who_says_something_or_lives_next_door_is_found(text, found):
    assert [text[one.start : one.end] for one in relatives(text, [])] == found


def test_a_body_named_as_people_are_is_somebody_and_a_common_word_is_none():
    text = "He saw it at Marcus Thwaite's. Per il cruciverba di Nunzia."
    bodies = [
        tagged(text, one, "first_name")._replace(type="ORG", subtype="company")
        for one in ("Marcus Thwaite's", "cruciverba di Nunzia")
    ]
    seen = with_forenames(text, bodies)
    assert [(text[one.start : one.end], one.type) for one in seen] == [("Marcus Thwaite", "PER"), ("Nunzia", "PER")]


def test_who_stands_in_a_list_with_somebody_private_is_none_that_the_world_knows():
    text = "Rota: Merle and Ivy Compton."
    spans = [
        tagged(text, "Merle", "first_name")._replace(private=0.9),
        tagged(text, "Ivy Compton", "full_name")._replace(private=0.4),
    ]
    assert [one.private for one in with_companions(text, spans)] == [0.9, PRIVATE]
    text = "Rota: Merle and Marie Curie."
    spans = [
        tagged(text, "Merle", "first_name")._replace(private=0.9),
        tagged(text, "Marie Curie", "full_name")._replace(private=0.4),
    ]
    assert [one.private for one in with_companions(text, spans)] == [0.9, 0.4]


def test_a_founder_that_a_finder_has_seen_whole_is_no_don():
    text = "Was it founded by Don Stephens?"
    whole = tagged(text, "Don Stephens", "full_name")
    assert relatives(text, [whole._replace(private=0.01)]) == []
    assert [one.subtype for one in relatives(text, [whole._replace(private=0.5)])] == ["nickname"]
