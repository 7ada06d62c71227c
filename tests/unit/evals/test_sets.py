"""Tests of the sets that ship for answers, fields and the world: every record is whole, and says what it says."""

import json
from collections import Counter
from pathlib import Path

import pytest

from gama.tools.domains.packs import NAMES

DATA = Path(__file__).parents[3] / "evals" / "data"


def records(name):
    files = sorted((DATA / name).glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]


def plain(text):
    return " ".join(text.split()).casefold()


@pytest.mark.parametrize("name", ["answers", "fields", "world"])
def test_no_two_have_one_id_or_one_text(name):
    found = records(name)
    assert len({one["id"] for one in found}) == len({plain(one["text"]) for one in found}) == len(found)


def test_answers_are_of_all_kinds_and_the_right_one_counts_as_right():
    found = records("answers")
    assert len(found) >= 150 and min(Counter(one["kind"] for one in found).values()) >= 25
    for one in found:
        whole, gold = one["text"] + "\n" + one["question"], plain(one["gold"])
        surfaces = [*one["needs"], *one["public"], *one["secret"]]
        assert all(surface in whole for surface in surfaces), one["id"]
        assert not set(one["public"]) & set(one["secret"]), one["id"]
        assert all(any(plain(text) in gold for text in group) for group in one["must"]), one["id"]
        assert not any(plain(text) in gold for text in one["must_not"]), one["id"]


def test_fields_name_domains_that_there_are():
    found = records("fields")
    assert len(found) >= 200 and len({name for one in found for name in one["right"]}) >= 0.8 * len(NAMES)
    for one in found:
        assert {*one["right"], *one["wrong"]} <= set(NAMES) and not set(one["right"]) & set(one["wrong"]), one["id"]
        assert bool(one["right"]) != one["none"], one["id"]


def test_letters_of_the_world_hold_what_is_public_and_what_is_private():
    found = records("world")
    assert len(found) >= 300
    for one in found:
        marked = one["entities"]
        assert all(one["text"][mark["start"] : mark["end"]] == mark["text"] for mark in marked), one["id"]
        assert any(mark["private"] for mark in marked) and any(mark.get("needed") for mark in marked), one["id"]
