"""Logs of evaluations, written by Inspect itself from tasks that look up what they answer."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ANSWER = "Quorlin Vasterby owes 4,711 crowns"
"""Stands in every question, answer and request: no report may show it."""


class Item(NamedTuple):
    """What a run of an item gives."""

    id: str
    right: float
    questions: float = 1
    used: Mapping[str, Any] = {}
    trace: Mapping[str, Any] = {}
    scores: Mapping[str, Mapping[str, Any]] = {}
    failed: str = ""


def write(
    folder: Path,
    dataset: str,
    solver: str,
    items: Sequence[Item],
    *,
    name: str = "",
    facts: Mapping[str, str] | None = None,
    judge: str | None = None,
    epochs: Sequence[Sequence[Item]] = (),
    breaks_at: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    marks: bool = True,
    run: Mapping[str, float] | None = None,
) -> Path:
    """Write the log of a solver on a data set, and return its file.

    Args:
        folder: where it is written.
        dataset: name of the data set.
        solver: key of the solver.
        items: what each item gives, in the first epoch.
        name: shown name of the solver.
        facts: what its figures depend on.
        judge: id of the judge.
        epochs: what the items give in further epochs.
        breaks_at: item whose scoring fails, and the run with it.
        metadata: of the log, in place of what `gama eval run` writes.
        marks: whether the answers are marked.
        run: figures of the run as a whole, by the names of scorers.
    """
    from inspect_ai import Epochs, Task
    from inspect_ai import eval as run_task
    from inspect_ai.dataset import Sample
    from inspect_ai.scorer import Score, metric, scorer
    from inspect_ai.solver import solver as as_solver

    given = [{one.id: one for one in some} for some in (items, *epochs)]

    @as_solver
    def lookup() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            item = given[state.epoch - 1][str(state.sample_id)]
            state.output.completion = ANSWER
            used = {"calls": 1, "input_tokens": 10, "output_tokens": 5, "seconds": 0.5, "money": None,
                    "peak_rss_mb": 20.0, "cpu_percent": 1.0, "gpu_mb": None, **item.used}  # fmt: skip
            state.metadata |= {"used": used, "sent": [ANSWER], "trace": dict(item.trace)}
            if item.failed:
                state.metadata["failed"] = item.failed
            return state

        return solve

    def scored(kind: str) -> Any:
        @metric(name="whole")
        def whole() -> Any:
            return lambda scores: (run or {}).get(kind, 0.0)

        @scorer(metrics=[whole()], name=kind)
        def score() -> Any:
            async def give(state: Any, target: Any) -> Any:
                item = given[state.epoch - 1][str(state.sample_id)]
                if item.id == breaks_at:
                    raise RuntimeError("the machine stops here")
                if kind == "marks":
                    return Score(value={"right": item.right, "questions": item.questions})
                return Score(value=dict(item.scores.get(kind, {})))

            return give

        return score()

    kinds = list(
        dict.fromkeys([*(["marks"] if marks else []), *(kind for one in items for kind in one.scores), *(run or {})])
    )
    about = {"solver": solver, "name": name or solver, "facts": dict(facts or {}), "judge": judge}
    (log,) = run_task(
        Task(
            name=dataset,
            dataset=[Sample(id=one.id, input=ANSWER, target="x") for one in items],
            solver=lookup(),
            scorer=[scored(kind) for kind in kinds],
            epochs=Epochs(1 + len(epochs), "mean"),
            metadata=dict(about if metadata is None else metadata),
        ),
        model="none/none",
        log_dir=str(folder),
        display="none",
        max_samples=1,
    )
    return Path(log.location.removeprefix("file://"))
