"""Reading logs that Inspect itself has written: what counts, what is left out, and what is told."""

import json
import shutil
from datetime import timedelta

import pytest

from gama.evals.reports.measures import Measured
from gama.evals.reports.read import read
from gama.state.errors import InputError
from tests.support.evallogs import ANSWER, Item, example, leak, write


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield example(tmp_path_factory.mktemp("logs"))


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def row(runs, dataset, solver, item):
    frame = runs.frame.set_index(["dataset", "solver", "item"])
    return frame.loc[(dataset, solver, item)]


def test_a_frame_has_one_row_for_each_item(folder):
    runs = read(folder)
    assert runs.notes == () and len(runs.frame) == 6 * 3 + 4 * 3 + 2 * 2
    assert not runs.frame.duplicated(["dataset", "solver", "item"]).any()
    assert runs.datasets == ["kpp", "lpp", "tcw5"]
    assert runs.solvers == {"std": "Std", "gama": "GAMA", "gama_strict": "GAMA <strict>"}
    one = row(runs, "lpp", "gama", "l5")
    assert (one["right"], one["questions"], one["failed"], one["epochs"]) == (0, 1, 0, 1)
    assert (one["used.tokens"], one["used.money"], one["used.seconds"]) == (1000, 0.25, 4)
    assert (one["trace.rounds"], one["trace.rules"]) == (2, 3)
    assert row(runs, "kpp", "gama_strict", "k2")["failed"] == 1
    assert row(runs, "lpp", "gama_strict", "l1")["leakage.leaking"] == 1
    assert row(runs, "lpp", "gama_strict", "l0")["leakage.leaking"] == 0


def test_no_text_of_an_item_is_kept(folder):
    runs = read(folder)
    assert ANSWER not in runs.frame.to_json() and "Quorlin" not in repr(runs.logs)
    texts = {name for name in runs.frame if not str(runs.frame[name].dtype).startswith(("float", "int"))}
    assert texts == {"dataset", "solver", "item", "kind"} and set(runs.frame["kind"]) == {""}


def test_a_log_tells_what_its_figures_depend_on(folder):
    log = read(folder).log("lpp", "gama")
    assert log is not None and log.status == "success" and log.judge is None
    assert log.facts == {"public model": "openai:gpt-4o", "seed": "0"}


def test_epochs_are_means_for_each_item(tmp_path):
    write(tmp_path, "lpp", "std", [Item("a", 1), Item("b", 0, scores=leak(1))],
          epochs=[[Item("a", 0), Item("b", 0, failed="ModelTimeout", scores=leak(0))]])  # fmt: skip
    runs = read(tmp_path)
    one, other = row(runs, "lpp", "std", "a"), row(runs, "lpp", "std", "b")
    assert (one["right"], one["epochs"]) == (0.5, 2) and len(runs.frame) == 2
    assert (other["right"], other["failed"], other["leakage.leaking"]) == (0, 0.5, 0.5)


def test_the_newest_log_counts_wherever_it_lies(tmp_path):
    first = write(tmp_path / "deep" / "er", "lpp", "std", [Item("a", 0)])
    second = write(tmp_path, "lpp", "std", [Item("a", 1)])
    assert row(read(tmp_path), "lpp", "std", "a")["right"] == 1
    # The time of the run counts, not the name of the file.
    second.rename(tmp_path / "0_lpp_renamed.eval")
    (tmp_path / "deep").rename(tmp_path / "zzz")
    runs = read(tmp_path)
    assert row(runs, "lpp", "std", "a")["right"] == 1 and runs.logs[0].file == "0_lpp_renamed.eval"
    assert not first.exists()


def test_a_failed_run_is_told_and_an_older_finished_one_counts(tmp_path):
    write(tmp_path, "lpp", "std", [Item("a", 1), Item("b", 1)])
    write(tmp_path, "lpp", "std", [Item("a", 0), Item("b", 0)], breaks_at="b")
    runs = read(tmp_path)
    assert row(runs, "lpp", "std", "a")["right"] == 1 and runs.logs[0].status == "success"
    (note,) = runs.notes
    assert "std on lpp: the newest run failed" in note and note.endswith("the last finished one counts")


def test_unfinished_runs_count_on_wish_with_what_they_hold(tmp_path):
    write(tmp_path, "lpp", "std", [Item("a", 1), Item("b", 1)], breaks_at="b")
    with pytest.raises(InputError, match="no finished run with scores .*failed .*resume it"):
        read(tmp_path)
    runs = read(tmp_path, unfinished=True)
    assert list(runs.frame["item"]) == ["a"] and runs.logs[0].status == "error"
    assert "the items it holds count" in runs.notes[0]


def test_runs_with_other_settings_are_told(tmp_path):
    write(tmp_path, "lpp", "std", [Item("a", 0)], facts={"public model": "small"})
    write(tmp_path, "lpp", "std", [Item("a", 1)], facts={"public model": "large"})
    write(tmp_path, "lpp", "std", [Item("a", 1)], facts={"public model": "large"})
    runs = read(tmp_path)
    (note,) = runs.notes
    assert runs.logs[0].facts == {"public model": "large"} and "1 older run(s) with other settings" in note


def test_types_of_tasks_and_what_the_items_are_come_along(tmp_path):
    write(tmp_path, "answers", "std", [Item("a", 1, kind="sums"), Item("b", 0, kind="dates")],
          metadata={"solver": "std", "name": "Std", "notes": ["2 of 100 items"]})  # fmt: skip
    runs = read(tmp_path)
    assert list(runs.frame["kind"]) == ["sums", "dates"] and runs.logs[0].differs == ("2 of 100 items",)


def changed(log, target, change):
    """Write a log as JSON with a change that Inspect does not make at will, such as a run that was cancelled."""
    from inspect_ai.log import read_eval_log, write_eval_log

    content = read_eval_log(log)
    change(content)
    write_eval_log(content, target)
    log.unlink()


@pytest.mark.parametrize(("status", "said"), [("cancelled", "was cancelled"), ("started", "is not finished")])
def test_cancelled_and_broken_off_runs_are_told(tmp_path, status, said):
    older = write(tmp_path, "lpp", "std", [Item("a", 1)])
    newer = write(tmp_path, "lpp", "cot", [Item("a", 1)])
    target = newer.with_suffix(".json")
    changed(newer, target, lambda log: setattr(log, "status", status))
    runs = read(tmp_path)
    assert list(runs.solvers) == ["std"] and older.exists()
    assert f"cot on lpp: the newest run {said} ({target.name}) and is left out" in runs.notes[0]
    assert list(read(tmp_path, unfinished=True).solvers) == ["cot", "std"]


def test_damaged_and_foreign_files_are_told_and_left_out(tmp_path, folder):
    good = write(tmp_path, "lpp", "std", [Item("a", 1)])
    (tmp_path / "2026-01-01T00-00-00_half_x.eval").write_bytes(good.read_bytes()[:400])
    (tmp_path / "2026-01-01T00-00-01_empty_x.json").write_text("{}")
    (tmp_path / "notes.txt").write_text("not a log")
    write(tmp_path, "other", "", [Item("a", 1)], metadata={"about": "another task"})
    runs = read(tmp_path)
    assert [one.solver for one in runs.logs] == ["std"]
    assert sum("cannot be read" in note for note in runs.notes) == 2
    assert "1 log(s) of other tasks are left out" in runs.notes
    assert ANSWER not in "".join(runs.notes)


@pytest.mark.parametrize("marks", [Item("a", 2, 1), Item("a", -1, 1)])
def test_impossible_marks_are_left_out_and_told(tmp_path, marks):
    write(tmp_path, "lpp", "std", [marks, Item("b", 1)])
    runs = read(tmp_path)
    assert list(runs.frame["item"]) == ["b"] and "1 answer(s) without marks" in runs.notes[0]


def test_items_without_marks_count_for_what_else_is_scored(tmp_path):
    write(tmp_path, "plens", "std", [Item("a", 0, scores=leak(2)), Item("b", 0, scores=leak(0))], marks=False,
          judge="openai:gpt-4o-mini", run={"risk": 0.125})  # fmt: skip
    runs = read(tmp_path)
    assert list(runs.frame["leakage.leaking"]) == [1, 0] and runs.frame["right"].isna().all()
    assert runs.logs[0].judge == "openai:gpt-4o-mini" and runs.logs[0].figures["run.risk.whole"] == 0.125


def test_a_case_that_no_judge_has_decided_counts_neither_as_leaking_nor_as_not(tmp_path):
    judged = [("a", {"leaked": 1, "leaking": 1}), ("b", {"leaked": 0, "leaking": 0}), ("c", {"leaked": 0})]
    write(tmp_path, "plens", "std", [
        Item(name, 0, scores={"lr_final": {"items": 2, "unreadable": name == "c", **one}}) for name, one in judged
    ], marks=False)  # fmt: skip
    found = Measured(read(tmp_path)).get(["plens"], "std", ["lr_final.leaking"])
    assert (found.value, found.items, found.by) == (50, 2, "Wilson")


def test_a_log_of_other_numbers_than_numbers(tmp_path):
    used = {"calls": "many", "input_tokens": None, "output_tokens": 7, "seconds": float("inf"), "gpu_mb": 2048}
    write(tmp_path, "lpp", "std", [Item("a", 1, used=used, trace={"rules": [], "drafts": "two"})])
    one = row(read(tmp_path), "lpp", "std", "a")
    assert "used.calls" not in one and "used.seconds" not in one and "trace.drafts" not in one
    assert (one["used.tokens"], one["used.gpu_gb"], one["trace.rules"]) == (7, 2, 0)


def test_a_folder_that_cannot_be_used_is_refused(tmp_path):
    with pytest.raises(InputError, match="no such folder"):
        read(tmp_path / "none")
    with pytest.raises(InputError, match="no log of Inspect"):
        read(tmp_path)
    write(tmp_path, "other", "", [Item("a", 1)], metadata={})
    with pytest.raises(InputError, match="logs of other tasks"):
        read(tmp_path)


def test_the_files_of_inspect_beside_the_logs_are_none(tmp_path):
    log = write(tmp_path, "lpp", "std", [Item("a", 1)])
    shutil.copy(log, tmp_path / "backup.bin")
    (tmp_path / "logs.json").write_text(json.dumps({"log.eval": {}}))
    (tmp_path / "eval-set.json").write_text(json.dumps({"eval_set_id": "x"}))
    runs = read(tmp_path)
    assert len(runs.logs) == 1
    assert runs.logs[0].created.utcoffset() == timedelta(0)
