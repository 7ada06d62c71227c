"""How well methods identify what is private, side by side on annotated texts.

Spans, subjects and what the masks mean for privacy and readability; see `metrics/spans.py` and `metrics/subjects.py`
for what each figure says, docs/evaluation.md for plain words.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from gama.evals.datasets.corpus import Dataset, gold, source_of
from gama.evals.figures import Figure, Row, as_json, tabulate
from gama.evals.metrics.spans import Share, SpanScores, Stretch, add_up, leak_by, recall_by, score_spans
from gama.evals.metrics.subjects import SubjectScores, persons, score_subjects
from gama.evals.runs import Run

Per = Literal["type", "subtype", "source"]
"""By what figures are broken down."""


class TextScores(NamedTuple):
    """All scores of one text."""

    spans: SpanScores
    subjects: SubjectScores
    knows_subjects: bool
    seconds: float
    chars: int


class Part(NamedTuple):
    """Figures of one kind of spans, or of one source of texts."""

    gold: int
    """Annotated private spans."""
    recall: float
    """Share of them that were found with the right boundaries and, for types and subtypes, the right kind."""
    f1: float
    leak: float
    """Share of their letters and digits left unmasked."""
    direct: float | None = None
    """Recall on direct identifiers (PER and CODE); of sources of texts only."""


class Report(NamedTuple):
    """The outcome of an evaluation."""

    rows: list[Row]
    parts: dict[str, dict[str, dict[str, Part]]]
    """By what, by method, by kind."""
    scores: Mapping[str, Sequence[TextScores]] = MappingProxyType({})
    """Of each method the scores of every text, for curves."""


SPAN_FIGURES: tuple[Figure, ...] = (
    Figure("span_f1", "span-F1", lambda text: text.spans.exact.f1_parts, 1.0),
    Figure("span_precision", "precision", lambda text: (text.spans.exact.hits, text.spans.exact.predicted), 1.0),
    Figure("span_recall", "recall", lambda text: (text.spans.exact.hits, text.spans.exact.gold), 1.0),
    Figure("typed_f1", "typed-F1", lambda text: text.spans.typed.f1_parts, 1.0),
    Figure("subtyped_f1", "subtyped-F1", lambda text: text.spans.subtyped.f1_parts, 1.0),
)
"""Whether the right spans were found."""

SUBJECT_FIGURES: tuple[Figure, ...] = (
    Figure("strict_f1", "Strict-F1", lambda text: (text.subjects.strict.f1, 1) if text.knows_subjects else None),
    Figure(
        "ent_matched_f1",
        "Ent-F1 matched",
        lambda text: (text.subjects.ent_matched.f1, 1) if text.knows_subjects else None,
    ),
    Figure("ent_global_f1", "Ent-F1 global", lambda text: (text.subjects.ent_global.f1, 1)),
    Figure("rouge_l_f1", "RougeL-F1", lambda text: (text.subjects.fuzzy.f1, 1) if text.knows_subjects else None),
)
"""PII-Bench's scores, means over texts; those per subject only of methods that tell whose a span is."""

MEANING_FIGURES: tuple[Figure, ...] = (
    Figure("direct_recall", "direct recall", lambda text: text.spans.direct),
    Figure("residual_leak", "residual leak", lambda text: text.spans.leaked),
    Figure("public_kept", "public kept", lambda text: text.spans.public_kept),
    Figure("words_masked", "words masked", lambda text: text.spans.words_masked),
    Figure("ms_per_1000_chars", "ms/1,000 chars", lambda text: (text.seconds * 1e6, text.chars), sampled=False),
)
"""What it means: for privacy, for readability, in time."""

FIGURES = (*SPAN_FIGURES, *SUBJECT_FIGURES, *MEANING_FIGURES)


def evaluate(
    dataset: Dataset, runs: Sequence[Run], *, resamples: int = 1000, seed: int = 0, per: Sequence[Per] = ()
) -> Report:
    """Score what methods did to the texts of a data set.

    Raises:
        OptionError: scipy is not installed.
    """
    scores: dict[str, Sequence[TextScores]] = {run.name: _scores(dataset, run) for run in runs}
    parts: dict[str, dict[str, dict[str, Part]]] = {
        kind: {
            run.name: _by_source(dataset, scores[run.name]) if kind == "source" else _by_kind(kind, dataset, run)
            for run in runs
        }
        for kind in per
    }
    return Report(tabulate(FIGURES, scores, resamples=resamples, seed=seed), parts, scores)


def _scores(dataset: Dataset, run: Run) -> list[TextScores]:
    out = []
    for record, hidden, seconds in zip(dataset.records, run.hidden, run.seconds, strict=True):
        text, wanted = record.example.text, gold(record.example)
        # A method without subjects is scored by its strings alone, whoever they belong to.
        told = persons(text, hidden.stretches) if hidden.persons is None else hidden.persons
        subjects = score_subjects(told, persons(text, wanted))
        spans = score_spans(text, hidden.stretches, wanted)
        out.append(TextScores(spans, subjects, run.subjects, seconds, len(text)))
    return out


def _by_kind(kind: str, dataset: Dataset, run: Run) -> dict[str, Part]:
    texts = [
        (record.example.text, hidden.stretches, gold(record.example))
        for record, hidden in zip(dataset.records, run.hidden, strict=True)
    ]
    found: list[tuple[Sequence[Stretch], Sequence[Stretch]]] = [(mine, theirs) for _, mine, theirs in texts]
    counts, leaks = recall_by(kind, found), leak_by(kind, texts)
    return {
        name: Part(counted.gold, counted.recall, counted.f1, leaks.get(name, Share()).value)
        for name, counted in sorted(counts.items())
    }


def _by_source(dataset: Dataset, scores: Sequence[TextScores]) -> dict[str, Part]:
    groups: dict[str, list[SpanScores]] = defaultdict(list)
    for record, score in zip(dataset.records, scores, strict=True):
        groups[source_of(record)].append(score.spans)
    totals = {name: add_up(group) for name, group in sorted(groups.items())}
    return {
        name: Part(total.exact.gold, total.exact.recall, total.exact.f1, total.leaked.value, total.direct.value)
        for name, total in totals.items()
    }


def report_json(report: Report) -> dict[str, Any]:
    """Return a report as plain objects."""
    return {
        "figures": {row.method: as_json(row.values) for row in report.rows},
        "differences_to_first": {row.method: as_json(row.differences) for row in report.rows if row.differences},
        "per": {
            kind: {
                method: {
                    name: {
                        "gold": part.gold,
                        "recall": round(part.recall, 6),
                        "f1": round(part.f1, 6),
                        "leak": round(part.leak, 6),
                    }
                    | ({} if part.direct is None else {"direct": round(part.direct, 6)})
                    for name, part in parts.items()
                }
                for method, parts in methods.items()
            }
            for kind, methods in report.parts.items()
        },
    }
