"""`gama eval errors`: the disprover before planted errors, by models that always say no, always yes, and read the gold."""

import json
from collections import Counter

import pytest

from gama.evals.errors import figures, judge, load
from gama.guard.egress import EGRESS, NoPrivateSpace
from gama.serve import cli
from gama.state.errors import InputError
from tests.support.scripted import ScriptedClient

ANSWERS = load()


@pytest.fixture(autouse=True)
def nothing_private():
    token = EGRESS.set(NoPrivateSpace())
    yield
    EGRESS.reset(token)


def saying(contradiction: bool) -> str:
    return json.dumps({"solution": "s", "checks": [], "reason": "it clashes", "contradiction": contradiction})


def rates(verdicts):
    client = ScriptedClient({"disprove": verdicts})
    found = figures([judge(given, client) for given in ANSWERS])
    client.done()
    return found, client


def test_the_set_is_balanced_and_every_answer_has_its_twin():
    assert Counter(given.wrong for given in ANSWERS) == {True: 60, False: 60}
    assert set(Counter((given.kind, given.wrong) for given in ANSWERS).values()) == {10}
    assert {given.text for given in ANSWERS if given.wrong} == {given.text for given in ANSWERS if not given.wrong}
    assert len({given.answer for given in ANSWERS}) == len({given.id for given in ANSWERS}) == 120
    assert sum("{{" in given.answer for given in ANSWERS) >= 10 and sum("<" in given.text for given in ANSWERS) >= 40


def test_one_that_always_says_no_finds_all_and_raises_every_alarm():
    found, client = rates([saying(True)] * 120)
    assert found["found"]["share"] == found["false alarms"]["share"] == 1.0
    assert client.calls[0].role == "disprove" and "=== ANSWER ===" in client.calls[0].user
    forms = [call for call in client.calls if "=== FORM ===" in call.user]
    assert {call.kind for call in forms} == {"boolean", "choice"}, "the form that an answer must have is told"


def test_one_that_always_says_yes_finds_nothing():
    found, _ = rates([saying(False)] * 120)
    assert found["found"]["share"] == found["false alarms"]["share"] == 0.0


def test_one_that_reads_the_gold_finds_all_without_an_alarm_and_intervals_say_how_sure_that_is():
    found, _ = rates([saying(given.wrong) for given in ANSWERS])
    assert found["found"] == {"count": 60, "of": 60, "share": 1.0, "low": 0.9404, "high": 1.0}
    assert found["false alarms"]["count"] == 0 and found["false alarms"]["high"] == 0.0596
    assert all(kind["found"]["of"] == 10 for kind in found["kinds"].values()) and len(found["kinds"]) == 6


def test_without_a_verdict_an_answer_stands():
    client = ScriptedClient({"disprove": ["I cannot say.", "I cannot say."]})
    found = figures([judge(next(given for given in ANSWERS if given.wrong), client)])
    assert found["without verdict"] == 1 and found["found"]["count"] == 0 and found["false alarms"] is None


def test_a_line_that_is_no_answer_is_named(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"id": "x"}\n')
    with pytest.raises(InputError, match=r"line 1 of a\.jsonl"):
        load(tmp_path / "a.jsonl")


def test_the_command_waits_as_long_as_it_is_told(loopback, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    monkeypatch.setattr("gama.models.public.MAX_RETRIES", 0)
    loopback.fault = "stall"
    (tmp_path / "one.jsonl").write_text(json.dumps(load()[0]._asdict()) + "\n", encoding="utf-8")
    arguments = ["eval", "errors", "--data", tmp_path / "one.jsonl", "--public", "openai:x", "--base-url", loopback.url]
    # The call's own limit is two minutes; this test's is less.
    assert cli.main([*map(str, arguments), "--timeout", "1"]) == 0
    assert "1 without a verdict" in capsys.readouterr().out
