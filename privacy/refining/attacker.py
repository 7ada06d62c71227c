"""The embedded attacker: what sentences give away about their writer, by small linear heads over the word vectors.

Eight heads, one for each attribute of the papers, each with a class of its own for nothing. They read a sentence as the
mean of the shipped word vectors and as its known words; `training/seal/attacker.py` trains them on synthetic persons.
English only, and no rival of a large model: it knows what the training sentences know.
"""

import json
import re
from collections.abc import Mapping, Sequence
from copy import copy
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gama.models.reading import STOPWORDS
from gama.models.shipped import WEIGHTS, unloadable, word_vectors
from gama.privacy.refining.attributes import Attribute
from gama.privacy.refining.inferences import GUESSES, Inference, sentence_spans
from gama.privacy.refining.widening import PLACEHOLDER

HEADS = WEIGHTS / "attacker.npz"
"""The weights."""
CERTAIN = (0.40, 0.55, 0.70, 0.85)
"""Calibrated probabilities from which the certainty is 2, 3, 4 and 5."""
SHARE = 0.35
"""A sentence is responsible for a guess that tells so much of what the most telling one does."""
NOISE = 0.08
"""What is less probable tells nothing: many sentences about nothing would add up to something."""
ENGLISH = 0.3
"""Share of a text's words that are small words of English if it is: of prose two in five are, of Dutch one in five."""
TOLD = 0.25
"""Where all sentences together tell less of every value, nothing is inferred."""
MEAN, KNOWN = 5.0, 0.7
"""How much the mean vector and a known word count among the features."""

_WORD = re.compile(r"[^\W\d_]+")
Floats = NDArray[np.float32]


def words_of(text: str) -> list[str]:
    """Return the lower-case words of a text, without its placeholders: these say nothing about the writer."""
    return _WORD.findall(PLACEHOLDER.sub(" ", text).lower())


def is_english(text: str) -> bool:
    """Return whether the heads can read a text: enough of its words are small words of English, or it has no words."""
    found = words_of(text)
    return sum(word in STOPWORDS for word in found) >= ENGLISH * len(found)


class Scored(NamedTuple):
    """What one head says of the sentences of a text."""

    values: tuple[str, ...]
    odds: Floats
    """Probability of each value, a row for each sentence; what is missing to 1 is nothing."""

    @property
    def told(self) -> Floats:
        """How much each sentence tells for each value: −log(1 − p), so that sentences add up; 0 below `NOISE`."""
        heard = np.where(self.odds >= NOISE, np.minimum(self.odds, 0.999), 0.0)
        return np.asarray(-np.log1p(-heard), dtype=np.float32)


class Attacker:
    """The heads with their words; immutable, to be shared between threads."""

    def __init__(self, heads: Mapping[str, Sequence[str]], words: Sequence[str], weights: Floats, bias: Floats,
                 calibration: Mapping[str, Sequence[float]], least: float) -> None:  # fmt: skip
        """Hold the weights.

        Args:
            heads: the values of each attribute, in the order of the columns; before them one column for nothing.
            words: the known words.
            weights: a row for each component of the word vectors, then one for each word; temperatures applied.
            bias: of each column.
            calibration: of each attribute, by what `telling` returns is weighed, and an offset, to become the
                log-odds of the guess being true.
            least: calibrated probability from which something is inferred.
        """
        self.heads = {name: tuple(values) for name, values in heads.items()}
        self._row = {word: row for row, word in enumerate(words)}
        self._weights, self._bias = weights, bias
        self._calibration, self._least = calibration, least
        self._read: dict[str, Floats] | None = None

    @classmethod
    def load(cls, file: Path = HEADS) -> "Attacker":
        """Read what `gama train attacker` wrote.

        Raises:
            ModelUnreachable: the file is missing or damaged.
        """
        try:
            with np.load(file, allow_pickle=False) as stored:
                card = json.loads(bytes(stored["card"]).decode())
                weights = stored["weights"].astype(np.float32) * stored["scales"].astype(np.float32)
                words = bytes(stored["words"]).decode().split("\n")
                bias = stored["bias"].astype(np.float32)
                return cls(card["heads"], words, weights, bias, card["calibration"], card["least"])
        except Exception as error:
            raise unloadable(repr(file.name), error, "attacker") from error

    def features(self, sentences: Sequence[str]) -> Floats:
        """Return a row of features for each sentence."""
        return features(sentences, self._row)

    def scores(self, sentences: Sequence[str]) -> dict[str, Scored]:
        """Return what each head says of sentences, each by itself."""
        logits = self._logits(sentences)
        found, at = {}, 0
        for name, values in self.heads.items():
            part = logits[:, at : at + len(values) + 1]
            powers = np.exp(part - part.max(axis=1, keepdims=True, initial=-np.inf))
            found[name] = Scored(values, np.asarray((powers / powers.sum(axis=1, keepdims=True))[:, 1:], np.float32))
            at += len(values) + 1
        return found

    def _logits(self, sentences: Sequence[str]) -> Floats:
        if self._read is None:
            return np.asarray(self.features(sentences) @ self._weights + self._bias, np.float32)
        if new := [one for one in dict.fromkeys(sentences) if one not in self._read]:
            rows = self.features(new) @ self._weights + self._bias
            self._read.update(zip(new, rows, strict=True))
        return np.stack([self._read[one] for one in sentences])

    def remembering(self) -> "Attacker":
        """Return the same attacker for one text that is read again and again: it reads each sentence once."""
        again = copy(self)
        again._read = {}
        return again

    def infer(self, text: str, attributes: Sequence[Attribute]) -> list[Inference]:
        """Return what a text gives away; attributes without a head are never inferred."""
        sentences = [text[start:end] for start, end in sentence_spans(text)]
        if not sentences:
            return []
        scored = self.scores(sentences)
        found = [self._inference(one.name, scored[one.name], sentences) for one in attributes if one.name in scored]
        return [one for one in found if one is not None]

    def certainty(self, name: str, told: Floats) -> float:
        """Return the calibrated probability that the likeliest value is true.

        Args:
            name: the attribute.
            told: what all sentences together tell for each of its values.
        """
        slope, offset = self._calibration[name]
        return float(1 / (1 + np.exp(-(slope * telling(told) + offset))))

    def _inference(self, name: str, scored: Scored, sentences: Sequence[str]) -> Inference | None:
        told = scored.told.sum(axis=0)
        certainty = self.certainty(name, told)
        if certainty < self._least or told.max() < TOLD:
            return None
        order = np.argsort(-told)[:GUESSES]
        by_sentence = scored.told[:, order[0]]
        responsible = np.flatnonzero(by_sentence >= SHARE * by_sentence.max())
        responsible = responsible[np.argsort(-by_sentence[responsible])]
        degree = 1 + sum(certainty >= least for least in CERTAIN)
        reason = f"Such sentences are written by people of whom this is true ({certainty:.0%}, embedded attacker)."
        guesses = tuple(scored.values[at] for at in order)
        return Inference(name, guesses, degree, reason, tuple(sentences[int(at)] for at in responsible))


def features(sentences: Sequence[str], row: Mapping[str, int]) -> Floats:
    """Return the features of sentences: the mean of their word vectors, then one for each known word."""
    vectors = word_vectors()
    out = np.zeros((len(sentences), vectors.dim + len(row)), dtype=np.float32)
    for at, sentence in enumerate(sentences):
        words = words_of(sentence)
        out[at, : vectors.dim] = MEAN * vectors.embed(" ".join(words))
        for word in words:
            if word in row:
                out[at, vectors.dim + row[word]] += KNOWN
    return out


def telling(told: Floats) -> float:
    """Return by what a guess is judged: the logarithm of how much is told for the likeliest value.

    Args:
        told: what all sentences together tell for each value.
    """
    return float(np.log(told.max() + 0.1))


@cache
def embedded_attacker() -> Attacker:
    """Return the shipped attacker, loaded once.

    Raises:
        ModelUnreachable: its weights are missing or damaged.
    """
    return Attacker.load()
