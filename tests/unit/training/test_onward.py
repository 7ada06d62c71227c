"""A stage of training beyond the first one: from an exported tagger or fp32 weights, to a model that is used at once."""

import json

import pytest

pytest.importorskip("torch")
pytest.importorskip("onnx")

import torch

from gama.evals.datasets.corpus import parse
from gama.models.embedded import BOUNDARIES, SUBTYPE_NAMES, WEIGHTS, Tagger
from gama.training import onward
from gama.training.encoder import build_network, widened
from gama.training.onward import StageConfig, stage
from gama.training.tune import weights_of

SHOWN = parse("Call ⟦Ana Ruiz|PER.full_name|A⟧ in ⟦Oslo|LOC.city|A⟧ on ⟦3 May|DATETIME.date|A⟧.")


class Few:
    """Two texts in the place of the data, and what was asked of it."""

    def __init__(self, *_: object) -> None:
        self.asked: list[object] = []

    def stage(self, share, again, others, made, joined, rng, *, calm):
        return [SHOWN, SHOWN, *again]


def test_a_subtype_that_came_later_gets_an_output_and_the_others_keep_theirs():
    names = [name for name in SUBTYPE_NAMES if name != "language"]
    width, edge = 4, len(BOUNDARIES)
    rows = edge + len(names) + 1
    state = {
        "head.weight": torch.arange(rows * width).reshape(rows, width).float(),
        "head.bias": torch.arange(rows) * 1.0,
    }
    wide = widened(state, names)
    assert wide["head.weight"].shape == (rows + 1, width)
    at = {name: edge + number for number, name in enumerate(SUBTYPE_NAMES)}
    for number, name in enumerate(names):
        assert torch.equal(wide["head.weight"][at[name]], state["head.weight"][edge + number])
    assert torch.equal(wide["head.bias"][:edge], state["head.bias"][:edge])
    assert float(wide["head.bias"][-1]) == rows - 1, "whether a span is private stays the last output"
    assert widened(state, SUBTYPE_NAMES) is state


def test_a_stage_goes_on_from_the_shipped_tagger_and_from_its_own_weights(tmp_path, monkeypatch):
    monkeypatch.setattr(onward, "Source", Few)
    monkeypatch.setattr(onward, "calibrate", lambda *_: {})
    monkeypatch.setattr(onward, "own_records", lambda **_: [])
    told: list[str] = []
    first = stage(StageConfig(seed=3, joined=0.0), tmp_path, [WEIGHTS], tmp_path / "a", told.append)
    card = json.loads((first / "identify.json").read_text(encoding="utf-8"))
    assert card["subtypes"] == list(SUBTYPE_NAMES)
    assert card["onward"]["seed"] == 3
    assert Tagger(first).spans("Call Ana Ruiz in Oslo.")
    second = stage(
        StageConfig(seed=4, joined=0.0, calm=True), tmp_path, [first / "fp32.pt", first], tmp_path / "b", told.append
    )
    network = build_network(0.0)
    network.load_state_dict(weights_of(second / "identify.onnx"))
