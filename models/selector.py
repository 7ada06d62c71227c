"""The embedded selector: how probably a query needs what stands at a place of a text (PII-Bench, spec 03 §3.1, T2).

It is the encoder of the embedded tagger, which reads the query before the text, with low-rank adapters and a head of
its own. `weights/select.onnx` holds those alone and takes the encoder's weights from `weights/identify.onnx` beside
it. Trained by `training/select.py`; runs on onnxruntime, with no network.
"""

import json
import math
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gama.models.embedded import Encoded, encode, load_tokenizer, most_context
from gama.models.shipped import LOADING, WEIGHTS, cpu_session, unloadable
from gama.state.errors import ModelUnreachable

LENGTH = 256
"""Pieces read at once, query and the three markers included."""
QUERY = 80
"""Pieces of a query that are read; of a longer one its beginning and its end, where the question mostly stands."""
OVERLAP = 40
"""Pieces that two neighbouring windows share."""
_BATCH = 6


class Pair(NamedTuple):
    """One window of a text behind the query, as the network reads it: rows of equal length."""

    ids: list[int]
    shapes: list[int]
    sides: list[int]
    """1 at the query's pieces and its markers, else 0."""
    first: int
    """Place of the window's first piece in the text; it stands at the first 0 of `sides`."""
    last: int


def pairs(query: Encoded, text: Encoded, ends: tuple[int, int]) -> Iterator[Pair]:
    """Cut a text into overlapping windows, each with the query before it.

    Args:
        query: The query.
        text: The text.
        ends: Ids of the markers before and after each part.
    """
    asked, shapes = _shortened(query.pieces), _shortened(query.shapes)
    opening, closing = ends
    room = LENGTH - len(asked) - 3
    first = 0
    while True:
        last = min(first + room, len(text.pieces))
        yield Pair(
            [opening, *asked, closing, *text.pieces[first:last], closing],
            [0, *shapes, 0, *text.shapes[first:last], 0],
            [1] * (len(asked) + 2) + [0] * (last - first + 1),
            first,
            last,
        )
        if last == len(text.pieces):
            return
        first += room - OVERLAP


def _shortened(pieces: list[int]) -> list[int]:
    return pieces if len(pieces) <= QUERY else pieces[: QUERY // 2] + pieces[-QUERY // 2 :]


def _padded(rows: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """Return rows of numbers as one table, the shorter ones filled with noughts."""
    table = np.zeros((len(rows), max(map(len, rows))), dtype=np.int64)
    for at, row in enumerate(rows):
        table[at, : len(row)] = row
    return table


class EmbeddedSelector:
    """Tells what a query needs. Instances are immutable and may be shared between threads."""

    def __init__(self, folder: Path = WEIGHTS) -> None:
        """Load a trained model.

        Args:
            folder: Holds `select.onnx` and `select.json`, and the tagger's files, on which it rests.

        Raises:
            ModelUnreachable: A file is missing or does not fit the others.
        """
        try:
            card: dict[str, Any] = json.loads((folder / "select.json").read_text(encoding="utf-8"))
            tagger: dict[str, Any] = json.loads((folder / "identify.json").read_text(encoding="utf-8"))
            fits = card["encoder"] == tagger["sha256"]["identify.onnx"]
            if fits:
                self._tokenizer = load_tokenizer(folder)
                self._session = cpu_session(folder / "select.onnx")
        except Exception as error:
            raise unloadable(f"the embedded selector in {folder.name!r}", error, "select") from error
        if not fits:
            raise ModelUnreachable("the embedded selector was trained for another tagger: run `gama train select`")
        self._ends = (int(tagger["cls"]), int(tagger["sep"]))
        self.card = card
        """Threshold, training data and measured figures."""
        self.threshold = float(card["threshold"])

    def scores(self, text: str, query: str, stretches: Sequence[tuple[int, int]]) -> list[float]:
        """Return how probably the query needs each stretch of the text as it stands.

        Args:
            text: The text.
            query: What is asked about it.
            stretches: Start and end of each, in characters.

        Returns:
            Probabilities in [0, 1]; 0 for a stretch without a word.
        """
        if not stretches:
            return []
        asked, encoded = encode(query, self._tokenizer), encode(text, self._tokenizer)
        logits = self._read(list(pairs(asked, encoded, self._ends)), len(encoded.pieces))
        starts = np.array([encoded.words[word][0] for word in encoded.word_of], dtype=np.int64)
        ends = np.array([encoded.words[word][1] for word in encoded.word_of], dtype=np.int64)
        found = []
        for start, end in stretches:
            inside = logits[(starts < end) & (ends > start)]
            found.append(1.0 / (1.0 + math.exp(-float(inside.mean()))) if len(inside) else 0.0)
        return found

    def _read(self, windows: list[Pair], count: int) -> NDArray[np.float32]:
        """Return one logit per piece of the text."""
        read = []
        for begin in range(0, len(windows), _BATCH):
            batch = windows[begin : begin + _BATCH]
            for window, row in zip(batch, self._run(batch), strict=True):
                at = window.sides.index(0)
                read.append((window.first, window.last, row[at : at + window.last - window.first]))
        return most_context(read, count)

    def _run(self, batch: Sequence[Pair]) -> NDArray[np.float32]:
        feed = {
            "ids": _padded([window.ids for window in batch]),
            "shapes": _padded([window.shapes for window in batch]),
            "sides": _padded([window.sides for window in batch]),
            "mask": _padded([[1] * len(window.ids) for window in batch]).astype(np.float32),
        }
        return np.asarray(self._session.run(None, feed)[0], dtype=np.float32)


def embedded_selector() -> EmbeddedSelector:
    """Return the shipped selector, loaded once, however many threads ask first.

    Raises:
        ModelUnreachable: Its weights are missing or damaged.
    """
    with LOADING:
        return _shipped_selector()


@cache
def _shipped_selector() -> EmbeddedSelector:
    return EmbeddedSelector()
