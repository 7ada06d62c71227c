"""Write a trained network as the int8 ONNX file that `models/embedded.py` runs, and its card.

The word and position tables are stored as int8 rows with one scale each (a Gather, a cast and a product), the
matrix products are quantized dynamically per output channel; everything else stays fp32.
"""

import copy
import hashlib
import json
import tempfile
import warnings
from pathlib import Path
from typing import Any

from gama.models.shipped import quiet_onnxruntime

OPSET = 17
"""LayerNormalization is one operator from here on; every onnxruntime we allow reads it."""


def int8_words(network: Any, *, small: bool = False) -> Any:
    """Return a copy of the network whose word and position tables are int8 with one scale per row.

    Args:
        network: The network.
        small: Whether the word table takes four bits instead.
    """
    import torch
    from torch import nn

    class Int8Embedding(nn.Module):
        """Rows of small integers times one scale per row."""

        rows: torch.Tensor
        scales: torch.Tensor

        def __init__(self, table: torch.Tensor) -> None:
            super().__init__()
            scales = table.abs().amax(dim=1, keepdim=True).clamp_min(1e-8) / 127.0
            self.register_buffer("rows", torch.round(table / scales).to(torch.int8))
            self.register_buffer("scales", scales)

        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            return self.rows[ids].to(torch.float32) * self.scales[ids]

    class Int4Embedding(nn.Module):
        """Rows of four bits in blocks of 32 with a scale each, two in a byte: the low halves first."""

        rows: torch.Tensor
        scales: torch.Tensor

        def __init__(self, table: torch.Tensor) -> None:
            super().__init__()
            blocks = table.view(len(table), -1, 32)
            # The value farthest from nought becomes -8: a table that was stored in this way loses nothing.
            farthest = blocks.gather(2, blocks.abs().argmax(dim=2, keepdim=True))
            scales = (farthest / -8.0).to(torch.float16).to(torch.float32)
            steps = torch.where(scales == 0, torch.ones_like(scales), scales)
            small = (torch.round(blocks / steps) + 8).clamp(0, 15).to(torch.uint8)
            self.register_buffer("rows", small[:, :, :16] | (small[:, :, 16:] << 4))
            self.register_buffer("scales", scales.to(torch.float16))

        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            both = self.rows[ids].to(torch.float32)
            high = torch.floor(both / 16.0)
            values = torch.cat([both - 16.0 * high, high], dim=-1) - 8.0
            return (values * self.scales[ids].to(torch.float32)).flatten(-2)

    twin = copy.deepcopy(network)
    table = network.words.weight.detach()
    twin.words = Int4Embedding(table) if small else Int8Embedding(table)
    twin.places = Int8Embedding(network.places.weight.detach())
    return twin.eval()


def export_onnx(network: Any, out: Path, quantize: bool = True, *, small: bool = False) -> int:
    """Write the network.

    Args:
        network: What `training.encoder.build_network` made, trained.
        out: The file to write.
        quantize: False keeps the matrix products in fp32, to compare with.
        small: Whether the word table takes four bits instead of eight: for one that came in four.

    Returns:
        The size of the file in bytes.
    """
    import torch

    twin = int8_words(network, small=small)
    ids = torch.ones((2, 9), dtype=torch.long)
    inputs = (ids, torch.zeros_like(ids), torch.ones((2, 9)))
    axes = {0: "batch", 1: "length"}
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.onnx"
        with warnings.catch_warnings():
            # The tracing exporter is announced as legacy, but gives the smaller graph for this network.
            warnings.simplefilter("ignore")
            torch.onnx.export(
                twin,
                inputs,
                str(plain),
                input_names=["ids", "shapes", "mask"],
                output_names=["logits"],
                dynamic_axes={"ids": axes, "shapes": axes, "mask": axes, "logits": axes},
                opset_version=OPSET,
                dynamo=False,
            )
        out.parent.mkdir(parents=True, exist_ok=True)
        if quantize:
            quiet_onnxruntime()
            from onnxruntime.quantization import QuantType, quantize_dynamic

            quantize_dynamic(
                str(plain),
                str(out),
                op_types_to_quantize=["MatMul"],
                per_channel=True,
                weight_type=QuantType.QInt8,
                # Seven bits: eight overflow in the products of processors without VNNI, and are no better here.
                reduce_range=True,
                # The head decides between near scores and is small: it stays in fp32.
                nodes_to_exclude=["/head/MatMul"],
            )
        else:
            out.write_bytes(plain.read_bytes())
    return out.stat().st_size


def write_card(folder: Path, card: dict[str, Any]) -> None:
    """Write a model's card beside its files, with their hashes: `gama doctor` and the tests compare them."""
    names = ("identify.onnx", "tokenizer.json")
    hashes = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}
    text = json.dumps(card | {"sha256": hashes}, indent=1, ensure_ascii=False)
    (folder / "identify.json").write_text(text + "\n", encoding="utf-8")
