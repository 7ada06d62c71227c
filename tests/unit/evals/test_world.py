"""What stays and what leaves where a text has both, counted by hand; the texts' form; the third held out."""

import json

import pytest

from gama.evals.datasets.world import is_fresh, is_held_out, is_tuned_on, read_letters
from gama.evals.methods.base import Hidden
from gama.evals.metrics.spans import Share, Stretch
from gama.evals.world import Outcome, as_json, count, misses, parts, run
from gama.state.errors import InputError

TEXT = "Who was Ada Quark? Yours, Bo Lind, 5 Elm Row, 0113 496 0182, Leeds"


def entity(text, kind, subtype, *, private=True, needed=False):
    start = TEXT.index(text)
    more = {} if private else {"needed": needed}
    place = {"text": text, "start": start, "end": start + len(text), "type": kind, "subtype": subtype}
    return place | {"private": private} | more


@pytest.fixture
def file(tmp_path):
    entities = [
        entity("Ada Quark", "PER", "full_name", private=False, needed=True),
        entity("Bo Lind", "PER", "full_name"),
        entity("5 Elm Row", "LOC", "street_address"),
        entity("0113 496 0182", "CODE", "phone"),
        entity("Leeds", "LOC", "city"),
    ]
    row = {"id": "made-1", "lang": "en", "kind": "figure", "text": TEXT, "entities": entities}
    path = tmp_path / "made.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    return path


class Hides:
    """Hides stretches of the text that are named."""

    name, about, subjects = "made", "", False

    def __init__(self, *surfaces):
        self.surfaces = surfaces

    def facts(self):
        return {}

    def hide(self, text):
        found = [(text.index(one), one) for one in self.surfaces]
        return Hidden([Stretch(at, at + len(one), "PER", "full_name") for at, one in found], "")


def counted(file, *surfaces):
    steps = []
    figures = count(run(read_letters(file), Hides(*surfaces), steps.append))
    assert steps == ["made"]
    return figures


def test_a_mention_is_left_if_any_of_it_is(file):
    figures = counted(file, "Bo", "5 Elm Row", "0113 496 0182")
    assert figures.kept == Share(1, 1) and figures.left == Share(1, 3)
    assert figures.left_by_type == {"PER": Share(1, 1), "address": Share(0, 1), "CODE": Share(0, 1), "LOC": Share(1, 1)}


def test_a_public_name_is_kept_if_all_of_it_is(file):
    figures = counted(file, "Quark", "Bo Lind", "5 Elm Row", "0113 496 0182", "Leeds")
    assert figures.kept == Share(0, 1) and figures.left == Share(0, 3)
    assert figures.kept_by_kind == {"figure": Share(0, 1)} and figures.kept_by_type == {"PER": Share(0, 1)}
    assert as_json(figures)["kept"] == {"part": 0, "whole": 1, "share": 0.0}


def test_a_third_is_held_out_and_all_that_is_fresh_and_the_rest_learnt_from():
    letters = read_letters()
    held = [letter for letter in letters if is_held_out(letter)]
    fresh = [letter for letter in held if is_fresh(letter)]
    tuned = [letter for letter in letters if is_tuned_on(letter)]
    assert (len(letters), len(held), len(fresh), len(tuned)) == (375 + 67 + 35 + 117, 120 + 67 + 35, 67 + 35, 117)
    assert not {letter.id for letter in tuned} & {letter.id for letter in held}


def test_parts_are_the_whole(file):
    found = parts(run(read_letters(file), Hides("Bo Lind"), lambda name: None))
    assert len(found["all"]) == len(found["learnt from"]) + len(found["held out"]) + len(found["fresh"]) == 5


@pytest.mark.parametrize("change", [{"text": 3}, {"entities": None}, {"entities": [{"start": 0}]}, {"text": "Other"}])
def test_what_is_no_such_text_is_told_by_its_line(file, change):
    row = json.loads(file.read_text(encoding="utf-8")) | change
    file.write_text("\n" + json.dumps(row) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"made\.jsonl, line 2"):
        read_letters(file)


def test_a_miss_is_told_with_what_it_was_taken_for_and_what_it_is(file):
    found = run(read_letters(file), Hides("Quark", "Bo Lind", "5 Elm Row"), lambda name: None)
    assert list(misses(found)) == [
        "made-1 (figure): hidden as PER.full_name, public PER.full_name: "
        "…Who was [[Ada Quark]]? Yours, Bo Lind, 5 Elm Row, 0113 496 01…",
        "made-1 (figure): left as nothing, private CODE.phone: …s Ada Quark? Yours, Bo Lind, 5 Elm Row, [[0113 496 0182]], Leeds…",
        "made-1 (figure): left as nothing, private LOC.city: …urs, Bo Lind, 5 Elm Row, 0113 496 0182, [[Leeds]]…",
    ]


def test_the_command_lists_misses_but_none_of_the_shipped_texts_held_out(file, capsys):
    from gama.serve.cli import run as command

    assert command(["eval", "world", "--data", str(file), "--misses"]) == 0
    assert "made-1 (figure): hidden as PER.full_name, public" in capsys.readouterr().out
    shipped = [one for one in read_letters() if is_held_out(one)]
    outcomes = [Outcome(letter, letter.mentions[0], False) for letter in shipped]
    assert shipped and not list(misses(outcomes, held_out=False)) and list(misses(outcomes))


def test_the_command_prints_and_writes_the_figures(file, tmp_path, capsys):
    from gama.serve.cli import run as command

    out = tmp_path / "figures.json"
    assert command(["eval", "world", "--data", str(file), "--json", str(out)]) == 0
    assert "public names needed stay" in capsys.readouterr().out
    assert json.loads(out.read_text(encoding="utf-8"))["figures"]["all"]["left"]["whole"] == 3
