"""What the package ships beside its code: networks for onnxruntime, word vectors, and the weights of attribution.

onnxruntime is loaded without its telemetry: from 1.31 on its Linux builds report to a collector of their maker's over
the network when they are imported and used, and keep a device id in the user's cache folder. Nothing of a text is in
these reports; GAMA promises that nothing goes out but what crosses the airlock, so they are off before the library is
loaded, whatever the environment says.

The word vectors are the embedded stand-in for the paper's Word2Vec (spec 01 §1.5, step 2, Eq. 7): about twenty thousand
English words, each embedded once by all-MiniLM-L6-v2 (Apache-2.0) and reduced to `dim` components; nothing but numpy
is needed to use them. `training/words.py` rebuilds the file.
"""

import gzip
import os
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gama.state.errors import ModelUnreachable, OptionError

WEIGHTS = Path(__file__).parent / "weights"
"""The folder of the shipped files."""
WORDS = WEIGHTS / "words.npz"
"""The word vectors."""
LOADING = RLock()
"""Held while a model is loaded, so that threads which ask for it together load it once."""
OWNERS = WEIGHTS / "owners.txt.gz"
"""The weights of attribution: one feature a line, its weight, a tab, its name."""
NAMES = WEIGHTS / "names.txt.gz"
"""The weights by which names are judged, in the same form."""
REQUESTS = WEIGHTS / "requests.txt.gz"
"""The weights by which sentences are told to ask, in the same form."""
SWITCH = "ORT_DISABLE_TELEMETRY"
"""The variable that onnxruntime reads when it is imported."""


def silence_onnxruntime() -> None:
    """Switch the reports off for this process and those it starts; call it before anything imports onnxruntime."""
    os.environ[SWITCH] = "1"


def quiet_onnxruntime() -> Any:
    """Import onnxruntime with its reports off, also where somebody has imported it before."""
    silence_onnxruntime()
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    return onnxruntime


_most_threads = 4


def compute_alone() -> None:
    """Have the models that are loaded from now on compute on one thread: other processes use the other cores."""
    global _most_threads
    _most_threads = 1


def cpu_session(file: Path) -> Any:
    """Load a model to be run on the processor.

    Raises:
        Exception: onnxruntime's own, where the file is missing or is not a model.
    """
    onnxruntime = quiet_onnxruntime()
    options = onnxruntime.SessionOptions()
    # Four threads at most: more gain nothing on windows this short, and servers run several at once.
    options.intra_op_num_threads = min(_most_threads, os.cpu_count() or 1)
    # Where several texts are read at once, a thread that spins takes the core from one that works.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])


_WORD = re.compile(r"[^\W\d_]+")
# Accepts runs of letters of any script; refuses digits, underscores and punctuation, as Eq. 7's
# "alphabetic tokens only" asks.


class WordVectors:
    """Unit-length vectors of known lower-case words, and weighted means of them for texts.

    Looking a word up is case-insensitive. Instances are immutable and safe to share between threads.
    """

    def __init__(self, words: Sequence[str], vectors: NDArray[np.float32], weights: NDArray[np.float32]) -> None:
        """Hold the vectors.

        Args:
            words: Lower-case words, the most frequent first.
            vectors: One row per word; rows are brought to unit length.
            weights: How much each word counts in a mean, in (0, 1]: smooth inverse frequency.

        Raises:
            ValueError: The three do not have the same length.
        """
        if not (len(words) == len(vectors) == len(weights)):
            raise ValueError(f"{len(words)} words, {len(vectors)} vectors and {len(weights)} weights do not match")
        self._row = {word: row for row, word in enumerate(words)}
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        self._vectors = (vectors / np.maximum(norms, np.finfo(np.float32).tiny)).astype(np.float32)
        self._vectors.setflags(write=False)
        self._weights = weights.astype(np.float32)
        self.dim: int = int(vectors.shape[1])
        """Components of a vector."""

    @classmethod
    def load(cls, path: Path = WORDS) -> "WordVectors":
        """Read the vectors from a file that `training/words.py` wrote (int8 rows, one scale per row)."""
        with np.load(path, allow_pickle=False) as stored:
            words = bytes(stored["words"]).decode().split("\n")
            vectors = stored["rows"].astype(np.float32) * stored["scales"].astype(np.float32)[:, None]
            weights = stored["weights"].astype(np.float32)
        return cls(words, vectors, weights)

    def __len__(self) -> int:
        """Return the number of known words."""
        return len(self._row)

    def __contains__(self, word: object) -> bool:
        """Return whether the word is known, whatever its case."""
        return isinstance(word, str) and word.lower() in self._row

    def vector(self, word: str) -> NDArray[np.float32] | None:
        """Return a word's unit-length vector (read-only), or None for an unknown word."""
        row = self._row.get(word.lower())
        return None if row is None else self._vectors[row]

    def embed(self, text: str) -> NDArray[np.float32]:
        """Return the frequency-weighted mean of the text's known words, of unit length; zeros if none is known."""
        rows = [row for word in _WORD.findall(text.lower()) if (row := self._row.get(word)) is not None]
        if not rows:
            return np.zeros(self.dim, dtype=np.float32)
        mean = self._weights[rows] @ self._vectors[rows]
        norm = float(np.linalg.norm(mean))
        return (mean / norm).astype(np.float32) if norm > 0 else np.zeros(self.dim, dtype=np.float32)

    def similarity(self, a: str, b: str) -> float:
        """Return the cosine of two words or texts, in [-1, 1]; 0.0 when either has no known word."""
        return float(np.clip(self.embed(a) @ self.embed(b), -1.0, 1.0))


def unloadable(what: str, error: Exception, command: str) -> ModelUnreachable:
    """Return the error of a shipped file that cannot be used, which `gama train` makes anew."""
    return ModelUnreachable(
        f"{what} cannot be loaded ({type(error).__name__}): reinstall the package, or train it with "
        f"`gama train {command}`"
    )


def word_vectors() -> WordVectors:
    """Return the shipped vectors, read once, however many threads ask first."""
    with LOADING:
        return _word_vectors()


@cache
def _word_vectors() -> WordVectors:
    return WordVectors.load()


def vectors_of(path: str | None) -> WordVectors:
    """Return the word vectors that the option `word_vectors` names: the shipped ones, or those of a file, read once.

    Raises:
        OptionError: the file cannot be read, or is in no format of word vectors.
    """
    if path is None:
        return word_vectors()
    if not os.path.isfile(path):
        raise OptionError(f"option word_vectors: the file {path!r} does not exist")
    from gama.models.word2vec import read_vectors

    return read_vectors(Path(path), os.stat(path).st_mtime_ns)


@cache
def owner_weights() -> Mapping[str, float]:
    """Return the weights by which facts are given to persons, by feature, loaded once; see `privacy/attribution.py`.

    Raises:
        ModelUnreachable: They are missing or damaged.
    """
    return _weights(OWNERS, "attribution")


@cache
def name_weights() -> Mapping[str, float]:
    """Return the weights by which names are judged, by feature, loaded once; see `privacy/identify.py`.

    Raises:
        ModelUnreachable: They are missing or damaged.
    """
    return _weights(NAMES, "names")


@cache
def request_weights() -> Mapping[str, float]:
    """Return the weights by which sentences are told to ask, by feature, loaded once; see `privacy/likely.py`.

    Raises:
        ModelUnreachable: They are missing or damaged.
    """
    return _weights(REQUESTS, "requests")


def _weights(file: Path, command: str) -> Mapping[str, float]:
    try:
        lines = gzip.decompress(file.read_bytes()).decode("utf-8").splitlines()
        pairs = (line.partition("\t") for line in lines if not line.startswith("#"))
        return {feature: float(weight) for weight, _, feature in pairs}
    except Exception as error:
        raise unloadable(repr(file.name), error, command) from error
