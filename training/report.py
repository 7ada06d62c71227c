"""Measure a trained tagger on an annotated folder.

    python -m gama.training.report --data DIR/corpus/dev --model models/weights [--sweep] [--write]

`--sweep` prints the figures at other thresholds; `--write` keeps the figures in the model's card.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gama.evals.datasets.corpus import Record, gold, read_corpus
from gama.evals.metrics.spans import SpanScores, add_up, of_span, recall_by, score_spans
from gama.models.embedded import Tagger
from gama.state.entities import Span

WEAKNESSES = (
    "Which run to ship was decided by the dev set, so its figures are a little too good.",
    "Nicknames are found, but nearly always called first names.",
    "Eight languages beside English are read less well (see docs/detector.md), others hardly.",
    "Rare subtypes (few or no natural examples in training) are often taken for a neighbour: see `subtypes`.",
    "A job, illness, weekday or length of time of nobody in particular is masked too often, for lack of context.",
    "Medical conditions, occupations and features told in long phrases are found with other boundaries.",
)
"""What a user of the model should know, kept in its card."""


def measure(records: Sequence[Record], spans: Sequence[Sequence[Span]], private: float) -> SpanScores:
    """Score all texts together."""
    return add_up(
        score_spans(record.example.text, [of_span(span, private) for span in mine], gold(record.example))
        for record, mine in zip(records, spans, strict=True)
    )


def figures(records: Sequence[Record], spans: Sequence[Sequence[Span]], private: float) -> dict[str, Any]:
    """Return everything the card holds: totals, per source, per type and per subtype."""
    sources: dict[str, list[int]] = defaultdict(list)
    for at, record in enumerate(records):
        sources[record.id.split("-")[0]].append(at)
    pairs = [
        ([of_span(span, private) for span in mine], gold(record.example))
        for record, mine in zip(records, spans, strict=True)
    ]
    return {
        "records": len(records),
        "total": measure(records, spans, private).summary(),
        "sources": {
            name: measure([records[at] for at in rows], [spans[at] for at in rows], private).summary()
            for name, rows in sorted(sources.items())
        },
        **{
            f"{kind}s": {
                name: {"f1": round(item.f1, 4), "recall": round(item.recall, 4), "gold": item.gold}
                for name, item in sorted(recall_by(kind, pairs).items())
            }
            for kind in ("type", "subtype")
        },
    }


def main(argv: list[str] | None = None) -> int:
    """Run the command of the module's docstring."""
    parser = argparse.ArgumentParser(description="Measure the embedded tagger.")
    parser.add_argument("--data", type=Path, required=True, help="folder of annotated .jsonl files")
    parser.add_argument("--model", type=Path, required=True, help="folder of identify.onnx and its companions")
    parser.add_argument("--sweep", action="store_true", help="print the figures at other thresholds")
    parser.add_argument("--write", action="store_true", help="keep the figures in identify.json")
    arguments = parser.parse_args(argv)
    tagger = Tagger(arguments.model)
    records = list(read_corpus(arguments.data))
    texts = [record.example.text for record in records]
    spans = tagger.spans_batch(texts)
    private = float(tagger.card["thresholds"]["private"])
    result = figures(records, spans, private)
    print(json.dumps(result, indent=1))
    if arguments.sweep:
        for least in (0.2, 0.3, 0.4, 0.5, 0.6):
            mine = tagger.spans_batch(texts, least)
            for edge in (0.2, 0.3, 0.4, 0.5, 0.6):
                print(least, edge, measure(records, mine, edge).summary())
    if arguments.write:
        path = arguments.model / "identify.json"
        card = json.loads(path.read_text(encoding="utf-8"))
        card["dev"], card["weaknesses"] = result, WEAKNESSES
        path.write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
