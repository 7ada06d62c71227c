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
    kind: str = ""


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
            dataset=[
                Sample(id=one.id, input=ANSWER, target="x", metadata={"kind": one.kind} if one.kind else {})
                for one in items
            ],
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


def leak(leaked: int, items: int = 5) -> dict[str, dict[str, int]]:
    """Return the score of an item of whose private values so many leak."""
    return {"leakage": {"leaked": leaked, "items": items}}


def lenient(right: int) -> dict[str, dict[str, int]]:
    """Return the lenient marks of an item with one question."""
    return {"marks_lenient": {"right": right, "questions": 1}}


def example(folder: Path) -> Path:
    """Write the logs of three solvers on three data sets, small enough to reckon by hand, and return the folder."""
    facts = {"public model": "openai:gpt-4o", "seed": "0"}
    steps = {"rounds": 2, "rules": ["Law", "Finance", "History"]}
    paid = {"input_tokens": 700, "output_tokens": 300, "money": 0.25, "seconds": 4.0}
    plain, whole, strict = ("std", "Std"), ("gama", "GAMA"), ("gama_strict", "GAMA <strict>")
    runs: dict[tuple[str, tuple[str, str]], list[Item]] = {
        ("lpp", plain): [
            Item(f"l{at}", right, scores=leak(5) | lenient(1)) for at, right in enumerate((1, 0, 1, 0, 0, 0))
        ],
        ("lpp", whole): [
            Item(f"l{at}", right, used=paid, trace=steps, scores=leak(0) | lenient(right))
            for at, right in enumerate((1, 1, 1, 1, 1, 0))
        ],
        ("lpp", strict): [
            Item(f"l{at}", 1, used=paid, trace=steps, scores=leak(at % 2) | lenient(1)) for at in range(6)
        ],
        ("kpp", plain): [Item(f"k{at}", right, 5, scores=leak(5)) for at, right in enumerate((2, 3, 1, 4))],
        ("kpp", whole): [Item(f"k{at}", right, 5, used=paid, scores=leak(1)) for at, right in enumerate((4, 4, 3, 5))],
        ("kpp", strict): [
            Item("k0", 5, 5, used=paid, scores=leak(0)),
            Item("k1", 3, 5, used=paid, scores=leak(0)),
            Item("k2", 0, 5, used=paid, scores=leak(0), failed="ModelTimeout"),
            Item("k3", 4, 5, used=paid, scores=leak(0)),
        ],
        ("tcw5", plain): [Item(f"t{at}", right, 5) for at, right in enumerate((3, 4))],
        ("tcw5", whole): [Item(f"t{at}", right, 5) for at, right in enumerate((4, 4))],
    }
    for (dataset, (solver, name)), items in runs.items():
        write(folder, dataset, solver, items, name=name, facts=facts)
    return folder
