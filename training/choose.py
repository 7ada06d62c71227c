"""Choose the least score of each type, on annotated texts that nothing was trained on.

    python -m gama.training.choose --model DIR [--data FOLDER]

By default on the held-out records of this package. A span whose mean probability of being one lies below its type's
threshold is dropped. The thresholds are written into the model's card.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from gama.evals.datasets.corpus import Example, gold, read_corpus
from gama.evals.metrics.spans import SpanScores, add_up, of_span, score_spans
from gama.models.embedded import Tagger
from gama.state.entities import SUBTYPES, Span
from gama.training.export import write_card
from gama.training.source import own_records

LEAST = 0.3
"""What is decoded at all, and the lowest threshold tried."""
TRIED = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.88, 0.94)
"""Thresholds tried for each type."""
GAIN = 0.0005
"""What a threshold other than 0.5 must bring: smaller gains on a thousand texts are chance."""
LEAK = 1.5
"""What a share of private characters left weighs, beside the same share of span-F1: nothing calls a leak back."""
MASKED = 0.5
"""What a share of ordinary words masked weighs."""
DIRECT = 0.2
"""What a share of names and codes not wholly hidden weighs, beside its leak."""


def worth(scores: SpanScores) -> float:
    """Return what the thresholds are chosen by: span-F1, less what leaks and what is masked without need."""
    return (
        scores.exact.f1
        - LEAK * scores.leaked.value
        - MASKED * scores.words_masked.value
        - DIRECT * (1.0 - scores.direct.value)
    )


def choose(examples: Sequence[Example], spans: Sequence[Sequence[Span]], private: float) -> dict[str, float]:
    """Return the threshold of each type: 0.5, or one that is better by more than chance; type by type, twice over.

    Args:
        examples: The annotated texts.
        spans: What the tagger found in each at `LEAST`.
        private: Least probability at which a span counts as private.
    """
    wanted = [gold(example) for example in examples]

    def score(least: dict[str, float]) -> float:
        return worth(
            add_up(
                score_spans(
                    example.text,
                    [of_span(span, private) for span in found if span.score >= least[span.type]],
                    marks,
                )
                for example, found, marks in zip(examples, spans, wanted, strict=True)
            )
        )

    chosen: dict[str, float] = {kind: 0.5 for kind in SUBTYPES}
    for _ in range(2):
        for kind in chosen:
            best = max(TRIED, key=lambda least: score({**chosen, kind: least}))
            if score({**chosen, kind: best}) - score(chosen) > GAIN:
                chosen[kind] = best
    return chosen


def calibrate(folder: Path, examples: Sequence[Example]) -> dict[str, float]:
    """Choose a model's thresholds and write them into its card; returns them."""
    tagger = Tagger(folder)
    private = float(tagger.card["thresholds"]["private"])
    spans = [tagger.spans(example.text, LEAST) for example in examples]
    chosen = choose(examples, spans, private)
    card = json.loads((folder / "identify.json").read_text(encoding="utf-8"))
    card["thresholds"] = {"span": LEAST, "private": private, "types": chosen}
    write_card(folder, card)
    return chosen


def main(argv: list[str] | None = None) -> int:
    """Run the command of the module's docstring."""
    parser = argparse.ArgumentParser(description="Choose the thresholds of a trained tagger.")
    parser.add_argument("--model", type=Path, required=True, help="folder of identify.onnx and its companions")
    parser.add_argument("--data", type=Path, help="annotated .jsonl files; by default the held-out records")
    arguments = parser.parse_args(argv)
    examples = [record.example for record in read_corpus(arguments.data)] if arguments.data else own_records(held=True)
    print(calibrate(arguments.model, examples))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
