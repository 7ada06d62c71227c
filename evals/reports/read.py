"""Logs of Inspect as a frame with one row for each item: numbers alone, no text of an item.

What a log holds is agreed with the tasks that write it: `eval.task` is the data set, `eval.metadata` tells the solver,
its shown name, what its figures depend on, and the judge; a sample has `marks` (right, questions), further scores with
numbers, and in its metadata `used`, `trace` and, where no answer could be had, `failed`.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gama.state.errors import InputError

if TYPE_CHECKING:
    import pandas as pd
    from inspect_ai.log import EvalLog, EvalSample

KEYS = ("dataset", "solver", "item", "kind")
_NOT_READ = frozenset({"messages", "events", "store", "attachments"})
"""Parts of a sample that are not read at all."""


class Log(NamedTuple):
    """One run: a data set and a solver."""

    dataset: str
    solver: str
    name: str
    """As tables show the solver."""
    facts: Mapping[str, str]
    """What the figures depend on."""
    judge: str | None
    status: str
    """`success`, or, where unfinished runs count, `started`, `cancelled` or `error`."""
    created: datetime
    """To the second."""
    modified: float
    """When the file was last written."""
    file: str
    figures: Mapping[str, float]
    """Figures of the run as a whole, as `run.SCORE.METRIC`."""
    differs: tuple[str, ...] = ()
    """In which ways its items are not the published ones."""


@dataclass(frozen=True)
class Runs:
    """What a folder of logs holds."""

    frame: "pd.DataFrame"
    """One row for each data set, solver and item: `right` and `questions` are means over epochs, as are all numbers;
    `kind` is the type of the task where the data set has several."""
    logs: tuple[Log, ...]
    notes: tuple[str, ...] = field(default=())
    """What is left out, and why."""

    def log(self, dataset: str, solver: str) -> Log | None:
        """Return the run of a solver on a data set, if there is one."""
        return next((one for one in self.logs if (one.dataset, one.solver) == (dataset, solver)), None)

    @property
    def datasets(self) -> list[str]:
        """The data sets, in the order of their names."""
        return sorted({one.dataset for one in self.logs})

    @property
    def solvers(self) -> dict[str, str]:
        """The solvers' keys with their shown names, in the order of their keys; those of GAMA come last."""
        named = {one.solver: one.name for one in self.logs}
        return {key: named[key] for key in sorted(named, key=lambda key: (is_gama(key), key))}


def is_gama(solver: str) -> bool:
    """Return whether a solver's key is one of GAMA's."""
    return solver.casefold().startswith("gama")


def read(folder: Path, *, unfinished: bool = False) -> Runs:
    """Read the logs of a folder and of the folders below it.

    The newest log of a data set and solver counts. Failed, cancelled and unreadable logs are told.

    Args:
        folder: the logs, as `gama eval run` writes them.
        unfinished: whether the newest log counts with the items it holds, even if its run was not finished.

    Raises:
        InputError: the folder does not exist, holds no logs, none of them is one of `gama eval run`, or none counts.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder; name the one that `gama eval run` wrote its logs to")
    notes: list[str] = []
    found: dict[tuple[str, str], list[Log]] = {}
    others = seen = 0
    for file, modified, header in _headers(folder, notes):
        seen += 1
        log = _log(file, modified, header)
        if log is None:
            others += 1
        else:
            found.setdefault((log.dataset, log.solver), []).append(log)
    if not seen:
        raise InputError(f"{folder}: no log of Inspect can be read there{_told(notes)}")
    if not found:
        raise InputError(f"{folder}: these are logs of other tasks; none was written by `gama eval run`{_told(notes)}")
    if others:
        notes.append(f"{others} log(s) of other tasks are left out")
    chosen = [log for key in sorted(found) if (log := _newest(found[key], unfinished, notes)) is not None]
    rows: list[dict[str, Any]] = []
    counted: list[Log] = []
    for log in chosen:
        own = _rows(folder, log, notes)
        if own:
            rows += own
            counted.append(log)
    if not rows:
        raise InputError(f"{folder}: no finished run with scores{_told(notes)}")
    return Runs(_by_item(rows), tuple(counted), tuple(notes))


def _told(notes: list[str]) -> str:
    return f" ({'; '.join(notes)})" if notes else ""


def _headers(folder: Path, notes: list[str]) -> "Iterator[tuple[str, float, EvalLog]]":
    from inspect_ai.log import list_eval_logs, read_eval_log

    for info in list_eval_logs(str(folder)):
        path = Path(info.name.removeprefix("file://"))
        name = path.relative_to(folder.resolve()).as_posix() if path.is_relative_to(folder.resolve()) else path.name
        try:
            yield name, info.mtime or 0.0, read_eval_log(info, header_only=True)
        except Exception as error:  # whatever a damaged file makes zip and JSON readers raise
            notes.append(f"{name} cannot be read ({type(error).__name__}) and is left out")


def _log(file: str, modified: float, header: "EvalLog") -> Log | None:
    about = header.eval.metadata or {}
    solver, facts = about.get("solver"), about.get("facts")
    if not isinstance(solver, str) or not solver:
        return None
    return Log(
        dataset=header.eval.task.rsplit("/", 1)[-1],
        solver=solver,
        name=str(about.get("name") or solver),
        facts={str(key): str(value) for key, value in facts.items()} if isinstance(facts, dict) else {},
        judge=str(about["judge"]) if about.get("judge") else None,
        status=header.status,
        created=datetime.fromisoformat(header.eval.created),
        modified=modified,
        file=file,
        figures=_figures(header),
        differs=tuple(map(str, notes)) if isinstance(notes := about.get("notes"), list) else (),
    )


def _figures(header: "EvalLog") -> dict[str, float]:
    scores = header.results.scores if header.results else []
    return {
        f"run.{score.name}.{name}": float(metric.value)
        for score in scores
        for name, metric in score.metrics.items()
        if math.isfinite(metric.value)
    }


def _newest(logs: list[Log], unfinished: bool, notes: list[str]) -> Log | None:
    ordered = sorted(logs, key=lambda log: (log.created, log.modified))
    newest = ordered[-1]
    what = f"{newest.name} on {newest.dataset}"
    words = {"error": "failed", "cancelled": "was cancelled", "started": "is not finished"}
    if newest.status == "success":
        others = sum(log.facts != newest.facts for log in ordered if log.status == "success")
        if others:
            notes.append(f"{what}: {others} older run(s) with other settings are left out; keep them in a folder apart")
        return newest
    said = f"{what}: the newest run {words.get(newest.status, newest.status)} ({newest.file})"
    if unfinished:
        notes.append(f"{said}; the items it holds count")
        return newest
    finished = [log for log in ordered if log.status == "success"]
    if finished:
        notes.append(f"{said}; the last finished one counts")
        return finished[-1]
    notes.append(f"{said} and is left out: resume it, or count what it holds by --unfinished")
    return None


def _rows(folder: Path, log: Log, notes: list[str]) -> list[dict[str, Any]]:
    """Return a row for each item and epoch."""
    from inspect_ai.log import read_eval_log_samples

    rows = []
    unmarked = 0
    try:
        for sample in read_eval_log_samples(
            folder / log.file, all_samples_required=False, exclude_fields=set(_NOT_READ)
        ):
            row = _row(sample)
            if row is None:
                unmarked += 1
            else:
                rows.append({"dataset": log.dataset, "solver": log.solver, **row})
    except Exception as error:  # as in `_headers`
        notes.append(f"{log.file} cannot be read ({type(error).__name__}) and is left out")
        return []
    if unmarked:
        notes.append(
            f"{log.name} on {log.dataset}: {unmarked} answer(s) without marks, or with impossible ones, are left out"
        )
    return rows


def _row(sample: "EvalSample") -> dict[str, Any] | None:
    """Return the numbers of a sample; None where nothing in it was scored, or its marks are none."""
    scores = {name: _numbers(score.value) for name, score in (sample.scores or {}).items()}
    if not any(scores.values()):
        return None
    about = sample.metadata or {}
    row: dict[str, Any] = {
        "item": str(sample.id), "kind": str(about.get("kind") or ""), "failed": float(bool(about.get("failed"))),
    }  # fmt: skip
    if "marks" in scores:
        marks = scores.pop("marks")
        right, questions = marks.get("right", -1.0), marks.get("questions", 0.0)
        if not 0 <= right <= questions:
            return None
        # An item without questions is one of which something else is measured.
        row |= {"right": right, "questions": questions} if questions else {}
    for name, numbers in {"used": _numbers(about.get("used")), "trace": _numbers(about.get("trace")), **scores}.items():
        row |= {f"{name}.{key}" if key else name: value for key, value in numbers.items()}
    parts = [row[key] for key in ("used.input_tokens", "used.output_tokens") if key in row]
    if parts:
        row["used.tokens"] = sum(parts)
    if "used.gpu_mb" in row:
        row["used.gpu_gb"] = row["used.gpu_mb"] / 1024
    for name, numbers in scores.items():
        # A judge may have left open whether an item leaks (`unreadable`); then it says `leaking` where that is decided.
        if "leaked" in numbers and not {"leaking", "unreadable"} & numbers.keys():
            row[f"{name}.leaking"] = float(numbers["leaked"] > 0)
    return row


def _numbers(value: object) -> dict[str, float]:
    """Return the numbers of a score or of metadata; a list counts by its length, a lone number has no name."""
    if not isinstance(value, Mapping):
        value = {"": value}
    found = {}
    for key, one in value.items():
        if isinstance(one, bool | int | float) and math.isfinite(one):
            found[str(key)] = float(one)
        elif isinstance(one, list):
            found[str(key)] = float(len(one))
    return found


def _by_item(rows: list[dict[str, Any]]) -> "pd.DataFrame":
    import pandas as pd

    columns = dict.fromkeys([*KEYS, "right", "questions", *(key for row in rows for key in row)])
    frame = pd.DataFrame(rows, columns=list(columns))
    # An item has one kind, in all epochs.
    grouped = frame.groupby(list(KEYS), sort=True)
    return grouped.mean().assign(epochs=grouped.size()).reset_index()
