"""How alike two texts are to an encoder: the cosine of their mean token vectors (spec 02 §2.2.3).

GAMA's authors fill every text up to 512 tokens and average over the filling too (`pad_mean`): the filling is much the
same for every text, so that texts that have nothing in common come out alike. The mean here is over the text's own
tokens; the published way is there for comparison. Figures of two encoders do not compare.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gama.state.errors import ModelUnknown, OptionError

Pooling = Literal["mean", "pad_mean"]

PUBLISHED = "bert-base-uncased"
"""The encoder of the published figures."""

PADDED = 512
"""Tokens that a text is filled up to, or cut at, in the published way."""


@dataclass(frozen=True)
class Encoder:
    """Turns texts into vectors."""

    name: str
    """To be told with every figure."""
    embed: Callable[[str], NDArray[np.float32]]
    """Returns the vector of a text; noughts for one that has none."""


def similarity(one: str, other: str, encoder: Encoder) -> float:
    """Return the cosine of two texts' vectors, from -1 to 1.

    A text without a vector (empty, or without a known word) is like another such text, and like nothing else.
    """
    left, right = (encoder.embed(text).astype(np.float64) for text in (one, other))
    norms = float(np.linalg.norm(left)), float(np.linalg.norm(right))
    if not all(norms):
        return float(not any(norms))
    return float(np.clip(left @ right / (norms[0] * norms[1]), -1.0, 1.0))


def embedded() -> Encoder:
    """Return the encoder that ships with the package: weighted means of word vectors. It reads no word order."""
    from gama.models.shipped import word_vectors

    return Encoder("word vectors of the package", word_vectors().embed)


def hugging_face(name: str = PUBLISHED, *, revision: str | None = None, pooling: Pooling = "mean") -> Encoder:
    """Return an encoder of Hugging Face, by its name or folder.

    Args:
        name: any encoder that transformers loads.
        revision: of the checkpoint.
        pooling: `mean` over the text's tokens, all of them, window by window; or as published, `pad_mean`, which also
            cuts a text at 512 tokens.

    Raises:
        OptionError: torch or transformers is not installed.
        ModelUnknown: there is no such encoder, or it cannot be loaded.
    """
    try:
        import torch  # noqa: F401
        from transformers import AutoModel, AutoTokenizer
    except ImportError:
        missing = True
    else:
        missing = False
    if missing:
        raise OptionError("encoders of Hugging Face need torch: pip install 'gama-privacy[local]'")
    try:
        tokenizer = AutoTokenizer.from_pretrained(name, revision=revision)
        model = AutoModel.from_pretrained(name, revision=revision).eval()
    except Exception as error:  # whatever the library raises
        problem = type(error).__name__
    else:
        embed = _padded if pooling == "pad_mean" else _windowed
        at = f"@{revision}" if revision else ""
        return Encoder(f"{name}{at}, {pooling}", partial(embed, tokenizer, model))
    raise ModelUnknown(f"the encoder {name!r} cannot be loaded ({problem}): check its name, or give a folder")


def _padded(tokenizer: Any, model: Any, text: str) -> NDArray[np.float32]:
    import torch

    given = tokenizer(text, padding="max_length", max_length=PADDED, truncation=True, return_tensors="pt")
    with torch.inference_mode():
        hidden = model(**given).last_hidden_state[0]
    mean: NDArray[np.float32] = hidden.mean(dim=0).float().cpu().numpy()
    return mean


def _windowed(tokenizer: Any, model: Any, text: str) -> NDArray[np.float32]:
    import torch

    # Some tokenizers name no length, or one beyond all bounds.
    length = min(tokenizer.model_max_length, getattr(model.config, "max_position_embeddings", PADDED), PADDED)
    given = tokenizer(
        text, truncation=True, max_length=length, return_overflowing_tokens=True, padding=True, return_tensors="pt"
    )
    given.pop("overflow_to_sample_mapping", None)
    with torch.inference_mode():
        hidden = model(**given).last_hidden_state
    weights = given["attention_mask"].unsqueeze(-1).to(hidden.dtype)
    mean: NDArray[np.float32] = ((hidden * weights).sum(dim=(0, 1)) / weights.sum()).float().cpu().numpy()
    return mean
