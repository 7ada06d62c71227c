"""The built-in reader on letters of several kinds."""

import json
import time

import pytest

from gama.models.calls import PublicCall
from gama.models.reading import sentences
from gama.models.standin import CLOSING, MAX_QUESTIONS, StandInReader
from gama.state.egress import EGRESS, NoPrivateSpace
from gama.state.public import ExpertAnswer

LEASE = """Dear <name-1>,
the lease of the flat in <location-1> ends on <date-1>. The notice period is three months. The rent is <amount-1> a month \
and is paid by the third working day. Mr. <last_name-2> keeps the keys. I do not own a car.
How long is the notice period? Who keeps the keys? When does the lease end? How high is the electricity bill?
Kind regards,
<name-3>"""
RECORD = "The patient <name-1> was admitted on <date-1> because of chest pain. She takes <medical_condition-1> medicine twice a day. Why was she admitted?"
TICKET = "Printer in <location-1> is offline since the update. The cable is fine. Version 2.1 still works for colleagues. Which version works for colleagues?"


@pytest.fixture(autouse=True)
def egress():
    token = EGRESS.set(NoPrivateSpace())
    yield
    EGRESS.reset(token)


def ask(role, task, **more) -> str:
    return StandInReader().complete(PublicCall(role=role, system="s", user=task, task=task, **more)).text


@pytest.mark.parametrize(
    ("task", "quotes"),
    [
        (LEASE, ["The notice period is three months.", "Mr. <last_name-2> keeps the keys.", "ends on <date-1>"]),
        (RECORD, ["because of chest pain"]),
        (TICKET, ["Version 2.1 still works for colleagues."]),
    ],
)
def test_expert_quotes_what_answers(task, quotes):
    text = ask("expert", task, domain="Law")
    assert all(quote in text for quote in quotes), text


def test_what_is_not_stated_is_said_to_be_so():
    assert "How high is the electricity bill?”:\n  The text itself does not answer this." in ask("expert", LEASE)


def test_fusion_weighs_by_terms():
    def answer(domain, term, quote):
        return ExpertAnswer(domain=domain, term=term, text=f"On “Who pays?”:\n  The text says: “{quote}”")

    answers = (
        answer("Law", "Low", "A pays."),
        answer("Arts", "Extremely High", "B pays."),
        answer("Sports", "Low", "A pays."),
    )
    task = "A pays. B pays. Who pays?"
    text = ask("fuse", task, answers=answers)
    assert "“B pays.”" in text and "“A pays.”" not in text and text.endswith(CLOSING)
    more = (*answers, answer("Law", "High", "A pays."))
    assert "“A pays.”" in ask("fuse", task, answers=more)


def test_the_assistant_finds_a_quotation_that_is_not_there():
    draft = "On “How long is the notice period?”:\n  The text says: “It is a year.”"
    verdict = json.loads(ask("disprove", LEASE, draft=draft))
    assert verdict["contradiction"] and "does not contain" in verdict["reason"]


def test_the_assistant_finds_a_better_sentence_and_the_expert_takes_it():
    draft = "On “How long is the notice period?”:\n  The text says: “I do not own a car.”"
    verdict = json.loads(ask("disprove", LEASE, draft=draft))
    assert verdict["contradiction"] and "The notice period is three months." in verdict["reason"]
    better = ask("revise", LEASE, draft=draft, contradictions=(verdict["reason"],))
    assert "The notice period is three months." in better and "own a car" not in better


def test_the_assistant_is_content_with_a_good_answer():
    draft = ask("expert", TICKET)
    assert json.loads(ask("disprove", TICKET, draft=draft)) == {"contradiction": False, "reason": ""}


@pytest.mark.parametrize(
    ("text", "truth"), [("The shop is open on Sunday.", "True"), ("The shop is not open on Sunday.", "False")]
)
def test_boolean(text, truth):
    assert ask("expert", f"{text} Is the shop open on Sunday?", kind="boolean").startswith(truth)


def test_choice():
    task = "The car in front of the house is painted green. Which colour has the car?"
    assert ask("expert", task, kind="choice", options=("red", "green", "blue")).startswith("green")


def test_a_task_without_a_question_is_summed_up():
    text = ask("expert", "The pipe burst in the kitchen. The kitchen floor got wet. The pipe was old. I like tea.")
    assert text.startswith("What the text says:") and "pipe" in text


@pytest.mark.parametrize("task", ["?", "a", "<name-1>", "…", "Is it?", "\n\n", "x" * 5000, "?" * 300])
def test_odd_tasks(task):
    for role in ("expert", "fuse", "disprove", "revise"):
        assert ask(role, task)


def test_sentences():
    assert [s.text for s in sentences("Mr. Smith came at 5 p.m. today. He left! \"Why?\" I ask.\nBye")] == [
        "Mr. Smith came at 5 p.m. today.", "He left!", "\"Why?\"", "I ask.", "Bye",
    ]  # fmt: skip
    assert [s.asks for s in sentences("Please pay now. Please tell me why. Is it so? It is.")] == [
        False,
        True,
        True,
        False,
    ]


def test_quick_enough_for_a_letter():
    ask("expert", LEASE, domain="Law")
    began = time.perf_counter()
    ask("expert", "\n\n".join([LEASE] * 3), domain="Law")
    assert time.perf_counter() - began < 1.5, "about 5 ms on a quiet machine; the rest is for a busy one"


@pytest.mark.parametrize("task", ["\n\n".join([LEASE] * 400), "The pipe was old. It burst in the kitchen.\n" * 4000])
def test_no_blow_up_with_the_longest_tasks(task):
    """About 160,000 characters: one pass over questions and statements, not one over all their pairs."""
    began = time.perf_counter()
    text = ask("fuse", task)
    assert time.perf_counter() - began < 30
    assert text.endswith(CLOSING)


def test_questions_that_are_left_out_are_counted():
    task = "The shop opens at nine. " + " ".join(f"When does shop {n} open?" for n in range(MAX_QUESTIONS + 3))
    text = ask("fuse", task)
    assert "(3 more questions of the text were not looked at.)" in text
    assert text.count("On “") == MAX_QUESTIONS


def test_other_languages_are_not_answered_by_chance():
    letter = (
        "Bonjour <name-1>, je vous écris au sujet de ma facture <reference-1>. Le montant de <amount-1> a été débité "
        "deux fois le <date-1>. Quand serai-je remboursé ? Quel montant a été débité ?"
    )
    text = ask("expert", letter)
    assert "Quand serai-je remboursé ?”:\n  The text itself does not answer this." in text
    assert "Quel montant a été débité ?”:\n  The text says: “Le montant de <amount-1> a été débité" in text
