"""Train the choice of experts: which reference domain a task belongs to, and whether to any.

    gama train domains --data training/tasks --out tools/domains/data

A logistic regression for each reference domain and one for "none of these", over what `features` of
`tools/domains/memberships.py` makes of the tasks in `training/tasks`: a file for each language, a task a line, before
it its domains or `none`. All tasks are ours; none stands in `evals/data/fields`, of which a third was never tuned on.

A probability of such a model means something only where it holds for tasks it has not seen: the scores are brought to
that scale (Platt) by what was said of each task while it was left out. The same data give the same file.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gama.state.errors import InputError
from gama.tools.domains.memberships import BUCKETS, WEIGHTS, features, row_of
from gama.tools.domains.packs import NAMES

TASKS = Path(__file__).parent / "tasks"
"""The tasks, a file for each language."""
NONE = "none"
"""What stands before a task that no domain fits."""


@dataclass(frozen=True)
class DomainsConfig:
    """Settings; chosen once by the tuned part of `evals/data/fields`."""

    strength: float = 10.0
    """C of the regression: the inverse of how strongly weights are held small."""
    folds: int = 5
    """Parts of the tasks, each left out once to bring the scores to scale."""
    shift: float = 1.0
    """Added to the log-odds of every domain: the training tasks name the best expert or two, others help as well."""


class Task(NamedTuple):
    """One line of the training tasks."""

    domains: frozenset[str]
    text: str


def read_tasks(folder: Path = TASKS) -> Iterator[Task]:
    """Read the tasks of a folder.

    Raises:
        InputError: there are none, or a line names no known domain.
    """
    files = sorted(folder.glob("*.txt"))
    if not files:
        raise InputError(f"there are no tasks in {str(folder)!r}: name a folder with .txt files")
    for file in files:
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if not line.strip():
                continue
            labels, colon, text = line.partition(": ")
            domains = frozenset(labels.split(","))
            if not colon or not (domains <= set(NAMES) or domains == {NONE}):
                raise InputError(f"{file.name}, line {number}: write 'Domain,Domain: task', or 'none: task'")
            yield Task(domains, text)


def train(tasks: list[Task], out: Path = WEIGHTS, config: DomainsConfig | None = None) -> dict[str, Any]:
    """Train on tasks and write the weights.

    Args:
        tasks: at least `folds` of each domain and of none.
        out: the file to write.
        config: the settings; the defaults by default.

    Returns:
        Counts, and how often a right domain stood among the first three where the task was left out.
    """
    from gama.models.shipped import word_vectors

    config = config or DomainsConfig()
    words = word_vectors()
    made = [features(task.text, words) for task in tasks]
    spread = np.sum([counts > 0 for counts, _ in made], axis=0)
    # Small integers hold it as well; the same ones are used here and there.
    rarity = np.round(16 * (np.log((1 + len(tasks)) / (1 + spread)) + 1)).astype(np.uint8)
    rows = np.stack([row_of(counts, rest, rarity.astype(np.float64)) for counts, rest in made])
    labels = np.array([[name in task.domains for name in (*NAMES, NONE)] for task in tasks])
    left_out = np.zeros(labels.shape)
    group = np.arange(len(tasks)) % config.folds
    for fold in range(config.folds):
        weights, bias = _fit(rows[group != fold], labels[group != fold], config.strength)
        left_out[group == fold] = rows[group == fold] @ weights + bias
    weights, bias = _fit(rows, labels, config.strength)
    for columns in (slice(0, len(NAMES)), slice(len(NAMES), len(NAMES) + 1)):
        slope, shift = _scale(left_out[:, columns], labels[:, columns])
        weights[:, columns] *= slope
        bias[columns] = bias[columns] * slope + shift
    bias[: len(NAMES)] += config.shift
    # Words and the rest have weights of different sizes: each part has its own scale, a column at a time.
    parts = (weights[:BUCKETS], weights[BUCKETS:])
    scales = [np.abs(part).max(axis=0) / 127 for part in parts]
    np.savez_compressed(
        out,
        weights=np.concatenate([np.round(part / scale) for part, scale in zip(parts, scales, strict=True)]).astype(
            np.int8
        ),
        scales=np.stack(scales).astype(np.float32),
        bias=bias.astype(np.float32),
        rarity=rarity,
    )
    first = np.argsort(-left_out[:, :-1], axis=1)[:, :3]
    hits = [labels[row, best].any() for row, best in enumerate(first) if not labels[row, -1]]
    return {"tasks": len(tasks), "none": int(labels[:, -1].sum()), "top 3, left out": round(float(np.mean(hits)), 4)}


def _fit(
    rows: NDArray[np.float64], labels: NDArray[np.bool_], strength: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return a column of weights and a bias for each label."""
    from sklearn.linear_model import LogisticRegression

    models = [LogisticRegression(C=strength, max_iter=1000).fit(rows, column) for column in labels.T]
    return np.stack([model.coef_[0] for model in models], axis=1), np.array([model.intercept_[0] for model in models])


def _scale(scores: NDArray[np.float64], labels: NDArray[np.bool_]) -> tuple[float, float]:
    """Return slope and shift that turn scores into log-odds that hold (Platt)."""
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=1e6).fit(scores.reshape(-1, 1), labels.ravel())
    return float(model.coef_[0, 0]), float(model.intercept_[0])


def main(argv: list[str] | None = None) -> int:
    """Run the command of the module's docstring."""
    parser = argparse.ArgumentParser(description="Train the choice of experts.")
    parser.add_argument("--data", type=Path, default=TASKS, help="folder of tasks")
    parser.add_argument("--out", type=Path, default=WEIGHTS.parent, help="folder for learned.npz")
    arguments = parser.parse_args(argv)
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name, figure in train(list(read_tasks(arguments.data)), arguments.out / WEIGHTS.name).items():
        print(f"{name}: {figure}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
