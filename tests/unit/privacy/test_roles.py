"""Who stands how to the writer: famous names in private and in public roles, and what speaks of nobody."""

import pytest

from gama import Anonymizer
from gama.privacy.question import without_shorthand
from gama.privacy.relations import is_related
from gama.state.entities import Span
from gama.tools.knowledge.index import is_asked_about
from tests.support.spans import tagged


@pytest.fixture(scope="module")
def anonymizer() -> Anonymizer:
    return Anonymizer()


PRIVATE = [
    "Draft an email to {} about the missing gym fees.",
    "Can you phrase a friendly nudge to {} about the gym fees?",
    "Please remind {} that the keys are still here.",
    "Write a performance review for {} in the logistics team.",
    "Action items: {} to send the minutes; I book the room.",
    "{} from HR wants my certificate again. Draft a reply.",
    "I sat next to {} in maths. How do I get in touch?",
    "Is it ok to unfriend {} after our fight?",
    "Schreibe eine E-Mail an {} wegen der Hausaufgaben.",
    "Écris un mail à {} à propos de son devoir en retard.",
    "Escribe un correo a {} sobre su tarea atrasada.",
]
PUBLIC = [
    "Summarise the career of {} in five bullet points.",
    "What did {} achieve?",
    "Write a fan letter to {}.",
    "Explain to my daughter who {} is.",
    "My son has to hold a talk on {}. Give him an outline.",
    "Imagine a dialogue between {} and Plato.",
    "Suggest a costume to dress up as {}.",
    "Write an introduction to {} for year nine.",
    "Haz un resumen de la vida de {}.",
]
FAMOUS = ["Michael Jordan", "Shah Rukh Khan", "Serena Williams", "Emma Watson"]


@pytest.mark.parametrize("text", PRIVATE)
def test_a_famous_name_in_a_private_role_goes(anonymizer, text):
    assert [name for name in FAMOUS if name in anonymizer.anonymize(text.format(name)).text] == []


@pytest.mark.parametrize("text", PUBLIC)
def test_a_famous_name_that_is_asked_about_stays(anonymizer, text):
    assert [name for name in FAMOUS if name not in anonymizer.anonymize(text.format(name)).text] == []


@pytest.mark.parametrize(
    ("text", "name", "related"),
    [
        ("Send the invoice to Paul Newman today.", "Paul Newman", True),
        ("Please thank Paul Newman's fans.", "Paul Newman", False),
        ("Write a summary of Sula by Toni Morrison for me.", "Toni Morrison", False),
        ("If I could have dinner with Nelson Mandela, what would we eat in 1962?", "Nelson Mandela", False),
        ("We had dinner with Nelson Mandela, who owes us a lift.", "Nelson Mandela", True),
        ("A vote for the mayor who invited Tina Turner.", "Tina Turner", False),
    ],
)
def test_roles_are_told_by_what_stands_beside_a_name(text, name, related):
    assert is_related(text, tagged(text, name)) is related


def test_a_line_in_the_first_person_speaks_of_somebody_one_knows_but_a_long_text_does_not():
    line = "I bumped the car of Tom Hanks. What now?"
    assert not is_related(line, tagged(line, "Tom Hanks"))
    line = "Tom Hanks ate my lunch. What now?"
    assert is_related(line, tagged(line, "Tom Hanks"))
    assert not is_related(line + " Rain." * 50, tagged(line, "Tom Hanks"))


def test_only_the_famous_are_asked_about_and_not_on_their_birthday():
    asked = "Write a poem about {}"
    for name, famous in (("Emma Watson", True), ("Emma Watsonby", False)):
        text = asked.format(name)
        assert is_asked_about(text, text.index(name), len(text)) is famous
    text = "Write a poem about Emma Watson for her birthday."
    at = text.index("Emma Watson")
    assert not is_asked_about(text, at, at + len("Emma Watson"))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Antworte auf Englisch: Ottilie fragt, ob wir Hunde erlauben.", ["Ottilie"]),
        ("Traduis en anglais : « Clémence arrivera à midi. »", ["Clémence"]),
        ('Summarise: "Emma wrote that the roof leaks."', ["Emma"]),
        ("Extrahiere die Namen: Jean und Paul waren da.", ["Jean", "Paul"]),
        ("Rewrite as Shakespeare would: I miss you, Maria.", ["Maria"]),
    ],
)
def test_a_forename_in_what_a_prompt_quotes_goes_although_a_saint_bears_it(anonymizer, text, names):
    assert [name for name in names if name in anonymizer.anonymize(text).text] == []


@pytest.mark.parametrize("text", ['He wrote: "Will you come?"', "Übersetze: „Hunde bellen.“"])
def test_a_word_that_opens_a_quotation_is_no_name(anonymizer, text):
    assert anonymizer.anonymize(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "ECG: sinus tachy, ST depression V4-V6. What next?",
        "Difference between STEMI and NSTEMI?",
        "T2DM, BMI 34: which drug first?",
        "NKDA, NBM from midnight, TTOs done. What do they mean?",
        "My grades are 1.7, 2.3 and 1.0. What is the average?",
        "git bisect says e83c5163316f89bfbde7d9ab23ca2e25604af290 is bad",
    ],
)
def test_shorthand_marks_and_commits_are_nobodys(anonymizer, text):
    assert anonymizer.anonymize(text).text == text


def fact(text, surface, kind="medical_condition"):
    at = text.index(surface)
    return Span(at, at + len(surface), "DEM", kind, 0.9, "pner", 0.9, source="embedded")


@pytest.mark.parametrize(
    ("text", "surface", "private"),
    [
        ("Is angina worse than reflux?", "angina", 0.0),
        ("Is my angina worse than reflux?", "angina", 0.9),
        ("72M with angina: what next?", "angina", 0.9),
        ("She has angina. What next?", "angina", 0.9),
        ("Angina since Monday.", "Angina", 0.9),
        ("He has SOB x3/7.", "SOB x3/7", 0.0),
    ],
)
def test_an_illness_is_nobodys_where_a_question_speaks_of_nobody(text, surface, private):
    assert [span.private for span in without_shorthand(text, [fact(text, surface)])] == [private]


def test_a_code_is_a_commit_only_where_that_is_said():
    code = "9f86d081884c7d659a2feaa0c55ad015"
    for text, private in ((f"git revert {code}", 0.0), (f"my key is {code}", 0.9)):
        at = text.index(code)
        span = Span(at, at + len(code), "CODE", "api_key", 0.9, "pner", 0.9, source="embedded")
        assert [one.private for one in without_shorthand(text, [span])] == [private]
