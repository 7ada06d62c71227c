"""From examples to batches of numbers: labels per word, windows, batches of like length."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from gama.evals.datasets.corpus import Example, Mark
from gama.models.embedded import BOUNDARIES, SUBTYPE_NAMES, Encoded, encode, windows

Item = TypeVar("Item")

IGNORED = -1
"""Label of a place that nothing is learnt from."""

_INDEX = {name: at for at, name in enumerate(SUBTYPE_NAMES)}
_OUT, _BEGIN, _INSIDE, _END, _SINGLE = range(len(BOUNDARIES))


_LENGTHS = 16
"""Batches have a multiple of so many pieces in a row: torch prepares its products anew for each length that is new."""


class Cutting(NamedTuple):
    """How a tagger reads a text."""

    encode: Callable[[str], Encoded]
    """Cuts it into words and pieces."""
    ends: tuple[int, int]
    """Ids of the markers before and after each window."""


def cutting(tokenizer: Any, encoder: Callable[[str, Any], Encoded] = encode) -> Cutting:
    """Return how a text is read with a tokenizer, whose markers are those of BERT or of SentencePiece."""
    vocabulary = tokenizer.get_vocab()
    first, last = ("[CLS]", "[SEP]") if "[CLS]" in vocabulary else ("<s>", "</s>")
    return Cutting(lambda text: encoder(text, tokenizer), (vocabulary[first], vocabulary[last]))


class Piece(NamedTuple):
    """One window of one text, ready to be padded."""

    ids: NDArray[np.int64]
    shapes: NDArray[np.int64]
    boundary: NDArray[np.int64]
    """Boundary label at the first piece of each word, else `IGNORED`."""
    allowed: NDArray[np.int64]
    """Row of `Sets` with the subtypes that a marked word may have, else `IGNORED`."""
    private: NDArray[np.int64]
    """1 private, 0 public, else `IGNORED`."""
    annotated: int
    """Row of `Sets` with the subtypes that the text's annotation covers."""


class Batch(NamedTuple):
    """Windows of like length, padded; `mask` is 1.0 at real pieces. See `Piece`."""

    ids: NDArray[np.int64]
    shapes: NDArray[np.int64]
    mask: NDArray[np.float32]
    boundary: NDArray[np.int64]
    allowed: NDArray[np.int64]
    private: NDArray[np.int64]
    annotated: NDArray[np.int64]


@dataclass
class Sets:
    """Distinct sets of subtypes, each one row of a table."""

    _rows: dict[frozenset[str], int] = field(default_factory=dict)

    def row(self, subtypes: Iterable[str]) -> int:
        """Return the row of a set, adding it when it is new."""
        return self._rows.setdefault(frozenset(subtypes), len(self._rows))

    def table(self) -> NDArray[np.bool_]:
        """Return one row per set, one column per subtype."""
        table = np.zeros((len(self._rows), len(SUBTYPE_NAMES)), dtype=np.bool_)
        for subtypes, row in self._rows.items():
            table[row, [_INDEX[name] for name in subtypes if name in _INDEX]] = True
        return table


def words_of(marks: Iterable[Mark], words: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield for each mark its first word and one past its last; the same twice for a mark without words.

    Args:
        marks: Sorted by start, not overlapping.
        words: Start and end of each word, in characters.
    """
    at = 0
    for mark in marks:
        while at < len(words) and words[at][1] <= mark.start:
            at += 1
        first = at
        while at < len(words) and words[at][0] < mark.end:
            at += 1
        yield first, at


def label(example: Example, cut: Cutting, sets: Sets) -> Iterator[Piece]:
    """Yield the windows of one example with their labels.

    Args:
        example: Text and marks.
        cut: How the tagger reads.
        sets: Collects the sets of subtypes in use.
    """
    encoded = cut.encode(example.text)
    count = len(encoded.words)
    boundary = np.full(count, _OUT, dtype=np.int64)
    allowed = np.full(count, IGNORED, dtype=np.int64)
    private = np.full(count, IGNORED, dtype=np.int64)
    for mark, (first, at) in zip(example.marks, words_of(example.marks, encoded.words), strict=True):
        if at == first:
            continue
        if _INDEX.keys().isdisjoint(mark.subtypes):
            # Of a subtype that no model finds, or of none: it teaches nothing, neither that something is there nor not.
            boundary[first:at] = IGNORED
            continue
        boundary[first:at] = _INSIDE
        boundary[first], boundary[at - 1] = (_SINGLE, _SINGLE) if at - first == 1 else (_BEGIN, _END)
        allowed[first:at] = sets.row(mark.subtypes)
        if mark.private is not None:
            private[first:at] = int(mark.private)
    annotated = sets.row(example.annotated)
    words = np.asarray(encoded.word_of, dtype=np.int64)
    first_piece = np.ones(len(words), dtype=np.bool_)
    first_piece[1:] = words[1:] != words[:-1]
    for window in windows(encoded):
        part = slice(window.first, window.last)
        heads, mine = first_piece[part], words[part]

        def spread(values: NDArray[np.int64], heads: Any = heads, mine: Any = mine) -> NDArray[np.int64]:
            found = np.full(len(mine) + 2, IGNORED, dtype=np.int64)
            found[1:-1][heads] = values[mine[heads]]
            return found

        yield Piece(
            np.array([cut.ends[0], *encoded.pieces[part], cut.ends[1]], dtype=np.int64),
            np.array([0, *encoded.shapes[part], 0], dtype=np.int64),
            spread(boundary),
            spread(allowed),
            spread(private),
            annotated,
        )


def batches(pieces: list[Piece], size: int, rng: Random) -> list[Batch]:
    """Group windows of like length into batches of at most `size` padded pieces, in random order."""
    return [_pad(items) for items in grouped(pieces, _padded, size, rng)]


def grouped(items: Iterable[Item], length: Callable[[Item], int], size: int, rng: Random) -> list[list[Item]]:
    """Group windows of like length, at most `size` padded pieces in a group; the groups in random order."""
    # A little noise on the lengths, so that the same texts do not always meet.
    ordered = sorted(items, key=lambda item: length(item) * rng.uniform(0.9, 1.1))
    groups: list[list[Item]] = []
    longest = 0
    for item in ordered:
        longest = max(longest, length(item))
        if not groups or longest * (len(groups[-1]) + 1) > size:
            groups.append([])
            longest = length(item)
        groups[-1].append(item)
    rng.shuffle(groups)
    return groups


def _padded(piece: Piece) -> int:
    return -(-len(piece.ids) // _LENGTHS) * _LENGTHS


def _pad(group: list[Piece]) -> Batch:
    length = max(map(_padded, group))

    def fill(name: str, empty: int) -> NDArray[np.int64]:
        rows = np.full((len(group), length), empty, dtype=np.int64)
        for row, piece in zip(rows, group, strict=True):
            values = getattr(piece, name)
            row[: len(values)] = values
        return rows

    mask = np.zeros((len(group), length), dtype=np.float32)
    for row, piece in zip(mask, group, strict=True):
        row[: len(piece.ids)] = 1.0
    return Batch(
        fill("ids", 0),
        fill("shapes", 0),
        mask,
        fill("boundary", IGNORED),
        fill("allowed", IGNORED),
        fill("private", IGNORED),
        np.array([piece.annotated for piece in group], dtype=np.int64),
    )
