"""Low-rank adapters beside the tagger's encoder, and how they are written without its weights."""

import copy
import math
import tempfile
import warnings
from pathlib import Path
from typing import Any

from gama.models.shipped import quiet_onnxruntime
from gama.state.errors import InputError
from gama.training.encoder import build_network
from gama.training.export import OPSET, int8_words
from gama.training.tune import weights_of

PRODUCTS = ("attend", "mix", "grow", "shrink")
"""The products of a layer that get an adapter."""
SHARED_BYTES = 1_024
"""From this size on a tensor that the tagger's file holds too is not written again."""


def adapted_network(tagger: Path, rank: int, dropout: float) -> Any:
    """Return a tagger's encoder, whose weights stay, with trainable adapters, norms and a head of one logit.

    Args:
        tagger: An exported `identify.onnx`, read back from int8: the adapters learn beside the weights they will meet.
        rank: Rank of the adapters.
        dropout: Share of activations dropped in training.
    """
    import torch
    from torch import nn

    class Adapted(nn.Module):
        """A product with a product of low rank added: W x + b + B A x, where B begins at nothing."""

        def __init__(self, base: Any) -> None:
            super().__init__()
            self.base = base
            self.down = nn.Linear(base.in_features, rank, bias=False)
            self.up = nn.Linear(rank, base.out_features, bias=False)
            nn.init.normal_(self.down.weight, std=1 / math.sqrt(base.in_features))
            nn.init.zeros_(self.up.weight)

        def forward(self, states: Any) -> Any:
            return self.base(states) + self.up(self.down(states))

    class Selector(nn.Module):
        """Inputs are ids, shapes, sides (1 for the query) and a 0/1 mask, all of shape (batch, length)."""

        def __init__(self, encoder: Any) -> None:
            super().__init__()
            width = encoder.norm.normalized_shape[0]
            self.words, self.places, self.shapes = encoder.words, encoder.places, encoder.shapes
            self.norm, self.dropout, self.layers = encoder.norm, encoder.dropout, encoder.layers
            for parameter in self.parameters():
                parameter.requires_grad_(False)
            for layer in self.layers:
                for name in PRODUCTS:
                    setattr(layer, name, Adapted(getattr(layer, name)))
                for norm in (layer.mix_norm, layer.shrink_norm):
                    norm.requires_grad_(True)
            self.sides = nn.Embedding(2, width)
            nn.init.zeros_(self.sides.weight)
            self.need = nn.Linear(width, 1)
            nn.init.zeros_(self.need.weight)
            nn.init.zeros_(self.need.bias)

        def forward(self, ids: Any, shapes: Any, sides: Any, mask: Any) -> Any:
            bias = (mask[:, None, None, :] - 1.0) * 1e4
            places = self.places(torch.arange(ids.shape[1], device=ids.device))
            states = self.words(ids) + self.shapes(shapes) + places + self.sides(sides)
            states = self.dropout(self.norm(states))
            for layer in self.layers:
                states = layer(states, bias)
            return self.need(self.dropout(states)).squeeze(-1)

    encoder = build_network(dropout)
    encoder.load_state_dict(weights_of(tagger))
    return Selector(encoder)


def export_selector(network: Any, folder: Path) -> int:
    """Write a trained selector as `select.onnx`; what the tagger's file holds is named there, not written again.

    Args:
        network: What `adapted_network` made, trained.
        folder: Holds the `identify.onnx` that it was made of.

    Returns:
        The size of the file in bytes.
    """
    model = _quantized(network)
    _share(model, folder / "identify.onnx")
    _shorten(model.graph)
    out = folder / "select.onnx"
    out.write_bytes(model.SerializeToString())
    return out.stat().st_size


def take_up(network: Any, folder: Path) -> None:
    """Give a network the adapters, norms and head of a selector that was written, to be trained further.

    Args:
        network: What `adapted_network` made, of the same rank; perhaps of another tagger.
        folder: Holds the written `select.onnx`, and the `identify.onnx` that it rests on.

    Raises:
        InputError: The selector is of another shape.
    """
    import numpy as np
    import onnx
    import torch
    from onnx import numpy_helper

    # A written graph names nothing, but it has the nodes of a new one, in their order. No two weights of the new one
    # may be alike: they would be written once.
    drawn = copy.deepcopy(network)
    trained = {name for name, weight in drawn.named_parameters() if weight.requires_grad}
    for name in trained:
        torch.nn.init.normal_(drawn.get_parameter(name))
    mine, theirs = _quantized(drawn).graph, onnx.load(str(folder / "select.onnx")).graph
    if [node.op_type for node in mine.node] != [node.op_type for node in theirs.node]:
        raise InputError("The selector to go on from is of another shape.")
    held = {item.name: np.array(numpy_helper.to_array(item)) for item in theirs.initializer}
    named = {a: b for one, two in zip(mine.node, theirs.node, strict=True)
             for a, b in zip(one.input, two.input, strict=True)}  # fmt: skip
    found = {name: held[named[name]] for name in trained if name in named}
    for node in mine.node:
        name = node.name.removeprefix("/").removesuffix("_quant").removesuffix("/MatMul").replace("/", ".") + ".weight"
        if node.op_type == "MatMulInteger" and name in trained:
            base = node.input[1].removesuffix("_quantized")
            ints, zero, scale = (held[named[base + part]] for part in ("_quantized", "_zero_point", "_scale"))
            found[name] = ((ints.astype(np.float32) - zero.astype(np.float32)) * scale).T
        elif node.op_type == "MatMul" and name in trained:
            found[name] = held[named[node.input[1]]].T
    shapes = {name: tuple(network.get_parameter(name).shape) for name in trained}
    if {name: value.shape for name, value in found.items()} != shapes:
        raise InputError("The selector to go on from is of another shape.")
    with torch.no_grad():
        for name, value in found.items():
            network.get_parameter(name).copy_(torch.from_numpy(np.ascontiguousarray(value, dtype=np.float32)))


def _quantized(network: Any) -> Any:
    """Return a network as a model of ONNX with int8 products, its nodes named."""
    import onnx
    import torch

    twin = int8_words(network)
    ids = torch.ones((2, 9), dtype=torch.long)
    inputs = (ids, torch.zeros_like(ids), torch.zeros_like(ids), torch.ones((2, 9)))
    names = ["ids", "shapes", "sides", "mask"]
    axes = {name: {0: "batch", 1: "length"} for name in (*names, "logits")}
    with tempfile.TemporaryDirectory() as place:
        plain, small = Path(place) / "plain.onnx", Path(place) / "small.onnx"
        with warnings.catch_warnings():
            # As for the tagger: the tracing exporter gives the smaller graph.
            warnings.simplefilter("ignore")
            torch.onnx.export(
                twin, inputs, str(plain), input_names=names, output_names=["logits"], dynamic_axes=axes,
                opset_version=OPSET, dynamo=False,
            )  # fmt: skip
        quiet_onnxruntime()
        from onnxruntime.quantization import QuantType, quantize_dynamic

        quantize_dynamic(
            str(plain), str(small), op_types_to_quantize=["MatMul"], per_channel=True, weight_type=QuantType.QInt8,
            reduce_range=True, nodes_to_exclude=["/need/MatMul"],
        )  # fmt: skip
        model = onnx.load(str(small))
    return model


def _share(model: Any, tagger: Path) -> None:
    """Take the encoder's weights out of a model and name the place in the tagger's file where they stand.

    Rounding what was read back from int8 may move a scale by its last bit, so the tagger's own tensors are taken for
    those of the same products; then every tensor whose bytes stand in the tagger's file is named there.
    """
    import onnx

    theirs = onnx.load(str(tagger)).graph
    held = {item.name: item for item in theirs.initializer}
    mine = {item.name: item for item in model.graph.initializer}
    products = {node.name: node for node in theirs.node if node.op_type == "MatMulInteger"}
    for node in model.graph.node:
        twin = products.get(node.name.replace("/base/", "/"))
        if node.op_type != "MatMulInteger" or twin is None:
            continue
        ours, base = (one.input[1].removesuffix("_quantized") for one in (node, twin))
        for part in ("_quantized", "_scale", "_zero_point"):
            name = mine[ours + part].name
            mine[ours + part].CopyFrom(held[base + part])
            mine[ours + part].name = name
    for table in ("words", "places"):
        for part in ("rows", "scales"):
            mine[f"{table}.{part}"].CopyFrom(held[f"{table}.{part}"])
    content = tagger.read_bytes()
    for tensor in model.graph.initializer:
        at = content.find(tensor.raw_data) if len(tensor.raw_data) >= SHARED_BYTES else -1
        if at >= 0:
            facts = {"location": tagger.name, "offset": str(at), "length": str(len(tensor.raw_data))}
            tensor.ClearField("raw_data")
            tensor.data_location = onnx.TensorProto.EXTERNAL
            for key, value in facts.items():
                tensor.external_data.add(key=key, value=value)


def _shorten(graph: Any) -> None:
    """Give every value inside a graph a short name: half of a small model's file is names."""
    kept = {item.name for item in (*graph.input, *graph.output)}
    names: dict[str, str] = {"": ""}
    for node in graph.node:
        node.ClearField("name")
        node.ClearField("doc_string")
        for side in (node.input, node.output):
            for at, name in enumerate(side):
                side[at] = name if name in kept else names.setdefault(name, f"{len(names):x}")
    for tensor in graph.initializer:
        tensor.name = names.setdefault(tensor.name, f"{len(names):x}")
    graph.ClearField("value_info")
