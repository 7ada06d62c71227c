"""Train the weights by which facts are given to persons (`privacy/attribution.py`).

    gama train attribution --data DIR --out models/weights

DIR holds `corpus/train`; the records of this package are read too. A softmax over the candidates of each
fact, fitted by Adagrad. A fact's owner speaks for the facts after it, so later passes see the owners that the model
itself gave. One core needs a minute; no torch.
"""

import argparse
import gzip
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gama.evals.datasets.corpus import Example, read_corpus
from gama.models.shipped import OWNERS
from gama.privacy.attribution import SOMEONE, Attribution, Candidate, Fact, Given, Name
from gama.privacy.link import NAMES
from gama.state.entities import TYPE_OF
from gama.training.source import own_records


@dataclass(frozen=True)
class AttributionConfig:
    """Every number of a run, with its reason."""

    seed: int = 3
    """Any; fixed so that a run can be repeated."""
    passes: int = 3
    """The first with the annotated owners of the facts before, the others with those that the model gave."""
    rounds: int = 3
    """Rounds over the facts in a pass: more learn the texts by heart."""
    rate: float = 0.1
    """Adagrad's step, the usual one for sparse features."""
    shrink: float = 1e-4
    """Weight decay."""
    least: int = 12
    """Facts that a feature must be seen at: rarer ones are chance."""
    small: float = 0.02
    """Weights below are left out of the file."""


class Read(NamedTuple):
    """One text, made ready."""

    whose: Attribution
    facts: list[Fact]
    owners: list[Candidate]
    """The annotated owners; `?` where no candidate stands for one."""


class Choice(NamedTuple):
    """One fact: the features of each candidate, as indices, and which candidate has it."""

    rows: list[NDArray[np.intp]]
    right: int


def read(example: Example) -> Read:
    """Make one annotated text ready: annotated letters become the candidates that stand for them."""
    marks = [mark for mark in example.marks if mark.private is not False and mark.subtypes]
    named = {mark.subject for mark in marks if mark.subtypes[0] in NAMES}
    names, facts, letters = [], [], []
    for mark in marks:
        subtype = mark.subtypes[0]
        if subtype in NAMES or (subtype in ("handle", "email") and mark.subject in named and mark.subject):
            names.append(Name(mark.start, mark.end, mark.subject or "-"))
        else:
            facts.append(Fact(mark.start, mark.end, TYPE_OF[subtype], subtype))
            letters.append(mark.subject)
    whose = Attribution(example.text, names)
    stand = _unnamed(whose, facts, letters, named)
    return Read(whose, facts, [stand.get(letter, letter) if letter else None for letter in letters])


def _unnamed(
    whose: Attribution, facts: Sequence[Fact], letters: Sequence[str | None], named: set[str | None]
) -> dict[str, str]:
    """Return who stands for each annotated person without a name: whoever is spoken of nearest before the facts."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for fact, letter in zip(facts, letters, strict=True):
        if letter is not None and letter not in named:
            votes[letter].update(_nearest(whose, fact))
    found: dict[str, str] = {}
    for letter, count in sorted(votes.items(), key=lambda item: -sum(item[1].values())):
        free = [owner for owner, _ in count.most_common() if owner not in found.values()]
        found[letter] = free[0] if free else SOMEONE if SOMEONE not in found.values() else "?"
    return found


def _nearest(whose: Attribution, fact: Fact) -> list[str]:
    first, last = whose.read.sentence(fact.start)
    before = [anchor for anchor in whose.read.anchors if anchor.at < fact.start]
    after = [anchor for anchor in whose.read.anchors if fact.start <= anchor.at < last]
    inside = [anchor for anchor in before if anchor.at >= first]
    chosen = inside[-1:] or after[:1] or before[-1:] or whose.read.anchors[:1]
    return [anchor.owner for anchor in chosen if anchor.owner.startswith("*")]


def choices(
    texts: Sequence[Read], weights: Mapping[str, float] | None
) -> Iterator[tuple[dict[Candidate, list[str]], Candidate]]:
    """Yield the candidates of every fact with their features, and the owner.

    Args:
        texts: The texts.
        weights: The model that gives the facts before; None takes the annotated owners.
    """
    for text in texts:
        before = text.owners if weights is None else text.whose.owners(text.facts, weights)
        given: list[Given] = []
        for fact, owner, said in zip(text.facts, text.owners, before, strict=True):
            found = text.whose.candidates(fact, given)
            if owner in found:
                yield found, owner
            given.append(Given(fact, said if said != "?" else SOMEONE))


def fit(chosen: list[Choice], size: int, config: AttributionConfig) -> NDArray[np.float64]:
    """Return the weights of the features: the mean over the later rounds."""
    weights, squares, total = np.zeros(size), np.full(size, 1e-2), np.zeros(size)
    rng, counted = Random(config.seed), 0
    for number in range(config.rounds):
        rng.shuffle(chosen)
        for rows, right in chosen:
            scores = np.array([weights[row].sum() for row in rows])
            odds = np.exp(scores - scores.max())
            odds /= odds.sum()
            odds[right] -= 1.0
            for row, slope in zip(rows, odds, strict=True):
                if abs(slope) > 1e-3:
                    step = slope + config.shrink * weights[row]
                    squares[row] += step * step
                    weights[row] -= config.rate * step / np.sqrt(squares[row])
        if 2 * number >= config.rounds - 1:
            total, counted = total + weights, counted + 1
    return np.asarray(total / counted)


def train(texts: Sequence[Read], config: AttributionConfig, log: Any = print) -> dict[str, float]:
    """Return the weights by feature."""
    seen: Counter[str] = Counter()
    for found, _ in choices(texts, None):
        seen.update({feature for features in found.values() for feature in features})
    index = {name: at for at, name in enumerate(sorted(name for name, n in seen.items() if n >= config.least))}
    weights: dict[str, float] | None = None
    for number in range(config.passes):
        chosen = [
            Choice(
                [np.array([index[f] for f in row if f in index], dtype=np.intp) for row in found.values()],
                list(found).index(owner),
            )
            for found, owner in choices(texts, weights)
        ]
        fitted = fit(chosen, len(index), config)
        weights = {name: round(float(fitted[at]), 2) for name, at in index.items() if abs(fitted[at]) >= config.small}
        log(f"pass {number}: {len(chosen):,} facts, {len(weights):,} weights")
    return weights or {}


def share_right(texts: Sequence[Read], weights: Mapping[str, float]) -> float:
    """Return the share of facts that are given to their owner."""
    pairs = [
        (owner, given)
        for text in texts
        for owner, given in zip(text.owners, text.whose.owners(text.facts, weights), strict=True)
        if owner != "?"
    ]
    return sum(owner == given for owner, given in pairs) / max(1, len(pairs))


def examples(folder: Path) -> tuple[list[Example], list[Example]]:
    """Return the annotated texts to learn from, and those held out; no prompts, which mostly speak of nobody."""
    corpus = [record.example for record in read_corpus(folder / "corpus" / "train")]
    return corpus + own_records(False, prompts=False), own_records(True, prompts=False)


def write_weights(weights: Mapping[str, float], about: str) -> bytes:
    """Return the file of some weights; the same weights give the same bytes."""
    lines = [f"# {about}", *(f"{weight:.2f}\t{feature}" for feature, weight in sorted(weights.items()))]
    return gzip.compress(("\n".join(lines) + "\n").encode("utf-8"), 9, mtime=0)


def main(argv: list[str] | None = None) -> int:
    """Run the command of the module's docstring."""
    parser = argparse.ArgumentParser(description="Train the weights by which facts are given to persons.")
    parser.add_argument("--data", type=Path, required=True, help="folder with corpus/train")
    parser.add_argument("--out", type=Path, required=True, help="folder to write owners.txt.gz into")
    arguments = parser.parse_args(argv)
    learn, held = examples(arguments.data)
    config = AttributionConfig()
    weights = train([read(example) for example in learn], config)
    right = share_right([read(example) for example in held], weights)
    print(f"{right:.3f} of the facts of {len(held)} held-out records given to their owner")
    arguments.out.mkdir(parents=True, exist_ok=True)
    about = f"Weights of privacy/attribution.py, learnt from {len(learn):,} annotated texts; Apache-2.0"
    (arguments.out / OWNERS.name).write_bytes(write_weights(weights, about))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
