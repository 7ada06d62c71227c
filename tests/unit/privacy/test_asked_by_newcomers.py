"""What a newcomer asks: what it is about must still be there, and what is theirs must be gone."""

import pytest

from gama.privacy.anonymizer import Anonymizer
from gama.privacy.request import find_request
from gama.state.options import Options

BALANCED = Options(privacy="balanced")


@pytest.mark.parametrize(
    ("text", "stays", "goes"),
    [
        (
            "Plan a 3 day trip to Porto for me and my husband Declan, we fly from Cork on 7 April, budget 900 euro",
            ["trip to Porto"],
            ["Declan", "Cork", "7 April"],
        ),
        (
            "Erstelle bitte einen Reiseplan für Lissabon, wir (Uwe und Katja, 61) landen am 3. Mai.",
            ["Reiseplan für Lissabon"],
            ["Uwe", "Katja", "61"],
        ),
        (
            "Can you recommend restaurants near Alexanderplatz for my mum's 70th? She (Renate) is vegetarian.",
            ["near Alexanderplatz"],
            ["Renate"],
        ),
        (
            "What does the name Siobhan mean? We might call our daughter that. Surname would be Oyelowo.",
            ["the name Siobhan mean"],
            ["Oyelowo"],
        ),
        ("The name Priya Nair came up in the meeting.", [], ["Priya", "Nair"]),
        (
            "How do I say 'thank you' in Yoruba? My neighbour Mr Adeyemi brought us jollof.",
            ["in Yoruba?"],
            ["Adeyemi"],
        ),
        ("I scored 78, 85, 91 in maths. Mean?", ["Mean?"], []),
        ("John 3:16 says what? And who was John?", ["John 3:16", "who was John"], []),
        ("Meet John 10:30 am at the church, bring Luke.", [], ["John", "Luke"]),
        ("Nice to meet you! I am ChatGPT, how can I help? — I'm Oskar.", ["I am ChatGPT"], ["Oskar"]),
        ("My brother Claude says hi to Alexa.", [], ["Claude", "Alexa"]),
        ("my ip is 203.0.113.9 and ping to 8.8.8.8 is 300ms, what's wrong", ["8.8.8.8"], ["203.0.113.9"]),
        (
            "Who wrote 'The Master and Margarita'? My colleague Margarita Stalinova asks.",
            ["'The Master and Margarita'"],
            ["Stalinova"],
        ),
        (
            "Name,Team,Goals\nAsha,Red,4\nBlessing,Blue,7\nCarlos,Red,2\n\nWho scored most, and what's the average per team?",
            ["Red,4", "Blue,7"],
            ["Asha", "Blessing", "Carlos"],
        ),
        (
            "SELECT * FROM orders WHERE customer_id = 48213 AND created_at > '2026-01-01'; -- why is this slow?",
            [" AND created_at"],
            ["48213"],
        ),
    ],
)  # fmt: skip
def test_what_is_asked_about_stays_and_the_askers_own_goes(text: str, stays: list[str], goes: list[str]) -> None:
    shown = Anonymizer(BALANCED).anonymize(text).text
    assert not [part for part in stays if part not in shown], shown
    assert not [part for part in goes if part in shown], shown


def test_a_firm_and_its_street_are_two() -> None:
    text = "Bill to: Oyelaran & Sons Ltd, 14 Quay Road, Grimsby DN31 3NG\n2 x pallet racking @ 310.00 = 620.00"
    view = Anonymizer().anonymize(text)
    assert {"Oyelaran & Sons Ltd", "14 Quay Road"} <= {text[one.start : one.end] for one in view.entities}


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("My BP was 150/95 this morning, age 58, on amlodipine 5. OK?", "My BP was"),
        ("Diagnose: 34F, RLQ pain 12h, T 38.1, WCC 14.2.", "Diagnose:"),
        ("Übersetze: Guten Tag, Frau Holm.", "Übersetze:"),
    ],
)  # fmt: skip
def test_a_request_of_few_words_is_found(text: str, asked: str) -> None:
    assert find_request(text).text.startswith(asked)


@pytest.mark.parametrize(
    "text", ["Dear Ann,\nI came on Monday. OK?\nYours, Bea", "Note: the gate is open.", "List: eggs, milk"]
)
def test_what_asks_nothing_is_no_request(text: str) -> None:
    assert find_request(text).text == ""


def test_readings_are_understood_where_they_are_judged() -> None:
    shown = Anonymizer(BALANCED).anonymize("My BP was 150/95 this morning, age 58, on amlodipine 5. OK?").text
    assert "150/95" in shown
    assert "58" not in shown
    shown = Anonymizer(BALANCED).anonymize("Diagnose: 34F, RLQ pain 12h, T 38.1, WCC 14.2.").text
    assert "F, RLQ" in shown
    assert "38.1" in shown
