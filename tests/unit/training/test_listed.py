"""Texts with lists of what is private and what is needed become examples; and the weights of requests are learnt."""

import json

import pytest

from gama.evals.datasets.corpus import Mark
from gama.state.entities import TYPE_OF
from gama.state.errors import InputError
from gama.training import requests
from gama.training.listed import LISTED, Guess, allowed, example, places, read_listed
from gama.training.requests import RequestsConfig, Text, fit, listed, score

TEXT = "ask Ola Berge (0113 496 0182, 4 Mill Lane, Hull) about matcha from Klarna, he is on the dole"


def at(value: str, subtype: str) -> Guess:
    start = TEXT.index(value)
    return Guess(start, start + len(value), subtype)


def test_what_is_direct_is_private_and_what_is_needed_is_not():
    tagged = [at("Ola Berge", "full_name"), at("matcha", "first_name"), at("Klarna", "company")]
    made = example(TEXT, ["Ola Berge", "0113 496 0182"], ["on the dole"], ["matcha", "Klarna"], tagged, [])
    marks = {TEXT[one.start : one.end]: one for one in made.marks}
    assert marks["Ola Berge"].subtypes == ("full_name",) and marks["Ola Berge"].private is True
    assert marks["0113 496 0182"].private is True and "phone" in marks["0113 496 0182"].subtypes
    assert marks["Klarna"].private is False, "a public name, as the tagger takes it for one"
    assert "matcha" not in marks, "no span at all, and learnt as none"
    assert marks["on the dole"].subtypes == (), "nothing is learnt of it"


def test_a_fact_is_private_as_the_tagger_takes_it_though_it_is_needed():
    made = example(TEXT, [], ["on the dole"], ["dole"], [at("dole", "occupation")], [])
    marks = [(TEXT[one.start : one.end], one.subtypes, one.private) for one in made.marks]
    assert marks == [("on the ", (), None), ("dole", ("occupation",), True)]


@pytest.mark.parametrize(("score", "learnt"), [(0.9, False), (0.4, True)])
def test_of_a_sure_fact_nothing_is_learnt_though_it_is_needed(score, learnt):
    guess = at("matcha", "religion")._replace(score=score)
    made = example(TEXT, [], [], ["about matcha"], [guess], [])
    marks = [(TEXT[one.start : one.end], one.subtypes) for one in made.marks]
    assert marks == ([] if learnt else [("matcha", ())])


def test_an_address_is_learnt_in_its_parts():
    tagged = [at("4 Mill Lane", "street_address"), at("Hull", "city")]
    made = example(TEXT, ["4 Mill Lane, Hull"], [], [], tagged, [])
    assert [(TEXT[one.start : one.end], one.subtypes) for one in made.marks] == [
        ("4 Mill Lane", ("street_address",)),
        ("Hull", ("city",)),
    ]


def test_of_what_a_detector_guesses_nothing_is_learnt():
    made = example(TEXT, ["Ola Berge"], [], [], [], [at("Klarna", "company"), at("Ola Berge", "full_name")])
    assert [(TEXT[one.start : one.end], one.subtypes) for one in made.marks] == [
        ("Ola Berge", ("full_name",)),
        ("Klarna", ()),
    ]


def test_marks_never_overlap_and_stand_in_order():
    made = example(TEXT, ["Ola", "Ola Berge"], [TEXT], [], [at("Ola Berge", "full_name")], [])
    marks = made.marks
    assert all(isinstance(one, Mark) and one.start < one.end for one in marks)
    assert all(one.end <= other.start for one, other in zip(marks, marks[1:], strict=False))


def test_whole_words_are_found():
    assert list(places("Ann, Anna, ANN, #Ann", "Ann")) == [(0, 3), (17, 20)]
    assert list(places("陈伟和陈伟", "陈伟")) == [(0, 2), (3, 5)]


@pytest.mark.parametrize(("value", "kind"), [("ola@berge.example", "CODE"), ("077 00 90", "CODE"), ("Ola B.", "PER")])
def test_the_form_tells_what_a_private_string_may_be(value, kind):
    kinds = {TYPE_OF[one] for one in allowed(value)}
    assert kind in kinds and ("PER" in kinds) is (kind == "PER")


def test_a_broken_file_is_told(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"text": "Anna", "direct": ["Anna"]}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"a\.jsonl, line 1: no listed text"):
        read_listed(tmp_path)


def test_a_folder_is_read(tmp_path):
    row = {
        "text": "Draft a note to Ola Berge about matcha.",
        "direct": ["Ola Berge"],
        "facts": [],
        "needed": ["matcha"],
    }
    (tmp_path / "a.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    (made,) = read_listed(tmp_path)
    assert [made.text[one.start : one.end] for one in made.marks if one.private] == ["Ola Berge"]


def test_the_listed_texts_hold_what_they_list():
    ids = set()
    for file in sorted(LISTED.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            ids.add(row["id"])
            for name in ("direct", "facts", "needed", "request"):
                assert all(value and value in row["text"] for value in row.get(name, ())), row["id"]
    assert len(ids) > 900


def test_requests_are_learnt_from_marked_and_from_other_texts(tmp_path):
    row = {
        "text": "menu + timing if we eat at 7.30\n\nAnna brings soup.",
        "request": ["menu + timing if we eat at 7.30"],
    }
    bare = {"text": "Nobody has marked this."}
    (tmp_path / "a.jsonl").write_text(f"{json.dumps(row)}\n{json.dumps(bare)}\n", encoding="utf-8")
    (found,) = listed([tmp_path / "a.jsonl"], 2.0)
    assert found.asks == [True, False] and found.known and found.weight == 2.0
    doubt = Text([{"bias", "w tally"}, {"bias", "w soup"}], [False, False], False, 1.0)
    sure = [Text([{"bias", "w tally"}, {"bias", "w soup"}], [True, False], True, 1.0)] * 6
    weights = fit([*sure, doubt], RequestsConfig(least=1))
    assert score({"bias", "w tally"}, weights) > 0 > score({"bias", "w soup"}, weights)


def test_the_command_is_known_and_needs_no_data(monkeypatch):
    from gama.serve.cli import run

    called = []
    monkeypatch.setattr(requests, "main", called.append)
    assert run(["train", "requests", "--out", "made"]) == 0
    assert called == [["--out", "made"]]
