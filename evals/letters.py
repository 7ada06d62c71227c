"""The released KPP and LPP letters of GAMA: how much of their listed private values is hidden.

Scores are entity-level (spec 02 §2.2.1 a), with the published metric beside them; see `metrics/published.py` for why
that one is unfit.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from gama.evals.datasets.letters import SUBTYPES, Kind, Letter, Letters
from gama.evals.figures import Figure, Row, as_json, tabulate
from gama.evals.methods.base import Hidden, mask
from gama.evals.metrics.bleu import bleu
from gama.evals.metrics.entities import EntityScores, Value, readable, score_entities
from gama.evals.metrics.published import Tally, Weighted, count, weighted
from gama.evals.metrics.similarity import Encoder, embedded, similarity
from gama.evals.metrics.spans import Share, Stretch, score_spans
from gama.evals.runs import Run
from gama.state.entities import TYPE_OF

TASK_WORDS: Mapping[Kind, int] = {"kpp": 17, "lpp": 0}
"""Words of the line of task that the authors counted with every letter (inferred from their counts, spec 02 §2.2.1)."""


class LetterScores(NamedTuple):
    """All scores of one letter."""

    entities: EntityScores
    tally: Tally
    left: dict[str, Share]
    """The residual leak by class."""
    open: Share
    """Letters and digits of listed values left unmasked, wherever they stand."""
    seconds: float
    chars: int
    bleu: float
    """Of the masked letter against the letter."""
    likeness: float
    """Of the two to an encoder."""


class LetterReport(NamedTuple):
    """The outcome for a file of letters."""

    rows: list[Row]
    published: dict[str, Weighted]
    """By method."""
    leaks: dict[str, dict[str, Share]]
    """By method and class."""


FIGURES: tuple[Figure, ...] = (
    Figure("precision", "precision", lambda one: (one.entities.entities.hits, one.entities.entities.predicted), 1.0),
    Figure("recall", "recall", lambda one: (one.entities.entities.hits, one.entities.entities.gold), 1.0),
    Figure("f1", "F1", lambda one: one.entities.entities.f1_parts, 1.0),
    Figure("residual_leak", "residual leak", lambda one: one.entities.left),
    Figure("chars_left", "characters left", lambda one: one.open),
    Figure("ms_per_1000_chars", "ms/1,000 chars", lambda one: (one.seconds * 1e6, one.chars), sampled=False),
)
"""Entity-level figures."""

TEXT_FIGURES: tuple[Figure, ...] = (
    Figure("bleu", "BLEU", lambda one: (one.bleu, 1)),
    Figure("likeness", "likeness", lambda one: (one.likeness, 1)),
)
"""What is kept of the letter: means over letters."""


REFERENCES = ("nothing", "gold")
"""Names of the outcomes that the metrics are measured by."""


def references(letters: Sequence[Letter]) -> list[Run]:
    """Return two outcomes to measure the metrics by: nothing hidden, and exactly the listed values hidden."""
    zero = [0.0] * len(letters)
    nothing = [Hidden([], letter.text) for letter in letters]
    gold = [_gold(letter) for letter in letters]
    return [
        Run(REFERENCES[0], "no masking at all", False, {}, nothing, zero),
        Run(REFERENCES[1], "exactly the listed values", False, {}, gold, zero),
    ]


def _gold(letter: Letter) -> Hidden:
    stretches: list[Stretch] = []
    taken = bytearray(len(letter.text))
    for value, kind in sorted(letter.occurring, key=lambda one: (-len(one[0]), one)):
        # Any spacing between the words of a value, as `readable` has it.
        pattern = r"\s+".join(re.escape(word) for word in value.split())
        for match in re.finditer(pattern, letter.text, re.IGNORECASE):
            start, end = match.span()
            if start < end and not any(taken[start:end]):
                taken[start:end] = b"\x01" * (end - start)
                stretches.append(Stretch(start, end, TYPE_OF[SUBTYPES[kind]], SUBTYPES[kind]))
    stretches.sort(key=lambda item: item[:2])
    return Hidden(stretches, mask(letter.text, stretches))


def evaluate_letters(
    letters: Letters,
    runs: Sequence[Run],
    *,
    strict_type: bool = False,
    resamples: int = 1000,
    seed: int = 0,
    encoder: Encoder | None = None,
) -> LetterReport:
    """Score what methods did to letters.

    Args:
        letters: The letters.
        runs: What methods did to them.
        strict_type: Whether the type must agree too: PER for names, CODE for `email_id` and so on.
        resamples: Draws for the intervals.
        seed: Seed of the draws.
        encoder: By which the masked letter is like the letter; by default the one that ships.
    """
    encoder = encoder or embedded()
    scores = {
        run.name: [
            _score(letter, hidden, seconds, strict_type, encoder)
            for letter, hidden, seconds in zip(letters.letters, run.hidden, run.seconds, strict=True)
        ]
        for run in runs
    }
    published: dict[str, Weighted] = {}
    leaks: dict[str, dict[str, Share]] = {}
    for name, mine in scores.items():
        tally, by_class = Tally(), {kind: Share() for kind in SUBTYPES}
        for one in mine:
            tally = tally.plus(one.tally)
            by_class = {kind: share.plus(one.left[kind]) for kind, share in by_class.items()}
        published[name] = weighted(tally._replace(words=tally.words + len(mine) * TASK_WORDS[letters.kind]))
        leaks[name] = by_class
    rows = [
        row._replace(differences={}) if row.method in REFERENCES else row
        for row in tabulate((*FIGURES, *TEXT_FIGURES), scores, resamples=resamples, seed=seed)
    ]
    return LetterReport(rows, published, leaks)


def _score(letter: Letter, hidden: Hidden, seconds: float, strict_type: bool, encoder: Encoder) -> LetterScores:
    found: list[Value] = [
        (letter.text[item.start : item.end], item.type if strict_type else "")
        for item in hidden.stretches
        if item.private
    ]
    present = letter.occurring
    listed: list[Value] = [(value, TYPE_OF[SUBTYPES[kind]] if strict_type else "") for value, kind in present]
    everything = [value for values in letter.listed.values() for value in values]
    left = {
        kind: Share(
            sum(readable(value, hidden.masked) for value, name in present if name == kind),
            sum(name == kind for _, name in present),
        )
        for kind in SUBTYPES
    }
    return LetterScores(
        score_entities(found, listed, hidden.masked),
        count(letter.text, hidden.masked, everything),
        left,
        score_spans(letter.text, hidden.stretches, _gold(letter).stretches).leaked,
        seconds,
        len(letter.text),
        bleu(hidden.masked, letter.text),
        similarity(letter.text, hidden.masked, encoder),
    )


def letters_json(report: LetterReport) -> dict[str, Any]:
    """Return a report as plain objects."""
    return {
        "figures": {row.method: as_json(row.values) for row in report.rows},
        "differences_to_first": {row.method: as_json(row.differences) for row in report.rows if row.differences},
        "published_metric": {
            name: {part: round(value, 6) for part, value in figures._asdict().items()}
            for name, figures in report.published.items()
        },
        "leak_by_class": {
            name: {kind: {"left": share.part, "listed": share.whole} for kind, share in shares.items()}
            for name, shares in report.leaks.items()
        },
    }
