"""Tests of formulas on the whole way: the model is told of them, and what it writes is reckoned at home."""

import json
import re

import pytest

from gama import Gama, Options

LETTER = (
    "Dear Ms Okafor, this is Emma Williams, 17 Rose Lane, Leeds LS6 2AB. The first rent is £1,350.00 and the deposit was "
    "£2,025.00. The lease ends on 12 May 2026. How much is rent and deposit together, and on which day of the week does "
    "the lease end?"
)


@pytest.fixture
def asked(loopback):
    """Ask with an answer of the public model written for the placeholders that it was sent."""

    def ask(answer, **options):
        def reply(request):
            task = request["messages"][-1]["content"]
            # The two sums that stand in the letter, and its one date.
            amounts = [tag for tag in dict.fromkeys(re.findall(r"<(?:amount|expenses|balance)-[0-9]+>", task))]
            dates = re.findall(r"<date-[0-9]+>", task)
            return answer(amounts, dates)

        loopback.reply = reply
        chosen = Options(public_model="openai:loop", public_base_url=loopback.url, k=1, disprove="off", **options)
        return Gama(chosen, keep=False).invoke(LETTER)

    return ask


def test_a_sum_and_a_weekday_are_reckoned_at_home(asked, loopback):
    reply = asked(
        lambda amounts, dates: (
            f"Together {{{{ {amounts[0]} + {amounts[1]} }}}}; the lease ends on a {{{{ weekday({dates[0]}) }}}}, {dates[0]}."
        )
    )
    assert reply["answer"] == "Together £3,375.00; the lease ends on a Tuesday, 12 May 2026."
    assert not reply["unresolved"]
    told = loopback.requests[0]["messages"][0]["content"]
    assert "Reckoning with hidden values" in told and "weekday" in told
    for value in ("1,350", "2,025", "12 May 2026", "Williams", "3,375"):
        assert value not in json.dumps(loopback.requests, ensure_ascii=False)


def test_what_cannot_be_reckoned_is_said_and_never_shown_raw(asked):
    reply = asked(lambda amounts, dates: f"It is {{{{ {amounts[0]} + {dates[0]} }}}}.")
    assert "{{" not in reply["answer"] and "could not be reckoned" in reply["answer"]
    assert len(reply["unresolved"]) == 1 and "1,350" not in reply["unresolved"][0]


def test_switched_off_the_model_is_not_told_and_braces_stay(asked, loopback):
    reply = asked(lambda amounts, dates: f"It is {{{{ {amounts[0]} * 2 }}}}.", formulas=False, privacy="strict")
    assert "{{ £1,350.00 * 2 }}" in reply["answer"]
    assert "Reckoning" not in json.dumps(loopback.requests)


def test_braces_of_the_letter_are_its_own(loopback):
    loopback.reply = lambda request: re.search(r"\{\{.*?\}\}", json.dumps(request["messages"][-1], ensure_ascii=False))[
        0
    ]
    options = Options(public_model="openai:loop", public_base_url=loopback.url, k=1, disprove="off")
    letter = "My friend Emma Williams wrote the template {{ Emma Williams }} in her page. What does it print?"
    assert Gama(options, keep=False).invoke(letter)["answer"] == "{{ Emma Williams }}"
