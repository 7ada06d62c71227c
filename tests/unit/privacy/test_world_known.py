"""What the world knows stays, and who stands beside it goes: titles, drugs, schools asked about, people of one's class."""

import pytest

from gama import Anonymizer
from gama.privacy.identify import PRIVATE, with_forenames, without_instructions, without_titles
from gama.privacy.names import Names, relatives, weigh_names
from gama.state.entities import EntityType, Span


@pytest.fixture(scope="module")
def anonymizer() -> Anonymizer:
    return Anonymizer()


def span_of(text: str, name: str, kind: EntityType, subtype: str, private: float) -> Span:
    at = text.index(name)
    return Span(at, at + len(name), kind, subtype, 0.99, "pner", private, source="embedded")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Ragnhild här från båtklubben, plats 7.", "Ragnhild"),
        ("Bram uit mijn klas zegt dat het waar is.", "Bram"),
        ("So Oliver from my class says it is not.", "Oliver"),
        ("Und Jonas aus meiner Gruppe weiß es.", "Jonas"),
    ],
)
def test_who_is_here_or_of_the_writers_circle_is_somebody(text, name):
    assert [text[one.start : one.end] for one in relatives(text, [])] == [name]


@pytest.mark.parametrize(
    "text", ["Water from our street is brown.", "Spring here at last.", "Bram uit Utrecht zegt ja."]
)
def test_what_comes_from_elsewhere_is_nobody(text):
    assert relatives(text, []) == []


def test_a_surer_tagger_is_needed_for_what_it_is_too_sure_of():
    text = "Which is older, Eton College or Harrow School, and who makes Warfarin?"
    spans = [
        span_of(text, "Eton College", "ORG", "school", 0.995),
        span_of(text, "Harrow School", "ORG", "school", 0.999),
        span_of(text, "Warfarin", "DEM", "medical_condition", 0.9995),
    ]
    weighed = [(one.private or 0.0) >= PRIVATE for one in weigh_names(text, spans, {"bias": -5.0})]
    assert weighed == [False, True, False]


@pytest.mark.parametrize("drug", ["atropina", "omeprazol", "Morphin"])
def test_a_drug_is_known_by_its_name_in_other_languages(drug):
    text = f"Who found {drug}?"
    assert [features for _, features in Names(text, [span_of(text, drug, "DEM", "medical_condition", 0.9)]).features()]


def test_a_complaint_is_no_drug():
    text = "Who found gastrina?"
    assert not list(Names(text, [span_of(text, "gastrina", "DEM", "age", 0.9)]).features())


@pytest.mark.parametrize(
    ("text", "name", "left"),
    [
        ("Si proietta Suspiria di Dario Argento.", "Suspiria di Dario Argento", "Dario Argento"),
        ("Wanneer maakte Claude Monet De eksters?", "Claude Monet De eksters", "Claude Monet"),
        ("We met Claude Monet De Vries.", "Claude Monet De Vries", "Claude Monet De Vries"),
        ("Ela é Victor Hugo de Souza.", "Victor Hugo de Souza", "Victor Hugo de Souza"),
    ],
)
def test_a_work_is_no_part_of_its_makers_name(text, name, left):
    (span,) = with_forenames(text, [span_of(text, name, "PER", "full_name", 0.7)])
    assert text[span.start : span.end] == left


@pytest.mark.parametrize("text", ["Who directed My Cousin Vinny?", "Who wrote My Brilliant Friend?"])
def test_who_is_called_so_in_a_title_is_nobody(text, anonymizer):
    assert anonymizer.anonymize(text).text == text


def test_only_a_title_takes_a_relative_away():
    text = "My Cousin Vinnie is late."
    span = span_of(text, "Vinnie", "PER", "first_name", 0.9)
    assert without_titles(text, [span]) == [span]


@pytest.mark.parametrize(
    ("text", "private"),
    [
        ("Is it taught in Swedish there?", False),
        ("Please set this in Hindi for the trip.", False),
        ("My mother thinks in Swedish.", True),
    ],
)
def test_the_language_of_a_course_is_nobodys(text, private):
    name = "Hindi" if "Hindi" in text else "Swedish"
    (span,) = without_instructions(text, [span_of(text, name, "DEM", "language", 0.9)])
    assert bool(span.private) == private


def test_a_famous_namesake_by_the_name_of_another_language_leaves_whole(anonymizer):
    text = "Beste mevrouw Ruud Hansma, uw pas ligt klaar. In welk jaar won Ruud Gullit de Gouden Bal?"
    assert "Ruud Gullit" in anonymizer.anonymize(text).text


def test_an_address_ends_with_its_sentence(anonymizer):
    view = anonymizer.anonymize("Qui a peint Guernica ? Écris-moi au 8, impasse des Tilleuls. Ta Josette")
    assert "Tilleuls" not in view.text and "Josette" not in view.text and "Guernica" in view.text


def test_a_drug_in_a_sentence_that_asks_nothing_stays_the_writers():
    text = "The doctor wrote Warfarin on it. Can you explain the form?"
    span = span_of(text, "Warfarin", "DEM", "medical_condition", 0.9926)
    assert weigh_names(text, [span], {"bias": -5.0}) == [span]
