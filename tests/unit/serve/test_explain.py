"""`gama ask --explain`, and the options that choose how a task is solved, through the command line."""

import io
import json

import pytest
from rich.console import Console
from rich.text import Text

from gama.serve import render, reply_labels
from gama.serve.render import write_reply
from tests.support import letters

SECRET = letters.SECRETS[0]
TASK = f"My name is {SECRET}. The shop opens at nine on Monday. Mr Tanner keeps the keys. When does the shop open? Who keeps the keys?"


def play(request) -> str:
    """Agents by the first words of their prompts: rivals are contradicted, one check finds the answer wrong."""
    system, user = (message["content"] for message in request["messages"])
    doubtful = "=== QUESTION ===\nWho keeps" in user and "=== ANSWER ===\nat nine" not in user
    replies = {
        "You decide how": "yes",
        "You take a task": '["When does the shop open?", "Who keeps the keys?"]',
        "You check the": '{"correct": false, "replacement": "at nine"}' if doubtful else '{"correct": true}',
        "You are the last": '{"approved": false, "answer": "rewritten for <name-1>"}',
        "You try to disprove": '{"contradiction": true, "reason": "no such hour"}',
        "You propose the": "It opens at ten.",
        "You test a rival": '{"contradiction": true, "reason": "it says nine"}',
    }
    return next((reply for words, reply in replies.items() if system.startswith(words)), "nine, <name-1>")


@pytest.fixture
def ask(gama, loopback):
    loopback.reply = play

    def run(*arguments: str):
        return gama("ask", TASK, "--public", "openai:x", "--base-url", loopback.url, *arguments)

    return run


def explained(out: str) -> dict:
    told: dict = json.loads(out)["explanation"]
    return told


def test_v1_shows_contradictions_calls_tokens_and_seconds(ask, loopback):
    # The published choice fires several rules for any text: there is something to fuse.
    done = ask("--explain", "--rounds", "2", "--topk", "paper")
    out = done.out
    assert done.code == 0 and "route both: domain experts, then disproof" in out
    assert "2 rounds: the round limit was reached with a contradiction left" in out
    assert "round 1: no such hour" in out and "round 2: no such hour" in out
    rows = {
        line.split("  ")[0]: line.split()[-4:] for line in out.split("per stage\n")[1].split("\n\n")[0].splitlines()
    }
    experts = json.loads(ask("--json", "--topk", "paper").out)["domains"]
    assert rows["experts"][0] == str(len(experts)) and rows["disprove"][:3] == ["2", "22", "12"]
    assert rows["answer again"][0] == "2" and rows["fuse answers"][0] == "1"
    assert rows["together"][0] == str(len(experts) + 1 + 4) and float(rows["together"][3]) > 0
    for domain in experts:
        assert f"{domain['domain']:<16} {domain['term']:<16} {domain['score']:.2f}" in out
        assert f"-- {domain['domain']} ({domain['term']})" in out


def test_v2_shows_the_counterfactuals(ask):
    done = ask("--explain", "--disprove", "v2")
    assert "1 round: the rival answer was contradicted, so the answer is confirmed" in done.out
    assert "round 1: assumed instead: It opens at ten.\ncontradicted: it says nine" in done.out
    assert "rival answer" in done.out and "contradict rival" in done.out


def test_the_knowledge_route_shows_votes_and_sub_questions(ask):
    out = ask("--explain", "--route", "auto").out
    assert "route knowledge: sub-questions" in out
    assert "(needs background knowledge? yes, yes, yes)" in " ".join(out.split()), "where lines end depends on COLUMNS"
    assert "-- question 1: When does the shop open?" in out and "-- question 2: Who keeps the keys?" in out
    assert "check 1: wrong, replaced by: at nine\ncheck 2: correct\nanswer: at nine" in out
    assert "quality assurance wrote the answer anew" in out and f"rewritten for {SECRET}" in out
    assert "vote on the route" in out and ", question 2, " in out


def test_the_logic_route_says_that_no_domain_expert_is_asked(ask):
    out = ask("--explain", "--route", "logic").out
    assert reply_labels.NO_EXPERTS in out and "route logic" in out and "substitution check" in out


def test_json_carries_the_same(ask, loopback):
    done = ask("--explain", "--json", "--route", "knowledge")
    reply, told = json.loads(done.out), explained(done.out)
    for part in (
        "route",
        "votes",
        "domains",
        "experts",
        "questions",
        "rounds",
        "verdict",
        "contradictions",
        "counterfactuals",
        "quality",
    ):
        assert told[part] == reply[part], part
    assert told["questions"][1]["checks"] == [
        {"round": 1, "correct": False, "replacement": "at nine"}, {"round": 2, "correct": True, "replacement": ""},
    ]  # fmt: skip
    outside = [stage for stage in told["stages"] if stage["space"] == "outside"]
    assert sum(stage["calls"] for stage in outside) == told["total"]["calls"] == len(loopback.requests)
    assert sum(stage["input_tokens"] for stage in outside) == told["total"]["input_tokens"] > 0
    assert sum(stage["output_tokens"] for stage in outside) == told["total"]["output_tokens"] > 0
    assert all(stage["seconds"] >= 0 for stage in told["stages"]) and told["unconverged"] is False
    home = [stage["stage"] for stage in told["stages"] if stage["space"] == "home"]
    names = [name for name in reply_labels.STAGE_NAMES.values() if name not in ("refine", "try formulas")]
    assert home == names, "in the order they ran, restoring last; nothing was refined, no formula tried"
    assert told["stages"][-1]["stage"] == "restore" and told["stages"][0]["calls"] is None
    assert "explanation" not in json.loads(ask("--json").out)


LEASE = "My name is Emma Williams. The rent is £1,350.00. How much is it for two months?"


def test_formulas_are_told_with_results_and_faults_at_home_only(gama, loopback):
    loopback.reply = lambda request: (
        "It is {{ <amount-1> * 2 }}, or {{ <amount-1> / 0 }}." if "disprove" not in str(request) else "{}"
    )
    server = ("--public", "openai:x", "--base-url", loopback.url, "--rounds", "0")
    out = gama("ask", LEASE, "--explain", *server).out
    assert "== Formulas, reckoned at home\n{{ <amount-1> * 2 }} → £2,700.00\n" in out
    # Lines are as long as the terminal is wide.
    told = " ".join(out.split())
    assert "{{ <amount-1> / 0 }} → could not be reckoned: it cannot be reckoned with these values" in told
    assert "try formulas" in out
    public = gama("ask", LEASE, "--explain", "--show", "public", *server).out
    assert "Formulas" not in public and "2,700" not in public
    one, two = (json.loads(gama("ask", LEASE, "--json", *more, *server).out) for more in ((), ("--show", "public")))
    assert [made["result"] for made in one["formulas"]] == ["£2,700.00", None]
    assert "formulas" not in two and "2,700" not in str(two) and two["anonymized"] == one["anonymized"]


def test_what_left_for_the_question_is_told_by_kind(gama, loopback):
    loopback.reply = lambda request: "Ask a doctor about <age-1>."
    text = "Emma Williams, 34, has asthma and lives at 12 Mill Lane."
    asked = ("ask", text, "--query", "Which medicine may she take?", "--disprove", "off", "--k", "1", "--explain")
    model = ("--public", "openai:x", "--base-url", loopback.url)
    told = explained(gama(*asked, *model, "--json").out)["for_the_question"]
    assert told == {"shown": {"medical_condition": 1}, "roughly": {"age": 1}}
    out = gama(*asked, *model).out
    assert "shown for the question: 1 medical condition" in out and "roughly for the question: 1 age" in out
    assert "Told roughly because the query needs it: 1 age." in out
    nothing = explained(gama(*asked, *model, "--json", "--privacy", "strict").out)["for_the_question"]
    assert nothing == {"shown": {}, "roughly": {}}
    sent = b"".join(loopback.record)
    assert b"asthma" in sent and b"band=30-39" in sent and b"Emma" not in sent and b"Mill Lane" not in sent


def test_the_flag_for_the_round_limit(ask):
    assert explained(ask("--explain", "--json", "--rounds", "1").out)["unconverged"] is True


def test_nothing_private_is_in_an_explanation(ask):
    for route in ("both", "knowledge", "logic"):
        done = ask("--explain", "--show", "public", "--route", route)
        assert "How it was solved" in done.out and letters.hits(done.out.encode()) == []
        assert letters.hits(json.dumps(explained(ask("--explain", "--json", "--route", route).out)).encode()) == []


def test_a_terminal_shows_the_same(ask, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    reply = json.loads(ask("--json", "--route", "knowledge").out)
    console = Console(file=io.StringIO(), force_terminal=True, width=100, color_system="standard")
    render.show_reply(reply, TASK, "all", console, explain=True)
    shown = Text.from_ansi(console.file.getvalue()).plain
    plain = write_reply(reply, TASK, "all", explain=True)
    for part in ("How it was solved", "question 2: Who keeps the keys?", "check 1: wrong, replaced by: at nine",
                 "quality assurance wrote the answer anew", "Calls, tokens and seconds per stage", "take apart", "together"):  # fmt: skip
        assert part in shown and part in plain, part
    console = Console(file=io.StringIO(), force_terminal=True, width=100, color_system="standard")
    render.show_reply(reply, TASK, "all", console)
    assert "How it was solved" not in console.file.getvalue()


def test_control_sequences_and_markup_in_what_came_back_are_data(reply):
    bad = "[bold]\x1b[2J[/nope]\u202e"
    reply |= {
        "route": "knowledge", "quality": "approved", "votes": [bad],
        "questions": [
            {
                "number": 1, "question": bad, "domains": [{"domain": bad, "term": "High", "score": 0.5}], "answer": bad,
                "checks": [{"round": 1, "correct": False, "replacement": bad}], "verdict": "converged",
            }
        ],
        "counterfactuals": [{"round": 1, "against": "x", "text": bad, "contradicted": None, "reason": ""}],
        "formulas": [
            {"formula": bad, "inputs": [], "result": bad, "reason": "", "start": 0, "end": 1},
            {"formula": bad, "inputs": [], "result": None, "reason": bad, "start": 0, "end": 1},
        ],
    }  # fmt: skip
    console = Console(file=io.StringIO(), force_terminal=True, width=200, color_system="standard")
    render.show_reply(reply, None, "all", console, explain=True)
    for output in (console.file.getvalue(), write_reply(reply, None, "all", explain=True)):
        assert "\x1b[2J" not in output and "\u202e" not in output and "[bold]" in output


def test_every_role_and_verdict_has_its_words(reply):
    from typing import get_args

    from gama.state.public import Taken, Verdict
    from gama.tools.domains.prompts import AT_HOME, TemplateName

    templates = {name for name in get_args(TemplateName) if name not in AT_HOME and not name.startswith("answer-")}
    assert set(reply_labels.ROLE_NAMES) == templates - {"general"}, "every role has a prompt, and words for it"
    assert set(reply_labels.VERDICTS) == set(get_args(Verdict)) and set(reply_labels.ROUTES) == set(get_args(Taken))
    assert set(reply_labels.QUALITY) == {"approved", "rewritten", "unclear"}


def test_a_reply_kept_by_an_earlier_version_can_be_shown(reply):
    for key in ("counterfactuals", "route", "votes", "questions", "quality", "switches"):
        del reply[key]
    assert "formulas" not in reply
    assert "route both" in write_reply(reply, None, "all", explain=True)


class TestHowATaskIsSolved:
    @pytest.mark.parametrize(
        ("arguments", "parts"),
        [
            (["--route", "x"], ["option --route", "'both', 'auto', 'knowledge' or 'logic'"]),
            (["--disprove", "v3"], ["option --disprove", "'v1', 'v2' or 'off'"]),
            (["--checks", "99"], ["option --checks", "20"]),
            (["--without", "everything"], ["option --without", "'everything' is none of ampp, drke, dle"]),
            (["--without", "ampp"], ["raw text", "--allow-raw"]),
            (["--without", "dle", "--ablation-mode", "cumulative"], ["raw text", "--allow-raw"]),
            (["--ablation-mode", "x"], ["option --ablation-mode"]),
            (["--prompts", "nowhere"], ["prompt folder 'nowhere' does not exist"]),
        ],
    )
    def test_what_cannot_be_done(self, ask, loopback, arguments, parts):
        done = ask(*arguments)
        assert done.code == 2 and done.err.startswith("error: ") and done.err.count("\n") == 1 and done.out == ""
        assert all(part in done.err for part in parts) and letters.hits(done.err.encode()) == []
        assert loopback.record == []

    def test_modules_off(self, ask, loopback):
        reply = json.loads(ask("--json", "--without", "drke", "--without", "dle").out)
        assert reply["switches"] == {"ampp": True, "drke": False, "dle": False} and len(loopback.requests) == 1

    @pytest.mark.parametrize("how", [[], ["--quiet"], ["--json"], ["--show", "public"]])
    def test_the_raw_text_leaves_with_two_consents_and_a_loud_warning(self, ask, loopback, how):
        done = ask("--without", "ampp", "--allow-raw", *how)
        assert done.code == 0 and done.err.startswith("WARNING: ANONYMIZATION IS OFF.") and done.err.count("\n") == 1
        assert SECRET.encode() in loopback.received
        if how in ([], ["--show", "public"]):
            assert "== What left this machine: THE RAW TEXT" in done.out and "note: RAW TEXT:" in done.out
        if how == ["--json"]:
            assert json.loads(done.out)["warnings"][0].startswith("RAW TEXT:")

    def test_the_consent_alone_changes_nothing(self, ask, loopback):
        done = ask("--allow-raw")
        assert done.code == 0 and done.err == "" and letters.hits(loopback.received) == []

    def test_own_prompts(self, ask, loopback, tmp_path):
        (tmp_path / "rival.txt").write_text("version: 1\nfields: answer_form\n\nYou propose the OWN. $answer_form")
        assert ask("--disprove", "v2", "--prompts", str(tmp_path)).code == 0
        assert any("OWN" in request["messages"][0]["content"] for request in loopback.requests)
        (tmp_path / "rival.txt").write_text("version: 1\nfields: answer_form\n\nYou propose.")
        done = ask("--disprove", "v2", "--prompts", str(tmp_path))
        assert done.code == 2 and "rival.txt: its text lacks the field 'answer_form'" in done.err

    def test_checks(self, ask):
        told = explained(ask("--json", "--explain", "--route", "knowledge", "--checks", "1").out)
        assert len(told["questions"][1]["checks"]) == 1 and told["unconverged"] is True


def test_what_was_taken_for_the_question_is_shown_at_home_alone(ask):
    at = [[TASK.index("When does"), len(TASK)]]
    done = ask("--explain", "--privacy", "open")
    taken = "taken for the question:\n  When does the shop open? Who keeps the keys?"
    assert taken in done.out
    assert explained(ask("--explain", "--json", "--privacy", "open").out)["question_spans"] == at
    assert "taken for the question" not in ask("--explain", "--privacy", "open", "--show", "public").out
    assert "taken for the question" not in ask("--explain", "--privacy", "strict").out
