"""`gama train seal`: what is asked, told and refused before anything is paid or trained."""

import json

import pytest

from gama.serve.commands import seal as command
from tests.support.commands import runner
from tests.support.teaching import REPLIES, ScriptedTeacher, config_of, profiles, roles


@pytest.fixture
def run(capsys):
    return runner(capsys)


@pytest.fixture
def given(tmp_path):
    """Arguments of a run: profiles, numbers, and a folder."""
    (tmp_path / "profiles.jsonl").write_text("\n".join(json.dumps(one._asdict()) for one in profiles(4)))
    (tmp_path / "config.yaml").write_text("trajectories: {test_profiles: 1, validation_profiles: 1}")
    (tmp_path / "prices.json").write_text(
        json.dumps({"usd_per_million_tokens": {"openai:loop": {"input": 1000, "output": 1000}}})
    )
    return [
        "train", "seal", "trajectories", "--data", tmp_path / "profiles.jsonl", "--out", tmp_path / "run", "--config",
        tmp_path / "config.yaml",
    ]  # fmt: skip


def teach(request):
    system, user = (one["content"] for one in request["messages"])
    role = "judge" if "hallucination" in system else "rewrite" if "You rewrite" in system else "infer"
    return REPLIES[role](user)


def test_teachers_simulate_after_an_estimate(run, given, loopback, tmp_path):
    loopback.reply = teach
    done = run(*given, "--teacher", "openai:one", "--judge", "openai:two", "--base-url", loopback.url)
    assert done.code == 0, done.err
    assert "3 texts left: about 30 calls" in done.err and "$0.00" in done.err, "a model on this machine costs nothing"
    assert json.loads(done.out)["calls"] == 30
    asked = {("hallucination" in str(one["messages"]), one["model"]) for one in loopback.requests}
    assert asked == {(True, "two"), (False, "one")}
    warmth = {("You rewrite" in str(one["messages"]), one["temperature"]) for one in loopback.requests}
    assert warmth == {(True, 0.8), (True, 0.7), (False, 0.3)}


def test_texts_leave_by_consent_alone(run, given, loopback):
    done = run(*given, "--teacher", "openai:gpt-4o")
    assert done.code == 2 and "add --hosted" in done.err
    done = run(*given, "--teacher", "openai:loop", "--base-url", loopback.url, "--judge", "anthropic:x")
    assert done.code != 0 and not loopback.requests
    done = run(*given, "--attacker", "openai:loop", "--base-url", loopback.url)
    assert done.code == 2 and "option --anonymizer: name a model" in done.err


def test_what_is_dear_is_asked_about_and_bounded(run, given, loopback, tmp_path):
    loopback.reply = teach
    dear = [*given, "--teacher", "openai:loop", "--base-url", loopback.url, "--prices", tmp_path / "prices.json"]
    done = run(*dear)
    assert done.code == 2 and "add --yes" in done.err and not loopback.requests
    done = run(*dear, "--yes", "--max-cost", 4)
    assert done.code == 7 and "higher --max-cost" in done.err
    spent = json.loads(done.out)["US dollars"] if done.out.startswith("{") else 0
    assert spent <= 4
    made = len(loopback.requests)
    done = run(*dear, "--yes")
    assert done.code == 0 and made < 30 and len(loopback.requests) == 30, "none of the calls is made anew"


def test_what_is_missing_is_named(run, given, tmp_path, monkeypatch):
    from gama.training.seal import tuning

    monkeypatch.setattr(tuning, "find_spec", lambda name: None if name == "trl" else object())
    (tmp_path / "model").mkdir()
    for what in ("sft", "dpo"):
        done = run("train", "seal", what, "--data", tmp_path, "--from", tmp_path / "model", "--out", tmp_path / "new")
        assert done.code == 2 and "needs trl: pip install 'gama-privacy[seal]'" in done.err
    done = run("train", "seal", "eval", tmp_path, "--data", tmp_path, "--from", tmp_path, "--out", tmp_path / "e")
    assert done.code == 2 and "is it the folder of a run" in done.err
    done = run(
        "train",
        "seal",
        "eval",
        tmp_path,
        "--data",
        tmp_path,
        "--from",
        tmp_path,
        "--out",
        tmp_path / "e",
        "--judge",
        "a:b",
    )
    assert done.code == 2 and "name the --attacker too" in done.err


def test_the_other_trainings_are_reached_as_before(run):
    assert "gama train seal --help" in run("train", "--help").out
    assert {"trajectories", "sft", "dpo", "eval"} <= set(run("train", "seal", "--help").out.split())
    assert "No such command" in run("train", "seal", "nothing").err
    assert "known: identify" in run("train", "everything", "--data", "x", "--out", "y").err


def test_two_runs_in_one_folder_do_not_pay_twice(run, given, tmp_path):
    from gama.evals.ledger import alone

    (tmp_path / "run").mkdir()
    with alone(tmp_path / "run"):
        done = run(*given, "--teacher", "ollama:x")
    assert done.code == 2 and "another run is under way" in done.err


def test_a_table_has_a_row_for_each(capsys):
    from rich.console import Console

    from gama.evals.teachers import Calls
    from gama.training.seal.measuring import Referees, measure
    from gama.training.seal.sources import Text

    teacher = roles(ScriptedTeacher())["attacker"]
    texts = [Text("p/1", "p", "test", profiles(1)[0].truth, "I am a nurse in Porto.")]
    found = measure(
        texts,
        {"trained": lambda: teacher},
        Referees(teacher, teacher),
        config_of(),
        Calls(None, {}, "t", ()),
        lambda name: None,
    )
    Console(highlight=False, width=100).print(command._table(found))
    shown = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["original", "0.500", "0.500", "1.000", "0.000", "0.0", "0"] in shown
    assert ["trained", "0.000", "0.000", "0.933", "0.933", "2.0", "0"] in shown
