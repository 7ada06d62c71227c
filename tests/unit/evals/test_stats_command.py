"""`gama eval stats`: a table of scores, its tests, and files that are no tables."""

import json
import sys

import pytest

from gama.evals.score_table import columns_of, read_table
from gama.state.errors import InputError
from tests.support.commands import runner

TABLE = """method,TCW,LGP,LR,PQA-K,PQA-L
Standard,73.1,54.7,26.4,39.1,44.4
SPP,78.5,67.9,26.1,45.7,66.1
AutoAgents,81.9,70.7,26.2,50.8,71.4
EPEAgents,–,,24.3,52.7,76.1
GAMA,83.3,74.8,21.7,54.8,82.0
"""


@pytest.fixture
def command(capsys):
    return runner(capsys)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def test_the_published_table_of_four_methods(command, table, tmp_path):
    out = tmp_path / "stats.json"
    names = "Standard,SPP,AutoAgents,GAMA"
    done = command(
        "eval", "stats", table, "--lower", "LR", "--methods", names, "--compare", "GAMA,Standard", "--json", out
    )
    assert done.code == 0, done.err
    for told in ("chi square 14.040000", "p 0.00285121", "3.674235", "2.204541", "1.469694", "not shown to differ"):
        assert told in done.out
    # 5 pairs, all for GAMA: two of 32 signs are as extreme. The leak counts as better where it is less.
    assert "5 up, 0 down; permutation p 0.0625, Wilcoxon p 0.0625" in done.out and "McNemar" not in done.out
    found = json.loads(out.read_text())
    assert found["friedman"]["ranks"] == {"Standard": 4.0, "SPP": 2.8, "AutoAgents": 2.2, "GAMA": 1.0}
    assert found["compared"]["GAMA,Standard"]["difference"] == pytest.approx(17.66)


def test_a_data_set_without_a_score_is_left_out_and_told(command, table):
    done = command("eval", "stats", table, "--lower", "LR", "--compare", "GAMA,SPP")
    assert done.code == 0 and "5 methods on 3 data sets: LR, PQA-K, PQA-L" in done.out
    assert "TCW is left out" in done.err and "LGP is left out" in done.err
    assert "on 5, 5 up" in done.out, "two methods are compared on all that both have"


def test_data_sets_that_agree_have_no_finite_f(command, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("m,a,b\nx,2,2\ny,1,1\n")
    assert command("eval", "stats", path, "--json", tmp_path / "out.json").code == 0
    assert json.loads((tmp_path / "out.json").read_text())["friedman"]["f"] is None


def test_ties_are_told(command, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("m,a,b,c\nx,2,2,1\ny,2,1,1\nz,0,0,0\n")
    assert "corrected for ties" in command("eval", "stats", path).out


def test_a_table_is_read(table):
    found = read_table(table)
    assert found.rows["EPEAgents"] == [None, None, 24.3, 52.7, 76.1]
    assert columns_of(found, ["GAMA"]) == found.datasets and columns_of(found, ["EPEAgents"]) == [
        "LR",
        "PQA-K",
        "PQA-L",
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "needs a head line"), ("m,a\n", "needs a head line"), ("m,a,a\nx,1,2\n", "different name"),
        ("m,,b\nx,1,2\n", "different name"), ("m,a\nx,1,2\n", "line 2"), ("m,a\nx,1\nx,2\n", "line 3"),
        ("m,a\n,1\n", "line 2"), ("m,a\nx,one\n", "not a number"), ("m,a\nx,inf\n", "not a number"),
    ],
)  # fmt: skip
def test_other_files_are_refused(tmp_path, text, problem):
    path = tmp_path / "table.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=problem):
        read_table(path)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--methods", "Gpt"), "--methods"), (("--lower", "Leak"), "--lower"), (("--compare", "GAMA"), "--compare"),
        (("--compare", "GAMA,Gpt"), "--compare"), (("--methods", "GAMA"), "two methods"),
    ],
)  # fmt: skip
def test_wrong_options_are_told(command, table, arguments, problem):
    done = command("eval", "stats", table, *arguments)
    assert done.code and problem in done.err


def test_without_its_packages_it_says_what_to_install(command, table, monkeypatch):
    monkeypatch.setitem(sys.modules, "statsmodels", None)
    done = command("eval", "stats", table)
    assert done.code and "pip install 'gama-privacy[evals]'" in done.err
