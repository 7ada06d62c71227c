"""The built-in reader on letters of several kinds."""

import json
import time

import pytest

from gama.guard.egress import EGRESS, NoPrivateSpace
from gama.models.calls import PublicCall
from gama.models.reading import sentences
from gama.models.standin import CLOSING, MAX_QUESTIONS, StandInReader
from gama.nodes.steps import PUBLIC
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


LETTER = """Your letter says that claims must be reported within seven days; I reported ours on <date-2>. On <date-1> a \
pipe burst in the kitchen of Mr. <last_name-2>, who lives above us, and the water came through our ceiling. The repair of \
the floor was estimated at <amount-1>.
Was the claim reported in time? How much was the repair estimated at? And may you refuse to pay because the pipe belongs \
to the neighbour and not to us?"""


@pytest.mark.parametrize(
    ("said", "asked", "piece"),
    [
        ("The repair was estimated at <amount-1>.", "How much was the repair estimated at?", "<amount-1>"),
        ("The repair costs €40.50, says the firm.", "How much does the repair cost?", "€40.50"),
        ("The notice period is three months.", "How long is the notice period?", "three months"),
        ("The lease ends on <date-1>.", "When does the lease end?", "<date-1>"),
        ("Mr. <last_name-2> keeps the keys.", "Who keeps the keys?", "Mr. <last_name-2>"),
        ("The lease runs from <date-1> to <date-2>.", "When does the lease run?", ""),
        ("The lease ends with the notice.", "When does the lease end?", ""),
    ],
)
def test_the_piece_that_is_asked_for_stands_before_its_sentence(said, asked, piece):
    text = ask("expert", f"{said} {asked}")
    assert f"”:\n  {piece}. The text says: “{said}”" in text if piece else f"”:\n  The text says: “{said}”" in text
    assert json.loads(ask("disprove", f"{said} {asked}", draft=text))["contradiction"] is False, "it is read back"


def test_disproof_makes_no_answer_worse():
    """A sentence that barely fits was "not stated" to the expert and the answer to the assistant."""
    draft = ask("expert", LETTER, domain="Finance")
    assert "to us?”:\n  The text itself does not answer this." in draft
    assert json.loads(ask("disprove", LETTER, draft=draft)) == {"contradiction": False, "reason": ""}


def test_a_revision_changes_what_was_contradicted_alone():
    bad = "On “How long is the notice period?”:\n  The text says: “I do not own a car.”"
    kept = "On “Who keeps the keys?”:\n  The text says: “The rent is <amount-1> a month and is paid by the third working day.”"
    reason = json.loads(ask("disprove", LEASE, draft=bad))["reason"]
    better = ask("revise", LEASE, draft=f"{bad}\n\n{kept}", contradictions=(reason,))
    assert "three months. The text says: “The notice period is three months.”" in better and kept in better


def test_one_extract_and_one_line_on_what_a_model_would_add():
    """Three experts would quote the same sentences three times."""
    from gama.graph.public_graph import build_public_graph
    from gama.state.task import DomainRule, PublicTask

    rules = tuple(
        DomainRule(domain=domain, term="High", score=0.5, prompt=f"You know {domain}.")
        for domain in ("Finance", "Environment", "Law")
    )
    for route in ("both", "knowledge"):
        out = build_public_graph(StandInReader()).invoke({"task": PublicTask(text=LETTER, rules=rules, route=route)})
        experts = [len(part.answers) for part in out["parts"]] or [len(out["answers"])]
        assert set(experts) == {1} and out["answer"].count("The repair of the floor") == 1
        assert out["answer"].endswith(CLOSING) and "A real model would also" in CLOSING and "\n" not in CLOSING


def test_a_generalist_says_who_answered_for_nobody_fuses_its_answer():
    from gama.graph.public_graph import build_public_graph
    from gama.state.task import GENERAL, DomainRule, PublicTask

    rule = DomainRule(domain=GENERAL, term="High", score=1.0, prompt="You answer a task.")
    out = build_public_graph(StandInReader()).invoke({"task": PublicTask(text=LETTER, rules=(rule,))})
    assert out["answer"].count(CLOSING) == 1 and "fuse.calls" not in out["usage"]


def test_the_lines_of_a_chat_are_sentences_of_their_own():
    chat = "priya: hey are you still coming to the viewing on saturday at eleven?\njonas: yes, the deposit is two months' rent"
    assert [s.text for s in sentences(chat)] == chat.split("\n")


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
    for role in [step.name for step in PUBLIC if step.label]:
        assert ask(role, task, rival="x", note="y", question="Who?" if role == "check" else "")


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


def test_lines_wrapped_at_a_fixed_width_are_one_sentence():
    wrapped = "Could you tell us whether the insurer, Aviva, must pay for\nphysiotherapy?\nThe bill came\nlast week."
    assert [s.text for s in sentences(wrapped)] == [
        "Could you tell us whether the insurer, Aviva, must pay for physiotherapy?", "The bill came", "last week.",
    ]  # fmt: skip


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


def test_fusion_of_answers_that_are_not_its_own_is_the_weighted_majority():
    def answer(term, text):
        return ExpertAnswer(domain="Law", term=term, text=text)

    given = (answer("High", "B"), answer("Medium", "A"), answer("Medium", "a."))
    assert ask("fuse", "A or B?", answers=given) == f"A\n\n{CLOSING}"


def test_its_sub_questions_are_the_tasks_own_and_are_answered_alone():
    asked = json.loads(ask("split", LEASE))
    assert len(asked) == 4 and asked[1] == "Who keeps the keys?"
    alone = ask("expert", LEASE, question=asked[1])
    assert "keeps the keys" in alone and "notice period" not in alone
    fused = ask("fuse", LEASE, question=asked[1], answers=(ExpertAnswer(domain="Law", term="High", text=alone),))
    assert fused == alone, "the answer to a sub-question is not the last one"
    whole = ask("assemble", LEASE, parts=tuple((q, ask("expert", LEASE, question=q)) for q in asked))
    assert all(q in whole for q in asked) and whole.count(CLOSING) == 1
    assert json.loads(ask("assure", LEASE, draft=whole)) == {"approved": True}


def test_a_task_that_asks_nothing_has_one_sub_question():
    task = "The pipe burst in the kitchen. The kitchen floor got wet."
    (question,) = json.loads(ask("split", task))
    assert "pipe" in ask("expert", task, question=question)


def test_checks_replace_what_fits_badly():
    bad = "On “How long is the notice period?”:\n  The text says: “I do not own a car.”"
    said = json.loads(ask("check", LEASE, draft=bad, question="How long is the notice period?"))
    assert said["correct"] is False and "three months" in said["replacement"]
    again = json.loads(ask("check", LEASE, draft=said["replacement"], question="How long is the notice period?"))
    assert again == {"correct": True, "replacement": ""}


def test_votes():
    puzzle = "If Ann sits left of Bob, then Cat is next to Dan. Only one of them is older than Bob. Who is it?"
    assert (ask("vote", LEASE), ask("vote", puzzle)) == ("yes", "no")


def test_rivals_come_one_after_the_other_until_none_is_left():
    shop = "The shop opens at nine on Monday. The shop opens at ten on Sunday. When does the shop open?"
    draft, tried = ask("expert", shop), []
    while (rival := ask("rival", shop, draft=draft, tried=tuple(tried))) != "NONE":
        assert rival not in (draft, *tried) and len(tried) < 5
        tried.append(rival)
    assert len(tried) == 1 and "nine" in tried[0] and "ten" in draft


def test_a_worse_rival_is_contradicted():
    worse = "On “How long is the notice period?”:\n  The text says: “I do not own a car.”"
    assert json.loads(ask("refute", LEASE, rival=worse))["contradiction"] is True
    task = "The shop is open on Sunday. Is the shop open on Sunday?"
    assert json.loads(ask("refute", task, kind="boolean", rival="False"))["contradiction"] is True
    assert json.loads(ask("refute", task, kind="boolean", rival="True"))["contradiction"] is False


def test_the_dialogue_of_the_logic_route():
    good = ask("solve", TICKET)
    assert json.loads(ask("discuss", TICKET, draft=good)) == {"agree": True, "objection": ""}
    assert json.loads(ask("verify", TICKET, draft=good))["contradiction"] is False
    assert len(ask("condense", TICKET, note="word " * 90).split()) == 50
