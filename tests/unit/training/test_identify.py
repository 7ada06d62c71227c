import math

import numpy as np
import pytest

from gama.evals.corpus import ALL_SUBTYPES
from gama.models.embedded import BOUNDARIES, SUBTYPE_NAMES
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
