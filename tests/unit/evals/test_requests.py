"""`gama eval requests`: the shipped texts, and how well the rules find what they ask."""

import json
import tempfile
from collections import Counter
from pathlib import Path

import pytest

from gama.evals.requests import figures, load, run, unmarked
from gama.privacy.request import Request, find_request
from gama.serve.cli import run as gama
from gama.state.errors import InputError

DATA = Path(__file__).parents[3] / "evals" / "data"


@pytest.fixture(scope="module")
def cases():
    return load()


def test_there_are_enough_of_them(cases):
    assert len(cases) >= 150 and len({case.id for case in cases}) == len(cases)
    places = Counter(case.place for case in cases)
    assert set(places) == {"begin", "end", "middle", "spread", "mail", "inner", "chat", "none"}
    assert min(places.values()) >= 15
    languages = Counter(case.language for case in cases)
    assert set(languages) == {"en", "de", "fr", "es", "it", "pt", "nl", "pl", "sv", "da"}
    assert min(languages.values()) >= 10
    assert 3 * sum(case.part == "held" for case in cases) >= len(cases)
    for case in cases:
        assert bool(case.spans) is (case.place != "none"), case.id
        assert all(case.text[start:end].strip() for start, end in case.spans), case.id


def test_the_readme_tells_their_numbers(cases):
    told = (DATA / "requests" / "README.md").read_text(encoding="utf-8")
    places = Counter(case.place for case in cases)
    assert f"{len(cases)} texts" in told
    assert f"| `begin`, `end`, `middle` | {places['begin']}, {places['end']}, {places['middle']} |" in told
    for place in ("spread", "mail", "inner", "chat", "none"):
        assert f"| `{place}` | {places[place]} |" in told
    for part in ("seen", "held"):
        assert f"`{part}.jsonl` ({sum(case.part == part for case in cases)})" in told


def test_rules_find_what_is_asked(cases):
    told = figures(run(cases, find_request))
    for part in (
        told,
        *told["per"]["part"].values(),
        *told["per"]["place"].values(),
        *told["per"]["language"].values(),
    ):
        assert part["by_sentence"]["f1"] >= 0.9
    none = told["per"]["place"]["none"]
    assert none["right"] == none["texts"]


@pytest.mark.parametrize("name", ["answers", "languages"])
def test_they_find_it_in_texts_of_others(name):
    told = figures(run(load(DATA / name), find_request))
    assert told["texts"] >= 90 and told["by_sentence"]["f1"] >= 0.95


def test_figures_tell_what_was_found_and_what_not():
    text, spans = unmarked("⟦Who is it?⟧ It is Ann. ⟦When is it?⟧ It is cold.")
    file = {"id": "x", "language": "en", "place": "spread"}
    (case,) = [one for one in _loaded([file | {"text": "⟦Who is it?⟧ It is Ann. ⟦When is it?⟧ It is cold."}])]
    assert (case.text, case.spans) == (text, spans)
    half = Request((spans[0], (12, 22)), "", "rules")
    told = figures(run([case], lambda given: half))
    assert told["right"] == 0
    assert told["by_sentence"] == {"precision": 0.5, "recall": 0.5, "f1": 0.5}
    assert told["by_character"]["recall"] == pytest.approx(8 / 17) and told["per"]["place"].keys() == {"spread"}
    assert figures(run([case], lambda given: Request(spans, "", "rules")))["right"] == 1


def _loaded(rows):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "cases.jsonl")
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return load(file)


def test_records_of_answers_and_annotated_ones_are_read():
    row = {"id": "dates-de-at-1", "text": "Er kam. Wann?", "question": "Wann?", "question_in_text": True}
    (case,) = _loaded([row, row | {"question_in_text": False}])
    assert (case.language, case.place, case.spans) == ("de", "end", ((8, 13),))
    record = {
        "id": "a",
        "genre": "g",
        "style": "s",
        "text": "⟦Ann|PER.first_name|A⟧ came.",
        "query": "When?",
        "relevant": [],
    }
    above, below = _loaded([record])
    assert above.text == "When?\n\nAnn came." and above.spans == ((0, 5),) and above.place == "begin"
    assert below.text == "Ann came.\n\nWhen?" and below.spans == ((11, 16),) and below.place == "end"


@pytest.mark.parametrize(
    "row", [{"id": 1}, [], {"id": "x", "language": "en", "place": "end", "text": "⟦Who?"},
            {"id": "x", "language": "en", "place": "end", "text": "⟦Who⟦?⟧⟧"},
            {"id": "x-en", "question_in_text": True, "text": "a", "question": "b"}],
)  # fmt: skip
def test_a_line_that_is_no_case_is_refused(row):
    with pytest.raises(InputError, match="line 1"):
        _loaded([row])


def test_the_command_prints_and_writes_figures(tmp_path, capsys):
    file = tmp_path / "cases.jsonl"
    rows = [
        {"id": "a", "language": "en", "place": "end", "text": "Ann came.\n\n⟦Who came?⟧"},
        {"id": "b", "language": "en", "place": "none", "text": "Who came?"},
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert gama(["eval", "requests", "--data", str(file), "--misses", "--json", str(tmp_path / "out.json")]) == 0
    out = capsys.readouterr().out
    assert "b: 'Who came?' instead of ''" in out and "together" in out
    told = json.loads((tmp_path / "out.json").read_text())
    assert told["figures"]["texts"] == 2 and told["figures"]["right"] == 1 and told["private"] is False
