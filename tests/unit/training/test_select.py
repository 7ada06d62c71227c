"""Training the selector: labels, loss, adapters that share the tagger's weights, and the file it writes."""

import json
import shutil
from random import Random

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("onnx")

from tokenizers import Tokenizer

from gama.evals.datasets.corpus import read_record
from gama.models.embedded import WEIGHTS
from gama.models.selector import LENGTH, EmbeddedSelector
from gama.state.entities import TYPE_OF
from gama.state.errors import InputError
from gama.training import select as module
from gama.training.adapters import adapted_network, export_selector, take_up
from gama.training.batches import grouped
from gama.training.select import SelectConfig, calibrate, items, loss_of, tensors, train, write_card

ENDS = (101, 102)


def record(number: int, needed: bool = True):
    text = f"⟦Ana Ruiz|PER.full_name|A⟧ owes ⟦${number}00|QUANTITY.loan|A⟧ and has ⟦gout|DEM.medical_condition|A⟧."
    line = {"id": f"t-{number}", "text": text, "query": "How much is owed?", "relevant": [f"${number}00"] * needed}
    return read_record(json.dumps(line))


@pytest.fixture(scope="module")
def tokenizer():
    return Tokenizer.from_file(str(WEIGHTS / "tokenizer.json"))


@pytest.fixture
def folder(tmp_path):
    for file in WEIGHTS.iterdir():
        shutil.copy(file, tmp_path)
    return tmp_path


def test_labels(tokenizer):
    (item,) = items(record(3), tokenizer, ENDS)
    assert item.needed == [False, True, False]
    assert len(item.spans) == len(item.pair.ids) and set(item.spans.tolist()) == {-1, 0, 1, 2}
    asked = item.pair.sides.index(0)
    assert (item.spans[:asked] == -1).all() and item.spans[-1] == -1, "query and markers belong to no span"


def test_a_record_without_spans_or_query_is_left_out(tokenizer):
    for text, query in (("Nothing here.", "What?"), ("⟦Ana|PER.first_name|A⟧ sings.", " ")):
        line = {"id": "t-1", "text": text, "query": query, "relevant": []}
        assert list(items(read_record(json.dumps(line)), tokenizer, ENDS)) == []


def test_batches_hold_every_window_once_and_are_bounded(tokenizer):
    found = [item for number in range(1, 40) for item in items(record(number), tokenizer, ENDS)]
    groups = grouped(found, lambda item: len(item.pair.ids), 300, Random(0))
    assert sorted(id(item) for group in groups for item in group) == sorted(map(id, found))
    assert all(len(group) * max(len(item.pair.ids) for item in group) <= 300 for group in groups)
    ids, shapes, sides, mask = tensors(groups[0])
    assert ids.shape == shapes.shape == sides.shape == mask.shape and ids.shape[1] <= LENGTH


def test_the_loss_is_the_mean_over_spans(tokenizer):
    import torch

    batch = [*items(record(3), tokenizer, ENDS), *items(record(4, needed=False), tokenizer, ENDS)]
    shape = tensors(batch)[0].shape
    assert loss_of(torch.zeros(shape), batch).item() == pytest.approx(np.log(2), abs=1e-6)
    right = torch.full(shape, -20.0)
    right[0, torch.from_numpy(np.flatnonzero(batch[0].spans == 1))] = 20.0
    assert loss_of(right, batch).item() < 1e-6
    # Of six spans one is wrong by 20 nats, however many pieces it has.
    assert loss_of(torch.full(shape, -20.0), batch).item() == pytest.approx(20 / 6, abs=1e-4)


def test_adapters_begin_as_the_tagger_and_only_they_learn():
    network = adapted_network(WEIGHTS / "identify.onnx", 4, 0.0)
    learning = {name for name, weight in network.named_parameters() if weight.requires_grad}
    assert not any(".base." in name or name.startswith(("words", "places", "shapes.")) for name in learning)
    assert sum(".down." in name for name in learning) == 24 and {"need.weight", "need.bias"} <= learning
    size = sum(weight.numel() for weight in network.parameters() if weight.requires_grad)
    assert size < 200_000


def test_what_is_written_answers_as_the_network_and_holds_no_encoder(folder, tokenizer):
    import onnx
    import torch

    torch.manual_seed(0)
    network = adapted_network(folder / "identify.onnx", 8, 0.0)
    for layer in network.layers:
        torch.nn.init.normal_(layer.attend.up.weight, std=0.02)
    torch.nn.init.normal_(network.need.weight, std=0.05)
    size = export_selector(network.eval(), folder)
    assert size < 600_000
    graph = onnx.load(str(folder / "select.onnx"), load_external_data=False).graph
    shared = [tensor for tensor in graph.initializer if tensor.data_location == onnx.TensorProto.EXTERNAL]
    named = {entry.value for tensor in shared for entry in tensor.external_data if entry.key == "location"}
    assert named == {"identify.onnx"} and len(shared) > 25
    tagger = json.loads((folder / "identify.json").read_text(encoding="utf-8"))
    write_card(folder, tagger["sha256"]["identify.onnx"], SelectConfig(), 0, 0, 0)
    one = record(7)
    spans = [(mark.start, mark.end) for mark in one.example.marks]
    theirs = EmbeddedSelector(folder).scores(one.example.text, one.query, spans)
    (item,) = items(one, tokenizer, (int(tagger["cls"]), int(tagger["sep"])))
    with torch.no_grad():
        logits = network(*tensors([item]))[0].numpy()
    mine = [1 / (1 + np.exp(-logits[item.spans == number].mean())) for number in range(3)]
    assert np.abs(np.array(mine) - np.array(theirs)).max() < 0.08, "only the rounding of activations differs"


def test_a_selector_that_was_written_is_taken_up_as_it_is(folder):
    network = adapted_network(folder / "identify.onnx", 8, 0.0)
    take_up(network, WEIGHTS)
    export_selector(network.eval(), folder)
    one = record(7)
    spans = [(mark.start, mark.end) for mark in one.example.marks]
    asked = one.example.text, one.query, spans
    assert EmbeddedSelector(folder).scores(*asked) == EmbeddedSelector(WEIGHTS).scores(*asked)
    with pytest.raises(InputError, match="another shape"):
        take_up(adapted_network(folder / "identify.onnx", 4, 0.0), WEIGHTS)


def test_a_short_run_learns_and_writes_a_whole_card(folder, monkeypatch):
    shown = [record(number) for number in range(1, 60)]
    monkeypatch.setattr(module, "records", lambda *, held: shown[:12] if held else shown[12:])
    lines: list[str] = []
    train(SelectConfig(rounds=3, threads=2, batch=512), None, folder, lines.append)
    card = json.loads((folder / "select.json").read_text(encoding="utf-8"))
    assert card["records"] == {"records": 47, "corpus": 0} and card["held_out"]["micro_f1"] > 0.9
    assert 0.1 <= card["threshold"] <= 0.8
    selector = EmbeddedSelector(folder)
    one = record(88)
    spans = [(mark.start, mark.end) for mark in one.example.marks]
    scores = selector.scores(one.example.text, one.query, spans)
    assert max(scores) == scores[1] >= selector.threshold


def test_names_and_public_knowledge_do_not_set_the_threshold(folder, monkeypatch):
    asked: list[int] = []
    monkeypatch.setattr(module, "EmbeddedSelector", lambda folder: type("Seen", (), {
        "scores": lambda self, text, query, marks: asked.append(len(marks)) or [0.9] * len(marks)})())  # fmt: skip
    (folder / "select.json").write_text("{}", encoding="utf-8")
    calibrate(folder, [record(3)])
    assert asked == [2] and TYPE_OF["full_name"] == "PER"
