"""`gama eval risk`: texts as records, files of records, and what the command prints."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gama.evals.datasets.corpus import Dataset, read_record
from gama.evals.metrics.risk import risks
from gama.evals.risk import TYPES, evaluate, read_records, record_of, reference, rows_of
from gama.evals.runs import Run
from gama.state.errors import InputError
from tests.support.commands import runner

VALUES = [("Ann Lee", "PER"), ("Oslo", "LOC"), ("ann lee", "PER")]
AT = {kind: at for at, kind in enumerate(TYPES)}


@pytest.fixture
def command(capsys):
    return runner(capsys)


def cells(text, kind):
    record = record_of(text, VALUES, kind)
    return {name: record[at] for name, at in AT.items() if record[at] not in (None, "0", " +0")}


def test_a_text_as_a_record():
    text = "<name-1> of Oslo, <name-2>, <phone-3>"
    assert cells(text, "values") == {"LOC": "oslo"}
    assert cells(text, "counts") == {"PER": "2", "CODE": "1"}
    assert cells(text, "both") == {"PER": " +2", "CODE": " +1", "LOC": "oslo +0"}
    assert cells("Ann Lee in Oslos", "values") == {"PER": "ann lee"}


@given(st.lists(st.sampled_from(["<name-1>", "<name-2>", "Ann Lee", "Oslo", "and"])).map(" ".join))
def test_what_is_hidden_whole_is_suppressed(text):
    record = record_of(text, VALUES, "values")
    assert all(cell is None for cell in record) == ("Ann Lee" not in text and "Oslo" not in text)


LINES = [
    {"anonymized": "<name-1> of Oslo", "entities": [{"text": "Oslo", "type": "LOC"}, {"text": "Ann", "type": "PER"}]},
    {"anonymized": "<name-1> of Rome", "entities": [{"text": "Rome", "type": "LOC", "private": False}]},
]


def write(path, *rows):
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n", encoding="utf-8")
    return path


def test_lines_of_anonymized_texts(tmp_path):
    first, second = read_records(write(tmp_path / "a.jsonl", *LINES), "values")
    assert first[AT["LOC"]] == "oslo" and first[AT["PER"]] is None
    # What is public knowledge tells nobody apart.
    assert second == (None,) * len(TYPES)
    counted = read_records(write(tmp_path / "b.jsonl", *({"anonymized": one["anonymized"]} for one in LINES)), "counts")
    assert counted[0] == counted[1] and counted[0][AT["PER"]] == "1"


def test_lines_of_cells(tmp_path):
    rows = [{"record": {"age": 40, "zip": "12*"}}, {"record": {"age": "*"}}, {"record": {"zip": None, "age": "40"}}]
    assert read_records(write(tmp_path / "a.jsonl", *rows)) == [("40", "12*"), (None, None), ("40", None)]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no record"), ('{"text": "x"}', "line 1 is no anonymized record"), ("[]", "line 1"),
        ('{"record": {"a": []}}', "line 1"), ('{"anonymized": "x", "entities": [1]}', "line 1"),
        ('{"record": {"a": 1}}\n{"anonymized": "x"}', "mixes lines"), ('{"record": {"a": 1}}\n{', "line 2"),
    ],
)  # fmt: skip
def test_other_files_are_refused(tmp_path, text, problem):
    path = tmp_path / "records.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=problem):
        read_records(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_records(tmp_path / "none.jsonl")


def dataset():
    marked = [
        "⟦Ann Lee|PER.full_name|A⟧ of ⟦Oslo|LOC.city|A⟧", "⟦Bo|PER.first_name|A⟧ of ⟦Oslo|LOC.city|A⟧",
        "⟦Cy|PER.first_name|A⟧ and ⟦Paris|LOC.city|-|public⟧",
    ]  # fmt: skip
    records = [read_record(json.dumps({"id": str(at), "text": text})) for at, text in enumerate(marked)]
    return Dataset("made", records, "")


def test_methods_are_told_apart():
    made = dataset()
    assert rows_of(made)[2] == {"PER": frozenset({"cy"})}
    plain = [record.example.text for record in made.records]
    gold = reference(made)
    assert gold.hidden[0].masked == "<name-1> of <location-2>"
    nothing = Run(
        "nothing", "", False, {}, [one._replace(masked=text) for one, text in zip(gold.hidden, plain, strict=True)], []
    )
    found = {one.method: one for one in evaluate(made, [nothing, gold], [0, 2], threshold=0.2)}
    assert found["nothing"].attacks["values"].marketer.surely == 1.0
    assert found["gold"].attacks["values"].marketer.expected == pytest.approx(1 / 3)
    # Two of the three have a name and a place: counts alone tell the third.
    assert found["gold"].attacks["values and counts"].marketer.surely == pytest.approx(1 / 3)
    assert found["gold"].alone.suppressed == 2 and found["gold"].alone.records == 0
    assert found["nothing"].alone == risks([("ann lee", "oslo"), ("cy", None)])


def test_the_shipped_texts(command, tmp_path):
    out = tmp_path / "risk.json"
    done = command("eval", "risk", "--methods", "nothing", "--sample", "20", "--json", out)
    assert done.code == 0, done.err
    assert "20 of 194 texts" in done.out and "prosecutor" in done.out and "linked surely" in done.out
    figures = json.loads(out.read_text())["figures"]
    assert (
        figures["nothing"]["within"]["records"] == 20
        and figures["nothing"]["linkage"]["values"]["prosecutor"]["surely"] > 0.9
    )
    assert figures["gold"]["linkage"]["values"]["marketer"]["expected"] < 0.1
    assert figures["gold"]["within"]["marketer"]["at_risk"] is None


def test_records_of_ones_own(command, tmp_path):
    some = [{"record": {"age": "40", "place": place}} for place in ("Oslo", "Oslo", "Rome")]
    data = write(tmp_path / "some.jsonl", *some)
    around = write(tmp_path / "all.jsonl", *some * 4)
    done = command("eval", "risk", "--data", data, "--population", around, "--json", tmp_path / "risk.json")
    assert done.code == 0, done.err
    assert "3 records of some.jsonl" in done.out and "Linkage" not in done.out
    figures = json.loads((tmp_path / "risk.json").read_text())["figures"]["some"]
    assert figures["alone"]["prosecutor"] == {"at_risk": 1.0, "highest": 1.0, "success": pytest.approx(2 / 3, abs=1e-6)}
    assert figures["within"]["journalist"] == {
        "at_risk": pytest.approx(1 / 3, abs=1e-6),
        "highest": 0.25,
        "success": pytest.approx(1 / 6, abs=1e-6),
    }


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--population", "{data}"), "--population"), (("--cells", "rows"), "--cells"),
        (("--methods", "none"), "unknown method"), (("--data", "{none}"), "cannot be read"),
        (("--data", "{data}", "--population", "{other}"), "must contain the sample"),
    ],
)  # fmt: skip
def test_wrong_options_are_told(command, tmp_path, arguments, problem):
    names = {
        "data": write(tmp_path / "data.jsonl", {"record": {"a": 1}}), "none": tmp_path / "none.jsonl",
        "other": write(tmp_path / "other.jsonl", {"record": {"a": 2}}),
    }  # fmt: skip
    done = command("eval", "risk", *(one.format(**names) for one in arguments))
    assert done.code and problem in done.err
