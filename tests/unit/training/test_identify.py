import json
import math
from typing import ClassVar

import numpy as np
import pytest

from gama.evals.corpus import ALL_SUBTYPES, parse
from gama.models.embedded import BOUNDARIES, SUBTYPE_NAMES, Tagger
from gama.training import identify
from gama.training.batches import IGNORED, Batch, Sets
from gama.training.identify import loss_of

torch = pytest.importorskip("torch", reason="training needs the `train` extra")

WIDTH = len(BOUNDARIES) + len(SUBTYPE_NAMES) + 1
CITY = SUBTYPE_NAMES.index("city")


def batch_of(boundary, allowed, private, annotated):
    row = np.array([[boundary]], dtype=np.int64)
    return Batch(
        row * 0,
        row * 0,
        np.ones((1, 1), dtype=np.float32),
        row,
        np.array([[allowed]], dtype=np.int64),
        np.array([[private]], dtype=np.int64),
        np.array([annotated], dtype=np.int64),
    )


def logits_of(outside, city, private=0.0):
    """Return logits whose softmax gives the stated probabilities."""
    values = np.zeros(WIDTH, dtype=np.float32)
    values[: len(BOUNDARIES)] = np.log((1 - outside) / 4)
    values[0] = np.log(outside)
    values[len(BOUNDARIES) : -1] = np.log((1 - city) / (len(SUBTYPE_NAMES) - 1))
    values[len(BOUNDARIES) + CITY] = np.log(city)
    values[-1] = private
    return torch.from_numpy(values)[None, None]


def loss(logits, batch, sets):
    return float(loss_of(logits, batch, torch.from_numpy(np.asarray(sets.table()))))


def test_an_unmarked_word_of_a_complete_set_is_outside():
    sets = Sets()
    batch = batch_of(0, IGNORED, IGNORED, sets.row(ALL_SUBTYPES))
    assert loss(logits_of(0.5, 0.9), batch, sets) == pytest.approx(-math.log(0.5), abs=1e-4)


def test_an_unmarked_word_of_an_incomplete_set_may_be_what_it_does_not_mark():
    sets = Sets()
    batch = batch_of(0, IGNORED, IGNORED, sets.row(["full_name"]))
    other = 1 - 0.1 / (len(SUBTYPE_NAMES) - 1)  # the chance of any subtype but full_name
    assert loss(logits_of(0.5, 0.9), batch, sets) == pytest.approx(-math.log(0.5 + 0.5 * other), abs=1e-4)


def test_a_coarse_mark_is_content_with_any_of_its_subtypes():
    sets = Sets()
    coarse, whole = sets.row(["city", "country"]), sets.row(ALL_SUBTYPES)
    found = loss(logits_of(0.2, 0.9), batch_of(4, coarse, IGNORED, whole), sets)
    expected = -math.log(0.2) - math.log(0.9 + 0.1 / (len(SUBTYPE_NAMES) - 1))
    assert found == pytest.approx(expected, abs=1e-4)


def test_private_counts_only_where_it_is_known():
    sets = Sets()
    city, whole = sets.row(["city"]), sets.row(ALL_SUBTYPES)
    unknown = loss(logits_of(0.2, 0.9, 2.0), batch_of(4, city, IGNORED, whole), sets)
    private = loss(logits_of(0.2, 0.9, 2.0), batch_of(4, city, 1, whole), sets)
    public = loss(logits_of(0.2, 0.9, 2.0), batch_of(4, city, 0, whole), sets)
    assert unknown < private < public


def test_an_ignored_word_costs_nothing():
    sets = Sets()
    assert loss(logits_of(0.5, 0.5), batch_of(IGNORED, IGNORED, IGNORED, sets.row(ALL_SUBTYPES)), sets) == 0.0


class FewTexts:
    """What a run reads: two texts, in place of the corpora."""

    seeds: ClassVar[list[int]] = []

    def __init__(self, config, folder, log):
        self.config = config
        self.seeds.append(config.seed)

    def warm(self):
        yield from [self.texts()] * self.config.warm_rounds

    def main(self):
        yield from [self.texts()] * self.config.rounds

    def closing(self):
        yield self.texts()

    def texts(self):
        return [parse("⟦Ana|PER.first_name|A⟧ lives in ⟦Graz|LOC.city|A⟧."), parse("Nothing here is private.")]


def test_one_command_trains_averages_and_writes_a_tagger(tmp_path, monkeypatch):
    monkeypatch.setattr(identify, "Source", FewTexts)
    monkeypatch.setattr(identify, "data_hashes", lambda folder: {"few": "0"})
    monkeypatch.setattr(identify, "own_records", lambda held: [])
    FewTexts.seeds.clear()
    flags = [
        "--rounds=1",
        "--warm-rounds=1",
        "--members=2",
        "--seed=7",
        "--checkpoint",
        str(tmp_path / "w" / "main.pt"),
    ]
    identify.main(["--data", str(tmp_path), "--out", str(tmp_path / "out"), *flags])
    assert FewTexts.seeds == [7, 17, 18, 27, 28]
    card = json.loads((tmp_path / "out" / "identify.json").read_text(encoding="utf-8"))
    assert card["config"]["members"] == 2 and card["data"] == {"few": "0"}
    tagger = Tagger(tmp_path / "out")
    assert all(0 <= span.start < span.end <= 20 for span in tagger.spans("Bo lives in Linz too"))
    main = torch.load(tmp_path / "w" / "main.pt", weights_only=True)
    warm = torch.load(tmp_path / "w" / "main.warm.pt", weights_only=True)
    assert any((main[name] != warm[name]).any() for name in main)


def test_the_average_of_runs():
    mean = identify.average([{"a": torch.tensor([1.0, 2.0])}, {"a": torch.tensor([3.0, 2.0])}])
    assert mean["a"].tolist() == [2.0, 2.0]
