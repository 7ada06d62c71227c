"""Names in short lines of a chat: acquaintances are hidden although somebody famous bears their name."""

import pytest

from gama import Anonymizer
from gama.tools.knowledge.index import is_ordinary


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
