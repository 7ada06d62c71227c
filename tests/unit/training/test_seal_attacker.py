"""Synthetic persons, on whose sentences the embedded attacker is trained."""

import pytest

from gama.privacy.refining.attributes import ATTRIBUTES
from gama.privacy.refining.inferences import sentence_spans
from gama.training.seal.profiles import cues, group_of_age, profiles


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
