"""The released KPP and LPP letters of GAMA: how much of their listed private values is hidden.

The files (`emails.json`, `reasoning_pp.json`) are read from a path and never shipped. Scores are entity-level
(spec 02 §2.2.1 a), with the published metric beside them; see `metrics/published.py` for why that one is unfit.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from gama.evals.figures import Figure, Row, as_json, tabulate
from gama.evals.methods.base import Hidden, mask
from gama.evals.metrics.bleu import bleu
from gama.evals.metrics.entities import EntityScores, Value, readable, score_entities, surface
from gama.evals.metrics.published import Tally, Weighted, count, weighted
from gama.evals.metrics.similarity import Encoder, embedded, similarity
from gama.evals.metrics.spans import Share, Stretch, score_spans
from gama.evals.runs import Run
from gama.state.entities import TYPE_OF
from gama.state.errors import InputError

Kind = Literal["kpp", "lpp"]

TEXT_FIELD: Mapping[Kind, str] = {"kpp": "question", "lpp": "passage"}
"""Which field of a record is the letter."""

SUBTYPES: Mapping[str, str] = {"name": "full_name", "location": "city", "organization": "company", "email_id": "email"}
"""The classes of private values, and what each is taken for. `email_id` also holds telephone numbers."""

RELEASED: Mapping[Kind, str] = {
    "kpp": "20dca6c9f8d529873ee365c990afa065fc5fd3fa8ce94ff502a13b2b8ee94544",
    "lpp": "56c0c37d54d734195978d636939bfe0ab8d9a9f05fba3e3029b99c0d46a2f16a",
}
"""SHA-256 of the released files."""

TASK_WORDS: Mapping[Kind, int] = {"kpp": 17, "lpp": 0}
"""Words of the line of task that the authors counted with every letter (inferred from their counts, spec 02 §2.2.1)."""


class Letter(NamedTuple):
    """A letter and its private values."""

    id: str
    text: str
    listed: dict[str, list[str]]
    """By class, as the file lists them."""

    @property
    def occurring(self) -> list[tuple[str, str]]:
        """The values that occur in the letter, each surface once, with their classes."""
        kept: dict[str, tuple[str, str]] = {}
        for kind, values in self.listed.items():
            for value in values:
                if readable(value, self.text):
                    kept.setdefault(surface(value), (value, kind))
        return list(kept.values())


class Letters(NamedTuple):
    """A file of letters."""

    kind: Kind
    letters: list[Letter]
    sha256: str

    @property
    def released(self) -> bool:
        """Whether it is the file that the authors released."""
        return self.sha256 == RELEASED[self.kind]

    @property
    def absent(self) -> int:
        """How many listed values do not occur in their letter, or are listed twice."""
        return sum(sum(map(len, one.listed.values())) - len(one.occurring) for one in self.letters)


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


def read_letters(path: Path, kind: Kind) -> Letters:
    """Read a file of letters.

    Raises:
        InputError: It is missing, no JSON, or a record is not as the released files have it; names the record.
    """
    try:
        raw = path.read_bytes()
        records = json.loads(raw)
    except OSError as error:
        problem = error.strerror or type(error).__name__
    except (ValueError, RecursionError):
        problem = "it is not JSON"
    else:
        if isinstance(records, list) and records:
            letters = [_letter(record, kind, number) for number, record in enumerate(records, 1)]
            return Letters(kind, letters, hashlib.sha256(raw).hexdigest())
        problem = "it is not a list of records"
    raise InputError(f"the {kind.upper()} file {str(path)!r} cannot be used: {problem}")


def _letter(record: Any, kind: Kind, number: int) -> Letter:
    field = TEXT_FIELD[kind]
    problem = ""
    listed = record.get("privacy_data") if isinstance(record, dict) else None
    if not isinstance(record, dict) or not isinstance(text := record.get(field), str) or not text.strip():
        problem = f"its field {field!r} holds no text"
    elif not isinstance(listed, dict) or not all(
        isinstance(values, list) and all(isinstance(value, str) for value in values) for values in listed.values()
    ):
        problem = "its field 'privacy_data' is not an object of lists of texts"
    elif unknown := sorted(set(listed) - set(SUBTYPES)):
        problem = f"its private values have the unknown class {unknown[0]!r}; known: {', '.join(SUBTYPES)}"
    else:
        return Letter(str(record.get("id", number)), text, {name: list(values) for name, values in listed.items()})
    raise InputError(f"record {number} of the {kind.upper()} file cannot be used: {problem}")


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
