"""Tests of the trial of formulas: what fails at home goes back to the model, by kind and unit, and is mended."""

import json
import os
import re
import subprocess
import sys

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from gama import Gama, Options
from gama.graph.private_graph import build_graph
from gama.state.errors import SealError
from gama.vault.seal import Vault
from tests.support.rooms import ROOT

LETTER = (
    "Dear Ms Okafor, this is Emma Williams, 17 Rose Lane, Leeds LS6 2AB. The first rent is £1,350.00 and the flight cost "
    "$2,025.00. The visit is from 12 to 16 May 2026. How much is it together, and on which day of the week does it end?"
)
FAULTY = {
    "an unknown function": ("It is {{ wekday(end(D1)) }}.", "there is no function wekday: is it weekday(d)?"),
    "a range": ("It ends {{ weekday(D1) }}.", "<date-1> is a range: use start(<date-1>) or end(<date-1>)"),
    "units": ("Together {{ A1 + A2 }}.", "the currencies differ (<amount-1> is an amount of money, "),
}
MENDED = {
    "an unknown function": ("It is {{ weekday(end(D1)) }}.", "It is Saturday."),
    "a range": ("It ends {{ weekday(end(D1)) }}.", "It ends Saturday."),
    "units": ("Together {{ A1 * 1 }} and {{ A2 * 1 }}.", "Together £1,350.00 and $2,025.00."),
}
PLANTED = ("1,350", "2,025", "12 to 16", "16 May", "Williams", "Okafor", "Rose Lane", "Saturday")


class Answers:
    """A public model by script: what it says as an expert, and each time it is asked to mend."""

    def __init__(self, expert, *mended):
        self.steps = [expert, *mended]
        self.asked = []

    def __call__(self, request):
        system, user = (request["messages"][n]["content"] for n in (0, -1))
        mends = system.startswith("You mend the formulas")
        self.asked.append("mend" if mends else "expert")
        number = self.asked.count("mend") if mends else 0
        amounts = list(dict.fromkeys(re.findall(r"<(?:amount|expenses|balance)-[0-9]+>", user)))
        dates = list(dict.fromkeys(re.findall(r"<date-[0-9]+>", user)))
        step = self.steps[min(number, len(self.steps) - 1)]
        return step.replace("A1", amounts[0]).replace("A2", amounts[-1]).replace("D1", dates[0])


@pytest.fixture
def asked(loopback):
    """Ask with scripted answers; gives the reply and the roles that were asked."""

    def ask(expert, *mended, letter=LETTER, **options):
        loopback.reply = answers = Answers(expert, *mended)
        url = loopback.url
        chosen = Options(public_model="openai:loop", public_base_url=url, k=1, disprove="off", **options)
        return Gama(chosen, keep=False).invoke(letter), answers.asked

    return ask


def said(request):
    return request["messages"][-1]["content"]


@pytest.mark.parametrize("name", FAULTY)
def test_what_fails_goes_back_is_mended_and_the_reader_sees_the_result(asked, loopback, name):
    (faulty, message), (mended, answer) = FAULTY[name], MENDED[name]
    reply, roles = asked(faulty, mended)
    assert roles == ["expert", "mend"] and reply["answer"] == answer
    assert not reply["unresolved"] and reply["usage"]["calls"] == 2 and reply["usage"]["mend.calls"] == 1
    assert message in said(loopback.requests[-1]) and "=== ANSWER ===" in said(loopback.requests[-1])
    assert "Reckoning with hidden values" in loopback.requests[-1]["messages"][0]["content"]
    assert reply["experts"] and reply["domains"] and reply["timings"]["public.mend"] > 0
    assert reply["formulas"] and all(one["result"] in answer for one in reply["formulas"])


@pytest.mark.parametrize("name", FAULTY)
def test_no_value_and_no_result_is_in_what_goes_back(asked, loopback, name):
    """Letters with other values of the same kinds are asked about in the very same words."""
    asked(FAULTY[name][0], MENDED[name][0])
    for value in PLANTED:
        assert value not in json.dumps(loopback.requests, ensure_ascii=False)
    first, loopback.requests[:] = said(loopback.requests[-1]), []
    other = (
        LETTER.replace("1,350.00", "9,870.50").replace("2,025.00", "2,114.20").replace("12 to 16 May", "3 to 11 June")
    )
    asked(FAULTY[name][0], MENDED[name][0], letter=other)
    assert said(loopback.requests[-1]) == first


def test_twice_at_most_and_then_the_reader_sees_what_is_said_for_that(asked, loopback):
    wrong = 'It is {{ %s(A1) | otherwise: "the sum of both" }}, or {{ %s(A1) }}.'
    reply, roles = asked(*(wrong % (name, name) for name in ("one1", "two2", "three3", "four4")))
    assert roles.count("mend") == 2 and "two2" in said(loopback.requests[-1])
    assert (
        reply["answer"] == "It is the sum of both, or [could not be reckoned: it names a function that there is not]."
    )
    assert len(reply["unresolved"]) == 2 and "one1" in reply["unresolved"][0], "nothing was better than the first"
    assert [one["result"] for one in reply["formulas"]] == [None, None]
    assert [reply["answer"][one["start"] : one["end"]][:7] for one in reply["formulas"]] == ["the sum", "[could "]


def test_a_second_repair_goes_on_from_the_first(asked):
    reply, roles = asked("It is {{ wekday(D1) }}.", *(FAULTY["a range"][0], MENDED["a range"][0]))
    assert roles.count("mend") == 2 and reply["answer"] == "It ends Saturday."


GOOD = "The rent doubled is {{ A1 * 2 }}, "


@pytest.mark.parametrize(
    "worse",
    [
        GOOD.replace("A1 * 2", "A1 * D1") + "on {{ wekday(D1) }}.",
        "The rent doubled is what it is, on Tuesday.",
        "I'm sorry, but I can't help with that.",
        "",
        "{{ weekday(end(D1)) }}",
        GOOD + "on {{ wekday(D1) }}.",
    ],
    ids=["more faults", "a formula lost", "a refusal", "nothing", "not the whole", "the same"],
)
def test_a_mended_answer_that_is_worse_is_not_taken(asked, worse):
    draft = GOOD + "on {{ wekday(D1) }}."
    reply, roles = asked(draft, worse)
    assert reply["answer"].startswith("The rent doubled is £2,700.00, on [could not be reckoned: ")
    assert roles.count("mend") == 1 or (worse == "" and roles.count("mend") <= 2)
    assert len(reply["unresolved"]) == 1


@pytest.mark.parametrize(
    ("options", "answer"), [({"formulas": False, "privacy": "strict"}, "It is {{ wekday(D1) }}."), ({}, "No formula.")]
)
def test_without_formulas_there_is_no_trial(asked, options, answer):
    reply, roles = asked(answer, "mended", **options)
    assert roles == ["expert"] and "try_formulas" not in reply["timings"]
    assert reply["formulas"] == []


class TestLimitsOfTheTaskAsAWhole:
    def test_calls(self, asked):
        reply, roles = asked(*FAULTY["units"][:1], MENDED["units"][0], max_calls=1)
        assert roles == ["expert"] and "could not be reckoned" in reply["answer"]
        assert any("sent back" in note and "limits" in note for note in reply["warnings"])
        wrong = [f"It is {{{{ {name}(A1) }}}}." for name in ("one1", "two2", "three3")]
        assert asked(*wrong, max_calls=2)[1].count("mend") == 1, "a repair counts against them, too"

    def test_tokens(self, asked):
        """An answer of 5,000 words is paid for once; there is no room to send it again."""
        long = "word " * 5000 + FAULTY["units"][0]
        reply, roles = asked(long, long.replace("A1 + A2", "A1"), max_tokens=10_000)
        assert roles == ["expert"] and "could not be reckoned" in reply["answer"]
        assert any("not mended (LimitReached" in note for note in reply["warnings"])
        assert asked(long, long.replace("A1 + A2", "A1"))[1][-1] == "mend"

    def test_money(self, asked):
        prices = {"openai:loop": {"input": 1000.0, "output": 1000.0}}
        reply, roles = asked(FAULTY["units"][0], MENDED["units"][0], prices=prices, max_cost=3.0)
        assert roles == ["expert", "mend"] and 0 < reply["usage"]["cost_microusd"] <= 3_000_000


def test_a_repair_that_fails_leaves_the_answer_as_it_was(asked, loopback):
    loopback.faults = [None, None, "filter"]
    reply, _ = asked("The rent is {{ A1 * 2 }}, {{ wekday(D1) }}.", "x")
    assert reply["answer"].startswith("The rent is £2,700.00, [could not be reckoned: ")
    assert any("not mended" in note for note in reply["warnings"])


def test_a_closed_answer_is_mended_in_its_form(asked, loopback):
    letter = LETTER.partition("How much")[0] + "Is the rent higher than 1000 pounds? Answer only yes or no."
    reply, _ = asked(
        'Answer: {{ iff(A1 > 1000, "Yes", "No") }}', 'Answer: {{ if A1 > 1000 then "Yes" else "No" }}', letter=letter
    )
    assert reply["answer"].endswith("Yes") and "{{" not in reply["answer"]


@pytest.mark.parametrize("route", ["logic", "knowledge", "auto"])
def test_an_answer_of_every_route_is_mended(asked, route):
    """The way it was found stays in the reply; the mending goes no way but its own."""
    reply, roles = asked(FAULTY["a range"][0], MENDED["a range"][0], route=route)
    assert reply["answer"] == "It ends Saturday." and roles.count("mend") == 1 == reply["usage"]["mend.calls"]
    assert reply["route"] == ("logic" if route == "logic" else "knowledge") and reply["usage"]["calls"] == len(roles)
    assert bool(reply["votes"]) == (route == "auto") and bool(reply["questions"]) == (route != "logic")


def test_a_hostile_answer_is_mended_in_time(asked):
    reply, _ = asked("{{ " * 10_000 + "{{ wekday(D1) }}", "{{" * 15_000)
    assert "could not be reckoned" in reply["answer"]


def test_nothing_private_is_in_public_checkpoints_or_streams(loopback):
    loopback.reply = answers = Answers(FAULTY["a range"][0], MENDED["a range"][0])
    public, vault = InMemorySaver(), Vault.ephemeral()
    options = Options(public_model="openai:loop", public_base_url=loopback.url, k=1, disprove="off")
    graph = build_graph(options, vault=vault, checkpointer=InMemorySaver(), public_checkpointer=public)
    config = {"configurable": {"thread_id": "t"}}
    modes = ["values", "updates", "debug", "messages", "custom", "tasks", "checkpoints"]
    parts = list(graph.stream({"question": LETTER}, config, stream_mode=modes, subgraphs=True))
    assert answers.asked[-1] == "mend" and any("public.mend" in repr(part) or "mend" in repr(part) for part in parts)
    early = repr([part for part in parts if "'answer': 'It ends" not in repr(part) or "'reply'" not in repr(part)])
    kept = repr([public.storage, public.writes, public.blobs])
    assert "is a range" in kept and len(public.storage) == 2
    for value in PLANTED:
        assert value not in early and value not in kept
    state = graph.get_state(config).values
    assert set(vault.tied("t")) == set(public.storage) and state["public_thread"] in public.storage
    asked_before = len(answers.asked)
    again = next(one for one in graph.get_state_history(config) if one.next == ("call_public_graph",))
    assert again.values["repairs"] == 1
    assert graph.invoke(None, again.config)["reply"]["answer"] == "It ends Saturday."
    assert len(answers.asked) == asked_before, "a repair that was paid for is not asked for again"


def test_a_later_turn_begins_anew(loopback, home):
    options = Options(public_model="openai:loop", public_base_url=loopback.url, k=1, disprove="off")
    gama, config = Gama(options, home=home), {"configurable": {"thread_id": "t"}}
    for _ in range(2):
        loopback.reply = answers = Answers(FAULTY["a range"][0], FAULTY["units"][0], MENDED["a range"][0])
        assert gama.invoke({"question": LETTER}, config)["answer"] == "It ends Saturday."
        assert answers.asked.count("mend") == 2
    public = gama.graph.vault.tied("t")
    sealed = gama.graph.get_state(config).values["sealed_box"]
    assert len(public) == 6, "two turns, each with two repairs"
    assert gama.forget("t")
    for thread in public:
        with pytest.raises(SealError):
            gama.graph.vault.open(thread, sealed)
    gama.close()
    assert not any(name.encode() in path.read_bytes() for name in public for path in home.rglob("*") if path.is_file())


TRACED = """
import sys
from tests.integration.test_trial import LETTER
from gama import Gama, Options
options = Options(public_model="openai:loop", public_base_url=sys.argv[1], k=1, disprove="off", trace=True)
print(Gama(options, keep=False).invoke(LETTER)["answer"])
from gama.guard.tracing import public_tracer
public_tracer().flush()
"""


@pytest.mark.slow
def test_nothing_private_is_traced(loopback, home, tmp_path):
    from gama.evals.audit.servers import TraceServer

    loopback.reply = Answers(FAULTY["a range"][0], MENDED["a range"][0])
    with TraceServer() as tracer:
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("LANGSMITH_", "LANGCHAIN_", "OTEL_"))}
        paths = os.pathsep.join(filter(None, (str(ROOT), clean.get("PYTHONPATH"))))
        more = {"LANGSMITH_ENDPOINT": tracer.url, "LANGSMITH_API_KEY": "k", "GAMA_HOME": str(home), "PYTHONPATH": paths}
        done = subprocess.run(
            [sys.executable, "-c", TRACED, loopback.url],
            env=clean | more,
            cwd=tmp_path,
            capture_output=True,
            timeout=280,
            check=False,
        )
        received = b"\n".join(tracer.taken()).decode("utf-8", "replace")
    assert done.stdout.strip() == b"It ends Saturday.", done.stderr[-3000:].decode()
    assert "You mend the formulas" in received and "is a range" in received
    for value in PLANTED:
        assert value not in received


def test_each_formula_is_told_with_its_place_inputs_and_result(asked):
    reply, _ = asked(
        'Dear reader, yes: {{ A1 * 2 }} and <name-77>. {{ if A1 > 100 then "yes" else "no" }}! {{ weekday(end(D1)) }}, '
        '{{ if A1 > 100 then "A1 is {{ A1 - 100 }} more." else "no" }} {{ A1 / 0 }}'
    )
    found = reply["formulas"]
    assert [reply["answer"][one["start"] : one["end"]] for one in found] == [
        "£2,700.00", "yes", "Saturday", "£1,350.00 is £1,250.00 more.", "[could not be reckoned: it cannot be reckoned with these values]",
    ]  # fmt: skip
    assert [one["result"] for one in found] == ["£2,700.00", "yes", "Saturday", "£1,350.00 is £1,250.00 more.", None]
    assert [one["inputs"] for one in found] == [
        ["<amount-1>"],
        ["<amount-1>"],
        ["<date-1>"],
        ["<amount-1>"],
        ["<amount-1>"],
    ]
    assert [bool(one["reason"]) for one in found] == [False, False, False, False, True]


def test_sorts_of_values_are_told_before_a_formula_is_written(asked, loopback):
    reply, roles = asked("It ends {{ weekday(end(D1)) }}, back {{ next_working_day(end(D1)) }}.")
    told = loopback.requests[0]["messages"][0]["content"]
    assert "a range, with start(x) and end(x): <date-1>" in told and "mend" not in roles
    assert [bool(one["note"]) for one in reply["formulas"]] == [False, True] and not reply["unresolved"]
    asked("It ends.", formulas=False, privacy="strict")
    assert not any("What some are" in said for one in loopback.requests[-1:] for said in [str(one["messages"])])
