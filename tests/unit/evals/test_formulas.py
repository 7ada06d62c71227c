"""`gama eval formulas`: the shipped cases, all of them right."""

import json

import pytest

from gama.evals.formulas import figures, load, run
from gama.serve.cli import run as gama
from gama.state.errors import InputError


@pytest.fixture(scope="module")
def cases():
    return load()


def test_there_are_enough_of_them(cases):
    assert len(cases) >= 400 and len({case.id for case in cases}) == len(cases)
    assert len({case.context.locale for case in cases}) >= 12
    assert sum(case.refusal is not None for case in cases) >= 100
    assert all(case.result is not None or case.refusal is not None for case in cases)


def test_all_of_them_are_right(cases):
    outcomes = run(cases)
    assert [(one.case.id, one.given) for one in outcomes if not one.passed] == []
    assert figures(outcomes)["wrong"] == 0


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        ({"result": "€5"}, True),
        ({"refusal": "type"}, True),
        ({"untouched": True}, True),
        ({"text": "{{ <amount-1> + 3% }}", "result": "€5"}, False),
    ],
)
def test_a_case_that_fails_is_told(tmp_path, capsys, row, wrong):
    base = {"id": "x", "locale": "en", "values": {"<amount-1>": ["€2", "amount"]}, "text": "{{ <amount-1> * 2 }}"}
    file = tmp_path / "cases.jsonl"
    file.write_text(json.dumps(base | row), encoding="utf-8")
    (outcome,) = run(load(file))
    assert not outcome.passed and outcome.wrong is wrong
    assert gama(["eval", "formulas", "--data", str(file), "--json", str(tmp_path / "out.json")]) == 1
    assert "0 of 1 pass" in capsys.readouterr().out
    assert json.loads((tmp_path / "out.json").read_text())["figures"]["cases"] == 1


def test_a_line_that_is_no_case_is_refused(tmp_path):
    (tmp_path / "cases.jsonl").write_text('{"id": 1}\n', encoding="utf-8")
    with pytest.raises(InputError, match="line 1"):
        load(tmp_path)
