"""`gama eval anonymize`: figures of the methods, and the shipped persons."""

import json

import pytest

from gama.evals.anonymize import UNSEEN, calibration, read_people, run
from gama.evals.metrics.attributes import Hit
from gama.privacy.refining.attributes import ATTRIBUTES
from gama.privacy.refining.inferences import sentence_spans
from gama.serve.cli import run as command
from gama.state.errors import InputError
from gama.state.options import Options
from gama.training.seal.profiles import cues

WRITTEN, COMPOSED = UNSEEN.with_name("written.jsonl"), UNSEEN.with_name("development.jsonl")


@pytest.mark.parametrize(("file", "least"), [(UNSEEN, 40), (WRITTEN, 12), (COMPOSED, 100)])
def test_the_shipped_persons_are_whole(file, least):
    people = read_people(file)
    known = {one.name: one for one in ATTRIBUTES}
    assert len(people) >= least and len({one.id for one in people}) == len(people)
    assert all(one.truth.keys() <= known.keys() and one.truth and one.text for one in people)
    closed = [
        (known[name].options, value) for one in people for name, value in one.truth.items() if known[name].options
    ]
    assert all(value in options for options, value in closed)


def test_nothing_unseen_was_trained_on():
    """No sentence of the unseen is a cue, or stands in another set."""
    seen = {cue.text for cue in cues()} | {one for file in (WRITTEN, COMPOSED) for one in sentences(file)}
    assert not {one.casefold() for one in seen} & {one.casefold() for one in sentences(UNSEEN)}


def sentences(file):
    return {person.text[a:b] for person in read_people(file) for a, b in sentence_spans(person.text)}


@pytest.mark.parametrize("file", [WRITTEN, COMPOSED])
def test_refining_halves_what_is_inferred_and_keeps_the_meaning(file):
    """On the sets for development: the unseen are measured, never tuned to."""
    original, placeholders, refined = run(read_people(file)[:12], Options(), lambda *_: None)
    assert original.meaning == original.utility == 1 and original.combined == 0
    assert refined.top1 <= placeholders.top1 / 2 and placeholders.top1 > 0
    assert refined.top1 <= refined.top3 and refined.meaning >= 0.85
    assert refined.missing == 0
    assert sum(count for count, _ in placeholders.by_certainty.values()) > 0


def test_calibration_counts_what_was_guessed_with_a_certainty():
    hits = [Hit("age", 1, 1, 2), Hit("income", 0, 1, 2), Hit("gender", 1, 1, 5), Hit("location", 0, 0, 0)]
    assert calibration(hits) == {2: (2, 0.5), 5: (1, 1.0)}


def test_the_command_writes_the_figures(tmp_path, capsys):
    out = tmp_path / "figures.json"
    assert command(["eval", "anonymize", "--limit", "2", "--json", str(out)]) == 0
    assert "embedded" in capsys.readouterr().out
    figures = json.loads(out.read_text(encoding="utf-8"))
    assert [one["method"] for one in figures["figures"]] == ["original", "placeholders", "refine"]
    assert figures["persons"] == 2


@pytest.mark.parametrize("line", ["no", "{}", '{"id": 1, "truth": 3, "text": ""}'])
def test_a_file_of_no_persons_is_told(tmp_path, line):
    (tmp_path / "some.jsonl").write_text(line, encoding="utf-8")
    with pytest.raises(InputError, match="persons"):
        read_people(tmp_path / "some.jsonl")


def test_no_persons_are_no_figures():
    with pytest.raises(InputError, match="no text"):
        run([], Options(), lambda *_: None)
