"""The tagger's network in torch: MiniLM's encoder, the word shapes beside its word pieces, one linear head.

Written out rather than taken from transformers, so that the graph exported to ONNX is small and plain and the
word table can be stored as int8 with one scale per row. torch is imported when the network is built.
"""

import math
from typing import Any

from gama.models.embedded import BOUNDARIES, SHAPES, SUBTYPE_NAMES, WINDOW
from gama.training.start import load_encoder, tagger_tokenizer

HEADS = 12
"""Attention heads of MiniLM-L6-H384."""
NORM_EPS = 1e-12
"""The epsilon of its layer norms."""
OUTPUTS = len(BOUNDARIES) + len(SUBTYPE_NAMES) + 1
"""Boundary, subtype and private logits, in this order."""


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
