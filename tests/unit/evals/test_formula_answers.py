"""Answers over the records of `evals/data/answers`, as a model writes them: they are right by the records' strings."""

import json
from collections import Counter
from importlib.resources import files

import pytest

from gama.evals.formulas import load, run
from gama.tools.formulas.language import context_of

DATA = files("gama.evals") / "data"
RECORDS = {
    record["id"]: record
    for record in map(json.loads, (DATA / "answers" / "answers.jsonl").read_text("utf-8").splitlines())
}
ROWS = [json.loads(line) for line in (DATA / "formulas" / "answers.jsonl").read_text("utf-8").splitlines()]


def plain(text):
    return " ".join(text.replace("\u00a0", " ").replace("\u202f", " ").casefold().split())


def test_every_kind_that_reckons_has_its_answers():
    kinds = Counter(RECORDS[row["record"]]["kind"] for row in ROWS)
    assert (
        kinds["dates"] == kinds["sums"] == 30
        and kinds["compare"] >= 25
        and kinds["reason"] >= 20
        and kinds["draft"] >= 20
    )


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["record"])
def test_an_answer_is_right_and_its_values_are_those_of_the_record(row):
    record, answer = RECORDS[row["record"]], row["result"]
    whole = f"{record['text']}\n\n{record['question']}"
    assert all(value in whole for value, _ in row["values"].values())
    for placeholder, (value, _) in row["values"].items():
        answer = answer.replace(placeholder, value)
    assert all(any(plain(form) in plain(answer) for form in group) for group in record["must"]), answer
    assert not [wrong for wrong in record["must_not"] if plain(wrong) in plain(answer)]


def test_the_language_is_the_one_that_is_found_in_the_text():
    for row in ROWS:
        record = RECORDS[row["record"]]
        whole = record["text"] if record["question_in_text"] else f"{record['text']}\n\n{record['question']}"
        assert row["locale"] == context_of(whole).locale


def test_the_model_is_told_of_no_fault_in_them():
    ids = {row["id"] for row in ROWS}
    cases = [case for case in load() if case.id in ids]
    assert len(cases) == len(ids) == len(ROWS)
    assert [one.case.id for one in run(cases) if not one.passed] == []
