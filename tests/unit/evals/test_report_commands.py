"""The commands `gama eval report` and `gama eval compare`."""

import json
import sys

import pytest

from tests.support.commands import runner
from tests.support.evallogs import ANSWER, Item, example, write


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield example(tmp_path_factory.mktemp("logs"))


@pytest.fixture
def gama(capsys):
    return runner(capsys)


def test_the_papers_tables_are_printed_without_any_log(gama):
    done = gama("eval", "report", "--published")
    assert done.code == 0 and not done.err
    for words in ("nothing was measured here", "| GAMA | 54.8 | 82.0 |", "`seal-ablation`", "second-hand", "PII-Real"):
        assert words in done.out
    one = gama("eval", "report", "--published", "--table", "gama-v2-5")
    assert one.out.count("\n###") == 1 and "| AutoAgents | 0.8451 | 0.0217 | 0.0125 | yes |" in one.out


def test_a_report_is_printed_beside_the_papers_figures(gama, logs):
    done = gama("eval", "report", logs, "--resamples", 100)
    assert done.code == 0, done.err
    assert "## Measured here" in done.out and "`gama-v1-2`" in done.out and "`seal-main`" not in done.out
    assert "**83.3** [43.6, 97.0], n=6" in done.out and "GAMA \\<strict>" in done.out
    assert ANSWER not in done.out + done.err


def test_a_report_is_written_as_markdown_page_csv_and_plots(gama, logs, tmp_path):
    out = tmp_path / "report"
    done = gama("eval", "report", logs, "--out", out, "--resamples", 100)
    assert done.code == 0 and not done.out and "report.md, report.html, report.csv and 10 plots" in done.err
    names = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    assert {"report.md", "report.html", "report.csv", "plots/score-lpp.svg", "plots/rounds.svg"} <= names
    text = (out / "report.md").read_text(encoding="utf-8")
    for name in (path.name for path in (out / "plots").iterdir()):
        assert f"](plots/{name})" in text
    for path in out.rglob("*.*"):
        assert path.is_dir() or ANSWER not in path.read_text(encoding="utf-8")
    assert gama("eval", "report", logs, "--out", out, "--resamples", 100).code == 0, (
        "a second report replaces the first"
    )


def test_a_chosen_table_is_shown_even_where_nothing_was_run(gama, logs):
    done = gama("eval", "report", logs, "--table", "seal", "--table", "gama-v2-1")
    assert done.code == 0 and "`seal-main`" in done.out and "`gama-v2-1`" in done.out and "`gama-v1-2`" not in done.out


def test_what_is_left_out_is_said(gama, logs, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    write(tmp_path / "logs", "lpp", "std", [Item("a", 1), Item("b", 1)], breaks_at="b")
    done = gama("eval", "report", tmp_path / "logs")
    assert done.code == 2 and "resume it, or count what it holds by --unfinished" in done.err
    done = gama("eval", "report", tmp_path / "logs", "--unfinished", "--resamples", 0)
    assert (
        done.code == 0 and "note: std on lpp: the newest run failed" in done.err and "not finished (error)" in done.out
    )


def test_figures_of_other_commands_come_by_their_files(gama, tmp_path):
    file = tmp_path / "query.json"
    one = {"value": 0.61, "low": 0.5, "high": 0.7}
    about = {"name": "single.jsonl", "texts": 12}
    file.write_text(json.dumps({"command": "query", "data": about, "figures": {"given": {"naive": {"f1": one}}}}))
    done = gama("eval", "report", "--results", file)
    assert done.code == 0 and "**0.610** [0.500, 0.700], n=12" in done.out and "`pii-bench-7`" in done.out
    assert "## Measured here" not in done.out


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "name the folder of the logs"),
        (["LOGS", "--published"], "option --published: it shows the papers' tables alone"),
        (["--published", "--table", "gama-v3"], "option --table: no table is called 'gama-v3'"),
        (["LOGS", "--out", "FILE"], "is a file; name a folder"),
        (["LOGS", "--out", "FILE/deep/er"], "its folder is missing"),
        (["EMPTY"], "no log of Inspect can be read there"),
        (["EMPTY/none"], "no such folder"),
        (["--results", "FILE"], "not a file that --json"),
    ],
)
def test_a_report_that_cannot_be_made_says_why(gama, logs, tmp_path, given, said):
    file, empty = tmp_path / "file", tmp_path / "empty"
    file.write_text("{}")
    empty.mkdir()
    places = {"LOGS": logs, "FILE": file, "EMPTY": empty}

    def filled(one):
        for name, path in places.items():
            one = one.replace(name, str(path))
        return one

    done = gama("eval", "report", *map(filled, given))
    assert done.code == 2 and said in done.err and not done.out


def test_two_solvers_of_a_folder_are_compared(gama, logs, tmp_path):
    file = tmp_path / "compare.json"
    done = gama("eval", "compare", "gama", "std", "--logs", logs, "--json", file)
    assert done.code == 0, done.err
    assert "kpp, right answers of 4 items: GAMA 80 %, Std 50 %, a difference of +30 points" in done.out
    assert "Of 3 comparison(s): A better in 0, worse in 0; 3 open." in done.out
    content = json.loads(file.read_text(encoding="utf-8"))
    by_set = {one["dataset"]: one for one in content["differences"]}
    assert by_set["kpp"]["test"] == "paired permutation" and by_set["lpp"]["test"] == "exact McNemar"
    assert by_set["kpp"]["p"] == 0.125 and by_set["kpp"]["value"] == 30 and by_set["lpp"]["items"] == 6
    assert content["settings"]["measure"] == "score" and ANSWER not in done.out + file.read_text(encoding="utf-8")
    named = gama("eval", "compare", "GAMA", "Std", "--logs", logs)
    assert named.out == done.out


def test_two_folders_are_compared(gama, logs, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for name, right in (("before", 0), ("after", 1)):
        write(tmp_path / name, "lpp", "std", [*(Item(f"i{at}", right) for at in range(7)), Item(name, 1)])
    done = gama("eval", "compare", tmp_path / "after", tmp_path / "before")
    assert done.code == 0 and "std (A) 100 %, std (B) 0 %" in done.out and "A better in 1" in done.out
    assert "note: lpp: 2 item(s) that only one of the two has are left out" in done.err


def test_other_measures_are_compared(gama, logs):
    done = gama("eval", "compare", "gama", "gama_strict", "--logs", logs, "--measure", "leak")
    assert done.code == 0 and "private values that leak of 4 items: GAMA 20 %, GAMA <strict> 0 %" in done.out
    assert gama("eval", "compare", "gama", "std", "--logs", logs, "--measure", "marks_lenient").code == 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["gama", "nobody", "--logs", "LOGS"], "option --logs: 'nobody' is none of std, gama, gama_strict"),
        (["gama", "std", "--logs", "LOGS", "--measure", "skore"], "did you mean 'score'"),
        (["gama", "std", "--logs", "LOGS", "--measure", "money"], "no data set has US dollars per item"),
        (["gama", "std"], "gama: no such folder"),
        (["LOGS", "EMPTY"], "no log of Inspect can be read there"),
    ],
)
def test_a_comparison_that_cannot_be_made_says_why(gama, logs, tmp_path, given, said):
    names = {"LOGS": logs, "EMPTY": tmp_path}
    done = gama("eval", "compare", *(names.get(one, one) for one in given))
    assert done.code == 2 and said in done.err and not done.out


@pytest.mark.parametrize("package", ["inspect_ai", "pandas", "matplotlib"])
def test_a_missing_package_is_named_with_its_cure(gama, logs, tmp_path, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    done = gama("eval", "report", logs, "--out", tmp_path / "out")
    assert done.code == 2 and "pip install 'gama-privacy[evals]'" in done.err and not (tmp_path / "out").exists()
    assert gama("eval", "report", "--published").code == 0
