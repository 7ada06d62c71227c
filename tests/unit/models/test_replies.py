"""What agents reply: votes, lists, leading options, verdicts; and the weighted majority of answers."""

import time

import pytest

from gama.models.replies import (
    given_option,
    in_words,
    normal,
    read_questions,
    read_verdict,
    read_vote,
    shown_answer,
    weighted_majority,
)
from gama.state.public import ExpertAnswer


@pytest.mark.parametrize(
    ("text", "vote"),
    [
        ("yes", True), ("No.", False), ("**Yes**, it does", True), ("no, yes would be wrong", False),
        ("<think>no</think>yes", True), ("nobody knows", None), ("", None), ("<think>yes", None),
    ],
)  # fmt: skip
def test_votes(text, vote):
    assert read_vote(text) is vote


@pytest.mark.parametrize(
    ("text", "questions"),
    [
        ('["Who?", "When?"]', ["Who?", "When?"]),
        ('Sure:\n```json\n["Who?", "who", "When?"]\n```', ["Who?", "When?"]),
        ("['Who?', \"It's when?\",]", ["Who?", "It's when?"]),
        ("Here they are:\n1. **Who?**\n2) When?\n- Where?\nGood luck", ["Who?", "When?", "Where?"]),
        ('<think>["x"]</think>["a\\nb"]', ["a b"]),
        ("[1, 2]", []), ("[]", []), ("no list", []), ("[" * 5000, []), ("", []),
    ],
)  # fmt: skip
def test_questions(text, questions):
    assert read_questions(text) == questions


@pytest.mark.parametrize("text", ["{'a': " * 3000 + "1" + "}" * 3000, "{" + "'x', " * 20_000 + "}", '["' * 20_000])
def test_hostile_replies_take_no_time(text):
    began = time.perf_counter()
    read_questions(text)
    assert time.perf_counter() - began < 30, "milliseconds, unless the time grows with the square"


@pytest.mark.parametrize(
    ("text", "kind", "options", "option"),
    [
        ("True. Because", "boolean", (), "True"), ("\n **No**, never", "boolean", (), "False"),
        ("It depends", "boolean", (), None), ("Trueish", "boolean", (), None), ("", "boolean", (), None),
        ("green\nsays clue 1", "choice", ("red", "green"), "green"), ("B) Green!", "choice", ("red", "green"), "green"),
        ("house 12", "choice", ("house 1", "house 12"), "house 12"), ("house 1", "choice", ("house 1", "house 12"), "house 1"),
        ("red", "choice", ("bored", "ed"), None), ("-", "choice", ("+", "-"), "-"), ("I say\nred", "choice", ("red",), None),
        ("True", "open", (), None),
        ("No car passed, so it holds.\nAnswer: True", "boolean", (), "True"),
        ("True so far, but clue 2 denies it.\n\n**Answer:** False", "boolean", (), "False"),
        ("Answer: False\nOn second thought:\nAnswer: True.", "boolean", (), "True"),
        ("Es gilt.\nAntwort: Wahr", "boolean", (), "True"), ("Nein, nie", "boolean", (), "False"),
        ("Réponse : non", "boolean", (), "False"), ("Answer: it depends", "boolean", (), None),
        ("Red is out, as clue 1 says.\nAnswer: green", "choice", ("red", "green"), "green"),
        ("red or green?\nFinal answer: B) green", "choice", ("red", "green"), "green"),
        ("Clue 1.\nAnswer: B", "choice", ("red", "green"), "green"), ("2", "choice", ("red", "green"), "green"),
        ("2", "choice", ("2", "3"), "2"), ("Answer: 3", "choice", ("red", "green"), None),
        ("Answer: -", "choice", ("+", "-"), "-"),
    ],
)  # fmt: skip
def test_given_options(text, kind, options, option):
    assert given_option(text, kind, options) == option


def test_the_reader_sees_the_answer_alone_where_the_task_asks_for_it():
    reasoned = "Clue 1 excludes red.\nAnswer: green"
    assert shown_answer(reasoned, "choice", ("red", "green"), True) == "green"
    assert shown_answer(reasoned, "choice", ("red", "green"), False) == reasoned
    assert shown_answer("Hard to say.", "choice", ("red", "green"), True) == "Hard to say."
    assert shown_answer(reasoned, "open", (), True) == reasoned


def test_normal_forms():
    assert normal("  The  <Name-1>,\nowes €2,340! ") == normal("the name 1 owes 2,340") and normal("+") == "+"
    assert in_words("a b c", 2) == "a b …" and in_words("a b", 2) == "a b"


def answers(*given):
    return [ExpertAnswer(domain=f"D{n}", term=term, text=text) for n, (term, text) in enumerate(given)]


@pytest.mark.parametrize(
    ("given", "kind", "text"),
    [
        # Weights 1 to 6: two of 3 outweigh one of 5.
        ([("High", "B"), ("Medium", "a"), ("Medium", "A!")], "open", "a"),
        ([("Extremely High", "B"), ("Medium", "a"), ("Low", "A")], "open", "B"),
        ([("High", "x"), ("High", "y")], "open", "x"),
        ([("Extremely Low", "True, as"), ("High", "False"), ("Medium", "Yes: for")], "boolean", "False"),
        ([("Low", "True, as"), ("High", "False"), ("Moderately High", "Yes: for")], "boolean", "Yes: for"),
        ([("Low", "only")], "open", "only"),
    ],
)  # fmt: skip
def test_the_weighted_majority(given, kind, text):
    assert weighted_majority(answers(*given), kind).text == text


def test_the_majority_of_a_choice_is_over_the_options():
    given = answers(("High", "red\nclue 1"), ("Medium", "Green."), ("Medium", "It is: green"))
    assert weighted_majority(given, "choice", ("red", "green")).text == "Green."


@pytest.mark.parametrize(
    ("text", "found", "reason"),
    [
        ('{"contradiction": true, "reason": "too late"}', True, "too late"),
        ('{"contradiction": false, "reason": "none"}', False, ""),
        ('```json\n{"contradiction": true, "reason": "x"}\n```', True, "x"),
        ('<think>{"contradiction": true, "reason": "no"}</think>{"contradiction": false, "reason": ""}', False, ""),
        ("Sure! {'contradiction': True, 'reason': 'it\\'s late',} Hope it helps.", True, "it's late"),
        ('{"Contradiction": "yes", "Reason": "r"}', True, "r"),
        ('{"contradiction": "False"}', False, ""),
        ('{"contradiction": true, "reason": "a {nested} thing"}', True, "a {nested} thing"),
        ('first {"a": 1} then {"contradiction": true, "reason": "b"}', True, "b"),
        ("There is no contradiction here.", False, ""),
        ("The answer contradicts clue 2.", True, "The answer contradicts clue 2."),
        ("Contradiction: false", False, ""),
        ("The answer is fully consistent with the task.", False, ""),
    ],
)
def test_read(text, found, reason):
    verdict = read_verdict(text)
    assert verdict is not None and (verdict.contradiction, verdict.reason) == (found, reason)


@pytest.mark.parametrize(
    "text", ["", "hm", "[1, 2]", '{"verdict": 1}', "{", "}{", '{"contradiction": 3}', "maybe", "{" * 5000]
)
def test_no_verdict(text):
    assert read_verdict(text) is None


def test_long_reasons_are_cut():
    verdict = read_verdict('{"contradiction": true, "reason": "' + "word " * 500 + '"}')
    assert verdict is not None and len(verdict.reason.split()) == 60
