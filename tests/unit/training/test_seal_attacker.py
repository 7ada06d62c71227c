"""Synthetic persons, and the training of the embedded attacker on their sentences."""

from collections import defaultdict

import pytest

from gama.privacy.refining.attacker import Attacker
from gama.privacy.refining.attributes import ATTRIBUTES
from gama.privacy.refining.inferences import sentence_spans
from gama.training.seal.attacker import train, write
from gama.training.seal.profiles import cues, group_of_age, profiles

NAMES = [one.name for one in ATTRIBUTES]


def test_every_attribute_has_cues_of_every_value_in_each_part():
    parts = {(cue.attribute, cue.value): set() for cue in cues()}
    for cue in cues():
        parts[cue.attribute, cue.value].add(cue.part)
    assert {name for name, _ in parts} == {one.name for one in ATTRIBUTES} | {""}
    assert all(found == {"train", "dev", "held"} for found in parts.values()), parts
    options = {one.name: set(one.options) for one in ATTRIBUTES if one.options}
    assert all(value in options[name] for name, value in parts if name in options)


def test_a_sentence_belongs_to_one_part():
    parts = {}
    for cue in cues():
        assert parts.setdefault((cue.text, cue.attribute), cue.part) == cue.part


def test_persons_repeat_and_write_with_the_sentences_of_their_part_alone():
    made = profiles("held", 20)
    assert made == profiles("held", 20) and len({one.id for one in made}) == 20
    taught = {cue.text for cue in cues() if cue.part != "held"}
    for one in made:
        assert 4 <= len(one.truth) <= 6
        assert not {one.text[a:b] for a, b in sentence_spans(one.text)} & taught


@pytest.mark.parametrize("seed", [1, 2])
def test_persons_are_whole(seed):
    for one in profiles("train", 50, seed):
        if int(one.truth.get("age", 50)) < 18:
            assert "occupation" not in one.truth and one.truth.get("education", "in high school") == "in high school"
        assert "{" not in one.text and "\n\n\n" not in one.text


def test_ages_have_their_group():
    assert [group_of_age(age) for age in (13, 29, 30, 85)] == ["13-17", "18-29", "30-39", "65-85"]


def test_what_is_trained_is_written_and_read_back(tmp_path):
    """On a part of the sentences: the heads learn of those left out what they tell, and eight bits a weight keep it."""
    by_kind = defaultdict(list)
    for cue in cues():
        by_kind[cue.attribute, cue.value, cue.part].append(cue)
    values = {name: sorted({cue.value for cue in cues() if cue.attribute == name})[:3] for name in (*NAMES, "")}
    few = [cue for (name, value, _), alike in by_kind.items() if value in values[name] for cue in alike[:12]]
    made, stored = train(few, profiles("dev", 60))
    held = [cue for cue in few if cue.attribute and cue.part == "held"]
    guessed = made.scores([cue.text for cue in held])
    right = [guessed[one.attribute].values[guessed[one.attribute].odds[at].argmax()] == one.value
             for at, one in enumerate(held)]  # fmt: skip
    assert sum(right) / len(right) > 0.5
    write(stored, tmp_path / "attacker.npz")
    again = Attacker.load(tmp_path / "attacker.npz").scores([cue.text for cue in held])
    assert all(abs(again[name].odds - guessed[name].odds).max() < 0.1 for name in NAMES)
