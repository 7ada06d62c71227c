"""The weights by which names are judged: learnt from marked texts, written the same way each time."""

import pytest

from gama.evals.datasets.world import read_letters
from gama.models.shipped import name_weights
from gama.privacy.names import Names
from gama.training import names
from gama.training.names import Judged, NamesConfig, fit, lines, texts, write_weights


def test_texts_are_learnt_whole_and_by_sentence():
    letter = read_letters()[0]
    whole, *sentences = texts([letter], NamesConfig())
    assert whole.text == letter.text and len(whole.marks) == len(letter.mentions)
    assert {text[start:end] for text, marks, _ in sentences for start, end, _ in marks} <= {
        letter.text[one.start : one.end] for one in letter.mentions
    }
    assert sentences and all(one.text in letter.text and one.weight < whole.weight for one in sentences)


def test_a_name_stands_both_ways_in_the_short_lines():
    sides = {}
    for line in lines(NamesConfig()):
        for start, end, private in line.marks:
            sides.setdefault(line.text[start:end], set()).add(private)
    assert len(sides) > 60 and sum(len(one) == 2 for one in sides.values()) >= 20


def test_what_tells_them_apart_is_learnt_and_leaks_weigh_more():
    made = [Judged({"bias": 1.0, "own": 1.0}, True, 1.0), Judged({"bias": 1.0, "asked": 1.0}, False, 1.0)] * 20
    made += [Judged({"bias": 1.0, "rare": 1.0}, True, 1.0)]
    careful, even = fit(made, NamesConfig()), fit(made, NamesConfig(doubt=0.6))
    assert careful["own"] > 0 > careful["asked"] and "rare" not in careful
    assert careful["bias"] > even["bias"]


def test_the_file_is_the_same_each_time():
    assert write_weights({"b": 1.0, "a": -0.5}, "made") == write_weights({"a": -0.5, "b": 1.0}, "made")


def test_shipped_weights_are_of_features_that_there_are():
    text = "My friend Elon Musk (0113 496 0182) asks: who wrote Emma?"
    from gama.models.embedded import embedded_tagger

    features = {key for _, found in Names(text, embedded_tagger().spans(text)).features() for key in found}
    assert features and len(features & name_weights().keys()) > len(features) / 2


@pytest.mark.parametrize("what", ["names", "knowledge"])
def test_the_commands_are_known(what, monkeypatch):
    from gama.serve.cli import run
    from gama.training import knowledge

    called = []
    monkeypatch.setattr({"names": names, "knowledge": knowledge}[what], "main", called.append)
    assert run(["train", what, "--data", "lists", "--out", "made"]) == 0
    assert called == [["--data", "lists", "--out", "made"]]
