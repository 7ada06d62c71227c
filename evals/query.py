"""How well is told which private spans a query needs, methods side by side (PII-Bench T2 and T3, spec 03 §3.1).

Three tasks: `free`, what a private LLM lists by itself, scored as it is (T2 as published); with the annotated private
spans `given`, what of them a method keeps for the query; and with the spans that identification has `found`, what is
kept and what is masked in the end (T3). See `metrics/needed.py` for the scores.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from gama.evals.datasets.corpus import Dataset, Record, gold, load, sample, source_of
from gama.evals.figures import Figure, Parts, Row, as_json, tabulate
from gama.evals.methods.base import WARM_UP, Hidden, mask
from gama.evals.methods.listing import Lists
from gama.evals.methods.selectors import Gold, Product, Selector
from gama.evals.metrics.needed import NeededScores, blanked, distinct, left_in_clear, score_needed
from gama.evals.metrics.spans import Share, Stretch
from gama.evals.runs import Run, Step
from gama.state.entities import TYPE_OF, Entity
from gama.state.errors import GamaError, InputError

Task = Literal["free", "given", "found"]
"""Which mentions a method chooses from: none, it lists what it likes; the annotated ones; or those that identification
has found."""

Per = Literal["source", "needed"]
"""By what figures are broken down: source of the text, number of spans that its query needs."""

MOST = 3
"""From this number of needed spans on, texts are one group."""

WARM_UP_QUERY = "By when should she call?"


class Case(NamedTuple):
    """A text, what is asked about it, and the mentions to choose from."""

    id: str
    text: str
    query: str
    entities: list[Entity]
    notes: Sequence[str] = ()
    """What went otherwise than usual when they were found, without private text."""


class Wanted(NamedTuple):
    """What the annotation says about a text."""

    private: frozenset[str]
    """E: the surfaces marked private, as they are written."""
    needed: frozenset[str]
    """E_q: those of them that the query needs, as they are compared."""


class TextScores(NamedTuple):
    """All scores of one text."""

    needed: NeededScores
    left: Share
    """Mentions of private surfaces that the masked text still has."""
    seconds: float


class Group(NamedTuple):
    """The figures of a part of the texts."""

    texts: int
    rows: list[Row]


class Outcome(NamedTuple):
    """The outcome of one task."""

    rows: list[Row]
    groups: dict[str, dict[str, Group]]
    """By what, and by kind."""
    scores: Mapping[str, Sequence[TextScores]] = MappingProxyType({})
    """Of each method the scores of every text, for curves."""


def _hidden_share(left: Share) -> Parts:
    return left.whole - left.part, left.whole


def _mean_privacy(left: Share) -> Parts:
    return (1 - left.value, 1) if left.whole else (0, 0)


KEPT_FIGURES: tuple[Figure, ...] = (
    Figure("f1", "F1", lambda text: (text.needed.kept.f1, 1)),
    Figure("precision", "precision", lambda text: (text.needed.kept.precision, 1)),
    Figure("recall", "recall", lambda text: (text.needed.kept.recall, 1)),
    Figure("rouge_l_f1", "RougeL-F1", lambda text: (text.needed.kept_fuzzy.f1, 1)),
    Figure("rouge_l_precision", "RougeL-P", lambda text: (text.needed.kept_fuzzy.precision, 1)),
    Figure("rouge_l_recall", "RougeL-R", lambda text: (text.needed.kept_fuzzy.recall, 1)),
    Figure("micro_f1", "micro-F1", lambda text: text.needed.kept_counts.f1_parts, 1.0),
)
"""Whether what is kept is what the query needs: means over texts, and the F1 over all spans together (micro)."""

MASKED_FIGURES: tuple[Figure, ...] = (
    Figure("masked_f1", "masked F1", lambda text: (text.needed.masked.f1, 1)),
    Figure("masked_precision", "masked precision", lambda text: (text.needed.masked.precision, 1)),
    Figure("masked_recall", "masked recall", lambda text: (text.needed.masked.recall, 1)),
    Figure("masked_micro_f1", "masked micro-F1", lambda text: text.needed.masked_counts.f1_parts, 1.0),
    Figure("privacy", "privacy", lambda text: _mean_privacy(text.left)),
    Figure("micro_privacy", "micro-privacy", lambda text: _hidden_share(text.left)),
    Figure("ms_per_text", "ms/text", lambda text: (text.seconds * 1e3, 1), sampled=False),
)
"""Whether what is masked is what the query does not need, and how much of what is private is out of sight."""

FIGURES = (*KEPT_FIGURES, *MASKED_FIGURES)


def load_queries(path: Path | None = None, *, limit: int | None = None, seed: int = 0) -> tuple[Dataset, int]:
    """Read annotated texts with a query, and count those without one, which are left out.

    Args:
        path: A file or a folder of them; by default the shipped ones.
        limit: How many texts are measured: a sample drawn by the seed.
        seed: Seed of the sample.

    Raises:
        InputError: A file is missing or damaged, or no record has a query.
    """
    whole = load(path)
    asked = [record for record in whole.records if record.query.strip()]
    if not asked:
        raise InputError(f"no record of {whole.name!r} has a query: each needs `query`, and `relevant`, what it needs")
    return whole._replace(records=sample(asked, limit, seed)), len(whole.records) - len(asked)


def wanted(record: Record, *, names: bool = False) -> Wanted:
    """Return what is private in a record, and what of it the query needs.

    Args:
        record: The record. What its query needs of public knowledge does not concern masking.
        names: Whether names of persons may be needed; PII-Bench never has them so, and the product never shows them.
    """
    text = record.example.text
    private = [one for one in gold(record.example) if one.private]
    may_stay = distinct(text[one.start : one.end] for one in private if names or one.type != "PER")
    return Wanted(frozenset(text[one.start : one.end] for one in private), distinct(record.relevant) & may_stay)


def given(dataset: Dataset) -> list[Case]:
    """Return the texts with their annotated private spans."""
    return [
        Case(
            record.id,
            record.example.text,
            record.query,
            [_entity(record.example.text, one) for one in gold(record.example) if one.private],
        )
        for record in dataset.records
    ]


def found(dataset: Dataset, identify: Callable[[str, list[str]], list[Entity]], step: Step) -> list[Case]:
    """Return the texts with what identification finds in them, once for all methods.

    Args:
        dataset: The texts.
        identify: `Anonymizer.identify`: takes a text, and a list for notes.
        step: Told after each text.

    Raises:
        GamaError: A text cannot be done; the message names it.
    """
    cases = []
    for record in dataset.records:
        notes: list[str] = []
        try:
            entities = identify(record.example.text, notes)
        except GamaError as error:
            raise type(error)(f"identification, text {record.id!r}: {error}") from None
        cases.append(Case(record.id, record.example.text, record.query, entities, notes))
        step("identification")
    return cases


def reference(dataset: Dataset, *, names: bool = False) -> Selector:
    """Return the annotation as a selector."""
    return Gold({(record.example.text, record.query): wanted(record, names=names).needed for record in dataset.records})


def run(selector: Selector, cases: Sequence[Case], step: Step) -> Run:
    """Let a selector choose in all texts.

    Args:
        selector: Does it.
        cases: The texts.
        step: Told after each text.

    Raises:
        GamaError: A text cannot be done; the message names it.
    """
    date = WARM_UP.index("9 May")
    _choose(selector, WARM_UP, WARM_UP_QUERY, [_entity(WARM_UP, Stretch(date, date + 5, "DATETIME", "date"))])
    hidden: list[Hidden] = []
    seconds: list[float] = []
    for case in cases:
        began = perf_counter()
        try:
            entities = _choose(selector, case.text, case.query, case.entities)
        except GamaError as error:
            raise type(error)(f"{selector.name}, text {case.id!r}: {error}") from None
        seconds.append(perf_counter() - began)
        stretches = sorted(
            Stretch(one.start, one.end, one.type, one.subtype, not one.needed, one.subject)
            for one in entities
            if one.private
        )
        notes = tuple(selector.notes) if isinstance(selector, Product) else ()
        hidden.append(Hidden(stretches, mask(case.text, stretches), notes))
        step(selector.name)
    facts = selector.facts() if isinstance(selector, Product) else {}
    return Run(selector.name, selector.about, True, facts, hidden, seconds)


def _choose(selector: Selector, text: str, query: str, entities: Sequence[Entity]) -> list[Entity]:
    chosen = selector.needed(text, query, list(entities))
    if Counter(map(_mention, chosen)) != Counter(map(_mention, entities)):
        raise AssertionError(f"{selector.name!r} did not return the mentions it was shown")
    return chosen


def _mention(entity: Entity) -> tuple[int, int, str, bool]:
    return entity.start, entity.end, entity.subtype, entity.private


def evaluate(
    dataset: Dataset,
    runs: Sequence[Run],
    *,
    resamples: int = 1000,
    seed: int = 0,
    per: Sequence[Per] = (),
    names: bool = False,
) -> Outcome:
    """Score what methods chose in the texts of a data set, for one task.

    Args:
        dataset: The texts.
        runs: What was chosen in them; the others are compared with the first.
        resamples: Draws for the intervals; 0 for none.
        seed: Seed of the draws.
        per: By what the figures are broken down.
        names: Whether names of persons may be needed.
    """
    truth = [wanted(record, names=names) for record in dataset.records]
    scores = {run.name: _scores(dataset, truth, run) for run in runs}
    return _outcome(dataset, truth, scores, FIGURES, resamples, seed, per)


def _outcome(
    dataset: Dataset, truth: Sequence[Wanted], scores: Mapping[str, Sequence[TextScores]], figures: Sequence[Figure],
    resamples: int, seed: int, per: Sequence[Per],
) -> Outcome:  # fmt: skip
    groups: dict[str, dict[str, Group]] = {}
    for kind in per:
        members: dict[str, list[int]] = {}
        for at, (record, right) in enumerate(zip(dataset.records, truth, strict=True)):
            members.setdefault(source_of(record) if kind == "source" else _number(len(right.needed)), []).append(at)
        groups[kind] = {}
        for name, places in sorted(members.items()):
            part = {method: [texts[at] for at in places] for method, texts in scores.items()}
            groups[kind][name] = Group(len(places), tabulate(figures, part, resamples=resamples, seed=seed))
    return Outcome(tabulate(figures, scores, resamples=resamples, seed=seed), groups, scores)


def evaluate_lists(
    dataset: Dataset,
    lists: Sequence[Lists],
    *,
    resamples: int = 1000,
    seed: int = 0,
    per: Sequence[Per] = (),
    names: bool = False,
) -> Outcome:
    """Score what methods listed by themselves for the texts of a data set; see `evaluate`."""
    truth = [wanted(record, names=names) for record in dataset.records]
    scores = {
        one.name: [
            TextScores(score_needed(listed, (), right.needed, right.private), Share(), seconds)
            for listed, right, seconds in zip(one.lists, truth, one.seconds, strict=True)
        ]
        for one in lists
    }
    return _outcome(dataset, truth, scores, KEPT_FIGURES, resamples, seed, per)


def _number(count: int) -> str:
    return str(count) if count < MOST else f"{MOST}+"


def _scores(dataset: Dataset, truth: Sequence[Wanted], run: Run) -> list[TextScores]:
    out = []
    for record, right, choice, seconds in zip(dataset.records, truth, run.hidden, run.seconds, strict=True):
        text = record.example.text
        hidden = [one[:2] for one in choice.stretches if one.private]
        kept = [one[:2] for one in choice.stretches if not one.private]
        scores = score_needed(_surfaces(text, kept), _surfaces(text, hidden), right.needed, right.private)
        left = left_in_clear(text, blanked(text, hidden, kept), right.private)
        out.append(TextScores(scores, left, seconds))
    return out


def _surfaces(text: str, places: Sequence[tuple[int, int]]) -> list[str]:
    return [text[start:end] for start, end in places]


def _entity(text: str, one: Stretch) -> Entity:
    return Entity(
        text=text[one.start : one.end], start=one.start, end=one.end, type=TYPE_OF[one.subtype], subtype=one.subtype,
        subject=one.subject,
    )  # fmt: skip


def outcome_json(outcomes: Mapping[Task, Outcome]) -> dict[str, Any]:
    """Return the outcomes of tasks as plain objects."""
    return {
        "figures": {task: _values(outcome.rows) for task, outcome in outcomes.items()},
        "differences_to_first": {
            task: {row.method: as_json(row.differences) for row in outcome.rows if row.differences}
            for task, outcome in outcomes.items()
        },
        "per": {
            task: {
                kind: {name: {"texts": group.texts, "figures": _values(group.rows)} for name, group in groups.items()}
                for kind, groups in outcome.groups.items()
            }
            for task, outcome in outcomes.items()
        },
    }


def _values(rows: Sequence[Row]) -> dict[str, Any]:
    return {row.method: as_json(row.values) for row in rows}
