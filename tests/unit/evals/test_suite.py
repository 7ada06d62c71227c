"""The suite: its texts hold what they say, and its figures are right on made-up methods."""

import json
import sys
from pathlib import Path

import pytest

from gama.evals.competitors import finding
from gama.evals.datasets.corpus import gold, parse, read_record
from gama.evals.methods.base import Hidden
from gama.evals.metrics.spans import Stretch
from gama.evals.runs import Run
from gama.evals.suite import CLASSES, evaluate_suite, is_useful, load_suite
from gama.serve.cli import run
from gama.state.entities import SUBTYPES

LEAST = {"long": 12, "tables": 40, "scripts, held": 39}
"""Texts of a class; of the others there are 60."""


@pytest.fixture(scope="module")
def suite():
    return load_suite()


@pytest.mark.parametrize("name", CLASSES)
def test_every_label_and_every_needed_word_stands_in_its_text(suite, name):
    records = suite[name].records
    assert len(records) >= LEAST.get(name, 60)
    assert len({one.id for one in records}) == len({one.example.text for one in records}) == len(records)
    for record in records:
        wanted, text = gold(record.example), record.example.text
        assert all(text[one.start : one.end].strip() == text[one.start : one.end] != "" for one in wanted), record.id
        assert all(word in text for word in record.needed), record.id
        assert is_useful(text, record.needed, [one for one in wanted if one.private], wanted), record.id
        if name != "scripts, held":
            assert record.needed, record.id
            everything = [Stretch(0, len(text), "PER", "full_name")]
            assert not is_useful(text, record.needed, everything, wanted), record.id
        assert all(one.subtype in SUBTYPES[one.type] for one in wanted), record.id


def test_no_text_of_a_class_stands_in_another(suite):
    texts = {
        record.example.text: name for name, dataset in suite.items() if name != "long" for record in dataset.records
    }
    assert len(texts) == sum(len(dataset.records) for name, dataset in suite.items() if name != "long")
    assert all(sum(text in record.example.text for text in texts) >= 3 for record in suite["long"].records)


@pytest.mark.parametrize(
    ("needed", "hidden", "useful"),
    [
        (["mean"], [(0, 4)], False),
        (["mean"], [(8, 12)], True),
        (["12"], [(13, 15)], False),
        (["12"], [(8, 12), (16, 19)], True),
        (["Emma"], [(8, 12)], True),
        ([], [(0, 19)], True),
    ],
)
def test_a_text_is_useful_while_its_needed_words_stand(needed, hidden, useful):
    example = parse("mean of ⟦Emma|PER.first_name|A⟧ 12 123")
    assert example.text == "mean of Emma 12 123"
    stretches = [Stretch(start, end, "PER", "first_name") for start, end in hidden]
    assert is_useful(example.text, needed, stretches, gold(example)) is useful


def made(name, hide):
    suite = load_suite()
    records = [record for dataset in suite.values() for record in dataset.records]
    hidden = [Hidden(hide(record), "") for record in records]
    return Run(name, "", False, {}, hidden, [0.0] * len(records))


def test_the_figures_of_one_who_knows_and_of_one_who_does_not(suite):
    def whole(record):
        return [Stretch(0, len(record.example.text), "PER", "full_name")]

    runs = [
        made("gold", lambda record: [one for one in gold(record.example) if one.private]),
        made("nothing", lambda record: []),
        made("all", whole),
    ]
    parts = evaluate_suite(suite, runs, resamples=0)
    assert list(parts) == list(CLASSES)
    for name, part in parts.items():
        knows, hides_nothing, hides_all = ({key: one.value for key, one in row.values.items()} for row in part.rows)
        expected = {"direct_recall": 1, "texts_without_direct_leak": 1, "residual_leak": 0, "words_masked": 0}
        assert knows.items() >= expected.items() and part.texts == len(suite[name].records)
        expected = {"direct_recall": 0, "texts_without_direct_leak": 0, "residual_leak": 1, "words_masked": 0}
        assert hides_nothing.items() >= expected.items()
        assert hides_all.items() >= {"direct_recall": 1, "residual_leak": 0, "words_masked": 1}.items()
        useful = [values.get("texts_still_useful") for values in (knows, hides_nothing, hides_all)]
        assert useful == ([None] * 3 if name == "scripts, held" else [1, 1, 0])


def test_a_text_without_names_is_not_one_without_a_leak(suite):
    record = read_record(json.dumps({"id": "x-1", "text": "nobody", "needed": ["nobody"]}))
    small = {"one": suite["roles"]._replace(records=[record])}
    one = Run("nothing", "", False, {}, [Hidden([], "nobody")], [0.0])
    (row,) = evaluate_suite(small, [one], resamples=0)["one"].rows
    assert "texts_without_direct_leak" not in row.values and row.values["texts_still_useful"].value == 1


FAKE = """
import json, sys
for line in sys.stdin:
    text = json.loads(line)["text"]
    spans = [[0, len(text.split()[0]), "PERSON", 0.9]] if text.split() else []
    print(json.dumps({"version": "2.0", "spans": spans}), flush=True)
"""


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """An interpreter in which a tool seems to be installed."""
    (tmp_path / "fake.py").write_text(FAKE)
    script = tmp_path / "python"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{tmp_path / "fake.py"}"\n')
    script.chmod(0o755)
    return script


def test_the_command_prints_a_line_for_each_class_and_method(capsys, tmp_path, python):
    target = tmp_path / "out.json"
    asked = ["eval", "identify", "--suite", "--methods", "regex", "--limit", "2", "--json", str(target)]
    assert run([*asked, "--competitor", f"rampart={python}"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in CLASSES) and shown.count("rampart") == len(CLASSES) + 2
    assert "no direct" in shown and "useful" in shown and "rampart 2.0" in shown
    told = json.loads(target.read_text())
    assert set(told["classes"]) == set(told["data"]["sha256"]) == set(CLASSES)
    assert all(set(one["figures"]) == {"regex", "rampart"} for one in told["classes"].values())
    assert told["methods"]["rampart"]["facts"] == {"version": "2.0"}


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--suite", "--per", "type"], "option --suite: it does not go with --per"),
        (["--methods", "regex", "--competitor", "presidio"], "is not NAME=PYTHON"),
        (["--methods", "regex", "--competitor", "x=python3"], "known tools: presidio; rampart"),
        (["--methods", "regex", "--competitor", "gliner=no/such/python"], "cannot be started"),
        (["--methods", "regex", "--competitor", f"rampart:x={sys.executable}"], "does not answer"),
    ],
)
def test_what_cannot_be_done_is_said(capsys, more, says):
    assert run(["eval", "identify", *more]) == 2
    assert says in capsys.readouterr().err


def test_the_adapter_imports_nothing_of_this_package():
    text = Path(finding.__file__).read_text(encoding="utf-8")
    assert "import gama" not in text and "from gama" not in text
