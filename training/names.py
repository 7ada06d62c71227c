"""Train the weights by which names are judged private or public (`privacy/identify.py`).

    gama train names --data evals/data/world --out models/weights

Learnt from two thirds of the texts of that folder, whole and sentence by sentence, since a name in a single line
has less around it, and from the short lines of `training/names.jsonl`, in which one name stands both ways. The other
third is measured. A logistic regression over few features; the tagger's own judgement is the strongest of them. One
core needs a minute; no torch.
"""

import argparse
import gzip
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from gama.evals.datasets.corpus import gold, read_corpus
from gama.evals.datasets.world import Letter, is_held_out, read_letters
from gama.models.shipped import NAMES
from gama.privacy.identify import PRIVATE
from gama.privacy.names import Names
from gama.privacy.pipeline import Pipeline

LINES = Path(__file__).parent / "names.jsonl"
"""Short lines of our own, marked like the other annotated texts."""
_END = re.compile(r"(?<=[.!?…])\s+|\n+")


@dataclass(frozen=True)
class NamesConfig:
    """Every number of a run, with its reason."""

    strength: float = 0.3
    """Of the features against the shrinking of their weights: the best of 0.1, 0.3 and 1 in ten parts of the texts."""
    least: int = 6
    """Names that a feature must be seen at: rarer ones are chance."""
    sentences: float = 0.3
    """Weight of a name in a single sentence, against that in its whole text: there are as many, and they say less."""
    lines: float = 2.0
    """Weight of a name in the short lines."""
    doubt: float = 0.37
    """Probability of being private from which on a name is hidden: leaks weigh more than what is hidden without need.
    The weights are moved so that it comes out as `PRIVATE`."""


class Marked(NamedTuple):
    """A text with its private and its public stretches."""

    text: str
    marks: tuple[tuple[int, int, bool], ...]
    weight: float


class Judged(NamedTuple):
    """A name with what tells whether it is private."""

    features: dict[str, float]
    private: bool
    weight: float


def texts(letters: Sequence[Letter], config: NamesConfig) -> Iterator[Marked]:
    """Yield texts to learn from: whole, and each sentence of them alone."""
    for letter in letters:
        marks = tuple((one.start, one.end, one.private) for one in letter.mentions)
        yield Marked(letter.text, marks, 1.0)
        bounds = [0, *(match.end() for match in _END.finditer(letter.text)), len(letter.text)]
        for first, last in zip(bounds, bounds[1:], strict=False):
            inside = tuple(
                (start - first, end - first, private) for start, end, private in marks if first <= start < end <= last
            )
            if inside:
                yield Marked(letter.text[first:last], inside, config.sentences)


def lines(config: NamesConfig) -> Iterator[Marked]:
    """Yield the short lines."""
    for record in read_corpus(LINES):
        example = record.example
        yield Marked(example.text, tuple((one.start, one.end, one.private) for one in gold(example)), config.lines)


def judged(marked: Sequence[Marked]) -> list[Judged]:
    """Return the names that the detectors find in texts, with their features and what they are."""
    finders, found = Pipeline(), []
    for text in marked:
        for span, features in Names(text.text, finders.found(text.text)).features():
            met = [private for start, end, private in text.marks if start < span.end and span.start < end]
            if met:
                found.append(Judged(features, any(met), text.weight))
    return found


def fit(names: Sequence[Judged], config: NamesConfig) -> dict[str, float]:
    """Return the weights by feature."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression

    seen = Counter(feature for name in names for feature in name.features)
    rows = [{key: much for key, much in name.features.items() if seen[key] >= config.least} for name in names]
    table = DictVectorizer()
    model = LogisticRegression(C=config.strength, max_iter=5000)
    model.fit(table.fit_transform(rows), [name.private for name in names], [name.weight for name in names])
    weights = dict(zip(table.feature_names_, map(float, model.coef_[0]), strict=True))
    weights["bias"] += float(model.intercept_[0]) + _logit(PRIVATE) - _logit(config.doubt)
    return {feature: round(weight, 3) for feature, weight in weights.items() if round(weight, 3)}


def _logit(share: float) -> float:
    from math import log

    return log(share / (1 - share))


def write_weights(weights: dict[str, float], about: str) -> bytes:
    """Return the file of some weights; the same weights give the same bytes."""
    rows = [f"# {about}", *(f"{weight:.3f}\t{feature}" for feature, weight in sorted(weights.items()))]
    return gzip.compress(("\n".join(rows) + "\n").encode("utf-8"), 9, mtime=0)


def main(argv: list[str] | None = None) -> int:
    """Run the command of the module's docstring."""
    parser = argparse.ArgumentParser(description="Train the weights by which names are judged.")
    parser.add_argument(
        "--data", type=Path, required=True, help="texts with public and private names (evals/data/world)"
    )
    parser.add_argument("--out", type=Path, required=True, help="folder to write names.txt.gz into")
    arguments = parser.parse_args(argv)
    config = NamesConfig()
    letters = [letter for letter in read_letters(arguments.data) if not is_held_out(letter)]
    names = judged([*texts(letters, config), *lines(config)])
    weights = fit(names, config)
    arguments.out.mkdir(parents=True, exist_ok=True)
    about = f"Weights of privacy/identify.py, learnt from the names of {len(letters)} texts; Apache-2.0"
    (arguments.out / NAMES.name).write_bytes(write_weights(weights, about))
    print(f"{len(names):,} names, {len(weights)} weights: `gama eval world` measures them")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
