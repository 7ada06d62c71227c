"""Runs of methods over data sets: every task end to end, what is kept, what is spent, and what the logs say."""

import json
import os
import signal
import stat
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log

from gama.evals.datasets import privacylens
from gama.evals.datasets.problem import Problem
from gama.evals.ledger import alone
from gama.evals.metrics.leakage import leak_judge
from gama.evals.solvers import catalog as methods
from gama.evals.solvers.base import Solution, Usage
from gama.evals.tasks.catalog import DATASETS, SCORERS, Item, Judges, Outcome, items_of, lr_final
from gama.evals.tasks.cost import UNKNOWN, estimate, shape_of
from gama.evals.tasks.run import models_of, prepare, public_price, run
from gama.models.names import FREE, Price
from gama.state.errors import InputError, LimitReached, ModelDenied, ModelReplyError, OptionError
from gama.state.options import Options
from tests.support.commands import runner
from tests.support.loopback import Loopback
from tests.support.tiny_method import Tiny, options_of

PENNY = Price(1000.0, 0.0)
"""A price at which each call of the loopback server, which says it read 11 tokens, costs 1.1 cents."""


@pytest.fixture(autouse=True)
def tiny(monkeypatch, tmp_path):
    monkeypatch.setitem(methods.SOLVERS, "tiny", lambda models, options: Tiny(models))
    # Inspect notes there which log was the last.
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))


def asked(request):
    return request["messages"][-1]["content"]


def go(url, out, *names, epochs=1, limit=None, key="tiny", options=None, judge=None, **more):
    out.mkdir(exist_ok=True)
    options = options or options_of(url)
    models = models_of(options, judge, url)
    plans = [
        prepare(items_of(name, limit=limit), key, models, options, out, epochs=epochs, judge=judge) for name in names
    ]
    return run(plans, out, lambda name: None, epochs=epochs, judge=models.judge, **more)


def logs(out):
    return [read_eval_log(str(path)) for path in sorted(out.glob("*.eval"))]


def right_answer(name, record):
    if name.startswith("tcw") or name == "kpp":
        return "Story: " + ", ".join(alias for some in record.answers for alias in some)
    if name == "lgp":
        return f"So it must be.\nAnswer: {record.house}"
    if name in ("lpp", "boolq"):
        return f"{record.answer}."
    if name == "plens":
        return f'Thought: so.\nAction: {record.action}\nAction Input: {{"to": {{"name": "x"}}}}'
    if name == "hotpotqa":
        return f"Answer: {record.answer}"
    return record.gold if name == "answers" else "Gladly."


REFUSED = "I am sorry, that is beyond me."
OTHERS = ("Xyzzy.", "{{{ Answer: ]] True False 1 2 3", REFUSED, "")
"""Wrong, malformed, refused, empty."""


JUDGED = {"lr_final", "lr_public", "quality", "units"}
"""What only a judge can say; none is named here."""


@pytest.mark.parametrize("name", DATASETS)
def test_every_task_marks_every_sort_of_output(name, loopback, tmp_path):
    items = items_of(name, limit=4).items
    right = {item.problem.prompt: right_answer(name, item.record) for item in items}
    turns: Counter[str] = Counter()

    def reply(request):
        prompt = asked(request)
        turn = turns[prompt]
        turns[prompt] += 1
        said = (right[prompt], *OTHERS)[turn]
        # Letters of knowledge take true for yes.
        return said.replace("True False", "") if name == "kpp" and turn else said

    loopback.reply = reply
    out = tmp_path / "out"
    (result,) = go(loopback.url, out, name, epochs=5, limit=4)
    (log,) = logs(out)
    assert (log.status, log.eval.task, log.eval.model) == ("success", name, "none/none")
    assert log.eval.metadata is not None and log.samples is not None
    assert {name: log.eval.metadata[name] for name in ("solver", "name", "facts", "judge")} == {
        "solver": "tiny", "name": "Tiny", "facts": {"calls": "1"}, "judge": None,
    }  # fmt: skip
    assert len(log.samples) == 5 * len(items) and set(turns.values()) == {5}
    by_id = {item.problem.id: item for item in items}
    for sample in log.samples:
        item = by_id[str(sample.id)]
        assert sample.scores is not None and set(sample.scores) == set(SCORERS[name]) - JUDGED
        marks = sample.scores["marks"].value
        assert isinstance(marks, dict) and set(marks) == {"right", "questions"}
        good = sample.output.completion == right[item.problem.prompt].strip()
        assert marks["right"] == (marks["questions"] if good else 0), sample.output.completion
        used = sample.metadata["used"]
        assert used["calls"] == 1 and used["input_tokens"] == 11 and used["seconds"] > 0 and used["peak_rss_mb"] > 1
        # A server on this machine costs nothing; nobody has said what it costs here.
        assert used["money"] is None
        assert sample.metadata["sent"] == [item.problem.prompt] and sample.metadata["trace"] == {"rounds": 1}
        if "leakage" in SCORERS[name]:
            leaked = sample.scores["leakage"].value
            listed = {value for some in item.problem.facts["private"].values() for value in some}
            # The method hides nothing.
            assert isinstance(leaked, dict) and leaked["items"] == len(listed) == leaked["leaked"]
    assert result.right == (result.questions / 5 if name != "pupa" else 0) and result.failed == 0


def test_what_a_run_writes_is_its_owners_alone(loopback, tmp_path):
    out = tmp_path / "out"
    go(loopback.url, out, "lgp")
    files = [path for path in out.rglob("*") if path.is_file() and "trace" not in path.name]
    assert len(files) == 3
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    assert stat.S_IMODE((out / "kept").stat().st_mode) == 0o700
    # What Inspect keeps of its own elsewhere quotes no item.
    prompt = items_of("lgp").items[0].problem.prompt[-60:]
    for path in [*(tmp_path / "share").rglob("*"), *(out / "kept").glob("*trace*")]:
        assert path.is_dir() or prompt.encode() not in path.read_bytes()
    before = os.umask(0o022)
    os.umask(before)
    assert before != 0o077


def test_the_same_run_again_asks_nothing_and_more_items_only_what_is_new(loopback, tmp_path):
    out = tmp_path / "out"
    first = go(loopback.url, out, "lgp", limit=2)
    again = go(loopback.url, out, "lgp", limit=2)
    assert [one.before for one in (*first, *again)] == [False, True] and len(loopback.requests) == 2
    assert again[0]._replace(before=False) == first[0]
    more = go(loopback.url, out, "lgp")
    assert more[0].samples == 5 and len(loopback.requests) == 5 and len(logs(out)) == 1
    # A second epoch is asked anew.
    go(loopback.url, out, "lgp", epochs=2)
    assert len(loopback.requests) == 10
    (log,) = logs(out)
    assert Counter(sample.epoch for sample in log.samples or ()) == {1: 5, 2: 5}


def test_other_settings_need_another_folder(loopback, tmp_path, monkeypatch):
    out = tmp_path / "out"
    go(loopback.url, out, "lgp", limit=2)
    with pytest.raises(InputError, match="other settings"):
        go(loopback.url, out, "lgp", limit=2, options=options_of(loopback.url, seed=5))
    # How fast it is asked is no such setting.
    go(loopback.url, out, "lgp", limit=2, options=options_of(loopback.url, timeout_s=77))
    assert len(loopback.requests) == 2


def test_another_file_of_the_data_set_needs_another_folder(loopback, tmp_path):
    out, options = tmp_path / "out", options_of(loopback.url)
    out.mkdir()
    models = models_of(options)
    prepare(items_of("kpp"), "tiny", models, options, out)
    with pytest.raises(InputError, match="other settings"):
        prepare(items_of("kpp", repaired=True), "tiny", models, options, out)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "emails.json").write_bytes(items_file("kpp").read_bytes() + b"\n")
    with pytest.raises(InputError, match="other settings"):
        prepare(items_of("kpp", tmp_path / "data"), "tiny", models, options, out)


@pytest.mark.parametrize("name", ["boolq", "answers"])
def test_a_larger_sample_holds_the_smaller_one(name):
    ids = [{item.problem.id for item in items_of(name, limit=limit, seed=3).items} for limit in (1, 2, 6, 7, 20)]
    assert [len(some) for some in ids] == [1, 2, 6, 7, 20]
    assert all(fewer <= more for fewer, more in zip(ids, ids[1:], strict=False))
    assert ids[1] != {item.problem.id for item in items_of(name, limit=2, seed=4).items}


def test_a_failure_is_told_counts_as_wrong_and_is_asked_again(loopback, tmp_path):
    out = tmp_path / "out"
    loopback.reply = lambda request: "Answer: 1"
    loopback.faults = [None, 500, "drop"] + [None] * 2
    (result,) = go(loopback.url, out, "lgp", at_once=1)
    assert (result.samples, result.failed) == (5, 2)
    (log,) = logs(out)
    failed = [sample for sample in log.samples or () if "failed" in sample.metadata]
    # What the provider's library raises: an error of the server, one of the connection.
    assert len({sample.metadata["failed"] for sample in failed}) == 2
    assert all(sample.scores and sample.scores["marks"].value == {"right": 0, "questions": 1} for sample in failed)
    # The provider's text may echo what it was sent.
    assert all("Clue" not in json.dumps([sample.metadata["failed"], sample.metadata["why"]]) for sample in failed)
    (again,) = go(loopback.url, out, "lgp")
    assert (again.failed, again.before, len(loopback.requests)) == (0, False, 7) and len(logs(out)) == 1


def test_what_is_wrong_with_every_item_ends_the_run(loopback, tmp_path, monkeypatch):
    class Denied(Tiny):
        async def solve(self, problem):
            await super().solve(problem)
            raise ModelDenied("The key is missing.")

    monkeypatch.setitem(methods.SOLVERS, "denied", lambda models, options: Denied(models))
    with pytest.raises(ModelDenied, match="key is missing"):
        go(loopback.url, tmp_path / "out", "lgp", key="denied", at_once=1)
    assert len(loopback.requests) == 1


def test_an_error_of_ours_says_why(loopback, tmp_path, monkeypatch):
    class Refused(Tiny):
        async def solve(self, problem):
            raise ModelReplyError("The model refused.")

    monkeypatch.setitem(methods.SOLVERS, "refused", lambda models, options: Refused(models))
    (result,) = go(loopback.url, tmp_path / "out", "lgp", key="refused")
    assert result.failed == result.samples == 5
    (log,) = logs(tmp_path / "out")
    assert {(s.metadata["failed"], s.metadata["why"]) for s in log.samples or ()} == {
        ("ModelReplyError", "The model refused.")
    }


@pytest.mark.parametrize("at_once", [1, 4])
def test_a_budget_is_kept_and_a_higher_one_goes_on(at_once, loopback, tmp_path):
    out = tmp_path / "out"
    with pytest.raises(LimitReached, match=r"\$0.05"):
        go(loopback.url, out, "boolq", at_once=at_once, max_cost=0.05, price=PENNY)
    spent = len(loopback.requests)
    assert spent == 4
    (result,) = go(loopback.url, out, "boolq", at_once=at_once, max_cost=1.0, price=PENNY)
    assert len(loopback.requests) == 24 and result.money == pytest.approx(24 * 0.011)
    assert len(logs(out)) == 1
    with pytest.raises(OptionError, match="--price-in"):
        go(loopback.url, out, "boolq", max_cost=1.0)


def test_two_hundred_items_keep_all_places_busy(tmp_path):
    """The server answers only when ten requests are there: fewer under way would wait for ever."""
    places = threading.Barrier(10)
    lock, now, most = threading.Lock(), [0], [0]

    def reply(request):
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        places.wait(timeout=300)
        with lock:
            now[0] -= 1
        return "fine"

    server = Loopback(reply)
    try:
        (result,) = go(server.url, tmp_path / "out", "answers", limit=100, epochs=2, at_once=10)
    finally:
        server.close()
    assert (result.samples, result.failed, len(server.requests), most[0]) == (200, 0, 200, 10)


def child(out, url, **job):
    job = {"out": str(out), "url": url, "calls": 3, "at_once": 4, "datasets": ["lpp", "boolq"]} | job
    root = Path(__file__).parents[3]
    environment = os.environ | {"OPENAI_API_KEY": "none", "GAMA_HOME": str(out / "home")}
    return subprocess.Popen(
        [sys.executable, "-m", "tests.support.tiny_method", json.dumps(job)],
        cwd=root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


@pytest.mark.slow
def test_a_killed_or_stopped_run_goes_on_and_pays_for_nothing_twice(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    reached = threading.Event()
    limits = [20, 60, 95]

    def reply(request):
        if limits and len(server.requests) >= limits[0]:
            reached.set()
            # The reply is under way when the run is killed.
            gone.wait(timeout=300)
        return "True"

    server, gone = Loopback(reply), threading.Event()
    try:
        for stop in (signal.SIGKILL, signal.SIGINT, signal.SIGKILL):
            reached.clear()
            gone.clear()
            process = child(out, server.url)
            assert reached.wait(timeout=600), process.stderr and process.stderr.read().decode()
            process.send_signal(stop)
            assert process.wait(timeout=600) != 0
            limits.pop(0)
            gone.set()
        process = child(out, server.url)
        said, errors = process.communicate(timeout=600)
        assert process.returncode == 0, errors.decode()
        # A request that a kill has cut short is none.
        whole = [request for request in server.requests if "messages" in request]
        bodies = Counter(json.dumps(request["messages"]) for request in whole)
        # 36 items of three calls each; twice at most those that were under way at a kill.
        assert len(bodies) == 108
        assert len(whole) - 108 <= 3 * 4
        results = json.loads(said.splitlines()[-1])
        assert [(one["samples"], one["failed"], one["calls"]) for one in results] == [(12, 0, 36), (24, 0, 72)]
        before = len(server.requests)
        process = child(out, server.url)
        process.communicate(timeout=600)
        assert process.returncode == 0 and len(server.requests) == before
    finally:
        server.close()
    # One whole log for each, which Inspect reads.
    assert sorted((log.eval.task, log.status, len(log.samples or ())) for log in logs(out)) == [
        ("boolq", "success", 24), ("lpp", "success", 12),
    ]  # fmt: skip


def test_a_half_written_line_is_dropped(loopback, tmp_path):
    out = tmp_path / "out"
    go(loopback.url, out, "lgp", limit=2)
    kept = out / "kept" / "lgp--tiny.jsonl"
    kept.write_bytes(kept.read_bytes() + b'{"id": "lgp-')
    for path in out.glob("*.eval"):
        path.unlink()
    (result,) = go(loopback.url, out, "lgp")
    assert result.samples == 5 and len(loopback.requests) == 5
    assert all(json.loads(line) for line in kept.read_text().splitlines())
    kept.write_text("not ours\n")
    with pytest.raises(InputError, match="gama eval run"):
        go(loopback.url, out, "lgp")


def test_repeated_requests_of_one_item_have_their_own_replies(loopback, tmp_path, monkeypatch):
    class Votes(Tiny):
        async def solve(self, problem):
            said = [await Tiny.solve(self, problem) for _ in range(3)]
            if broken:
                raise ConnectionError
            return Solution(" ".join(one.answer for one in said), (), Usage(3))

    broken = [True]
    loopback.reply = lambda request: str(len(loopback.requests))
    monkeypatch.setitem(methods.SOLVERS, "votes", lambda models, options: Votes(models))
    out = tmp_path / "out"
    go(loopback.url, out, "tcw10", limit=1, key="votes")
    broken.clear()
    go(loopback.url, out, "tcw10", limit=1, key="votes")
    (log,) = logs(out)
    assert log.samples is not None and log.samples[0].output.completion == "1 2 3" and len(loopback.requests) == 3


def test_scorers_may_wait_and_may_have_nothing_to_say(loopback, tmp_path, monkeypatch):
    async def judged(item, outcome):
        return {"said": len(outcome.answer)} if item.problem.id != "lgp-0" else None

    monkeypatch.setitem(SCORERS, "lgp", SCORERS["lgp"] | {"judged": judged})
    go(loopback.url, tmp_path / "out", "lgp")
    (log,) = logs(tmp_path / "out")
    values = {sample.id: (sample.scores or {}).get("judged") for sample in log.samples or ()}
    assert values.pop("lgp-0") is None
    assert all(value is not None and value.value == {"said": 4} for value in values.values())


def test_a_judge_is_paid_once_and_counts_to_the_budget(loopback, tmp_path):
    def reply(request):
        text = str(request["messages"])
        return "Rating: 2" if "You rate" in text else "It is told.\nVerdict: yes" if "Verdict" in text else answer

    def judged():
        return sum(request["model"] == "judge" for request in loopback.requests)

    record = privacylens.load()[0]
    answer = f"Thought: x\nAction: {record.action}\nAction Input: {json.dumps({'text': record.items[0]})}"
    loopback.reply = reply
    out, more = tmp_path / "out", {"judge": "openai:judge", "price": FREE, "judge_price": PENNY}
    with pytest.raises(OptionError, match=r"--max-cost: the judge's price"):
        go(loopback.url, out, "plens", limit=2, **more | {"judge_price": None}, max_cost=1.0)
    (first,) = go(loopback.url, out, "plens", limit=1, **more)
    asked = judged()
    assert asked == first.judge_calls > 0 and first.judge_money == pytest.approx(0.011 * asked)
    # A run that goes on judges what is new alone, and has paid for the rest.
    (both,) = go(loopback.url, out, "plens", limit=2, **more)
    assert first.judge_calls < both.judge_calls == judged()
    with pytest.raises(LimitReached):
        go(loopback.url, out, "plens", **more, max_cost=0.02)
    assert judged() == both.judge_calls


def test_estimates():
    problems = [Problem(str(number), "lgp", "x" * 300) for number in range(10)]
    rough = estimate("std", problems, 2, [])
    assert (rough.items, rough.calls, rough.measured) == (20, 20, 0)
    assert rough.money(None) is None and rough.money(FREE) == 0
    refined = estimate("self-refine-original", problems, 2, [])
    # Later calls carry what was said before.
    assert refined.calls == 60 and refined.input_tokens > 3 * rough.input_tokens
    assert shape_of("std-rpr").calls == 2 and shape_of("gama-no-dle") == shape_of("gama-v2")
    assert shape_of("standing") == UNKNOWN
    known = [{"used": {"calls": 4, "input_tokens": 100, "output_tokens": 10}}]
    assert estimate("std", problems, 1, known) == (10, 40, 1000, 100, 1)
    assert estimate("std", problems, 1, known).money(Price(2.0, 10.0)) == pytest.approx(0.003)


def test_prices_and_models():
    assert public_price(Options(public_model="openai:gpt-4o"), 1.0, 2.0) == Price(1.0, 2.0)
    assert public_price(Options(public_model="loop", public_base_url="http://127.0.0.1:1/v1")) == FREE
    assert public_price(Options(public_model="openai:no-such-model")) is None
    own = {"openai:no-such-model": {"input": 3, "output": 4}}
    assert public_price(Options(public_model="openai:no-such-model", prices=own)) == Price(3.0, 4.0)
    with pytest.raises(OptionError, match="both"):
        public_price(Options(public_model="openai:gpt-4o"), 1.0)
    with pytest.raises(OptionError, match="--public"):
        models_of(Options())


def test_the_command(loopback, tmp_path, capsys):
    loopback.reply = lambda request: "Answer: 1"
    run_command = runner(capsys)
    common = ("eval", "run", "lgp", "lpp", "--solver", "tiny", "--public", "loop", "--base-url", loopback.url)
    done = run_command(*common, "--out", tmp_path / "out")
    assert done.code == 0, done.err
    assert "rule of thumb" in done.out and "2 " in done.out and "inspect view" in done.err
    assert "items that ship" in done.err
    assert len(logs(tmp_path / "out")) == 2 and len(loopback.requests) == 17
    again = run_command(*common, "--out", tmp_path / "out")
    assert again.code == 0 and len(loopback.requests) == 17
    # Nobody is there to ask.
    dear = (*common, "--price-in", 90000, "--price-out", 90000, "--out", tmp_path / "dear")
    refused = run_command(*dear)
    assert refused.code == 2 and "--yes" in refused.err and len(loopback.requests) == 17
    assert run_command(*dear, "--yes").code == 0 and len(loopback.requests) == 34
    with alone(tmp_path / "out"):
        beside = run_command(*common, "--out", tmp_path / "out")
    assert beside.code != 0 and "another run is under way" in beside.err
    for wrong in (("--solver", "tini"), ("--max-cost", "x"), ("--data", tmp_path / "none")):
        assert run_command(*common, "--out", tmp_path / "other", *wrong).code == 2
    spent = run_command(
        *common, "--price-in", 1000, "--price-out", 0, "--max-cost", 0.02, "--yes", "--out", tmp_path / "low"
    )
    assert spent.code not in (0, 1, 2) and "higher --max-cost" in spent.err
    data = tmp_path / "data"
    data.mkdir()
    (data / "emails.json").write_bytes(items_file("kpp").read_bytes())
    noted = run_command("eval", "run", "kpp", *common[4:], "--data", data, "--limit", 1, "--out", tmp_path / "given")
    assert noted.code == 0 and "cannot be compared" in noted.err and "that ship" not in noted.err


def items_file(name):
    from gama.evals.datasets.source import SOURCES

    return SOURCES[name].shipped


def test_there_is_a_task_for_each_data_set():
    from gama.evals.tasks import tasks

    for name in DATASETS:
        task = getattr(tasks, name)(limit=2)
        assert task.name == name and len(task.dataset) == 2


@pytest.mark.parametrize(("price", "above", "yes", "asked"), [
    (Price(1000.0, 0.0), 1.0, False, "$"), (Price(1000.0, 0.0), 1.0, True, ""), (Price(1000.0, 0.0), 1e6, False, ""),
    (None, 1.0, False, "unknown price"), (FREE, 0.0, False, ""),
])  # fmt: skip
def test_what_is_dear_is_asked_about(price, above, yes, asked, loopback, tmp_path, monkeypatch):
    from gama.evals.commands import run as command

    options = options_of(loopback.url)
    plan = prepare(items_of("answers"), "tiny", models_of(options), options, tmp_path)
    questions = []
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr(command.typer, "confirm", lambda text, **how: questions.append((text, how["abort"])))
    command._consent([plan], price, above, yes)
    assert len(questions) == bool(asked) and all(asked in text and abort for text, abort in questions)


async def test_leak_rates_are_judged_by_one_judge_a_role(loopback):
    def judge(request):
        return "Rating: 2" if "You rate" in str(request["messages"]) else "It is told.\nVerdict: yes"

    loopback.reply = judge
    model = models_of(options_of(loopback.url), "openai:judge", loopback.url).judge
    assert model is not None
    judges, record = Judges(model, "a judge"), privacylens.load()[0]
    item = Item(record, privacylens.problems([record])[0])
    answer = f"Thought: x\nAction: {record.action}\nAction Input: {json.dumps({'text': record.items[0]})}"
    outcome, facts = Outcome(answer, ["what left"], judges), len(record.items)
    found = {name: SCORERS["plens"][name](item, outcome) for name in ("lr_final", "lr_public", "lr_string")}
    final, public = [await found[name] for name in ("lr_final", "lr_public")]
    assert final == {"leaked": facts, "unreadable": 0, "items": facts, "acted": 1, "leaking": 1, "helpfulness": 2}
    assert public is not None and public["leaked"] == facts
    assert found["lr_string"]["leaked"] >= 1
    assert len(loopback.requests) == 2 * facts + 1
    assert judges.of(leak_judge) is judges.of(leak_judge)
    assert await lr_final(item, Outcome(answer, [])) is None
