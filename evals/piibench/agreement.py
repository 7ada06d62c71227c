"""How alike scores on two data sets are (spec 03 §3.8): the paper sets its made texts beside real ones so."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from gama.evals.piibench.statistics import consistency
from gama.state.errors import InputError

Scores = Mapping[str, Mapping[str, float]]
"""By figure, by method."""


class Agreement(NamedTuple):
    """How alike the scores of a figure are."""

    figure: str
    pcs: Mapping[str, float]
    """By method: 1 - |F_one - F_other| / the larger of them."""
    spearman: float | None
    """Rank correlation over the methods; None for fewer than three, or where all are equal."""
    p_value: float | None

    @property
    def mean(self) -> float:
        """The mean of the methods' PCS."""
        return fmean(self.pcs.values())


def read_scores(path: Path) -> Scores:
    """Read the figures of a file that `gama eval identify --json` or `gama eval query --json` wrote.

    Raises:
        InputError: It cannot be read, or has none.
    """
    problem = ""
    try:
        told = json.loads(path.read_text(encoding="utf-8"))["figures"]
        found: dict[str, dict[str, float]] = {}
        for way, value in _leaves(told, ()):
            *task, method, figure = way
            found.setdefault(" ".join([*task, figure]), {})[method] = value
    except (OSError, ValueError, KeyError, TypeError) as error:
        problem = type(error).__name__
    if problem or not found:
        raise InputError(f"{path}: not a file that `gama eval … --json` wrote ({problem or 'no figures'})")
    return found


def _leaves(told: Any, way: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], float]]:
    if "value" in told and isinstance(told["value"], int | float):
        yield way, float(told["value"])
        return
    for name, inner in told.items():
        yield from _leaves(inner, (*way, name))


def agreement(one: Scores, other: Scores) -> list[Agreement]:
    """Compare two runs of the same methods, figure by figure; what only one of them has is passed over.

    Shares alone are compared: what is counted in milliseconds is no score.
    """
    found = []
    for figure, mine in one.items():
        methods = [name for name in mine if name in other.get(figure, {})]
        if not methods or "ms_per" in figure:
            continue
        pairs = {name: (mine[name], other[figure][name]) for name in methods}
        rho, p = _spearman(list(pairs.values()))
        found.append(Agreement(figure, {name: consistency(*both) for name, both in pairs.items()}, rho, p))
    return found


def _spearman(pairs: list[tuple[float, float]]) -> tuple[float | None, float | None]:
    from scipy.stats import spearmanr

    columns = list(zip(*pairs, strict=True))
    if len(pairs) < 3 or any(len(set(column)) == 1 for column in columns):
        return None, None
    result = spearmanr(*columns)
    return float(result.statistic), float(result.pvalue)
