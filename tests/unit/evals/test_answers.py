"""`gama eval answers`: whether answers survive the hiding, with a scripted model on loopback."""

import json

import pytest

from gama.evals.answers import KINDS, Kept, is_right, load, of_plain, sample, secrets_in, table
from gama.evals.answers import Asked as Row
from gama.state.errors import InputError
from tests.support.commands import runner

RECORD = {
    "id": "a-1", "kind": "sums", "text": "Dear Emma Williams, you owe me 40 EUR and 2 EUR. Call +44 20 7946 0958. Paul",
    "question": "How much is it together?", "question_in_text": False, "gold": "42 EUR",
    "must": [["42", "forty-two"]], "must_not": ["43"], "needs": [], "public": [],
    "secret": ["Emma Williams", "+44 20 7946 0958"],
}  # fmt: skip


@pytest.fixture
def gama(capsys, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    return runner(capsys)


def written(folder, *rows):
    path = folder / "set.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def record(tmp_path):
    return load(written(tmp_path, RECORD))[0]


@pytest.mark.parametrize(
    ("answer", "right"),
    [("It is 42 EUR.", True), ("FORTY-TWO", True), ("", False), ("42, not 43", False), ("I cannot say.", False)],
)
def test_an_answer_is_judged_by_the_strings_of_its_record(record, answer, right):
    assert is_right(record, answer) is right


def test_secrets_are_found_as_whole_words_in_any_case_and_spacing(record):
    assert secrets_in(record, "EMMA\n williams wrote") == ("Emma Williams",)
    assert secrets_in(record, "Gemma Williams wrote") == ()


def test_every_shipped_gold_is_right():
    assert all(is_right(one, one.gold) for one in load())


def test_a_sample_is_even_over_the_kinds_and_the_same_each_time():
    records = load()
    some = sample(records, 12, 3)
    assert sorted({one.kind for one in some}) == sorted(KINDS) and len(some) == 12 == len(sample(records, 12, 3))
    assert some == sample(records, 12, 3) != sample(records, 12, 4)


@pytest.mark.parametrize("row", [{"id": 1}, [], "x", {**RECORD, "must": 3}, {**RECORD, "text": None}])
def test_what_is_no_record_is_told_by_its_line(tmp_path, row):
    with pytest.raises(InputError, match="line 1"):
        load(written(tmp_path, row))


def test_two_records_of_one_id_are_refused(tmp_path):
    with pytest.raises(InputError, match="same id"):
        load(written(tmp_path, RECORD, RECORD))


def test_shares_of_plain_and_what_left_are_counted_by_kind():
    rows = [
        Row("a", "sums", "plain", True, (), "", ""), Row("b", "sums", "plain", True, (), "", ""),
        Row("a", "sums", "strict", True, ("x",), "", ""), Row("b", "sums", "strict", False, (), "", "", "Timeout: x"),
    ]  # fmt: skip
    found = table(rows)
    assert of_plain(found, "strict", "sums") == of_plain(found, "strict", "all") == 0.5
    cell = found["strict"]["all"]
    assert (cell.right, cell.records, cell.leaking, cell.failed) == (1, 2, 1, 1)
    # Wilson's interval of one of two, as any table of it gives.
    assert cell.low == pytest.approx(0.0945, abs=1e-4) and cell.high == pytest.approx(0.9055, abs=1e-4)


def asking(gama, loopback, data, *more):
    return gama(
        "eval", "answers", "--data", data, "--public", "openai:loop", "--base-url", loopback.url, "--k", 1, "--disprove",
        "off", *more,
    )  # fmt: skip


def test_plain_and_strict_are_asked_and_nothing_private_leaves_the_second(gama, loopback, tmp_path):
    def reply(request):
        text = request["messages"][-1]["content"]
        return "It is 42 EUR." if "Emma" in text else "It is open."

    loopback.reply = reply
    out, figures = tmp_path / "answers.jsonl", tmp_path / "figures.json"
    done = asking(
        gama, loopback, written(tmp_path, RECORD), "--levels", "plain,strict", "--out", out, "--json", figures
    )
    assert done.code == 0, done.err
    assert "sends the texts of this file as they are" in done.err
    cells = json.loads(figures.read_text())["figures"]
    assert (cells["plain"]["all"]["right"], cells["strict"]["all"]["right"]) == (1, 0)
    assert cells["strict"]["all"]["leaking"] == 0
    plain, *hidden = loopback.record
    assert b"Emma Williams" in plain and hidden and not any(b"Emma" in body for body in hidden)
    # The same command again asks nobody: every answer is kept.
    before = len(loopback.record)
    again = asking(gama, loopback, written(tmp_path, RECORD), "--levels", "plain,strict", "--out", out)
    assert again.code == 0 and len(loopback.record) == before and "1/1" in again.out
    # Other settings would mix what cannot be compared.
    other = asking(gama, loopback, written(tmp_path, RECORD), "--levels", "strict", "--out", out, "--seed", 5)
    assert other.code == 2 and "other settings" in other.err and len(loopback.record) == before


def test_an_answer_that_failed_counts_as_wrong_is_told_and_asked_again(gama, loopback, tmp_path):
    loopback.reply, loopback.fault = lambda request: "42", "quota"
    out, data = tmp_path / "answers.jsonl", written(tmp_path, RECORD)
    done = asking(gama, loopback, data, "--levels", "plain", "--out", out)
    assert done.code == 0 and "0/1" in done.out and "a-1, plain" in done.err and "Emma" not in done.err
    loopback.fault = None
    assert "1/1" in asking(gama, loopback, data, "--levels", "plain", "--out", out).out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--levels", "open,shut"), "shut"),
        (("--kind", "tales"), "tales"),
        (("--levels", "plain"), "--public"),
    ],
)
def test_a_mistake_is_told(gama, arguments, said):
    done = gama("eval", "answers", *arguments)
    assert done.code == 2 and said in done.err


def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("my notes\n")
    with pytest.raises(InputError, match="another one"):
        Kept(path, {})
    assert path.read_text() == "my notes\n"
