"""Word vectors of one's own in Word2Vec's formats, in the place of the shipped ones (spec 01 §1.5, step 2, Eq. 7).

Both formats begin with a line of two numbers, words and components; the text format may lack it, as GloVe's does. The
binary one (GoogleNews-vectors-negative300.bin, also as .gz) follows with each word, a space and its components as
little-endian floats. Kept are the words that Eq. 7 can ask for, lower-case and of letters only: of GoogleNews'
three million that leaves what fits into memory.
"""

import gzip
import math
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import IO, cast

import numpy as np
from numpy.typing import NDArray

from gama.models.shipped import WordVectors
from gama.state.errors import OptionError

Rows = Iterator[tuple[str, NDArray[np.float32]]]

_PIECE = 1 << 24
_LONGEST = 10_000
_RARE = 1e-3
"""The constant of smooth inverse frequency, as in the shipped vectors."""


@lru_cache(maxsize=2)
def read_vectors(path: Path, stamp: int = 0) -> WordVectors:
    """Read a file in either format; it is binary where its name ends in `.bin` or `.bin.gz`.

    How much a word counts in a mean follows from its rank, since such files begin with the most frequent words.

    Args:
        path: the file.
        stamp: when it was changed; what was read is kept until that is another time.

    Raises:
        OptionError: it cannot be read, or is in neither format.
    """
    words: dict[str, NDArray[np.float32]] = {}
    ranks: list[int] = []
    problem = ""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            rank = 0
            for rank, (word, row) in enumerate(_rows(cast("IO[bytes]", file), ".bin" in path.suffixes), 1):
                if word.isalpha() and word == word.lower() and word not in words:
                    words[word] = row
                    ranks.append(rank)
    except (OSError, EOFError, ValueError) as error:
        problem = f"{type(error).__name__}: {error}" if isinstance(error, ValueError) else type(error).__name__
    if problem or not words:
        said = problem or "no lower-case word is in it"
        raise OptionError(
            f"option word_vectors: {path.name!r} is no file of word vectors ({said}). Name one in Word2Vec's binary "
            "format (.bin, .bin.gz) or in its text format."
        )
    # Zipf: a word of rank r has about the share 1 / (r · ln(1.78 · all)) of a text.
    shares = 1.0 / (np.array(ranks) * math.log(1.78 * rank + 1))
    return WordVectors(list(words), np.stack(list(words.values())), (_RARE / (_RARE + shares)).astype(np.float32))


def _rows(file: IO[bytes], binary: bool) -> Rows:
    first = file.readline(_PIECE)
    if not (head := first.split()):
        raise ValueError("the first line is empty")
    counted = len(head) == 2 and all(one.isdigit() for one in head)
    if binary:
        if not counted:
            raise ValueError("the first line is not two numbers")
        yield from _binary(file, int(head[0]), int(head[1]))
        return
    lines = file if counted else _again(first, file)
    width = int(head[1]) if counted else len(head) - 1
    for line in lines:
        word, *numbers = line.split() or [b""]
        if len(numbers) != width or not width:
            raise ValueError("a line has another number of components than the first")
        yield word.decode("utf-8", "replace"), np.array(numbers, dtype=np.float32)


def _again(first: bytes, rest: IO[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def _binary(file: IO[bytes], count: int, dim: int) -> Rows:
    held, at, size = b"", 0, 4 * dim
    for _ in range(count):
        while (space := held.find(b" ", at)) < 0 or len(held) < space + 1 + size:
            if space < 0 and len(held) - at > _LONGEST:
                raise ValueError("a word does not end")
            more = file.read(max(_PIECE, size))
            if not more:
                raise ValueError("it ends in the midst of a word")
            held, at = held[at:] + more, 0
        # Some writers end each row with a line break.
        word = held[at:space].lstrip(b"\n").decode("utf-8", "replace")
        yield word, np.frombuffer(held, "<f4", dim, space + 1).copy()
        at = space + 1 + size
