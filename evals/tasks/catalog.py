"""Which data sets can be run, how each is read, and how its answers are scored."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

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

if TYPE_CHECKING:
    from gama.evals.metrics.judges import Judge


class Item(NamedTuple):
    """A record of a data set, and what is asked of it."""

    record: Any
    problem: Problem


Verdict = TypeVar("Verdict")


class Judges:
    """The judges of a run, one for each role, so that what each could not read adds up.

    Args:
        model: judges.
        name: what the logs call it.
    """

    def __init__(self, model: BaseChatModel, name: str) -> None:
        """Make none yet."""
        self._model, self._name = model, name
        self._made: dict[str, Any] = {}

    def of(self, make: Callable[[BaseChatModel, str], "Judge[Verdict]"]) -> "Judge[Verdict]":
        """Return the judge that is made so."""
        made: Judge[Verdict] = self._made.setdefault(make.__name__, make(self._model, self._name))
        return made


class Outcome(NamedTuple):
    """What became of an item, as scorers see it."""

    answer: str
    sent: Sequence[str]
    judges: Judges | None = None
    """Where a model that judges was named."""


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


async def lr_final(item: Item, outcome: Outcome) -> Mapping[str, float] | None:
    """Judge the final action, private values put back: LR_final, with helpfulness (PrivacyLens; spec 05 §5.2)."""
    from gama.evals.metrics.leakage import helpfulness_judge, judge_case, leak_judge

    if outcome.judges is None:
        return None
    leaks, helps, record = outcome.judges.of(leak_judge), outcome.judges.of(helpfulness_judge), item.record
    case = await judge_case(
        leaks, helps, outcome.answer, subject=record.subject, facts=record.items, instruction=record.instruction,
        trajectory=record.past,
    )  # fmt: skip
    return case.as_score()


async def lr_public(item: Item, outcome: Outcome) -> Mapping[str, float] | None:
    """Judge what crossed to the public model: LR_public, which is what hiding protects (spec 05 §5.3)."""
    from gama.evals.metrics.leakage import judge_public, leak_judge

    if outcome.judges is None:
        return None
    judge, record = outcome.judges.of(leak_judge), item.record
    return (await judge_public(judge, outcome.sent, subject=record.subject, facts=record.items)).as_score()


def lr_string(item: Item, outcome: Outcome) -> Mapping[str, float] | None:
    """Count facts whose words stand in the action: LR_string, a proxy that needs no judge (spec 05 §5.3)."""
    from gama.evals.metrics.leakage import read_action, string_case

    found, record = read_action(outcome.answer), item.record
    return string_case(found.input if found else "", subject=record.subject, facts=record.items).as_score()


async def quality(item: Item, outcome: Outcome) -> Mapping[str, float] | None:
    """Judge whether an answer is at least as good as the data set's, in both orders (PAPILLON; spec 06)."""
    from gama.evals.metrics.papillon import judge_quality, quality_judge

    if outcome.judges is None:
        return None
    record, judge = item.record, outcome.judges.of(quality_judge)
    found = await judge_quality(judge, record.query, outcome.answer, record.reply)
    return {"judged": 0, "good": 0} if found is None else {"judged": 1, "good": int(found)}


async def units(item: Item, outcome: Outcome) -> Mapping[str, float] | None:
    """Judge which private pieces stand in what was sent, in whatever words (PAPILLON; spec 06)."""
    from gama.evals.metrics.papillon import judge_units, units_judge

    if outcome.judges is None:
        return None
    share = await judge_units(outcome.judges.of(units_judge), item.record.units, "\n\n".join(outcome.sent))
    return None if share is None else {"leaked": share.part, "items": share.whole}


SCORERS: dict[str, dict[str, Grade]] = {
    "tcw5": {"marks": by_marks(tcw_marks.score), "marks_gama": by_marks(tcw_marks.gama)},
    "tcw10": {"marks": by_marks(tcw_marks.score), "marks_gama": by_marks(tcw_marks.gama)},
    "lgp": {"marks": by_marks(lgp_marks.score), "marks_lenient": by_marks(lgp_marks.lenient)},
    "kpp": {"marks": by_marks(kpp_marks.score), "marks_exact": by_marks(kpp_marks.exact), "leakage": leakage},
    "lpp": {"marks": by_marks(truth.score), "marks_lenient": by_marks(truth.lenient), "leakage": leakage},
    "plens": {
        "marks": by_marks(privacylens_marks.score),
        "marks_lenient": by_marks(privacylens_marks.lenient),
        "lr_final": lr_final,
        "lr_public": lr_public,
        "lr_string": lr_string,
    },
    "boolq": {"marks": by_marks(truth.score), "marks_lenient": by_marks(truth.lenient)},
    "hotpotqa": {"marks": by_marks(hotpotqa_marks.score), "marks_lenient": by_marks(hotpotqa_marks.lenient)},
    "pupa": {"marks": by_marks(unmarked), "leakage": leakage, "quality": quality, "units": units},
    "answers": {"marks": by_marks(answers_marks.score), "leakage": leakage},
}
"""The scorers of each data set by the names that the logs have; `marks` is the main one."""


SHIPPED = "the few items that ship, not the published set (`gama eval fetch` gets it, --data takes it)"
"""What is told of a data set that was not brought."""


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
    notes = differences(name, path, len(records)) if path is not None else [SHIPPED] if name in SOURCES else []
    shipped = SOURCES[name].shipped if name in SOURCES else texts.SHIPPED
    file = f"{digest(path or shipped)}{' repaired' if mended else ''}"
    chosen = texts.sample(records, limit, seed) if name == "answers" else _sample(records, limit, seed)
    return Items(name, [Item(*one) for one in zip(chosen, dataset.problems(chosen), strict=True)], notes, file)


def _sample(records: list[Any], limit: int | None, seed: int) -> list[Any]:
    """Return a sample in the order of the file; a larger one of the same seed holds all of a smaller one."""
    order = list(range(len(records)))
    Random(seed).shuffle(order)
    return [records[at] for at in sorted(order[:limit])]
