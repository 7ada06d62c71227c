"""Trajectories by teachers: simulated, kept call by call, estimated, within a budget; and their file, checked."""

import json
import signal
import subprocess
import sys
from collections import Counter

import pytest

from gama.evals.teachers import Calls, make_teacher
from gama.models.names import Price
from gama.privacy.refining.judgement import PERFECT
from gama.state.errors import InputError, LimitReached, ModelDenied, ModelReplyError, ModelUnreachable, OptionError
from gama.state.private_text import PrivateText
from gama.training.seal import trajectories as module
from gama.training.seal.records import HELD_OUT, TRAJECTORIES, read_records, read_texts
from gama.training.seal.trajectories import expect, prepare, run, summary
from tests.support.rooms import ROOT
from tests.support.teaching import ScriptedTeacher, config_of, profiles, roles

CENTS = Price(10.0, 100.0)
"""A call of the scripted teacher costs two cents: it reads 1,000 tokens and writes 100."""


def simulated(out, teacher=None, count=6, **more):
    plan = prepare(profiles(count), roles(teacher or ScriptedTeacher(log=out / "paid.log")), config_of(), out, **more)
    return plan, run(plan, lambda name: None)


def paid(out):
    return (out / "paid.log").read_text().splitlines()


@pytest.fixture
def out(tmp_path):
    (tmp_path / "run").mkdir()
    return tmp_path / "run"


def test_trajectories_are_simulated_round_by_round(out):
    plan, failed = simulated(out)
    found = read_records(out)
    assert not failed and len(found) == 5 and Counter(one.split for one in found) == {"train": 4, "validation": 1}
    first = found[0].trajectory
    assert [step.text.count("\n\n") for step in first.steps] == [1] * 4
    assert [len(step.inferences) for step in first.steps] == [3, 2, 1, 0]
    assert [step.utility.meaning for step in first.steps] == [10, 9, 8, 6] and first.steps[0].utility == PERFECT
    assert found[0].ended == "nothing inferred" and set(found[0].models) == {"anonymizer", "attacker", "judge"}
    assert first.truth["occupation"] == "nurse"
    for name in (TRAJECTORIES, HELD_OUT, "kept/calls.jsonl"):
        assert (out / name).stat().st_mode & 0o077 == 0, "its owner's alone"
    # The attacker once more than the others; what is held out is shown to nobody.
    assert Counter(line.split()[0] for line in paid(out)) == {"infer": 20, "rewrite": 15, "judge": 15}
    (held,) = read_texts(out)
    assert held.split == "test" and not any(held.text.split("\n\n")[0] in line for line in paid(out))
    # The first rewriting is made at another temperature than the later ones.
    assert Counter(tuple(line.split()[:2]) for line in paid(out)) == {
        ("infer", "0.3"): 20, ("judge", "0.3"): 15, ("rewrite", "0.8"): 5, ("rewrite", "0.7"): 10,
    }  # fmt: skip
    assert summary(plan) == {
        "texts": 5, "left": 0, "training": 4, "validation": 1, "held out": 1, "ended": {"nothing inferred": 5},
        "rewritings": 15, "calls": 50, "US dollars": None,
    }  # fmt: skip


def test_a_run_that_is_over_asks_nothing_more(out):
    simulated(out)
    before = (out / TRAJECTORIES).read_bytes()
    plan, failed = simulated(out)
    assert not plan.left and not failed and len(paid(out)) == 50 and (out / TRAJECTORIES).read_bytes() == before


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="kill -9")
@pytest.mark.parametrize("die", [1, 2, 17, 50])
def test_a_killed_run_pays_for_nothing_twice(out, tmp_path, die):
    command = [sys.executable, "-m", "tests.support.teaching", str(out)]
    for at in range(die, 51, 16):
        done = subprocess.run([*command, str(at)], cwd=ROOT, capture_output=True, check=False)
        assert done.returncode == -signal.SIGKILL, done.stderr.decode()[-2000:]
    # What the killed process was waiting for may have been answered and not yet been written.
    again = tmp_path / "other"
    again.mkdir()
    simulated(again)
    simulated(out)
    assert (out / TRAJECTORIES).read_bytes() == (again / TRAJECTORIES).read_bytes()
    rows = [json.loads(line) for line in (out / "kept" / "calls.jsonl").read_text().splitlines()[1:]]
    assert len(rows) == 50 == len({(row["dialogue"], row["number"]) for row in rows})
    killed = len(range(die, 51, 16))
    assert 50 <= len(paid(out)) <= 50 + killed, "beside the killed call one other was under way"


def test_other_settings_are_another_run(out):
    simulated(out)
    with pytest.raises(InputError, match="other settings"):
        simulated(out, count=7)
    with pytest.raises(InputError, match="other settings"):
        prepare(profiles(6), roles(ScriptedTeacher()), config_of(trajectories={"rounds": 2}), out)


@pytest.mark.parametrize(
    ("garbled", "versions", "ended"),
    [("infer", 0, "unreadable"), ("rewrite", 1, "rounds"), ("judge", 1, "rounds")],
)
def test_what_cannot_be_read_is_no_step(out, garbled, versions, ended):
    plan, _ = simulated(out, ScriptedTeacher(log=out / "paid.log", garbled=garbled))
    assert summary(plan)["ended"] == {ended: 5}
    assert [len(one.steps) for one in read_records(out)] == [versions] * (5 if versions else 0)
    # Asked twice where it cannot be read, and the second reply is another one's.
    assert len(paid(out)) == {"infer": 10, "rewrite": 5 + 5 * 3 * 2, "judge": 5 + 5 * 3 * (1 + 1 + 2)}[garbled]


def test_the_estimate_is_by_rule_of_thumb_then_by_what_was_measured(out):
    teacher = ScriptedTeacher(log=out / "paid.log")
    first = expect(prepare(profiles(6), roles(teacher), config_of(), out))
    assert (first.texts, first.calls, first.measured, first.money) == (5, 50, 0, None)
    assert first.input_tokens > 50 * 200 and first.output_tokens > 50 * 80
    priced = {role: one._replace(price=CENTS) for role, one in roles(teacher).items()}
    plan = prepare(profiles(6), priced, config_of(), out, max_cost=0.9)
    with pytest.raises(LimitReached, match=r"\$0.9"):
        run(plan, lambda name: None, at_once=1)
    left = prepare(profiles(6), priced, config_of(), out)
    told = expect(left)
    assert 1 <= told.measured == len(left.done) < 5 and told.texts == 5 - told.measured
    assert told.calls == pytest.approx(10 * told.texts) and told.money == pytest.approx(0.2 * told.texts)
    assert len(read_records(out)) == told.measured, "what is finished can be used"


@pytest.mark.parametrize("at_once", [1, 4])
def test_a_budget_is_never_exceeded_and_counts_what_was_spent(out, at_once):
    priced = {role: one._replace(price=CENTS) for role, one in roles(ScriptedTeacher(log=out / "paid.log")).items()}
    for budget in (0.5, 0.7):
        plan = prepare(profiles(6), priced, config_of(), out, max_cost=budget)
        with pytest.raises(LimitReached, match="higher --max-cost"):
            run(plan, lambda name: None, at_once)
        assert 0 < plan.calls.spent <= budget and len(paid(out)) == round(plan.calls.spent / 0.02)
    plan = prepare(profiles(6), priced, config_of(), out, max_cost=2.0)
    assert plan.calls.spent == pytest.approx(0.02 * len(paid(out)))
    assert not run(plan, lambda name: None) and plan.calls.spent == pytest.approx(1.0) and len(paid(out)) == 50


def test_a_budget_needs_a_price(out):
    with pytest.raises(OptionError, match="price of 'ScriptedTeacher'"):
        simulated(out, max_cost=1.0)


def test_a_text_without_a_reply_is_told_and_asked_again(out, monkeypatch):
    asked = Calls.ask
    (first, *_) = prepare(profiles(6), roles(ScriptedTeacher()), config_of(), out).texts

    def ask(self, dialogue, *more):
        if dialogue == first.id and self.asking:
            raise ModelReplyError("It gave no usable answer.")
        return asked(self, dialogue, *more)

    with monkeypatch.context() as patched:
        patched.setattr(Calls, "ask", ask)
        _, failed = simulated(out)
    assert [one.id for one in failed] == [first.id] and "no usable answer" in failed[0].why
    assert len(read_records(out)) == 4
    _, failed = simulated(out)
    assert not failed and len(read_records(out)) == 5 and len(paid(out)) == 50


@pytest.mark.parametrize(("error", "patience"), [(ModelDenied, 99), (ModelReplyError, 2)])
def test_a_teacher_that_cannot_be_asked_ends_the_run(out, monkeypatch, error, patience):
    def ask(self, *more):
        raise error("The server refused the key.")

    monkeypatch.setattr(module, "PATIENCE", patience)
    plan = prepare(profiles(6), roles(ScriptedTeacher()), config_of(), out)
    monkeypatch.setattr(Calls, "ask", ask)
    with pytest.raises(error, match="refused the key"):
        run(plan, lambda name: None, at_once=1)
    assert (out / TRAJECTORIES).exists()


def test_a_call_that_fails_in_passing_is_made_again(monkeypatch):
    waits, errors = [], [ModelUnreachable("busy"), ModelUnreachable("busy")]
    teacher = make_teacher(ScriptedTeacher())
    made = ScriptedTeacher._generate

    def generate(self, messages, *more, **params):
        if errors:
            raise errors.pop()
        return made(self, messages, *more, **params)

    monkeypatch.setattr(ScriptedTeacher, "_generate", generate)
    calls = Calls(None, {}, "test", [teacher], sleep=waits.append)
    chat = [{"role": "system", "content": "You read"}, {"role": "user", "content": PrivateText("a nurse")}]
    assert "nurse" in calls.ask("a", 1, "attacker", teacher, chat).reveal() and len(waits) == 2
    errors += [ModelUnreachable("busy")] * 9
    with pytest.raises(ModelUnreachable):
        calls.ask("a", 2, "attacker", teacher, chat)
    assert len(errors) == 4, "four times again, and no more"


def test_a_reply_to_another_question_is_not_taken():
    teacher = make_teacher(ScriptedTeacher())
    calls = Calls(None, {}, "test", [teacher])
    for said in ("a nurse", "in Porto"):
        chat = [{"role": "system", "content": "You read"}, {"role": "user", "content": PrivateText(said)}]
        assert said.split()[1] in calls.ask("a", 1, "attacker", teacher, chat).reveal()
    assert len(calls.kept) == 2


def changed(row, **more):
    return json.dumps(row | more)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda rows: ["{", *rows], "line 1: no JSON"),
        (lambda rows: [changed(json.loads(rows[0]), split="dev"), *rows[1:]], "line 1: split"),
        (lambda rows: [changed(json.loads(rows[0]), more=1), *rows[1:]], "line 1: more"),
        (lambda rows: [changed(json.loads(rows[0]), steps=[]), *rows[1:]], "line 1: steps"),
        (lambda rows: [*rows, rows[0]], "same id"),
        (lambda rows: [changed(json.loads(rows[0]), steps=json.loads(rows[0])["steps"][1:]), *rows[1:]], "first step"),
        (lambda rows: [*rows, changed(json.loads(rows[0]), id="new", split="train")], "in two splits"),
    ],
)
def test_a_file_that_was_spoilt_is_refused(out, change, said):
    simulated(out)
    rows = (out / TRAJECTORIES).read_text().splitlines()
    assert json.loads(rows[0])["split"] == "validation"
    (out / TRAJECTORIES).write_text("\n".join(change(rows)))
    with pytest.raises(InputError, match=said):
        read_records(out)


def test_a_profile_that_is_learnt_from_is_not_measured_on(out):
    simulated(out)
    learnt, held = read_records(out)[0].profile, read_texts(out)[0].profile
    text = (out / HELD_OUT).read_text()
    (out / HELD_OUT).write_text(text.replace(f'"profile": "{held}"', f'"profile": "{learnt}"'))
    with pytest.raises(InputError, match="in two splits"):
        read_records(out)
    with pytest.raises(InputError, match="is it the folder of a run"):
        read_records(out / "kept")
