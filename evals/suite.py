"""The suite: one small set per class of texts, and what is hidden, kept and still useful in each, method by method."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gama.evals.datasets.corpus import Dataset, Record, gold, hash_files, read_corpus, sample
from gama.evals.figures import Figure, as_json, tabulate
from gama.evals.identify import MEANING_FIGURES
from gama.evals.metrics.spans import SpanScores, Stretch, score_spans
from gama.evals.query import Group
from gama.evals.runs import Run
from gama.tools.placeholders.boundaries import boundary

_DATA = Path(__file__).parent / "data"

CLASSES: Mapping[str, Path] = {
    **{
        name: _DATA / "classes" / f"{name}.jsonl"
        for name in ("long", "tables", "clinical", "roles", "weak", "facts", "prompts", "scripts")
    },
    "scripts, held": _DATA / "scripts" / "held.jsonl",
}
"""Where the texts of each class are."""


class TextScores(NamedTuple):
    """The scores of one text."""

    spans: SpanScores
    useful: bool | None
    """Whether none of the words marked as needed is gone; None where none is marked."""


def _unharmed(text: TextScores) -> tuple[int, int]:
    found, whole = text.spans.direct
    return int(0 < found == whole), int(whole > 0)


FIGURES: tuple[Figure, ...] = (
    MEANING_FIGURES[0],
    Figure("texts_without_direct_leak", "no direct leak", _unharmed),
    *MEANING_FIGURES[1:4],
    Figure("texts_still_useful", "still useful", lambda text: (bool(text.useful), text.useful is not None)),
)
"""Direct recall, texts that lose no name and no code of those that hold one, and so on; see docs/evaluation.md."""


def load_suite(*, limit: int | None = None, seed: int = 0) -> dict[str, Dataset]:
    """Return the texts by class.

    Args:
        limit: How many texts of each class are measured: a sample drawn by the seed.
        seed: Seed of the sample.
    """
    return {
        name: Dataset(name, sample(list(read_corpus(path)), limit, seed), hash_files(path))
        for name, path in CLASSES.items()
    }


def evaluate_suite(
    suite: Mapping[str, Dataset], runs: Sequence[Run], *, resamples: int = 1000, seed: int = 0
) -> dict[str, Group]:
    """Score what methods did to the texts of all classes, one after the other.

    Args:
        suite: The texts by class.
        runs: Each over the texts of all classes, in their order.
        resamples: Draws for the intervals; 0 for none.
        seed: Seed of the draws.
    """
    out: dict[str, Group] = {}
    at = 0
    for name, dataset in suite.items():
        size = len(dataset.records)
        scores = {run.name: _scores(dataset.records, run, at) for run in runs}
        out[name] = Group(size, tabulate(FIGURES, scores, resamples=resamples, seed=seed))
        at += size
    return out


def _scores(records: Sequence[Record], run: Run, at: int) -> list[TextScores]:
    out = []
    for number, record in enumerate(records, at):
        hidden, wanted = run.hidden[number].stretches, gold(record.example)
        spans = score_spans(record.example.text, hidden, wanted)
        useful = is_useful(record.example.text, record.needed, hidden, wanted) if record.needed else None
        out.append(TextScores(spans, useful))
    return out


def is_useful(text: str, needed: Sequence[str], hidden: Sequence[Stretch], wanted: Sequence[Stretch]) -> bool:
    """Return whether none of the needed words is hidden where it stands outside of what is private.

    Args:
        text: The text.
        needed: Words that must still be there.
        hidden: What a method hides.
        wanted: The annotation.
    """
    masked = [(one.start, one.end) for one in hidden if one.private]
    private = [(one.start, one.end) for one in wanted if one.private]
    return not any(
        _meets(place, masked) and not _meets(place, private) for word in needed for place in _places(text, word)
    )


def _places(text: str, word: str) -> list[tuple[int, int]]:
    """Return where a word stands as one; where it does so nowhere, all its places."""
    found = [match.span() for match in re.finditer(re.escape(word), text)]
    return [(start, end) for start, end in found if boundary(text, start) and boundary(text, end)] or found


def _meets(place: tuple[int, int], stretches: Sequence[tuple[int, int]]) -> bool:
    return any(start < place[1] and place[0] < end for start, end in stretches)


def suite_json(parts: Mapping[str, Group]) -> dict[str, Any]:
    """Return the outcome as plain objects."""
    return {
        "classes": {
            name: {"texts": part.texts, "figures": {row.method: as_json(row.values) for row in part.rows}}
            for name, part in parts.items()
        }
    }
