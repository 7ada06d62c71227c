"""Which data sets can be run, how each is read, and how its answers are scored."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from langchain_core.language_models import BaseChatModel

from gama.evals import answers as texts
from gama.evals.datasets import boolq, hotpotqa, kpp, lgp, lpp, privacylens, pupa, tcw
from gama.evals.datasets.problem import Problem
from gama.evals.datasets.source import SOURCES, differences, digest, locate
from gama.evals.scorers import answers as answers_marks
from gama.evals.scorers import hotpotqa as hotpotqa_marks
from gama.evals.scorers import kpp as kpp_marks
from gama.evals.scorers import lgp as lgp_marks
from gama.evals.scorers import privacylens as privacylens_marks
from gama.evals.scorers import tcw as tcw_marks
from gama.evals.scorers import truth
from gama.evals.scorers.base import Marks, Scorer
from gama.state.errors import check


class Item(NamedTuple):
    """A record of a data set, and what is asked of it."""

    record: Any
    problem: Problem


class Outcome(NamedTuple):
    """What became of an item, as scorers see it."""

    answer: str
    sent: Sequence[str]
    judge: BaseChatModel | None = None
    """The model that judges, where one was named."""


Grade = Callable[[Item, Outcome], Mapping[str, float] | None | Awaitable[Mapping[str, float] | None]]
"""A scorer: gives numbers by name, or None where it has nothing to say of the item."""


class DataSet(NamedTuple):
    """How a data set is read and asked."""

    load: Callable[[Path | None], Sequence[Any]]
    problems: Callable[[Any], list[Problem]]
    repaired: Callable[[Path | None], Sequence[Any]] | None = None
    """Reads it with its known errors mended, where it has any."""


class Items(NamedTuple):
    """What is run of a data set."""

    name: str
    items: list[Item]
    notes: list[str]
    """In which ways the file is not the published one."""
    data: str
    """SHA-256 of the file, and whether it was repaired."""


def _answers_problems(records: Sequence[texts.Record]) -> list[Problem]:
    return [
        Problem(
            record.id,
            "answers",
            record.whole,
            facts={"kind": record.kind, "questions": (record.question,), "private": {"secret": list(record.secret)}},
        )
        for record in records
    ]


DATASETS: Mapping[str, DataSet] = {
    "tcw5": DataSet(partial(tcw.load, questions=5), tcw.problems),
    "tcw10": DataSet(partial(tcw.load, questions=10), tcw.problems),
    "lgp": DataSet(lgp.load, lgp.problems),
    "kpp": DataSet(kpp.load, kpp.problems, partial(kpp.load, repaired=True)),
    "lpp": DataSet(lpp.load, lpp.problems, partial(lpp.load, repaired=True)),
    "plens": DataSet(privacylens.load, privacylens.problems),
    "boolq": DataSet(boolq.load, boolq.problems),
    "hotpotqa": DataSet(hotpotqa.load, hotpotqa.problems),
    "pupa": DataSet(pupa.load, pupa.problems),
    "answers": DataSet(texts.load, _answers_problems),
}
"""By name."""


def by_marks(scorer: Scorer) -> Grade:
    """Return a scorer of answers as one that gives numbers."""

    def grade(item: Item, outcome: Outcome) -> Mapping[str, float]:
        return scorer(item.record, outcome.answer)._asdict()

    return grade


def unmarked(record: Any, answer: str) -> Marks:
    """Mark nothing: only a judge can say how good the answer is."""
    return Marks(0, 0)


def leakage(item: Item, outcome: Outcome) -> Mapping[str, float]:
    """Count the listed private values that stand in what left."""
    from gama.evals.metrics.entities import readable

    values = {value for some in item.problem.facts.get("private", {}).values() for value in some}
    sent = "\n".join(outcome.sent)
    return {"leaked": sum(readable(value, sent) for value in values), "items": len(values)}


SCORERS: dict[str, dict[str, Grade]] = {
    "tcw5": {"marks": by_marks(tcw_marks.score), "marks_gama": by_marks(tcw_marks.gama)},
    "tcw10": {"marks": by_marks(tcw_marks.score), "marks_gama": by_marks(tcw_marks.gama)},
    "lgp": {"marks": by_marks(lgp_marks.score), "marks_lenient": by_marks(lgp_marks.lenient)},
    "kpp": {"marks": by_marks(kpp_marks.score), "marks_exact": by_marks(kpp_marks.exact), "leakage": leakage},
    "lpp": {"marks": by_marks(truth.score), "marks_lenient": by_marks(truth.lenient), "leakage": leakage},
    "plens": {
        "marks": by_marks(privacylens_marks.score),
        "marks_lenient": by_marks(privacylens_marks.lenient),
    },
    "boolq": {"marks": by_marks(truth.score), "marks_lenient": by_marks(truth.lenient)},
    "hotpotqa": {"marks": by_marks(hotpotqa_marks.score), "marks_lenient": by_marks(hotpotqa_marks.lenient)},
    "pupa": {"marks": by_marks(unmarked), "leakage": leakage},
    "answers": {"marks": by_marks(answers_marks.score), "leakage": leakage},
}
"""The scorers of each data set by the names that the logs have; `marks` is the main one."""


def items_of(
    name: str, data: Path | None = None, *, repaired: bool = False, limit: int | None = None, seed: int = 0
) -> Items:
    """Return what is run of a data set.

    Args:
        name: of the data set.
        data: folder with the published files; by default what ships.
        repaired: whether its known errors are mended, where it has any.
        limit: how many items at most: a sample drawn by the seed; of our own texts evenly over their kinds.
        seed: of the sample.

    Raises:
        OptionError: there is no such data set.
        InputError: its file cannot be read.
    """
    check("DATASET", [name], list(DATASETS))
    dataset = DATASETS[name]
    path = locate(name, data) if data is not None and name in SOURCES else None
    mended = repaired and dataset.repaired is not None
    load = dataset.repaired if repaired and dataset.repaired is not None else dataset.load
    records = list(load(path))
    notes = differences(name, path, len(records)) if path is not None else []
    shipped = SOURCES[name].shipped if name in SOURCES else texts.SHIPPED
    file = f"{digest(path or shipped)}{' repaired' if mended else ''}"
    chosen = texts.sample(records, limit, seed) if name == "answers" else _sample(records, limit, seed)
    return Items(name, [Item(*one) for one in zip(chosen, dataset.problems(chosen), strict=True)], notes, file)


def _sample(records: list[Any], limit: int | None, seed: int) -> list[Any]:
    """Return a sample in the order of the file; a larger one of the same seed holds all of a smaller one."""
    order = list(range(len(records)))
    Random(seed).shuffle(order)
    return [records[at] for at in sorted(order[:limit])]
