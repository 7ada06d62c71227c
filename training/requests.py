"""Train the weights by which sentences are told to ask where no rule tells so (`privacy/likely.py`).

    gama train requests --out models/weights

Learnt from the records of this package: prompts, in which something asks; other texts, in which nothing does that no
rule finds; and the listed texts (`training/records/listed`), in which whatever asks is said. Of a prompt in which
neither a rule nor an annotator has found what asks, the sentence that the weights of the round before find likeliest
counts as asking. A logistic regression; one core needs two minutes, no torch.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple

from gama.models.shipped import REQUESTS
from gama.privacy.likely import outermost, read
from gama.privacy.request import asking, sentences
from gama.training.attribution import write_weights
from gama.training.listed import LISTED
from gama.training.source import records

PROMPTS = ("ask", "prompt")
"""How the ids of records begin that are prompts to an assistant."""


@dataclass(frozen=True)
class RequestsConfig:
    """Every number of a run, with its reason."""

    seed: int = 3
    """Any; fixed so that a run can be repeated."""
    others: int = 6_000
    """Texts that are no prompts: as many sentences as the prompts have, twice over."""
    least: int = 8
    """Sentences that a feature must be seen in: rarer ones are chance."""
    strength: float = 0.3
    """Of the features against the shrinking of their weights."""
    rounds: int = 3
    """How often the sentences that ask are chosen anew in prompts where nobody has said which do."""
    listed: float = 3.0
    """Weight of a sentence of a listed text, which a reader has judged, against others."""
    wrong: float = 0.05
    """Share of other texts in which a sentence may be taken to ask: what is left in clear there is a leak."""
    small: float = 0.15
    """Weights below are left out of the file."""


class Text(NamedTuple):
    """The sentences of a text: what is read of each, and whether it asks."""

    rows: list[set[str]]
    asks: list[bool]
    known: bool
    """Whether it is known which sentences ask; otherwise one of them does."""
    weight: float


def prepared(text: str, *, prompt: bool) -> Text:
    """Return a text, judged by rules."""
    found = outermost(sentences(text))
    by_rule = {(one.start, one.end) for one in asking(text, learnt=False)}
    asks = [(one.start, one.end) in by_rule for one in found]
    return Text(list(read(text, found)), asks, not prompt or any(asks), 1.0)


def listed(files: Sequence[Path], weight: float) -> Iterator[Text]:
    """Yield the listed texts whose requests a reader has marked."""
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            raw = json.loads(line)
            if "request" not in raw:
                continue
            text, found = raw["text"], outermost(sentences(raw["text"]))
            spans = [(at, at + len(said)) for said in raw["request"] if (at := text.find(said)) >= 0]
            asks = [_covered(one.start, one.end, spans) for one in found]
            yield Text(list(read(text, found)), asks, True, weight)


def _covered(start: int, end: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Return whether a sentence holds most of a request, or most of it is one."""
    shared = [(max(0, min(end, last) - max(start, first)), last - first) for first, last in spans]
    return any(2 * both > length or 2 * both > end - start for both, length in shared)


def fit(texts: Sequence[Text], config: RequestsConfig) -> dict[str, float]:
    """Return the weights by feature."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression

    seen = Counter(feature for text in texts for row in text.rows for feature in row)
    weights: dict[str, float] = {}
    for _ in range(config.rounds):
        rows, asks, much = [], [], []
        for text in texts:
            said = text.asks if text.known else _likeliest(text, weights)
            for row, one in zip(text.rows, said, strict=True):
                rows.append({feature: 1.0 for feature in row if seen[feature] >= config.least})
                asks.append(one)
                much.append(text.weight)
        table = DictVectorizer()
        model = LogisticRegression(C=config.strength, max_iter=300)
        model.fit(table.fit_transform(rows), asks, much)
        weights = dict(zip(table.feature_names_, map(float, model.coef_[0]), strict=True))
        weights["bias"] += float(model.intercept_[0])
    return weights


def _likeliest(text: Text, weights: Mapping[str, float]) -> list[bool]:
    scores = [score(row, weights) for row in text.rows]
    return [at == scores.index(max(scores)) for at in range(len(scores))]


def score(row: set[str], weights: Mapping[str, float]) -> float:
    """Return how likely a sentence asks, in logits."""
    return sum(weights.get(feature, 0.0) for feature in row)


def best(texts: Sequence[Text], weights: Mapping[str, float]) -> list[float]:
    """Return the best score of each text in which no rule finds what asks."""
    return [max(score(row, weights) for row in text.rows) for text in texts if text.rows]


def main(argv: list[str] | None = None) -> int:
    """Run the command of the module's docstring."""
    parser = argparse.ArgumentParser(description="Train the weights by which sentences are told to ask.")
    parser.add_argument("--out", type=Path, required=True, help="folder to write requests.txt.gz into")
    arguments = parser.parse_args(argv)
    config = RequestsConfig()
    rng = Random(config.seed)
    learn, held = ([one for one in records(held=held) if one.example.text.strip()] for held in (False, True))
    prompts = [one.example.text for one in learn if one.id.startswith(PROMPTS)]
    others = [one.example.text for one in learn if not one.id.startswith(PROMPTS)]
    mine = list(listed(sorted(LISTED.glob("*.jsonl")), config.listed))
    texts = [prepared(text, prompt=True) for text in prompts]
    texts += [prepared(text, prompt=False) for text in rng.sample(others, min(config.others, len(others)))]
    fitted = fit([text for text in texts if text.rows] + mine, config)
    weights = {
        feature: weight for feature, weight in fitted.items() if abs(weight) >= config.small or feature == "bias"
    }
    apart = [prepared(one.example.text, prompt=False) for one in held if not one.id.startswith(PROMPTS)]
    silent = sorted(best([text for text in apart if not any(text.asks)], weights))
    bound = silent[min(len(silent) - 1, int(len(silent) * (1 - config.wrong)))]
    weights["bias"] -= bound
    asked = [prepared(one.example.text, prompt=True) for one in held if one.id.startswith(PROMPTS)]
    missed = best([text for text in asked if not text.known], weights)
    arguments.out.mkdir(parents=True, exist_ok=True)
    about = f"Weights of privacy/likely.py, learnt from {len(texts) + len(mine):,} texts; Apache-2.0"
    (arguments.out / REQUESTS.name).write_bytes(write_weights(weights, about))
    found = sum(one >= 0 for one in missed)
    print(f"{len(weights):,} weights; {found} found of {len(missed)} held-out prompts in which no rule finds what asks")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
