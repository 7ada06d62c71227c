"""Fine-tuning on records of one's own, from the shipped model alone."""

import json
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("onnx")

from gama.evals.datasets.corpus import parse
from gama.models.embedded import WEIGHTS, Tagger, encode, windows
from gama.state.errors import InputError
from gama.training import tune as module
from gama.training.encoder import build_network
from gama.training.lexicon import Lexicon
from gama.training.tune import TuneConfig, tune, weights_of

NOTE = "Ward note for ⟦{}|PER.full_name|A⟧, badge ⟦Q{}|CODE.employee_id|A⟧, set to ⟦slow drip|PER.nickname|B⟧ mode."


def test_the_shipped_weights_come_back():
    import torch

    network = build_network(0.0)
    network.load_state_dict(weights_of(WEIGHTS / "identify.onnx"))
    tagger = Tagger()
    encoded = encode("My name is Ana Ruiz and I live at 12 High Street, Oslo, since 2019.", tagger._tokenizer)
    ids = torch.tensor([[tagger._ends[0], *encoded.pieces, tagger._ends[1]]])
    shapes = torch.tensor([[0, *encoded.shapes, 0]])
    with torch.no_grad():
        mine = network.eval()(ids, shapes, torch.ones(ids.shape))[0, 1:-1].numpy()
    first = [at for at, word in enumerate(encoded.word_of) if not at or encoded.word_of[at - 1] != word]
    theirs = tagger._read(encoded, windows(encoded))
    assert np.abs(mine[first] - theirs).max() < 0.15 * np.abs(theirs).max(), "only the rounding of activations differs"


def test_a_file_that_is_no_tagger(tmp_path):
    (tmp_path / "identify.onnx").write_bytes(b"nothing")
    with pytest.raises(InputError, match="not an exported tagger"):
        weights_of(tmp_path / "identify.onnx")


def test_tuning_learns_what_the_records_show(tmp_path, monkeypatch):
    records = tmp_path / "records"
    records.mkdir()
    names = ("Ana Ruiz", "Bo Lind", "Chidi Obi", "Dana Falk", "Emi Ito", "Finn Marsh", "Gita Rao", "Hana Kim")
    lines = [
        {
            "id": f"mine-{at}",
            "text": NOTE.format(name, 1000 + at),
            "genre": "",
            "style": "",
            "query": "",
            "relevant": [],
        }
        for at, name in enumerate(names)
    ]
    (records / "mine.jsonl").write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    monkeypatch.setattr(module, "own_records", lambda held: [])
    text = "Ward note for Lea Stone, badge Q7321, set to slow drip mode."
    before = {text[s.start : s.end] for s in Tagger().spans(text)}
    assert "slow drip" not in before
    out = tune(records, tmp_path / "out", TuneConfig(rounds=16, rate=4e-4, head_rate=4e-3), log=lambda line: None)
    tagger = Tagger(out)
    assert {"Lea Stone", "slow drip"} <= {text[s.start : s.end] for s in tagger.spans(text)}
    assert tagger.card["tuned"]["records"] == 8 and "dev" not in tagger.card


def test_no_records(tmp_path):
    with pytest.raises(InputError, match=r"\.jsonl"):
        tune(tmp_path, tmp_path / "out", log=lambda line: None)


def test_rounds_draw_names_anew_join_texts_and_end_on_what_was_written(monkeypatch):
    monkeypatch.setattr(module, "own_records", lambda held: [])
    monkeypatch.setattr(
        module, "augment", lambda example, *_: replace(example, text=example.text.replace("Ana", "Eva"))
    )
    mine = [parse(f"{at} ⟦Ana Ruiz|PER.full_name|A⟧ came.") for at in range(12)]
    config = TuneConfig(rounds=3, joined=0.5)
    first, second, last = module._rounds(mine, config, Lexicon(*((),) * 8))
    for shown in (first, second):
        assert all("Eva Ruiz" in one.text and "Ana" not in one.text for one in shown)
    for shown in (first, second, last):
        assert len(shown) < 12 and sum(len(one.marks) for one in shown) == 12
    assert all("Ana Ruiz" in one.text for one in last)
    plain = list(module._rounds(mine, TuneConfig(rounds=2), lexicon=None))
    assert plain == [mine, mine]
