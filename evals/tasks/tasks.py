"""The tasks of Inspect: a data set's items, a method as Inspect's solver, our scorers as Inspect's.

`gama eval run` puts a method to them. By themselves they ask a model of Inspect's own: `inspect eval
evals/tasks/tasks.py@kpp --model PROVIDER/MODEL`.
"""

import inspect
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver

from gama.evals.tasks.catalog import SCORERS, Grade, Item, Items, Judges, Outcome, items_of
from gama.evals.tasks.solving import Desk

MODEL = "none/none"
"""Inspect's own model: the methods call theirs."""


def task_of(
    items: Items,
    answering: Solver,
    metadata: Mapping[str, Any] | None = None,
    judges: Judges | None = None,
) -> Task:
    """Return the task of a data set.

    Args:
        items: what is asked.
        answering: Inspect's solver that answers.
        metadata: what the log says of the run.
        judges: what scorers ask, where a model that judges was named.
    """
    by_id = {item.problem.id: item for item in items.items}
    samples = [
        Sample(
            id=item.problem.id,
            input=item.problem.prompt,
            metadata={"kind": kind} if (kind := item.problem.facts.get("kind")) else {},
        )
        for item in items.items
    ]
    return Task(
        name=items.name,
        dataset=MemoryDataset(samples, name=items.name),
        solver=answering,
        scorer=scorers_of(items.name, by_id, judges),
        metadata=dict(metadata or {}),
    )


def solver_of(desk: Desk, items: Sequence[Item]) -> Solver:
    """Return a method as Inspect's solver."""
    by_id = {item.problem.id: item.problem for item in items}

    @solver(name="method")
    def method() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            found = await desk.answer(by_id[str(state.sample_id)], state.epoch)
            state.output = ModelOutput.from_content(MODEL, found.answer)
            state.metadata |= {"used": dict(found.used), "sent": list(found.sent), "trace": dict(found.trace)}
            if found.notes:
                state.metadata["notes"] = list(found.notes)
            if found.failed:
                state.metadata |= {"failed": found.failed, "why": found.why}
            return state

        return solve

    return method()


def scorers_of(name: str, items: Mapping[str, Item], judges: Judges | None = None) -> list[Scorer]:
    """Return the scorers of a data set as Inspect's."""
    return [_scorer(called, grade, items, judges) for called, grade in SCORERS[name].items()]


def _scorer(called: str, grade: Grade, items: Mapping[str, Item], judges: Judges | None) -> Scorer:
    @scorer(metrics={"*": [mean()]}, name=called)
    def numbers() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score | None:
            sent = state.metadata.get("sent", ())
            given = grade(items[str(state.sample_id)], Outcome(state.output.completion, sent, judges))
            found = await given if inspect.isawaitable(given) else given
            return None if found is None else Score(value=dict(found), answer=state.output.completion)

        return score

    return numbers()


def _task(name: str, data: str | None, repaired: bool, limit: int | None, seed: int) -> Task:
    items = items_of(name, Path(data) if data else None, repaired=repaired, limit=limit, seed=seed)
    return task_of(items, generate())


@task
def tcw5(data: str | None = None, limit: int | None = None, seed: int = 0) -> Task:
    """Trivia Creative Writing with five questions."""
    return _task("tcw5", data, False, limit, seed)


@task
def tcw10(data: str | None = None, limit: int | None = None, seed: int = 0) -> Task:
    """Trivia Creative Writing with ten questions."""
    return _task("tcw10", data, False, limit, seed)


@task
def lgp(data: str | None = None, limit: int | None = None, seed: int = 0) -> Task:
    """Logic Grid Puzzle."""
    return _task("lgp", data, False, limit, seed)


@task
def kpp(data: str | None = None, repaired: bool = False, limit: int | None = None, seed: int = 0) -> Task:
    """Letters with five questions of knowledge."""
    return _task("kpp", data, repaired, limit, seed)


@task
def lpp(data: str | None = None, repaired: bool = False, limit: int | None = None, seed: int = 0) -> Task:
    """Letters with one question of truth."""
    return _task("lpp", data, repaired, limit, seed)


@task
def plens(data: str | None = None, limit: int | None = None, seed: int = 0) -> Task:
    """PrivacyLens: the next action."""
    return _task("plens", data, False, limit, seed)


@task
def boolq(data: str | None = None, limit: int | None = None, seed: int = 0) -> Task:
    """BoolQ."""
    return _task("boolq", data, False, limit, seed)


@task
def hotpotqa(data: str | None = None, limit: int | None = None, seed: int = 0) -> Task:
    """HotpotQA without paragraphs."""
    return _task("hotpotqa", data, False, limit, seed)


@task
def pupa(data: str | None = None, limit: int | None = None, seed: int = 0) -> Task:
    """PUPA: what users ask."""
    return _task("pupa", data, False, limit, seed)


@task
def answers(limit: int | None = None, seed: int = 0) -> Task:
    """Our own texts with questions."""
    return _task("answers", None, False, limit, seed)
