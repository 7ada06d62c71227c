"""Sentence encoders for utility (spec 03 §3.6): the shipped word vectors, or any checkpoint by name (extra `local`)."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gama.evals.piibench.demonstrations import Encode, encode_offline
from gama.state.errors import ModelUnknown

OFFLINE = "word vectors"
"""What the embedded encoder is called: a weighted mean of word vectors, coarser than a sentence encoder."""
LONGEST = 8192
"""Tokens of a text that are read."""
_BATCH = 16


def encoder(name: str | None) -> Encode:
    """Return an encoder.

    Args:
        name: a checkpoint by hub name or folder, such as `BAAI/bge-m3`, the paper's; None for the embedded one.

    Raises:
        ModelUnknown: the packages are missing, or there is no such checkpoint.
    """
    return encode_offline if name is None else _checkpoint(name)


def _checkpoint(name: str) -> Encode:
    problem = ""
    try:
        import torch
        from transformers import AutoModel, AutoTokenizer

        tokenizer: Any = AutoTokenizer.from_pretrained(name)
        model: Any = AutoModel.from_pretrained(name)
    except ImportError:
        problem = "Sentence encoders need more packages: pip install 'gama-privacy[local]'"
    except (OSError, ValueError) as error:
        problem = (
            f"The encoder {name!r} cannot be loaded ({type(error).__name__}). Give a folder with a saved model and "
            "tokenizer, or a hub name that can be reached or is in the cache."
        )
    if problem:
        raise ModelUnknown(problem)
    model.train(False)
    first = _takes_first(name)
    longest = min(LONGEST, int(getattr(model.config, "max_position_embeddings", LONGEST)) - 2)

    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        rows = []
        for at in range(0, len(texts), _BATCH):
            batch = tokenizer(
                list(texts[at : at + _BATCH]), padding=True, truncation=True, max_length=longest, return_tensors="pt"
            )
            with torch.inference_mode():
                states = model(**batch).last_hidden_state
            mask = batch["attention_mask"][:, :, None].to(states.dtype)
            pooled = states[:, 0] if first else (states * mask).sum(1) / mask.sum(1).clamp(min=1)
            rows.append(torch.nn.functional.normalize(pooled, dim=1).float().numpy())
        return np.concatenate(rows)

    return encode


def _takes_first(name: str) -> bool:
    """Return whether a text's vector is its first token's, as the checkpoint's pooling says; else the mean's."""
    problem = False
    path: Path | None = Path(name) / "1_Pooling" / "config.json"
    try:
        if not Path(name).is_dir():
            from transformers.utils.hub import cached_file

            found = cached_file(name, "1_Pooling/config.json", _raise_exceptions_for_missing_entries=False)
            path = None if found is None else Path(str(found))
        told = json.loads(path.read_text(encoding="utf-8")) if path is not None else {}
    except (OSError, ValueError):
        problem = True
    return not problem and bool(told.get("pooling_mode_cls_token"))


def cosines(one: NDArray[np.float32], other: NDArray[np.float32]) -> list[float]:
    """Return how alike the rows of two tables of unit vectors are, in [0, 1]; one without a vector is like nothing."""
    return [float(np.clip(value, 0.0, 1.0)) for value in (one * other).sum(axis=1)]
